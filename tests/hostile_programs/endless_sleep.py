# Tries: to wait for ever without using the processor.
# Success would be seen as: a run that does not end.
# Expect: timeout timeout
import time

def attack(targets):
    while True:
        time.sleep(3600)
