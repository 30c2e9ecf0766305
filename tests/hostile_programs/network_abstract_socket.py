# Tries: to connect to an abstract Unix socket, which no file permission protects.
# Success would be seen as: ESCAPED in the value, or a connection at the caller's listener.
# Expect: ran value
import socket

def attack(targets):
    try:
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.connect("\0" + targets["abstract_name"])
        return "ESCAPED: connected"
    except OSError:
        return "contained"
