"""The order of the rooms (DESIGN, "Layout"), explicit exports, and an import that costs nothing."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.registry import names

ROOT = Path(assay.__file__).parent
BASE = {"errors", "canonical", "vocabulary", "streams", "registry", "signing"}
# Lower rooms never import higher ones, and rooms of one level do not import each other.
LEVELS = [
    {"stats", "evidence"},
    {"study"},
    {"subjects", "worlds", "sandbox"},
    {"bench"},
    {"report"},
    {"measuring"},
    {"instruments"},
    {"testing", "api"},
    {"web", "cli"},
]
LEVEL = {room: number for number, rooms in enumerate(LEVELS) for room in rooms}
MOST_MODULES = 15
MODULES = sorted(path for path in ROOT.rglob("*.py") if "data" not in path.relative_to(ROOT).parts)


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Every module of ours that a file imports, anywhere in it, under TYPE_CHECKING as well."""
    package = path.relative_to(ROOT.parent).parent.parts
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            whole = ".".join([*base, *([node.module] if node.module else [])])
            if whole == "assay":
                yield from ((node.lineno, f"assay.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, whole


def room(module: str) -> str | None:
    """The room of a module of ours; None for other packages and for ``assay`` itself."""
    parts = module.split(".")
    if module == "assay.__main__":
        return "cli"
    return parts[1] if parts[0] == "assay" and len(parts) > 1 and parts[1] != "__version__" else None


def allowed(importer: str | None, target: str | None) -> bool:
    if target is None or target in BASE or target == importer:
        return True
    if importer is None:  # ``import assay`` offers what is in api, and imports it when somebody asks
        return target == "api"
    if importer in BASE:
        return False
    return LEVEL[target] < LEVEL[importer]


def test_the_rule_itself_tells_right_from_wrong() -> None:
    assert allowed("study", "evidence")
    assert allowed("cli", "report")
    assert allowed("stats", "errors")
    assert not allowed("evidence", "study")
    assert not allowed("evidence", "stats")
    assert not allowed("sandbox", "subjects")
    assert not allowed("bench", "instruments")
    assert not allowed("errors", "stats")
    assert not allowed("canonical", "bench")
    assert allowed(None, "api")
    assert not allowed(None, "bench")


def test_every_room_has_its_place_in_the_order() -> None:
    rooms = {path.name for path in ROOT.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert rooms <= set(LEVEL)
    files = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "__main__"}
    assert files == BASE


def test_lower_rooms_never_import_higher_ones() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {target}"
        for path in MODULES
        for line, target in imported(path)
        if not allowed(room(module_name(path)), room(target))
    ]
    assert wrong == []


def test_the_imports_are_really_found() -> None:
    found = {target for _, target in imported(ROOT / "study" / "lock.py")}
    assert {"assay.signing", "assay.canonical", "assay.study.model", "assay.__version__"} <= found


# What a room of its own is: an instrument's folder, else a folder or a file of the package.
def home(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[:2]) if parts[0] == "instruments" and len(parts) > 2 else parts[0]


# Public classes that share a name, and why neither can be taken for the other.
SAME_NAME = {
    "Limits": "of a study's calls, and of one program in the sandbox: each is a field of what it limits",
    "Policy": "a reference answers a conversation, a world's policy decides on an action: each the field's word",
    "Task": "of a world, and of a worker in the bench, which is seen nowhere else",
}


def test_no_public_class_has_its_name_from_another_room_without_a_reason() -> None:
    homes: dict[str, set[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(home(path))
    shared = {name: sorted(rooms) for name, rooms in homes.items() if len(rooms) > 1}
    assert {name: rooms for name, rooms in shared.items() if name not in SAME_NAME} == {}
    assert set(SAME_NAME) <= set(shared), "a reason that is not needed any more"


def test_no_folder_below_the_instruments_holds_more_than_fifteen_modules() -> None:
    folders = [path for path in (ROOT / "instruments").rglob("*") if path.is_dir()]
    counts = {str(path.relative_to(ROOT)): len(list(path.glob("*.py"))) for path in folders}
    assert {
        folder: count for folder, count in counts.items() if count > MOST_MODULES + 1
    } == {}  # and __init__


# A word of statistics, and an instrument's name: where it may stand.
WORDS = {("cli/calibrate.py", "bias")}


def test_neither_the_command_line_nor_the_report_knows_an_instrument() -> None:
    """Source text, strings, comments and templates alike."""
    found = {
        (str(path.relative_to(ROOT)), name)
        for room in ("cli", "report")
        for path in (ROOT / room).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
        for name in names("assay.instruments")
        if re.search(rf"\b{re.escape(name)}\b", path.read_text("utf-8"), re.I)
    }
    assert found - WORDS == set()


def exports(path: Path) -> list[str] | None:
    for node in ast.parse(path.read_text("utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign) and "__all__" in [
            getattr(t, "id", "") for t in targets
        ]:
            assert node.value is not None
            value: list[str] = ast.literal_eval(node.value)
            return value
    return None


def defines_nothing(path: Path) -> bool:
    """A package that is only a docstring has nothing to export."""
    body = ast.parse(path.read_text("utf-8")).body
    return all(isinstance(node, ast.Expr) or ast.unparse(node).startswith("from __future__") for node in body)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_every_module_says_what_it_exports_and_has_it(path: Path) -> None:
    names = exports(path)
    if names is None:
        assert path.name == "__main__.py" or defines_nothing(path), "no __all__"
        return
    assert len(set(names)) == len(names)
    module = importlib.import_module(module_name(path))
    assert [name for name in names if not hasattr(module, name)] == []


HEAVY = {
    "aiohttp",
    "cryptography",
    "jinja2",
    "matplotlib",
    "numpy",
    "rapidfuzz",
    "rich",
    "scipy",
    "typer",
    "yaml",
}


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_assay_loads_nothing_heavy() -> None:
    assert loaded_by("import assay; dir(assay)") & (HEAVY | {"msgspec", "polars", "asyncio"}) == set()


def test_running_a_study_from_python_loads_no_frames_and_no_figures_before_they_are_asked_for() -> None:
    assert (
        loaded_by("import assay; assay.run, assay.load") & {"matplotlib", "polars", "IPython", "typer"}
        == set()
    )


def test_importing_the_bench_loads_no_figures_and_no_statistics() -> None:
    found = loaded_by("import assay.bench")
    assert "assay" in found
    assert found & {"matplotlib", "numpy", "scipy", "rich", "typer", "jinja2"} == set()


def test_importing_the_evidence_loads_no_network_and_no_yaml() -> None:
    assert loaded_by("import assay.evidence") & HEAVY == set()
