"""The fixture of pytest: the example, where runs are kept, and what it costs those who do not use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import ROOT
from tests.support import environment

pytest_plugins = "pytester"

QUIET = ("-p", "no:cacheprovider")
# A session inside this one forgets what it imports, and numpy cannot be imported twice: a run before has imported all.
inside = pytest.mark.usefixtures("finished")


def test_the_example_has_a_gate_that_holds_and_one_that_fails_and_says_why(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *QUIET, "-W", "error", "--assay-runs", tmp_path, ROOT / "examples/pytest"],
        cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "1 failed, 1 passed" in ran.stdout, ran.stdout + ran.stderr
    said = [line for line in ran.stdout.splitlines() if line.startswith("E ")]
    assert len(said) == 2
    assert "0 of 1 requirements hold" in said[0]
    assert "fails            R_raw is at least 0.9 (contract is_even" in said[1]
    assert "interval 0.3" in said[1]
    assert "n = 40" in said[1]
    assert len(list(tmp_path.glob("*/lock.json"))) == 2


def test_nothing_is_imported_for_a_test_that_does_not_use_it(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n"
        "def test_it():\n"
        "    ours = {name for name in sys.modules if name.partition('.')[0] == 'assay'}\n"
        "    assert ours == {'assay', 'assay.api', 'assay.api.pytest_plugin'}\n"
        "    assert not {'msgspec', 'numpy', 'polars', 'yaml', 'rich', 'typer'} & set(sys.modules)\n"
    )
    plain = [sys.executable, "-m", "pytest", "-q", *QUIET, "-p", "no:hypothesispytest", "-p", "no:xdist"]
    ran = subprocess.run(
        plain, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert "1 passed" in ran.stdout, ran.stdout


STOPPED_ONCE = """
from pathlib import Path

def test_it(assay):
    def stop(progress):
        if not Path("again").exists():
            raise RuntimeError("stopped")

    run = assay.run(
        "ping", subject="reference:mumbler", trials=30, require={"success": 0.8}, progress=stop
    )
    assert len(run.check().required) == 1
    assert run.replies()["trial"].n_unique() == run.replies().height == 30
"""


@inside
def test_a_run_that_was_stopped_goes_on_and_a_finished_one_is_measured_anew(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(pytester.path / "config"))
    pytester.makeini("[pytest]\nassay_runs = kept\n")
    pytester.makepyfile(STOPPED_ONCE)
    kept = pytester.path / "kept"
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(failed=1)
    (begun,) = kept.iterdir()
    (pytester.path / "again").touch()
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)
    assert [path.name for path in kept.iterdir()] == [begun.name]
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)
    assert sorted(path.name for path in kept.iterdir()) == [begun.name, f"{begun.name}-2"]


@inside
def test_a_finished_run_is_measured_anew_also_under_a_name_that_was_given(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(pytester.path / "config"))
    pytester.makepyfile(
        """
        import pytest
        from assay.bench import RunFolder

        GIVEN = {"subject": "reference:mumbler", "trials": 3, "name": "gate"}

        def stop(progress):
            raise RuntimeError("stopped")

        def test_it(assay, tmp_path):
            with pytest.raises(RuntimeError):
                assay.run("ping", **GIVEN, progress=stop)
            with RunFolder(tmp_path / "runs" / "gate"):  # as a test does that runs at the same time
                assert assay.run("ping", **GIVEN).path.name == "gate-2"
            assert [assay.run("ping", **GIVEN).path.name for _ in range(2)] == ["gate", "gate-3"]
        """
    )
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)


@inside
def test_a_mistake_is_shown_as_the_line_of_the_test_and_the_message(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(assay):\n    assay.run('pong', subject='reference:mumbler')\n")
    ran = pytester.runpytest_inprocess(*QUIET)
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["E *unknown instrument 'pong'*", "test_*.py:2: UnknownName"])
    ran.stdout.no_fnmatch_line("*declaration.py*")


@inside
def test_what_cannot_be_established_fails_and_says_what_it_would_take(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(pytester.path / "config"))
    pytester.makepyfile(
        """
        import pytest
        from assay.errors import RequirementFailed

        def test_it(assay):
            run = assay.run("repeatability", subject="reference:restyled", contracts="is_even", temperatures=[0],
                            repetitions=5, require={"pass_rate": 0.9})
            with pytest.raises(RequirementFailed, match="(?s)not established .*at least 36"):
                run.check()
            assert run.check(strict=False).holds

        def test_nothing_is_required(assay):
            with pytest.raises(AssertionError, match="nothing is required"):
                assay.run("ping", subject="reference:mumbler", quick=True).check()
        """
    )
    pytester.runpytest_inprocess(*QUIET, "-W", "default").assert_outcomes(passed=2, warnings=1)


@inside
def test_a_fixture_of_the_same_name_takes_precedence(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef assay(): return 3\n")
    pytester.makepyfile("def test_it(assay): assert assay == 3")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)
