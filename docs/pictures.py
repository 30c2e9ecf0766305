"""Takes the pictures of README and docs anew: measures as the demo does, and cuts them out of the reports.

``python docs/pictures.py`` needs Chromium on the path and takes about three minutes; ``--runs FOLDER`` keeps the
runs there, and takes the pictures of those that are there already.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops

HERE = Path(__file__).parent
RUNS = {
    "demo": ["examples/demo.yaml"],
    "apprentice": ["agency", "--subject", "reference:apprentice"],
}
BROWSER = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--hide-scrollbars --force-device-scale-factor=1.5"
)
WIDTH, TALLEST, MARGIN = 1120, 3000, 24


class Cut(NamedTuple):
    """A part of a run's report and the file it becomes."""

    file: str
    run: str
    part: Callable[[str], str]


def figure(title: str) -> Callable[[str], str]:
    """The picture with this title."""
    return lambda page: next(
        found for found in re.findall(r"<figure>.*?</figure>", page, re.DOTALL) if title in found
    )


def comparisons(*titles: str) -> Callable[[str], str]:
    """The first comparison whose title begins with each of these."""

    def part(page: str) -> str:
        there = page[page.index("<h3>Side by side") : page.index("<h3>Everything else")]
        found = ['<div class="comparison">' + one for one in there.split('<div class="comparison">')[1:]]
        return "".join(next(one for one in found if f"<h4>{title}" in one) for title in titles)

    return part


CUTS = [
    Cut("ladder.png", "demo", figure("In which sense the answers are the same")),
    Cut("difference.png", "demo", comparisons("add, reference:renamed", "review_sentiment, local:")),
    Cut("agency.png", "apprentice", figure("The agency vector")),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=Path, help="where the runs are kept")
    runs = parser.parse_args().runs
    browser = browser_path()
    if browser is None:
        sys.exit("pictures: no Chromium on the path")
    with tempfile.TemporaryDirectory() as scratch:
        folder = runs or Path(scratch) / "runs"
        for name, arguments in RUNS.items():
            if not (folder / name / "report.html").exists():
                command = [sys.executable, "-m", "assay", "run", *arguments, "--name", name, "--out", folder]
                subprocess.run(command, check=True, cwd=HERE.parent)
        for cut in CUTS:
            take(cut, folder / cut.run / "report.html", browser, Path(scratch))


def browser_path() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def take(cut: Cut, report: Path, browser: str, scratch: Path) -> None:
    """Render the part alone, in the report's own style, and cut off what is empty around it."""
    page = report.read_text("utf-8")
    head = page[: page.index("<body")]
    alone, shot = scratch / "part.html", scratch / "part.png"
    alone.write_text(f"{head}<body><main>{cut.part(page)}</main></body></html>", "utf-8")
    command = [browser, *BROWSER.split(), f"--user-data-dir={scratch / 'profile'}"]
    command += [f"--window-size={WIDTH},{TALLEST}", f"--screenshot={shot}", alone.as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    with Image.open(shot) as image:
        plain = image.convert("RGB")
    paper = Image.new("RGB", plain.size, plain.getpixel((1, plain.height - 1)))
    box = ImageChops.difference(plain, paper).getbbox()
    if box is None:
        sys.exit(f"pictures: {cut.file} is empty")
    left, top, right, bottom = box
    room = (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN)
    framed = Image.new("RGB", (room[2] - room[0], room[3] - room[1]), paper.getpixel((0, 0)))
    framed.paste(plain.crop(box), (MARGIN, MARGIN))
    framed.quantize(128).save(HERE / cut.file, optimize=True)
    print(f"{cut.file}: {framed.width} x {framed.height}, {(HERE / cut.file).stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
