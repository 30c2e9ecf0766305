# Tries: to learn where the bench is installed: from arguments, paths, modules, and the frames above it.
# Success would be seen as: ESCAPED in the value.
# Expect: ran value
import ctypes, sys

def arguments():
    count, values = ctypes.c_int(), ctypes.POINTER(ctypes.c_wchar_p)()
    ctypes.pythonapi.Py_GetArgcArgv(ctypes.byref(count), ctypes.byref(values))
    return [values[number] for number in range(count.value)]

def attack(targets):
    seen = [*sys.path, *sys.argv, *sys.orig_argv, *arguments(), sys.executable]
    seen += [str(vars(module)) for module in list(sys.modules.values())]
    frame = sys._getframe()
    while frame is not None:
        seen += [frame.f_code.co_filename, str(frame.f_globals), str(dict(frame.f_locals, targets=0, case=0, job=0, seen=0))]
        frame = frame.f_back
    mark = targets["repository"] + "/src"
    found = [text[max(0, text.find(mark) - 40):][:120] for text in seen if mark in text]
    return "ESCAPED: %r" % found if found else "contained"
