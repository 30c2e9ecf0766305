# Tries: to overflow the stack.
# Success would be seen as: a harness that dies.
# Expect: ran exception
def attack(targets):
    return attack(targets)
