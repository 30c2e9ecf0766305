# Tries: socket families that a network namespace does not hold: vsock, netlink, packet, alg.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import socket

def attack(targets):
    for family in (40, 16, 17, 38, 10, 2):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            try:
                socket.socket(family, kind)
                return "ESCAPED: a socket of family %d" % family
            except OSError:
                continue
    return "contained"
