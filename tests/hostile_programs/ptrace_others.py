# Tries: to trace or read the memory of other processes.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import ctypes, os

def attack(targets):
    libc = ctypes.CDLL(None, use_errno=True)
    for process in (1, os.getppid(), targets["caller_pid"]):
        if libc.ptrace(16, process, 0, 0) == 0:
            return "ESCAPED: attached to %d" % process
    child = os.fork()
    if child == 0:
        import time
        time.sleep(60)
    return "ESCAPED: attached to a child" if libc.ptrace(16, child, 0, 0) == 0 else "contained"
