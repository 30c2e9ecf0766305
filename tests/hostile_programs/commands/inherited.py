# Tries: to find something the worker left open, or an environment that is not its own.
# Success would be seen as: "ESCAPED".
# Expect: ran
import os
import resource

open_ones = []
for number in range(4096):
    try:
        os.fstat(number)
        open_ones.append(number)
    except OSError:
        pass
print("held" if open_ones == [0, 1, 2] else f"ESCAPED {open_ones}")
names = sorted(os.environ)
print("held" if set(names) <= {"HOME", "LANG", "LC_CTYPE", "PATH", "TMPDIR", "TZ"} else f"ESCAPED {names}")
print("held" if os.getuid() and os.geteuid() else "ESCAPED")
try:
    resource.setrlimit(resource.RLIMIT_NPROC, (1000, 1000))
    print("ESCAPED")
except (OSError, ValueError):
    print("held")
