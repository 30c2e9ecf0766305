# Tries: to mount, unmount, change root and enter new namespaces.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import ctypes, os

def attack(targets):
    libc = ctypes.CDLL(None, use_errno=True)
    os.mkdir("m")
    tries = {
        "mount tmpfs": lambda: libc.mount(b"tmpfs", b"m", b"tmpfs", 0, None),
        "mount proc": lambda: libc.mount(b"proc", b"m", b"proc", 0, None),
        "bind": lambda: libc.mount(b"/", b"m", None, 4096, None),
        "remount": lambda: libc.mount(b"none", b"/", None, 32 | 4096, None),
        "umount": lambda: libc.umount2(b"/tmp", 2),
        "chroot": lambda: libc.chroot(b"m"),
        "user namespace": lambda: libc.unshare(0x10000000),
        "mount namespace": lambda: libc.unshare(0x20000),
        "clone new user": lambda: libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0),
        "setuid": lambda: libc.setuid(0),
        "mknod": lambda: libc.mknod(b"m/sda", 0o60600, os.makedev(8, 0)),
    }
    for name, act in tries.items():
        if act() == 0:
            return "ESCAPED: " + name
    return "contained"
