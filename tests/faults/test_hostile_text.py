"""A model that writes to attack whoever reads: through a whole run, on the page, the terminal, the sheet, the disk."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.testing.stub import Answer, Stub
from tests.support import command, environment

pytestmark = pytest.mark.slow
GOOD = "def add(a, b):\n    return a + b\n"
TEXTS = [
    f"```python\n{GOOD}```",
    f"```python\n{GOOD}# </code></pre><script>alert(1)</script>\n```",
    "<script>alert(1)</script><img src=x onerror=alert(1)><svg/onload=alert(1)>",
    "</td></tr></table><iframe src='javascript:alert(1)'></iframe><!--",
    '" onmouseover="alert(1)" x="',
    "{{ 7*7 }} {% raw %} ${7*7}",
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m\x90q\x9c",
    f"```python\n{GOOD}# \x1b[8mhidden\x1b[0m \u202etxt.exe\u2066\n```",
    '=HYPERLINK("http://127.0.0.1/","x")',
    "+cmd|' /C calc'!A0",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1\r=1+1\n=1+1",
    "../../../../tmp/escaped",
    "/etc/passwd\x00.html",
    "file:///etc/passwd",
    "C:\\..\\..\\x",
    "nul\x00byte and \ufffe and \u2028 and \u2029",
    f"```python\n{GOOD}# {'x' * 1_000_000}\n```",
    "y" * 1_000_000,
    "",
]
LABELS = ["../../x", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "[31mred", "a/b\\c"]
CONTROLS = {chr(n) for n in range(32) if chr(n) not in "\n\t"} | {chr(n) for n in range(127, 160)}
CONTROLS |= set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029")


@contextmanager
def stub_thread(answer: Answer) -> Iterator[str]:
    """A stub with an answer of our own, beside the test; yields its URL."""
    ready, url = threading.Event(), ""
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        nonlocal url
        async with Stub(answer=answer) as stub:
            url = stub.url
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert ready.wait(10)
    try:
        yield url
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(10)
        loop.close()


def _hostile(body: dict[str, Any]) -> str:
    """Every text in turn, by the request's seed."""
    return TEXTS[int(hashlib.sha256(str(body["seed"]).encode()).hexdigest(), 16) % len(TEXTS)]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A whole run by command, what it printed, and the other commands' words about it."""
    home = tmp_path_factory.mktemp("hostile")
    (home / "tmp").mkdir()
    work = home / "a" / "b" / "c"
    work.mkdir(parents=True)
    with stub_thread(_hostile) as url:
        study = {
            "name": "../../<script>alert(1)</script>\x1b[31m",
            "subjects": [{"subject": "openai:stub", "base_url": url, "label": label} for label in LABELS],
            "limits": {"reply_characters": 2_000_000},
            "instruments": {
                "repeatability": {"contracts": ["add"], "temperatures": [0.5], "repetitions": 20}
            },
        }
        (work / "study.yaml").write_text(yaml.safe_dump(study))
        env = environment(home, TMPDIR=str(home / "tmp"))
        ended = command("run", "study.yaml", cwd=work, env=env)
    assert ended.returncode == 0, ended.stderr
    [folder] = (work / "runs").iterdir()
    printed = ended.stdout + ended.stderr
    for arguments in (("status",), ("report",), ("audit",)):
        told = command(*arguments, folder.relative_to(work), cwd=work, env=env)
        assert told.returncode == 0, told.stdout
        printed += told.stdout + told.stderr
    return folder, printed


class Page(HTMLParser):
    """Elements, attributes and links of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ("href", "src", "action", "data", "xlink:href", "srcset", "formaction", "poster"):
                self.links.add(value or "")


def test_every_text_was_met_and_recorded(ran: tuple[Path, str]) -> None:
    folder, _ = ran
    lines = (folder / "ledger/0001.jsonl").read_bytes().split(b"\n")[:-1]  # U+2028 ends no line of a ledger
    events = [json.loads(line)["event"] for line in lines]
    texts = {event["data"]["reply"]["text"] for event in events if event["kind"] == "received"}
    assert texts == set(TEXTS)


def test_the_page_holds_no_script_handler_or_link_that_a_model_wrote(ran: tuple[Path, str]) -> None:
    folder, _ = ran
    text = (folder / "report.html").read_text()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.tags & {
        "script",
        "iframe",
        "object",
        "embed",
        "form",
        "base",
        "link",
        "img",
        "foreignobject",
    }
    assert not {name for name in page.attributes if name.startswith("on")}
    assert not {link for link in page.links if not link.startswith(("#", "data:image/"))}
    assert "Content-Security-Policy" in text
    assert "&lt;script&gt;" in text, "what was written is shown, as text"
    assert not set(text) & CONTROLS


def test_the_terminal_is_not_steered(ran: tuple[Path, str]) -> None:
    _, printed = ran
    assert "red" in printed
    assert not set(printed) & CONTROLS


def test_no_cell_of_the_records_is_a_formula(ran: tuple[Path, str]) -> None:
    folder, _ = ran
    csv.field_size_limit(1 << 24)
    with (folder / "records-repeatability.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 1 + 20 * len(LABELS)
    for cell in (cell for row in rows for cell in row):
        if cell.lstrip().startswith(("=", "+", "-", "@")):
            float(cell)
        assert not set(cell) & CONTROLS  # a tab inside a program is its own


def test_nothing_is_written_outside_the_runs_folder(ran: tuple[Path, str]) -> None:
    folder, _ = ran
    home = folder.parents[4]
    assert folder.resolve().parent == home / "a/b/c/runs"
    files = {path.relative_to(home) for path in home.rglob("*") if not path.is_dir()}
    outside = {path for path in files if not (home / path).is_relative_to(folder)}
    assert {str(path) for path in outside if path.parts[0] != "config"} == {"a/b/c/study.yaml"}
    assert all(path.name.isascii() and path.name.isprintable() for path in folder.rglob("*"))


def test_labels_are_kept_as_they_are_in_evidence_and_reading(ran: tuple[Path, str]) -> None:
    folder, _ = ran
    reading = json.loads((folder / "reading-repeatability.json").read_bytes())
    assert {m["labels"]["subject"] for m in reading["result"]["measures"] if "subject" in m["labels"]} >= set(
        LABELS
    )
