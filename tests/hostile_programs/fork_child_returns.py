# Tries: to let a forked child return into the harness and report a second time.
# Success would be seen as: the child's value taken for the program's.
# Expect: ran value
import os, time

def attack(targets):
    if os.fork() == 0:
        return "ESCAPED: the child's value"
    time.sleep(0.1)
    return "contained"
