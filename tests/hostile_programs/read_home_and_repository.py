# Tries: to read the caller's home, working folder and a canary file there.
# Success would be seen as: ESCAPED or the canary's text in the value or output.
# Expect: ran value
import os

def attack(targets):
    for path in (targets["home"], targets["repository"], os.path.expanduser("~root"), targets["folder"]):
        try:
            if os.path.abspath(path) != os.environ["TMPDIR"] and os.listdir(path):
                return "ESCAPED: listed " + path
        except OSError:
            continue
    try:
        return "ESCAPED: " + open(targets["canary_file"]).read()
    except OSError:
        return "contained"
