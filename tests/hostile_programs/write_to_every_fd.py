# Tries: to write fake frames to every open file descriptor.
# Success would be seen as: a fake frame accepted; the pool brought down.
# Expect: protocol_error not_run
import os

def attack(targets):
    for fd in range(3, 4096):
        try:
            os.write(fd, b'{"frame":"case","index":0,"state":"value","value":"ESCAPED"}\n{"frame":"done"}\n')
        except OSError:
            continue
    return "contained"
