# Tries: to stop itself with SIGSTOP so that it neither runs nor ends.
# Success would be seen as: a run that does not end.
# Expect: timeout timeout
import os, signal

def attack(targets):
    os.kill(os.getpid(), signal.SIGSTOP)
    return "contained"
