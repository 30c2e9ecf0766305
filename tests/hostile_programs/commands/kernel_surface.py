# Tries: the calls that change mounts, namespaces, keys, other processes or the clock, and odd sockets.
# Success would be seen as: "ESCAPED".
# Expect: ran
import ctypes
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
for name, arguments in {
    "unshare": (0x10000000,),
    "mount": (b"none", b"/tmp", b"tmpfs", 0, None),
    "umount2": (b"/input", 2),
    "chroot": (b"/tmp",),
    "ptrace": (16, 1, None, None),
    "setns": (0, 0),
    "memfd_create": (b"x", 0),
    "setuid": (0,),
    "shmget": (0, 4096, 0o1600),
}.items():
    print(name, "ESCAPED" if getattr(libc, name)(*arguments) >= 0 else ctypes.get_errno())
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40, 38):
    try:
        socket.socket(family, socket.SOCK_DGRAM if family != 38 else socket.SOCK_SEQPACKET)
        print("ESCAPED", family)
    except OSError as error:
        print(error.errno)
print(os.getpid())
