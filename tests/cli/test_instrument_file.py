"""An instrument in a file of the user's own: found by path, locked by digest, never imported because a lock says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import registry
from assay.errors import InputError
from assay.registry import take_file
from assay.study import Study, make_lock, read_lock, write_lock
from tests.cli.conftest import Assay

SOURCE = '''
from assay.measuring import InstrumentBase, Options
from assay.vocabulary import Message


class MineOptions(Options, frozen=True, kw_only=True):
    asks: int = 3


class Mine(InstrumentBase):
    """Does it say anything?"""

    name = "mine"
    option_type = MineOptions
    quick = {"asks": 2}

    def trials(self, lock, evidence):
        if not evidence.waves:
            for number in range(lock.options("mine", MineOptions).asks):
                for spec in lock.study.specs:
                    yield self.trial(lock, spec, "word", number)

    async def conduct(self, trial, probe):
        reply = await probe.ask([Message("user", "Say a word.")])
        probe.conclude("success" if reply.text else "failure")
'''
RAN = "with open('it-ran', 'a') as file:\n    file.write('.')\n"  # shows that a file was imported
RUN = ("run", "./mine.py", "-s", "reference:mumbler", "--name", "r")


@pytest.fixture(autouse=True)
def _a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file has been named yet."""
    monkeypatch.setattr(registry, "_taken", {})


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def test_it_runs_and_the_commands_that_are_printed_work(assay: Assay, mine: Path) -> None:
    ended = assay(*RUN, "--asks", "4")
    assert ended.code == 0, ended.err
    assert "Audit    assay audit runs/r --instrument mine.py" in ended.out
    assert "assay audit r --instrument mine.py" in (mine.parent / "runs/r/report.html").read_text()
    assert assay("audit", "r", "--instrument", "mine.py").code == 0
    assert assay("report", "r", "--instrument", "mine.py").code == 0
    lock = read_lock(mine.parent / "runs/r/lock.json")
    assert lock.files["mine"].file == "mine.py"
    assert lock.study.options == {"mine": {"asks": 4, "require": {}}}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("plan ./mine.py -s reference:mumbler --set mine.asks=7", "mine: 7 trials, 7 calls"),
        ("plan ./mine.py ping -s reference:mumbler --quick", "mine: 2 trials, 2 calls"),
        ("run ./mine.py --help", "--asks"),
        ("list ./mine.py", "mine  Does it say anything?"),
        ("show ./mine.py word", "Say a word."),
    ],
)
def test_it_stands_in_the_place_of_a_name(assay: Assay, mine: Path, arguments: str, said: str) -> None:
    ended = assay(*arguments.split())
    assert ended.code == 0, ended.err
    assert said in ended.out


def test_a_stopped_run_is_resumed_with_the_file_that_was_locked(assay: Assay, mine: Path) -> None:
    stopped = assay(*RUN, "--budget", "calls=1")
    assert stopped.code == 3
    assert "assay resume runs/r --instrument mine.py" in stopped.out
    assert assay("status", "r").code == 0
    moved = mine.rename(mine.with_name("elsewhere.py"))
    assert assay("resume", "r", "--instrument", str(moved), "--budget", "calls=9").code == 0
    assert assay("check", "r").code == 0


def test_a_file_that_is_not_what_was_locked_is_refused_before_it_runs(assay: Assay, mine: Path) -> None:
    assay(*RUN)
    changed = mine.with_name("changed.py")
    changed.write_text(f"{SOURCE}\n{RAN}")
    ended = assay("audit", "r", "--instrument", "changed.py")
    assert (ended.code, ended.out) == (2, "")
    assert "is not the file that was locked" in ended.err
    assert not (mine.parent / "it-ran").exists()


def test_a_lock_imports_nothing_by_itself(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(f"{SOURCE}\n{RAN}")
    (tmp_path / "study.yaml").write_text(
        "subjects: [reference:mumbler]\ninstruments: {./mine.py: {asks: 1}}\n"
    )
    assert assay("lock", "study.yaml").code == 0
    monkeypatch.setattr(registry, "_taken", {})  # as in another process
    for name in ("run", "plan"):
        ended = assay(name, "study.lock.json")
        digest = read_lock(tmp_path / "study.lock.json").files["mine"].sha256
        assert ended.code == 2
        assert f"'mine' is a file, mine.py, with the SHA-256 {digest}" in ended.err
        assert "--instrument FILE" in ended.err
    assert (tmp_path / "it-ran").read_text() == "."
    assert assay("run", "study.lock.json", "--instrument", "mine.py").code == 0


def test_a_lock_that_names_a_path_is_no_reason_to_import_it(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(RAN)
    study = Study(subjects=("reference:mumbler",), instruments={"./evil.py": {}})
    write_lock(make_lock(study, {}, {}), tmp_path / "evil.lock.json")
    ended = assay("run", "evil.lock.json")
    assert ended.code == 2
    assert "unknown instrument './evil.py'" in ended.err
    assert not (tmp_path / "it-ran").exists()


def test_in_a_study_it_goes_by_its_path_from_there_and_mistakes_have_their_line(
    assay: Assay, mine: Path
) -> None:
    folder = mine.parent / "studies"
    folder.mkdir()
    mine.rename(folder / "mine.py")
    (folder / "study.yaml").write_text(
        "subjects: [reference:mumbler]\ninstruments:\n  ./mine.py:\n    asks: many\n"
    )
    ended = assay("run", "studies/study.yaml")
    assert ended.code == 2
    assert "studies/study.yaml:4: instruments.mine.asks" in ended.err


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\ny = x / 0\n", "bad.py:2: could not be loaded (ZeroDivisionError: division by zero)"),
        ("x = (\n", "bad.py:1: could not be loaded (SyntaxError"),
        ("import nowhere_at_all\n", "No module named 'nowhere_at_all'"),
        ("raise SystemExit(3)\n", "could not be loaded (SystemExit: 3)"),
        ("x = 1\n", "no class here is an instrument"),
        (SOURCE + "\nclass Other(Mine):\n    name = 'other'\n", "here are several: Mine, Other"),
        (SOURCE.replace('"mine"', '"ping"'), "an installed instrument is called 'ping', too"),
        (SOURCE.replace('name = "mine"', 'name = "../mine"'), "its name is '../mine'"),
    ],
)
def test_what_is_no_instrument_is_told_so(tmp_path: Path, source: str, said: str) -> None:
    path = tmp_path / "bad.py"
    path.write_text(source)
    with pytest.raises(InputError) as caught:
        take_file(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("run ./none.py -s reference:mumbler", "there is no file none.py"),
        ("run ping -s reference:mumbler --instrument mine.py", "--instrument goes with a lock"),
        ("run ./mine.py ./mine.py -s reference:mumbler", "named twice"),
        ("score ./mine.py rows.jsonl", "there is no file rows.jsonl"),
        ("calibrate ./mine.py", "mine has no calibration"),
    ],
)
def test_wrong_input_is_told(assay: Assay, mine: Path, arguments: str, said: str) -> None:
    ended = assay(*arguments.split())
    assert ended.code == 2
    assert said in ended.err


def test_a_file_is_not_wanted_where_all_instruments_are_installed(assay: Assay, mine: Path) -> None:
    assay("run", "ping", "-s", "reference:mumbler", "--quick", "--name", "p")
    ended = assay("audit", "p", "--instrument", "mine.py")
    assert ended.code == 2
    assert "is not wanted" in ended.err
