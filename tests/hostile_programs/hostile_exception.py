# Tries: to raise exceptions whose text and class run code.
# Success would be seen as: ESCAPED in the message; a harness that dies.
# Expect: ran exception
class Loud(Exception):
    __class__ = MemoryError
    def __str__(self): raise SystemExit
    def __repr__(self): return "ESCAPED"
    @property
    def args(self): raise SystemExit

def attack(targets):
    raise Loud(Loud(), object())
