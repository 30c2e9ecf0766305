"""The first thing a worker runs, given to the interpreter as text: ``python -c TEXT '{"caller":…,"fd":…}'``.

Configuration and modules come over the line, already compiled, so that neither arguments nor module paths
name the folder that Assay is installed in.
"""

from __future__ import annotations

import json
import marshal
import socket
import struct
import sys
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

__all__ = ["Modules", "boot"]


class Modules:
    """Imports the modules that came over the line."""

    def __init__(self, codes: dict[str, CodeType]) -> None:
        self.codes = codes

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """As the import system asks for it."""
        if name not in self.codes:
            return None
        return ModuleSpec(name, self, is_package=name == "inside")  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module will do."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's own code in it."""
        exec(self.codes[module.__name__], module.__dict__)  # noqa: S102  our own code

    def get_code(self, name: str) -> CodeType:
        """The compiled module."""
        return self.codes[name]


def boot() -> None:
    """Read configuration and modules, and become the worker."""
    told: dict[str, Any] = json.loads(sys.argv[1])
    control = socket.socket(fileno=told["fd"])
    (size,) = struct.unpack("!Q", control.recv(8, socket.MSG_WAITALL))
    config, codes = marshal.loads(control.recv(size, socket.MSG_WAITALL))  # noqa: S302  the caller's own
    sys.meta_path.insert(0, Modules(codes))
    from inside.zygote import main  # type: ignore[import-not-found]

    main(control, {**config, **told})


if __name__ == "__main__":
    boot()
