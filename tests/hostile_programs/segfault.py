# Tries: to crash the interpreter.
# Success would be seen as: a pool that dies.
# Expect: killed killed
import ctypes

def attack(targets):
    return ctypes.string_at(0)
