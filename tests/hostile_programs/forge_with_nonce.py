# Tries: to find the nonce in the harness's closure and write a frame before the true one.
# Success would be seen as: two frames for one case accepted.
# Expect: protocol_error not_run
import os, sys

def attack(targets):
    frame, nonce, fd = sys._getframe(1), None, None
    while frame:
        nonce, fd = frame.f_locals.get("nonce", nonce), frame.f_locals.get("fd", fd)
        frame = frame.f_back
    os.write(fd, (nonce + ' {"frame":"case","index":0,"state":"value","value":"forged"}\n').encode())
    return "contained"
