# Tries: to take all memory.
# Success would be seen as: the machine swapping; the run not ended as memory.
# Expect: ran memory | killed killed
def attack(targets):
    hoard = []
    while True:
        hoard.append(bytearray(1 << 24))
