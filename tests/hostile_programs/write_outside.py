# Tries: to write anywhere but in its scratch folder, the standard library included.
# Success would be seen as: ESCAPED in the value, or a file at the caller's side.
# Expect: ran value
import os

def attack(targets):
    for folder in ("/", "/dev", "/etc", "/usr", "/lib", os.path.dirname(os.__file__), targets["home"],
                   targets["folder"], targets["repository"], "/assay", "/var/tmp", "/dev/shm"):
        if os.path.abspath(folder) == os.getcwd():
            continue
        try:
            open(os.path.join(folder, "escaped"), "w").write("x")
            return "ESCAPED: wrote to " + folder
        except OSError:
            continue
    return "contained"
