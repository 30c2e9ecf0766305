# Tries: to reach the harness through the call stack and overwrite its encoder.
# Success would be seen as: nothing can be gained that could not have been returned; the caller must survive it.
# Expect: ran value | protocol_error not_run | ran exception | killed killed
import sys

def attack(targets):
    frame = sys._getframe(1)
    while frame:
        for name in ("_encoded", "encode", "_fields"):
            if name in frame.f_globals:
                frame.f_globals[name] = lambda *args, **kwargs: '{"made":"up"}'
        frame = frame.f_back
    return "contained"
