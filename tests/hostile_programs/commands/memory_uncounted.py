# Tries: to hold memory that limits on private, writable memory do not count.
# Success would be seen as: "ESCAPED".
# Expect: memory | killed
import ctypes
import mmap

libc = ctypes.CDLL(None, use_errno=True)
kept = []
for _ in range(12):  # written, then made read-only
    block = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    block.write(b"x" * (32 << 20))
    address = ctypes.addressof(ctypes.c_char.from_buffer(block))
    libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(32 << 20), 1)
    shared = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    shared.write(b"x" * (32 << 20))
    kept += [block, shared]
print("ESCAPED")
