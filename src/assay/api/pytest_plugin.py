"""The fixture `assay` of pytest: runs a small study, so that a test can require something of a model.

Nothing of Assay but this module is imported until a test uses the fixture.
"""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.study import Lock

    from .declaration import Target
    from .load import LoadedRun

__all__ = ["AssayFixture", "assay", "pytest_addoption"]


def pytest_addoption(parser: pytest.Parser) -> None:
    about = "Where the fixture 'assay' keeps its runs; one that was stopped goes on. Default: the test's tmp_path."
    parser.getgroup("assay").addoption("--assay-runs", metavar="DIR", default=None, help=about)
    parser.addini("assay_runs", help=about, default="")


class AssayFixture:
    """`assay.run` for a test: the run has the test's name, and its folder is kept where the user says."""

    def __init__(self, test: str, root: Path) -> None:
        self._test, self._root = test, root
        self._calls = itertools.count(1)

    def run(self, study: Target, **given: Any) -> LoadedRun:
        """Run a study as `assay.run` does; ``.check()`` of what is returned fails the test unless all holds.

        A run that an earlier session of the tests did not finish goes on. A finished one is never taken for a new
        one, also not where ``name`` says how it is called.
        """
        __tracebackhide__ = True
        from assay.errors import AssayError
        from assay.report.text import safe_name

        from .arguments import MANNER, lock_from
        from .run import run

        given = {"out": self._root, "report": False, **given}
        name = given.get("name") or safe_name(f"{self._test} {next(self._calls)}")
        declared = {word: value for word, value in given.items() if word not in MANNER}
        try:
            given["name"] = _free(Path(given["out"]), name, lambda: lock_from(study, **declared))
            return run(study, **given)
        except AssayError as error:  # the message says it all
            raise error.with_traceback(None) from error.__cause__


def _free(root: Path, name: str, declared: Callable[[], Lock]) -> str:
    """A name that is not taken yet, or taken by a run of the same declaration that was stopped."""
    from assay.bench import RunFolder
    from assay.errors import InputError
    from assay.evidence.manifest import manifest_paths

    for number in itertools.count(1):
        found = name if number == 1 else f"{name}-{number}"
        folder = RunFolder(root / found)
        if not folder.path.exists():
            break
        if not folder.lock_path.is_file() or manifest_paths(folder.ledger):
            continue
        if folder.read_lock().digest == declared().digest:
            with contextlib.suppress(InputError), folder:  # another test may be running in it
                break
    return found


@pytest.fixture
def assay(request: pytest.FixtureRequest, tmp_path: Path) -> AssayFixture:
    """Runs a small study of a model: ``assay.run("repeatability", subject=..., require={...}).check()``."""
    config = request.config
    root = tmp_path / "runs"
    if given := config.getoption("--assay-runs"):
        root = config.invocation_params.dir / given
    elif given := config.getini("assay_runs"):
        root = config.rootpath / given
    return AssayFixture(request.node.nodeid, root)
