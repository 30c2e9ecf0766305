# Tries: to read the system's files: accounts, host name, mounts, the kernel's view.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import os

def attack(targets):
    for path in ("/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/self/mounts", "/proc/cpuinfo",
                 "/sys/kernel", "/var/log", "/root", "/home", "/usr/bin", "/boot", "/run"):
        try:
            os.listdir(path) if os.path.isdir(path) else open(path).read()
            return "ESCAPED: read " + path
        except OSError:
            continue
    return "contained"
