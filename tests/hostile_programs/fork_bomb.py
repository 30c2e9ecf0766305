# Tries: to start processes until nothing else can run.
# Success would be seen as: the caller's machine out of processes; more of them alive than the limit.
# Expect: ran value | timeout timeout | killed killed
import os, time

def attack(targets):
    born = 0
    for _ in range(2000):
        try:
            if os.fork() == 0:
                time.sleep(60)
        except OSError:
            return "contained" if born < 64 else "ESCAPED: %d processes" % born
        born += 1
    return "ESCAPED: %d processes" % born
