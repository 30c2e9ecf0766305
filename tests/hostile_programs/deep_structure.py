# Tries: to return a list nested a million deep.
# Success would be seen as: a caller that overflows its stack.
# Expect: ran exception
def attack(targets):
    value = []
    for _ in range(1_000_000):
        value = [value]
    return value
