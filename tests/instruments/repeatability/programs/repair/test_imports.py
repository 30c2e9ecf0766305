"""Imports as in the canon: only those that do nothing but bind a name are dropped, added or moved."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.repair.imports import HARMLESS

from .proposing import HOSTILE, best, proposals


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
    canon = "import sys\nimport os\n"
    assert best("imports", source, canon) == "import sys\nimport os\nimport re, numpy\nx = re, sys\n"
    assert "import sys\nimport re, numpy\nx = re, sys\n" in proposals("imports", source, canon)


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
        (
            "from os import path\nfrom sys import path\nx = path\n",
            "from sys import path\nfrom os import path\n",
        ),
        ("import sys\nx = 1\nimport re\nprint(sys, re)\n", "import re\nimport sys\n"),
    ],
)
def test_an_import_that_would_matter_is_neither_added_nor_moved(source: str, canon: str) -> None:
    assert proposals("imports", source, canon) == []


def test_a_future_import_stays_first() -> None:
    source = "from __future__ import annotations\nimport sys\nimport re\nx = re, sys\n"
    assert best("imports", source, "import re\nimport sys\n") == (
        "from __future__ import annotations\nimport re\nimport sys\nx = re, sys\n"
    )


def test_two_modules_that_may_do_something_keep_their_order() -> None:
    end = "def solve():\n    return 1\n"
    source, canon = (f"import {a}\nimport {b}\n{end}" for a, b in (("this", "no_such"), ("no_such", "this")))
    printed = [
        subprocess.run([sys.executable, "-c", one], capture_output=True, check=False).stdout
        for one in (source, canon)
    ]
    assert printed[0] != printed[1]
    assert proposals("imports", source, canon) == []


def test_harmless_modules_pass_one_that_may_do_something_and_unused_ones_go() -> None:
    end = "def solve():\n    return math.pi, this.s\n"
    canon = "import math\nimport this\n" + end
    assert best("imports", "import this\nimport math\n" + end, canon) == canon
    assert best(
        "imports", "import os\nimport that\nimport this\n" + end, "import this\nimport that\n" + end
    ) == ("import that\nimport this\n" + end)


@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_programs_change_in_harmless_imports_only(source: str) -> None:
    for canon in (*HOSTILE, "import os\nimport re\nfrom math import pi\n"):
        for proposal in proposals("imports", source, canon):
            assert without_imports(proposal) == without_imports(source)
            changed = imported(proposal) ^ imported(source)
            assert all(one.split()[1] in HARMLESS for one in changed)
            assert imported(proposal) - imported(source) <= imported(canon)


LINES = ["import re", "from os import path", "import sys", "from math import pi, e"]


@given(st.permutations(LINES))
def test_imports_reach_any_order(lines: list[str]) -> None:
    end = "\n\ndef f():\n    return re, path, sys, pi, e\n"
    assert best("imports", "\n".join(LINES) + end, "\n".join(lines) + end) == "\n".join(lines) + end
