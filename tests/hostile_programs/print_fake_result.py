# Tries: to print what a result looks like.
# Success would be seen as: the printed value taken for a result.
# Expect: ran value
import sys

def attack(targets):
    for frame in ('{"frame":"loaded"}', '{"frame":"case","index":0,"state":"value","value":"ESCAPE"}', '{"frame":"done"}'):
        print(frame)
        print(frame, file=sys.stderr)
    sys.stdout.flush()
    return "contained"
