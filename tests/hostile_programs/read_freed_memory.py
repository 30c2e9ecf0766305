# Tries: to find the source of a program that ran before it in memory that was freed, page by page.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import ctypes, os

libc = ctypes.CDLL(None)
libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
libc.sbrk.restype = ctypes.c_void_p
PAGE = 4096

def readable(start, end):
    """The pages between two addresses, with the end of the one before: a pipe takes none that is not there."""
    out, into = os.pipe()
    before = b""
    for page in range(start, end, PAGE):
        if libc.write(into, page, PAGE) == PAGE:
            data = os.read(out, PAGE)
            yield before + data
            before = data[-64:]
        else:
            before = b""

def attack(targets):
    # Each text is put together by comparing, so that what is looked for is not itself in memory.
    wanted = {"def gc": ")b ,a(d"[::-1], "def atta": ")stegrat(kc"[::-1]}
    heap = libc.sbrk(0) // PAGE * PAGE
    arena = id(object()) // PAGE * PAGE
    found = set()
    for start, end in ((heap - (24 << 20), heap), (arena - (24 << 20), arena + (24 << 20))):
        for data in readable(start, end):
            for head, tail in wanted.items():
                at = data.find(head.encode())
                while at >= 0:
                    at += len(head)
                    if data[at:at + len(tail)] == tail.encode():
                        found.add(head)
                    at = data.find(head.encode(), at)
    if "def atta" not in found:
        return "the search does not even find this program"
    return "ESCAPED: another program's text" if "def gc" in found else "contained"
