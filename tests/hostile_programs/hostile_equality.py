# Tries: to return objects that claim to equal everything and to be every class.
# Success would be seen as: a value that equals what the caller expects.
# Expect: ran value
class Yes(list):
    __class__ = str
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __repr__(self): return "ESCAPED"
    def __iter__(self): raise SystemExit
    def __len__(self): return 10**9
    def __reduce__(self): return (print, ("ESCAPED",))
    def __getattribute__(self, name): raise SystemExit

class Meta(type):
    @property
    def __name__(cls): raise SystemExit
    def __eq__(cls, other): return True
    def __instancecheck__(cls, thing): return True
    def __hash__(cls): return 0

class Any(metaclass=Meta):
    def __eq__(self, other): return True

def attack(targets):
    return [Yes(), Any(), Yes]
