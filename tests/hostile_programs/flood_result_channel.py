# Tries: to fill the caller's memory through the result channel.
# Success would be seen as: the caller's memory growing.
# Expect: protocol_error not_run
import os

def attack(targets):
    while True:
        for fd in range(3, 1000):
            try:
                while True:
                    os.write(fd, b"x" * 65536)
            except OSError:
                continue
