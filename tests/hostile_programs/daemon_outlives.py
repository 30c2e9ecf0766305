# Tries: to leave a process, twice forked in a session of its own, that goes on.
# Success would be seen as: a process alive after the run.
# Expect: ran value
import os, time

def attack(targets):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(0, 1000):
                try:
                    os.close(fd)
                except OSError:
                    pass
            time.sleep(600)
        os._exit(0)
    time.sleep(0.05)
    return "contained"
