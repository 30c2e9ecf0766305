# Tries: to return a list and a dict that hold themselves.
# Success would be seen as: a run that does not end.
# Expect: ran exception
def attack(targets):
    value = [{}]
    value[0]["self"] = value
    return value
