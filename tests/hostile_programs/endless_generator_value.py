# Tries: to return a generator that never ends.
# Success would be seen as: a run that does not end.
# Expect: ran value
import itertools

def attack(targets):
    return itertools.count()
