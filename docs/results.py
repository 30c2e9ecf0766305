"""Runs the studies below ``results/`` and derives docs/results.md from what they read.

``python docs/results.py [INSTRUMENT…]`` runs ``results/INSTRUMENT/*.yaml`` one after another (without a name, all)
into the folder of ``--runs``. A run that was begun goes on where it ended, one that is finished is not run again. Runs
that are kept in ``--bundles`` are unpacked first; with ``--keep`` all runs are packed into it afterwards.
``--only-write`` derives the page from whatever runs there are. ``results/results.yaml`` declares how an instrument is
shown, ``results/INSTRUMENT/notes.md`` is what is said about it, and ``results/signers.yaml`` names the keys of a run
that was begun on one machine and finished on another. One more instrument is one more folder with a study.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from pictures import Cut, browser_path, figure, take
from results_page import page, picture_name, run_name, shown_in, signers_in, studies_of

import assay
from assay.api.runs import list_runs
from assay.evidence.archive import unpack_archive, write_archive

ROOT = Path(__file__).parent.parent
BEGUN = ".begun"  # a run that is kept and not finished
FINISHED = (0, 4)  # exit codes; 4: finished, and nothing usable came of it


def unpack(bundles: Path, runs: Path) -> None:
    """The runs that are kept and are not there."""
    for kept in sorted(bundles.glob("*.zip")):
        place = runs / kept.name.removesuffix(".zip").removesuffix(BEGUN)
        if not place.exists():
            runs.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=runs) as scratch:
                unpack_archive(kept, Path(scratch))
                shutil.copytree(scratch, place)


def keep(runs: Path, bundles: Path, names: Iterable[str], signers: Mapping[str, list[str]]) -> None:
    """Pack the runs of these names: finished ones as bundles, others as they are, to go on from there."""
    states = {run.name: run.state for run in list_runs(runs)}
    for name in states.keys() & {*names}:
        run, bundle, begun = runs / name, bundles / f"{name}.zip", bundles / f"{name}{BEGUN}.zip"
        bundles.mkdir(exist_ok=True)
        if states[name] != "closed":
            files = (path for path in sorted(run.rglob("*")) if path.is_file())
            write_archive(begun, {path.relative_to(run).as_posix(): path for path in files})
            continue
        begun.unlink(missing_ok=True)
        if not bundle.exists():
            assay.bundle(run, out=bundle, signed_by=signers.get(name))


def measure(studies: Iterable[Path], runs: Path) -> int:
    """Run what was not begun, resume what was not finished; stop where a run stops, with its exit code."""
    states = {run.name: run.state for run in list_runs(runs)}
    for study in studies:
        name = run_name(study)
        if states.get(name) == "closed":
            print(f"{name} is finished")
            continue
        begin = ["run", study, "--name", name, "--out", runs, "--yes"]
        command = ["resume", runs / name] if name in states else begin
        code = subprocess.run([sys.executable, "-m", "assay", *map(str, command)], check=False).returncode
        if code not in FINISHED:
            return code
    return 0


def take_pictures(results: Path, runs: Path) -> None:
    """One figure of an instrument, where its run is finished and Chromium is there."""
    browser = browser_path()
    for name, shown in shown_in(results).items():
        report = runs / shown.picture.run / "report.html" if shown.picture else None
        if browser and shown.picture and report and report.exists():
            with tempfile.TemporaryDirectory() as scratch:
                cut = Cut(picture_name(name), shown.picture.run, figure(shown.picture.figure))
                take(cut, report, browser, Path(scratch))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("instrument", nargs="*", help="a folder below results/; without one, all")
    parser.add_argument("--results", type=Path, default=ROOT / "results", help="where the studies are")
    parser.add_argument(
        "--runs", type=Path, default=ROOT / "results" / "runs", help="where the runs are kept"
    )
    parser.add_argument(
        "--bundles",
        type=Path,
        default=ROOT / "results" / "bundles",
        help="where runs are kept, packed",
    )
    parser.add_argument("--keep", action="store_true", help="pack the runs into --bundles")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "results.md", help="what is written")
    parser.add_argument("--only-write", action="store_true", help="derive the page from the runs there are")
    parser.add_argument(
        "--pictures", action="store_true", help="take pictures of finished runs; needs Chromium"
    )
    given = parser.parse_args()
    studies = studies_of(given.results)
    unknown = sorted(set(given.instrument) - studies.keys())
    if unknown:
        sys.exit(f"results: no studies of {', '.join(unknown)}; there are: {', '.join(studies)}")
    names = [] if given.only_write else given.instrument or list(studies)
    unpack(given.bundles, given.runs)
    code = measure([study for name in names for study in studies[name]], given.runs)
    if given.keep:
        names = [run_name(study) for of in studies.values() for study in of]
        keep(given.runs, given.bundles, names, signers_in(given.results))
    if given.pictures:
        take_pictures(given.results, given.runs)
    given.page.write_text(page(given.results, given.runs, given.page.parent), "utf-8")
    sys.exit(code)


if __name__ == "__main__":
    main()
