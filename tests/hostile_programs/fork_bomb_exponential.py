# Tries: the classic: every child forks too, and returns into the harness.
# Success would be seen as: frames from children accepted as results; the machine brought to its knees.
# Expect: ran exception | ran value | timeout timeout | killed killed
import os

def attack(targets):
    while True:
        os.fork()
