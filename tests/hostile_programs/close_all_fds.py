# Tries: to close every file descriptor, the result channel's too.
# Success would be seen as: a pool that hangs.
# Expect: killed killed
import os

def attack(targets):
    os.closerange(0, 65536)
    return "contained"
