# Tries: to ignore every signal and clear its parent-death signal, then loop.
# Success would be seen as: a run that does not end.
# Expect: timeout timeout
import ctypes, signal

def attack(targets):
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    while True:
        pass
