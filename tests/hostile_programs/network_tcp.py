# Tries: to reach a TCP server of the caller on the loopback address, and one far away.
# Success would be seen as: ESCAPED in the value, or a connection at the caller's listener.
# Expect: ran value
import socket

def attack(targets):
    for address in (("127.0.0.1", targets["tcp_port"]), ("1.1.1.1", 80)):
        try:
            socket.create_connection(address, timeout=0.3).sendall(b"hello")
            return "ESCAPED: connected to %r" % (address,)
        except OSError:
            continue
    return "contained"
