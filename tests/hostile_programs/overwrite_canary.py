# Tries: to overwrite, truncate, rename, link or change the mode of the caller's file.
# Success would be seen as: the canary file changed or gone.
# Expect: ran value
import os

def attack(targets):
    path = targets["canary_file"]
    for act in (lambda: open(path, "w").write("x"), lambda: os.truncate(path, 0), lambda: os.unlink(path),
                lambda: os.rename(path, "mine"), lambda: os.link(path, "mine"), lambda: os.chmod(path, 0)):
        try:
            act()
            return "ESCAPED"
        except OSError:
            continue
    return "contained"
