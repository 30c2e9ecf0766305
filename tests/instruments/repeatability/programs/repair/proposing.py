"""What single steps of repair propose, and programs that every step has to survive."""

from __future__ import annotations

import ast
import gzip
import json
from itertools import islice, pairwise

from assay.instruments.repeatability.programs.repair import STEPS, ProgramText
from assay.instruments.repeatability.programs.repair.search import MOST_OF_STEP
from assay.instruments.repeatability.programs.repair.steps import repairable
from tests.instruments.repeatability.programs.grammar import run
from tests.support import SHARED

__all__ = ["HOSTILE", "ROWS", "STEP", "best", "dump", "meaning", "proposals", "real_pairs"]

ROWS = SHARED / "skyt.jsonl.gz"
STEP = {step.name: step for step in STEPS}


def proposals(name: str, source: str, canon: str, *keep: str, most: int = MOST_OF_STEP) -> list[str]:
    """What a step proposes; each is checked to be another program that parses, and none to come twice."""
    if not repairable(source, canon):
        return []
    program = ProgramText(source, frozenset(keep))
    found = list(islice(STEP[name].propose(program, ProgramText(canon, frozenset(keep))), most))
    found = [one for one in dict.fromkeys(found) if one != program.text]
    for one in found:
        ast.parse(one)
    return found


def best(name: str, source: str, canon: str, *keep: str) -> str:
    """The first proposal of a step; the program itself where there is none."""
    return next(iter(proposals(name, source, canon, *keep)), source)


def dump(source: str) -> str:
    return ast.dump(ast.parse(source))


def meaning(source: str, entry: str, parameters: int) -> list[tuple[str, str]]:
    """What a program gives for a few arguments."""
    return [run(source, entry, tuple(range(start, start + parameters))) for start in (-2, 0, 3)]


def real_pairs() -> list[tuple[str, str]]:
    """Neighbours among the different outputs of a cell, each pair once."""
    rows = [json.loads(line) for line in gzip.decompress(ROWS.read_bytes()).splitlines()]
    return list(dict.fromkeys(pair for row in rows for pair in pairwise(dict.fromkeys(row["outputs"]))))


HOSTILE = (
    "", "\n\n", "# only a comment", '"only a docstring"', "x = (", "\ufeffx = 1", "\x0cdef f():\n\x0c  return 1\n",
    "def f():\r\n    return 1\r\n", "def f():\r    return 1\r", "a=1;b=2;", "if x: pass\nelse: y = 1; z = 2",
    "class A: x: int = 1; y = 2", "def f(): return 1", "async def f(x: int) -> int:\n\tasync with x: return (x)\n",
    "@a\n@b(1)\n# c\ndef f(): pass", "x = '''\n  a\n'''; y = 1", "x = 1 + \\\n  2 # c", "ｆｏｏ = 1; ü: int = (2)  # ñ",
    "def f():\n\tif 1:\n\t        return 1\n", "def f(x):\n  def g(y):\n    '''d'''\n    return (y)\n  return g\n",
    "try:\n  pass\nexcept (A, B) as e: raise\nelse: pass\nfinally:\n  x=1",
    "match (x):\n  case (1): pass\n  case _:\n    y = (2)", "if 1:\n    'a'\n    # c\n# d\nx = '#'\n",
    "def f(a, /, b: int=1, *, c: str = 'x') -> None: ...", "x = f'{(1)!r:>{(2)}}' 'é' # c", "for(i)in(y):pass",
    "def f(): \\\n  'doc'; return 1", "lambda: (yield)", "x: (int) = 1\n(y): int = 2",
    "while(1):\n break\nelse:pass # c", "print('\u2028', 'a\x0b')  # \x85 c\nx = 1",
    "def f():\n    pass\n  # odd\n\n", "x = " + "(" * 60 + "1" + ")" * 60, "del (x), (y)",
    "0xffffffffffffffffffffffffffffffffff + 1e999 - 0j", "x = " + "-" * 300 + "1", "\ud800",
    "import re # c\nimport os\\\n, sys\nx=1", "from . import a\nfrom .. import b", "import a.b, a.c as d\nimport a",
    "import re\nimport re\nfrom re import sub as re", "import os, re;", "from math import *\nfrom a import *",
    "if __name__ == '__main__': f()\nelse: g()", "def f(): pass\nif '__main__' == __name__:\n  f()\nprint(f())",
    "def f(x):\n  if x: return 1\n  elif not x: return 2\n  else:\n    return 3", "x = y = 0; del x\ny += 1",
)  # fmt: skip
