# Tries: to raise its own limits.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import resource

def attack(targets):
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            return "ESCAPED: limit %d" % kind
        except (OSError, ValueError):
            continue
    return "contained"
