# Tries: to take all memory while being loaded.
# Success would be seen as: the run not ended as memory.
# Expect: memory not_run
hoard = "x" * (1 << 40)

def attack(targets):
    return "ESCAPED"
