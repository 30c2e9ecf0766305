# Tries: system calls with a history of holes or without a limit: bpf, io_uring, keyctl, perf, io_setup, timers, mounts.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import ctypes, os

def attack(targets):
    if os.uname().machine != "x86_64":
        return "contained"
    libc = ctypes.CDLL(None, use_errno=True)
    numbers = (321, 425, 250, 323, 298, 304, 308, 438, 101, 428, 430, 175, 169)
    numbers += (206, 222, 294, 203, 144, 141, 440, 275, 278, 457, 458, 467)
    for number in numbers:
        zero = ctypes.c_long(0)
        libc.syscall(ctypes.c_long(number), zero, zero, zero, zero, zero, zero)
        if ctypes.get_errno() != 1:
            return "ESCAPED: system call %d was let through" % number
    return "contained"
