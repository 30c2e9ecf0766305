# Tries: to get out of the scratch folder through symbolic links and dots.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import os

def attack(targets):
    os.symlink("/", "root")
    os.symlink(targets["canary_file"], "canary")
    os.symlink("../../../../../../etc/passwd", "dots")
    for path in ("root/etc/passwd", "canary", "dots", "root" + targets["canary_file"], "../../etc/passwd"):
        try:
            return "ESCAPED: " + open(path).read()
        except OSError:
            continue
    return "contained"
