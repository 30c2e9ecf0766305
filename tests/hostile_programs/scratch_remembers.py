# Tries: to find what an earlier program left in the scratch folder, and leave something.
# Success would be seen as: ESCAPED in the value of a later run.
# Expect: ran value
import os

def attack(targets):
    if os.listdir("."):
        return "ESCAPED: found %r" % os.listdir(".")
    os.mkdir("left")
    open("left/behind", "w").write("x")
    return "contained"
