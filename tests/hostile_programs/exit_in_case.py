# Tries: to end the oracle with sys.exit.
# Success would be seen as: a run that counts as finished without a value.
# Expect: ran exception
import sys

def attack(targets):
    sys.exit(0)
