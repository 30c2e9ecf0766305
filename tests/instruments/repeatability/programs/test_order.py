"""Imports and definitions in the canon's order: only what does not depend on one another changes places."""

from __future__ import annotations

import ast
import gzip
import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.repair.edits import MOST_PROPOSALS
from assay.instruments.repeatability.programs.repair.model import Program
from assay.instruments.repeatability.programs.repair.order import HARMLESS, ORDER
from tests.support import SHARED

from .grammar import programs, run

ROWS = SHARED / "skyt.jsonl.gz"
STEP = {step.name: step for step in ORDER}


def proposals(name: str, source: str, canon: str, *keep: str) -> list[str]:
    kept = frozenset(keep)
    return list(STEP[name].propose(Program(source, kept), Program(canon, kept)))


def best(name: str, source: str, canon: str, *keep: str) -> str:
    return next(iter(proposals(name, source, canon, *keep)), source)


def imported(source: str) -> set[str]:
    """Every single import of the module, written out."""
    found = set()
    for one in ast.parse(source).body:
        if isinstance(one, ast.Import):
            found |= {f"import {ast.unparse(alias)}" for alias in one.names}
        elif isinstance(one, ast.ImportFrom):
            found |= {
                f"from {'.' * one.level}{one.module} import {ast.unparse(alias)}" for alias in one.names
            }
    return found


def without_imports(source: str) -> list[str]:
    return [
        ast.dump(one) for one in ast.parse(source).body if not isinstance(one, ast.Import | ast.ImportFrom)
    ]


def inventory(source: str) -> Counter[str]:
    """The module's statements and those of its classes, whatever their order."""
    found: Counter[str] = Counter()
    for one in ast.parse(source).body:
        if isinstance(one, ast.ClassDef):
            found.update(f"{one.name}: {ast.dump(inner)}" for inner in one.body)
            one.body = []
        found[ast.dump(one)] += 1
    return found


def check(name: str, source: str, canon: str) -> None:
    found = proposals(name, source, canon)
    assert len(found) <= MOST_PROPOSALS
    assert len(set(found)) == len(found)
    for proposal in found:
        assert proposal != source
        if name == "definitions":
            assert inventory(proposal) == inventory(source)
        else:
            assert without_imports(proposal) == without_imports(source)
            changed = imported(proposal) ^ imported(source)
            assert all(one.split()[1] in HARMLESS for one in changed)
            assert imported(proposal) - imported(source) <= imported(canon)


# Imports


def test_imports_take_the_canons_order() -> None:
    source = '"""d"""\nimport sys\nimport re\nfrom os import path\nx = re, sys, path\n'
    canon = "from os import path\nimport re\nimport sys\n"
    assert best("imports", source, canon) == (
        '"""d"""\nfrom os import path\nimport re\nimport sys\nx = re, sys, path\n'
    )


def test_imports_are_split_and_merged_as_in_the_canon() -> None:
    source = "import re, sys\nfrom math import pi\nfrom math import e\nx = re, sys, pi, e\n"
    canon = "import re\nimport sys\nfrom math import (e,\n    pi)\n"
    assert best("imports", source, canon) == (
        "import re\nimport sys\nfrom math import (e,\n    pi)\nx = re, sys, pi, e\n"
    )


def test_an_import_that_the_canon_has_not_stays_if_it_is_used() -> None:
    source = "import re, sys, numpy\nx = re, sys\n"
    assert (
        best("imports", source, "import sys\nimport os\n")
        == "import sys\nimport os\nimport re, numpy\nx = re, sys\n"
    )
    assert "import sys\nimport re, numpy\nx = re, sys\n" in proposals(
        "imports", source, "import sys\nimport os\n"
    )


def test_an_unused_import_goes_with_the_blank_lines_below_it() -> None:
    assert best("imports", "import math\n\n\ndef f():\n    return 1\n", "def f():\n    return 2\n") == (
        "def f():\n    return 1\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "import numpy\n",  # importing it may do something
        "from math import no_such_name\n",  # raises: the program fails, and must go on failing
        "import math\nx = math.pi\n",
        "import math\nx = f'{math.pi}'\n",
        "import math\nx = ｍath.pi\n",
        "import math\nx = eval('math.pi')\n",
        "import math\nx = globals()\n",
        "import math\n__all__ = ['math']\n",
        "import math\ndef f():\n    global math\n",
        "import math; x = 1\n",
        "if 1:\n    import math\n",
        "from math import *\n",
        "from dataclasses import dataclass\nfrom typing import Any\n@dataclass\nclass A:\n    x: 'Any' = 1\n",
    ],
)
def test_an_import_that_may_matter_stays(source: str) -> None:
    assert all(imported(one) == imported(source) for one in proposals("imports", source, "x = 1\n"))


def test_a_name_that_others_call_is_not_dropped() -> None:
    assert proposals("imports", "from math import gcd\n", "def gcd(a, b): return 1\n", "gcd") == []


def test_a_missing_import_is_added_below_the_docstring() -> None:
    source = '"""d"""\n# c\ndef f():\n    return 1\n'
    canon = "from typing import List\nimport numpy\ndef f():\n    return 1\n"
    assert (
        best("imports", source, canon) == '"""d"""\nfrom typing import List\n\n# c\ndef f():\n    return 1\n'
    )


@pytest.mark.parametrize(
    ("source", "canon"),
    [
        ("x = math.pi\n", "import math\n"),  # fails, and must go on failing
        ("def f(math): return math\n", "import math\n"),
        ("def f():\n    import math\n", "import math\n"),
        ("x = dir()\n", "import math\n"),
        ("x = 1\n", "import numpy\n"),
        ("x = 1\n", "from math import no_such_name\n"),
        ("x = 1\n", "from __future__ import annotations\n"),
        ("x = 1\n", "if 1:\n    import math\n"),
    ],
)
def test_an_import_that_would_matter_is_not_added(source: str, canon: str) -> None:
    assert proposals("imports", source, canon) == []


def test_imports_of_one_name_keep_their_order() -> None:
    source = "from os import path\nfrom sys import path\nx = path\n"
    assert proposals("imports", source, "from sys import path\nfrom os import path\n") == []


def test_an_import_does_not_pass_another_statement() -> None:
    source = "import sys\nx = 1\nimport re\nprint(sys, re)\n"
    assert proposals("imports", source, "import re\nimport sys\n") == []


def test_a_future_import_stays_first() -> None:
    source = "from __future__ import annotations\nimport sys\nimport re\nx = re, sys\n"
    assert best("imports", source, "import re\nimport sys\n") == (
        "from __future__ import annotations\nimport re\nimport sys\nx = re, sys\n"
    )


# Definitions


def test_definitions_take_the_canons_order_with_their_comments() -> None:
    source = "# one\n# of a\ndef a():\n    return b()\n\n\n@staticmethod\ndef b(): return 'é'  # b\nN = 3"
    canon = "N = 1\ndef b(): pass\ndef a(): pass\n"
    assert best("definitions", source, canon) == (
        "N = 3\n\n\n@staticmethod\ndef b(): return 'é'  # b\n# one\n# of a\ndef a():\n    return b()"
    )


def test_methods_take_the_canons_order() -> None:
    b, a = "    def b(self): pass\n", "    # p\n    @property\n    def a(self):\n        return 1\n"
    source = f"class A:\n    'd'\n    x = 1\n\n{b}\n{a}"
    canon = "class A:\n    def a(self): pass\n    def b(self): pass\n"
    assert best("definitions", source, canon) == f"class A:\n    'd'\n    x = 1\n\n{a}\n{b}"


def test_what_the_canon_does_not_have_stays_behind_what_it_follows() -> None:
    source = "def a(): pass\ndef mine(): pass\ndef b(): pass\n"
    assert best("definitions", source, "def b(): pass\ndef a(): pass\n") == (
        "def b(): pass\ndef a(): pass\ndef mine(): pass\n"
    )


@pytest.mark.parametrize(
    "source",
    [
        "N = 1\ndef f(x=N): pass\n",
        "def N(): pass\n@N\ndef f(): pass\n",
        "class N: pass\nclass f(N): pass\n",
        "class N: pass\ndef f(x: N): pass\n",
        "class N: pass\ndef f() -> N: pass\n",
        "N = 1\nclass f:\n    y = N\n",
        "N = 1\nclass f:\n    def m(self, x=N): pass\n",
        "def N(): pass\nclass f:\n    y = N()\n",
        "N = 1\nprint(2)\nf = 2\n",
        "N = 1; f = 2\n",
        "def N(): pass\nf = [g()]\n",
        "N = 1\nimport f\nf = 2\n",
        "class M(type): pass\nclass N: pass\nclass f(metaclass=M): pass\n",
        "N = 1\nf = 2\nN = 3\nprint(globals())\n",
        "def N(): pass\ndef f(x=(lambda: N())()): pass\n",
        "def lru_cache(f): return N\nx()\ndef N(): pass\n@lru_cache\ndef f(): pass\n",
    ],
)
def test_a_definition_does_not_pass_what_it_depends_on(source: str) -> None:
    assert proposals("definitions", source, "def f(): pass\ndef N(): pass\n") == []


def test_definitions_of_one_name_keep_their_order() -> None:
    source = "def a(): return 1\ndef b(): pass\ndef a(): return 2\n"
    for proposal in proposals("definitions", source, "def b(): pass\ndef a(): pass\n"):
        assert proposal.index("return 1") < proposal.index("return 2")


@pytest.mark.parametrize(
    "body",
    [
        "    @property\n    def b(self): pass\n    @b.setter\n    def b(self, v): pass\n    def a(self): pass\n",
        "    def b(self): pass\n    print(1)\n    def a(self): pass\n",
        "    def b(self): pass\n    @cache\n    def a(self): pass\n",
        "    def b(self): pass\n    def a(self, f=b): pass\n",
        "    def b(self): pass; c = 1\n    def a(self): pass; d = 2\n    a = a\n",
    ],
)
def test_a_method_does_not_pass_what_it_may_depend_on(body: str) -> None:
    canon = "class A:\n    def a(self): pass\n    def b(self): pass\n"
    assert proposals("definitions", f"class A:\n{body}", canon) == []


@pytest.mark.parametrize("seen", ["vars(A)", "A.__dict__", "x = 'metaclass'", "A.__subclasses__()"])
def test_an_order_that_somebody_may_see_stays(seen: str) -> None:
    source = f"class A:\n    def b(self): pass\n    def a(self): pass\n{seen}\n"
    assert proposals("definitions", source, "class A:\n    def a(self): pass\n    def b(self): pass\n") == []


# Whatever a model can write

HOSTILE = (
    "", "x = (", "\ufeffimport re", "import re\r\nimport os\r\ndef f(): pass\r\ndef e(): pass", "import os, re;",
    "import re # c\nimport os\\\n, sys\nx=1", "from . import a\nfrom .. import b", "\x0cimport os\n\x0cimport re",
    "import a.b, a.c as d\nimport a", "def ü(): pass\ndef é(): 'ñ'\n", "def e():\n\tpass\n# c\n@x\ndef f(): pass",
    "class A:\n\tdef f(self): '''\nx'''\n\tdef e(self): pass", "class A: pass\nclass A: x = 1", "f = e = 1\ne: int = 2",
    "async def f(): pass\nasync def e(): pass\nclass A:\n  pass\n  # end", "def f(): return 1\ndef e(): return 2",
    "import re\nimport re\nfrom re import sub as re", "class A:\n  def f(self): pass\n\n\n  def e(self): pass # c",
)  # fmt: skip


@pytest.mark.parametrize("name", list(STEP))
@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_keep_what_is_promised(name: str, source: str) -> None:
    turned = [one for one in HOSTILE if Program(one).tree is not None]
    turned += [ast.unparse(ast.Module(ast.parse(one).body[::-1], [])) for one in turned]
    turned += [
        "import os\nimport re\nclass A:\n    def e(self): pass\n    def f(self): pass\ndef e(): pass\ndef f(): pass\n"
    ]
    for canon in turned:
        if Program(source).tree is None:
            assert proposals(name, source, canon) == []
            assert proposals(name, canon, source) == []
        else:
            check(name, source, canon)


# Properties


@st.composite
def shuffled(draw: st.DrawFn) -> tuple[str, str, int]:
    """A program, its statements in another order, and how many numbers its entry ``f`` takes."""
    sketch = draw(programs())
    body = ast.parse(sketch.source).body
    order = draw(st.permutations(range(len(body))))
    other = "\n".join(ast.unparse(body[number]) for number in order) + "\n"
    return sketch.source, other, sketch.parameters


@given(shuffled())
@settings(max_examples=40)
def test_proposals_keep_promises_and_meaning(drawn: tuple[str, str, int]) -> None:
    source, canon, parameters = drawn
    arguments = [tuple(range(start, start + parameters)) for start in (-1, 2)]
    meaning = [run(source, "f", given) for given in arguments]
    for name in STEP:
        check(name, source, canon)
        for proposal in proposals(name, source, canon, "f"):
            assert [run(proposal, "f", given) for given in arguments] == meaning


@given(st.permutations(["import re", "from os import path", "import sys", "from math import pi, e"]),
       st.permutations(["a", "b", "c", "d"]), st.permutations(["m", "n", "o"]))  # fmt: skip
def test_independent_parts_reach_any_order(imports: list[str], names: list[str], methods: list[str]) -> None:
    def written(imports: list[str], names: list[str], methods: list[str]) -> str:
        functions = "".join(f"def {name}():\n    return {name!r}\n\n" for name in names)
        inner = "".join(f"    def {name}(self): return re, path, sys, pi, e\n" for name in methods)
        return "\n".join(imports) + f"\n\n{functions}class K:\n{inner}"

    source = written(
        ["import re", "from os import path", "import sys", "from math import pi, e"], [*"cadb"], [*"nom"]
    )
    canon = written(imports, names, methods)
    for name in STEP:
        source = best(name, source, canon)
    assert source == canon


@pytest.mark.slow
@pytest.mark.skipif(not ROWS.exists(), reason=f"the real outputs are not at {SHARED}")
def test_real_programs_keep_what_is_promised() -> None:
    rows = [json.loads(line) for line in gzip.decompress(ROWS.read_bytes()).splitlines()]
    found = list(dict.fromkeys(pair for row in rows for pair in pairwise(dict.fromkeys(row["outputs"]))))
    assert len(found) > 200
    for source, canon in found[::2]:
        for name in STEP:
            check(name, source, canon)
