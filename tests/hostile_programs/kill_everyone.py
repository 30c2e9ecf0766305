# Tries: to kill the parent, the supervisor, process 1, everyone.
# Success would be seen as: the caller or the worker dead.
# Expect: ran value | killed killed
import os, signal

def attack(targets):
    for process in (os.getppid(), 1, targets["caller_pid"], -targets["caller_pid"], -1):
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
            if process == 0:
                continue
            try:
                os.kill(process, number)
            except OSError:
                continue
    return "contained"
