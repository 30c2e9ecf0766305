# Tries: to fill the disk through the scratch folder.
# Success would be seen as: more bytes or files written than the limit.
# Expect: ran value
import os

def attack(targets):
    written = files = 0
    try:
        for number in range(100_000):
            with open("f%d" % number, "wb") as file:
                file.write(b"x" * 65536)
            written, files = written + 65536, files + 1
    except OSError:
        pass
    return "contained" if written <= 20 << 20 else "ESCAPED: %d bytes in %d files" % (written, files)
