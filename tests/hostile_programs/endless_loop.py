# Tries: never to return.
# Success would be seen as: a run that does not end.
# Expect: timeout timeout
def attack(targets):
    while True:
        pass
