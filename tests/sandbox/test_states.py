"""How a run and its cases are classified."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import pytest

from assay.errors import InputError
from assay.sandbox import Job, Limits, Run, run_all, thaw

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is made for Linux")


def function_job(source: str, *arguments: list[Any], limits: Limits | None = None) -> Job:
    cases = tuple({"args": args} for args in arguments or ([],))
    return Job(source=source, entry_point="f", cases=cases, limits=limits or Limits())


def run(source: str, *arguments: list[Any], limits: Limits | None = None) -> Run:
    return run_all([function_job(source, *arguments, limits=limits)], workers=1)[0]


def states(runs: Iterable[Run]) -> list[tuple[str, list[str]]]:
    return [(found.state, [case.state for case in found.cases]) for found in runs]


def test_values_and_exceptions_stand_side_by_side() -> None:
    found = run("def f(a, b):\n    return a // b\n", [7, 2], [1, 0], [9, 3])
    assert states([found]) == [("ran", ["value", "exception", "value"])]
    assert [thaw(case.value) for case in found.cases] == [3, None, 3]
    assert found.cases[1].exception == "ZeroDivisionError"
    assert found.cases[1].message == "integer division or modulo by zero"
    assert not found.environment_dependent


def test_the_entry_point_is_the_name_of_the_contract_not_the_first_function() -> None:
    source = "def helper(x):\n    return -x\ndef f(x):\n    return helper(x) * 2\n"
    assert thaw(run(source, [4]).cases[0].value) == -8


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        ("def g():\n    pass\n", "entry point 'f' is not defined"),
        ("f = 3\n", "entry point 'f' is not callable"),
        ("def f(:\n", "SyntaxError: invalid syntax (line 1)"),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3"),
        ("import numpy_is_not_here\n", "ModuleNotFoundError: No module named 'numpy_is_not_here'"),
        ("x = {}['missing']\n", "KeyError: 'missing'"),
        ("source = '\\0'\nraise ValueError(object())\n", "ValueError: <object>"),
    ],
)
def test_a_program_that_cannot_be_loaded_is_an_exception_with_its_reason(source: str, detail: str) -> None:
    found = run(source, [1], [2])
    assert states([found]) == [("exception", ["not_run", "not_run"])]
    assert found.detail == detail
    assert not found.environment_dependent


def test_a_main_block_is_not_run() -> None:
    assert run("def f():\n    return __name__\nif __name__ == '__main__':\n    input()\n").output == ""


def test_each_way_to_end_has_its_state() -> None:
    limits = Limits(wall_seconds=120, cpu_seconds=60, memory_bytes=256 << 20)
    tight = Limits(wall_seconds=3)
    sources = {
        "import time\ndef f(x):\n    time.sleep(60 * x)\n": ("timeout", ["value", "timeout", "not_run"]),
        "def f(x):\n    return 'x' * (10**9 * x) and x\n": ("ran", ["value", "memory", "value"]),
        "import os\ndef f(x):\n    x and os._exit(0)\n": ("killed", ["value", "killed", "not_run"]),
        "import os\ndef f(x):\n    x and os.kill(os.getpid(), 9)\n": (
            "killed",
            ["value", "killed", "not_run"],
        ),
        "import os\ndef f(x):\n    x and os.abort()\n": ("killed", ["value", "killed", "not_run"]),
        "def f(x):\n    return f(x) if x else 0\n": ("ran", ["value", "exception", "value"]),
        "import sys\ndef f(x):\n    x and sys.exit()\n": ("ran", ["value", "exception", "value"]),
        "def f(x):\n    if x: raise KeyboardInterrupt\n": ("ran", ["value", "exception", "value"]),
    }
    runs = run_all(
        function_job(source, [0], [1], [0], limits=tight if "sleep" in source else limits)
        for source in sources
    )
    assert states(runs) == list(sources.values())
    assert [found.environment_dependent for found in runs] == [True] * 5 + [False] * 3
    assert runs[3].detail == "ended by signal SIGKILL"
    assert runs[5].cases[1].exception == "RecursionError"
    assert runs[6].cases[1].exception == "SystemExit"


def test_processor_time_is_limited_apart_from_wall_time() -> None:
    found = run("def f():\n    while True: pass\n", limits=Limits(cpu_seconds=1, wall_seconds=300))
    assert found.state == "timeout"
    assert found.detail == "more than 1 s of processor time"


def test_every_case_gets_arguments_of_its_own() -> None:
    shared = [3, 1, 2]
    found = run("def f(x):\n    x.append(len(x))\n    return x\n", [shared], [shared])
    assert [thaw(case.value) for case in found.cases] == [[3, 1, 2, 3]] * 2
    assert shared == [3, 1, 2]


def test_arguments_of_every_plain_type_arrive_as_they_are() -> None:
    arguments = [(1, [2]), {3}, {(1, 2): b"x"}, 10**30, "\ud800", 1e300 * 1e10, None]
    source = "def f(*xs, key):\n    return [type(x).__name__ for x in xs], xs, key\n"
    case = {"args": arguments, "kwargs": {"key": 1.5}}
    found = run_all([Job(source=source, entry_point="f", cases=(case,))])[0]
    names, values, key = thaw(found.cases[0].value)
    assert names == ["tuple", "set", "dict", "int", "str", "float", "NoneType"]
    assert list(values) == arguments
    assert key == 1.5


STACK = """
class Stack:
    shared = []
    def __init__(self, *items): self.items = list(items)
    def push(self, x): self.items.append(x); return self.items
    def pop(self): return self.items.pop()
"""


def test_a_class_case_gives_one_value_a_call_on_an_object_of_its_own() -> None:
    calls = [{"method": "push", "args": [5]}, {"method": "push", "args": [6]}, {"method": "pop"}]
    cases = (
        {"init": [1], "calls": calls},
        {"calls": calls},
        {"calls": [*calls[:1], *[{"method": "pop"}] * 2, *calls[:1]]},
    )
    found = run_all([Job(source=STACK, entry_point="Stack", kind="class", cases=cases)])[0]
    assert [thaw(call["value"]) for call in found.cases[0].value] == [[1, 5], [1, 5, 6], 6]
    assert [thaw(call["value"]) for call in found.cases[1].value] == [[5], [5, 6], 6]
    raised = found.cases[2].value[2]
    assert raised["exception"] == "IndexError"
    assert "LookupError" in raised["bases"]
    assert found.cases[2].value[3] == {"value": [5]}  # the script goes on after a call that raises


def test_an_exception_tells_its_ancestors() -> None:
    source = "class Poor(ValueError): pass\ndef f(): raise Poor('no')\n"
    found = run_all([Job(source=source, entry_point="f", cases=({},))])[0]
    assert (found.cases[0].exception, found.cases[0].message) == ("Poor", "no")
    assert found.cases[0].bases[:2] == ("ValueError", "Exception")


def test_a_function_is_no_class() -> None:
    found = run_all([Job(source="def S(): pass", entry_point="S", kind="class", cases=({},))])[0]
    assert found.detail == "entry point 'S' is not a class"


def test_a_case_with_an_expected_value_is_refused_before_anything_runs() -> None:
    job = Job(source="", entry_point="f", cases=({"args": [], "expected": 3},))
    with pytest.raises(InputError, match="expected values never enter the sandbox"):
        run_all([job])


def test_output_is_kept_apart_and_cut_at_its_limit() -> None:
    source = "import sys\ndef f():\n    print('out'); print('err', file=sys.stderr); return 1\n"
    assert run(source).output == "out\nerr\n"
    flood = run("def f():\n    print('x' * 100000)\n    return 1\n", limits=Limits(output_bytes=1000))
    assert flood.output == "x" * 1000
    assert flood.state == "ran"


def test_no_address_is_left_in_messages_or_output() -> None:
    found = run("def f():\n    print(object())\n    raise ValueError(repr(object()))\n")
    assert found.output == "<object object at 0x>\n"
    assert found.cases[0].message == "<object object at 0x>"


def test_the_compared_part_is_the_same_every_time() -> None:
    source = (
        "import random\n"
        "def f(n):\n"
        "    s = {str(i) for i in range(n)}\n"
        "    return list(s), {k: hash(k) for k in s}, random.random(), object()\n"
    )
    runs = run_all([function_job(source, [20])] * 4)
    assert all(found.comparable() == runs[0].comparable() for found in runs)
    assert "seconds" not in runs[0].comparable()


def test_dataclasses_enums_and_lazily_imported_modules_work() -> None:
    source = (
        "from __future__ import annotations\n"
        "import dataclasses, enum, asyncio, sqlite3, bz2, lzma, zlib, multiprocessing\n"
        "@dataclasses.dataclass(order=True)\n"
        "class P:\n    x: int\n"
        "async def g():\n    await asyncio.sleep(0)\n    return 5\n"
        "def f():\n    open('notes', 'w').write('x')\n"
        "    return asyncio.run(g()), max(P(1), P(2)).x, open('notes').read()\n"
    )
    found = run(source)
    assert found.cases[0].state == "value", found
    assert thaw(found.cases[0].value) == (5, 2, "x")


def test_a_limit_of_nothing_is_wrong_input() -> None:
    with pytest.raises(InputError, match="wall_seconds"):
        Limits(wall_seconds=0)
