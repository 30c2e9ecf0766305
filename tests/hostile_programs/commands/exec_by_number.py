# Tries: every system call that starts a program or a process, by number, past any library.
# Success would be seen as: "ESCAPED".
# Expect: ran
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
numbers = {"x86_64": (59, 322, 57, 58, 56, 435), "aarch64": (221, 281, None, None, 220, 435)}[os.uname().machine]
execve, execveat, fork, vfork, clone, clone3 = numbers
path = sys.executable.encode()
argv = (ctypes.c_char_p * 4)(path, b"-c", b"print('ESCAPED')", None)
program = os.open(sys.executable, os.O_RDONLY)


def attempt(name, number, *arguments):
    if number is not None:
        result = libc.syscall(ctypes.c_long(number), *arguments)
        print(name, result, ctypes.get_errno() if result < 0 else "ESCAPED", flush=True)


attempt("execve", execve, path, argv, None)
attempt("execveat", execveat, -100, path, argv, None, 0)
attempt("execveat of a descriptor", execveat, program, b"", argv, None, 0x1000)
attempt("fork", fork)
attempt("vfork", vfork)
attempt("clone", clone, ctypes.c_ulong(17), None, None, None, None)
attempt("clone3", clone3, bytes([0] * 32 + [17] + [0] * 55), ctypes.c_size_t(88))
for way in (lambda: os.execv(sys.executable, ["python", "-c", "print('ESCAPED')"]), os.fork):
    try:
        way()
        print("ESCAPED")
    except OSError as error:
        print(error.errno)
