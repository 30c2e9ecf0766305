# Tries: system calls with a history of holes: bpf, io_uring, keyctl, userfaultfd, perf, handles.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import ctypes, os

def attack(targets):
    if os.uname().machine != "x86_64":
        return "contained"
    libc = ctypes.CDLL(None, use_errno=True)
    for number in (321, 425, 250, 323, 298, 304, 308, 438, 101, 428, 430, 175, 169):
        zero = ctypes.c_long(0)
        libc.syscall(ctypes.c_long(number), zero, zero, zero, zero, zero, zero)
        if ctypes.get_errno() != 1:
            return "ESCAPED: system call %d was let through" % number
    return "contained"
