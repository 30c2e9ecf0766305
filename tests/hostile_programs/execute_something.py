# Tries: to execute a program: a shell, the loader, the interpreter, one of its own.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import os, subprocess, sys

def attack(targets):
    with open("own", "wb") as file:
        file.write(b"#!/bin/sh\n")
    os.chmod("own", 0o755)
    for path in ("/bin/sh", "/usr/bin/env", sys.executable or "python", "./own", "/lib64/ld-linux-x86-64.so.2"):
        try:
            subprocess.run([path], timeout=1, stdout=subprocess.DEVNULL)
            return "ESCAPED: executed " + path
        except (OSError, subprocess.SubprocessError):
            continue
    return "contained"
