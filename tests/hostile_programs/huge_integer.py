# Tries: to return an integer of ten million digits.
# Success would be seen as: a caller busy converting it.
# Expect: ran exception
def attack(targets):
    return 1 << 40_000_000
