# Tries: to overflow the C stack after lifting the recursion limit.
# Success would be seen as: a pool that dies.
# Expect: killed killed | ran exception | ran memory | memory memory | timeout timeout
import sys

def attack(targets):
    sys.setrecursionlimit(10**9)
    class Chain:
        def __repr__(self): return repr(self)
    return repr(Chain())
