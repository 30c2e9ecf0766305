# Tries: to import the caller's installed packages and Assay itself.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import glob, os, sys

def attack(targets):
    sys.path += [os.path.join(os.path.dirname(os.__file__), "site-packages"), targets["repository"] + "/src", "/assay"]
    for name in ("msgspec", "numpy", "pip", "assay", "inside"):
        try:
            __import__(name)
            return "ESCAPED: imported " + name
        except ImportError:
            continue
    return "contained"
