# Tries: to replace and close the standard streams.
# Success would be seen as: a harness that dies when it flushes.
# Expect: ran value
import sys

class Trap:
    def write(self, text): raise SystemExit
    def flush(self): raise SystemExit

def attack(targets):
    sys.stdout.close()
    sys.stderr.close()
    sys.__stdout__ = sys.stdout = sys.stderr = Trap()
    return "contained"
