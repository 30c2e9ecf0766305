# Tries: to replace builtins, json, os.write and whatever of the harness can be imported.
# Success would be seen as: a value other than the one returned.
# Expect: ran value
import builtins, json, json.encoder, os, sys

def lie(*args, **kwargs):
    return "ESCAPED"

def attack(targets):
    for name in ("len", "str", "repr", "type", "issubclass", "isinstance", "enumerate", "list", "dict", "slice",
                 "max", "hex", "int", "float", "tuple"):
        setattr(builtins, name, lie)
    json.dumps = json.encoder.encode_basestring_ascii = os.write = os.getpid = lie
    for name, module in [*sys.modules.items()]:
        if "inside" in name or "harness" in name or "assay" in name:
            module.encode = lie
    return "contained"
