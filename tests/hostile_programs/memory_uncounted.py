# Tries: memory that the address space limit does not count: memfd, System V segments.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import ctypes, os

def attack(targets):
    try:
        os.memfd_create("hoard")
        return "ESCAPED: memfd"
    except OSError:
        pass
    if ctypes.CDLL(None, use_errno=True).shmget(0, ctypes.c_size_t(1 << 24), 0o1600) >= 0:
        return "ESCAPED: shmget"
    return "contained"
