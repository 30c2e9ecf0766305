# Tries: to send a datagram to the caller's UDP socket.
# Success would be seen as: ESCAPED in the value, or a datagram at the caller's socket.
# Expect: ran value
import socket

def attack(targets):
    try:
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.sendto(b"hello", ("127.0.0.1", targets["udp_port"]))
        return "ESCAPED: datagram sent"
    except OSError:
        return "contained"
