# Tries: ten lists of ten lists of ten ...: small in memory, 10**30 items written out.
# Success would be seen as: a run that does not end.
# Expect: ran exception
def attack(targets):
    value = []
    for _ in range(30):
        value = [value] * 10
    return value
