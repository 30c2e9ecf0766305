# Tries: to flood the caller with output.
# Success would be seen as: the caller's memory growing; output beyond the limit.
# Expect: timeout timeout
def attack(targets):
    while True:
        print("x" * 10000)
