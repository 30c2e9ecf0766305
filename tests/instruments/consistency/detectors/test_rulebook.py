"""The files of rules: all of it can be read and compiled, every rule keeps to its examples, none is left over."""

from __future__ import annotations

import ast
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from assay.instruments import consistency
from assay.instruments.consistency.detectors import COMPONENTS, Rule, rules_of
from assay.instruments.consistency.detectors.labelled import labelled_replies
from assay.instruments.consistency.detectors.rulebook import Rulebook
from assay.instruments.consistency.detectors.text import PreparedText, prepare
from assay.study.source import parse_source
from tests.support import SHARED

HOME = Path(consistency.__file__).parent
BOOKS = {
    f"{folder}/{path.stem}": Rulebook(f"{folder}/{path.stem}")
    for folder in ("detectors", "judging")
    for path in sorted((HOME / "data" / folder).glob("*.yaml"))
}
DETECTING = [book for name, book in BOOKS.items() if name.startswith("detectors/")]
RULES = [rule for book in DETECTING for rule in book.rules.values()]
each_book = pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
each_detecting = pytest.mark.parametrize(
    "book", [b for b in DETECTING if b.rules], ids=lambda book: book.name
)


def found(rule: Rule, text: str) -> bool:
    return any(rule.matches(prepare(text)))


@each_book
def test_every_pattern_of_a_file_compiles(book: Rulebook) -> None:
    compiled = [*(rule.pattern for rule in book.rules.values()), *(book[name] for name in book.patterns)]
    assert compiled or book.words or book.name.endswith("/common")


@each_book
def test_nothing_in_a_file_is_given_twice(book: Rulebook) -> None:
    text = files("assay.instruments.consistency").joinpath("data", f"{book.name}.yaml").read_text("utf-8")
    given = parse_source(text, book.name).value  # refuses keys that come twice
    for words in given.get("words", {}).values():
        assert Counter(words.split()).most_common(1)[0][1] == 1
    for rule in given.get("rules", {}).values():
        heads = rule.get("heads", "").split()
        assert len(set(heads)) == len(heads)


@each_detecting
def test_the_rules_of_detectors_accept_and_refuse_their_examples(book: Rulebook) -> None:
    wrong = [r.name for r in book.rules.values() if not found(r, r.accepts) or found(r, r.refuses)]
    assert wrong == []


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_rules_of_a_component_have_names_of_their_own(component: str) -> None:
    names = [rule.name for rule in rules_of(component)]
    assert len(set(names)) == len(names)
    assert bool(names) == (component != "vague")


def test_every_file_of_detectors_stands_behind_a_component_or_the_context() -> None:
    used = {rule.name for component in COMPONENTS for rule in rules_of(component)}
    used |= set(BOOKS["detectors/context"].rules)
    assert {rule.name for rule in RULES} == used


@pytest.fixture(scope="module")
def corpus() -> list[PreparedText]:
    texts = [reply.reply for reply in labelled_replies()]
    texts += [text for rule in RULES for text in (rule.accepts, rule.refuses)]
    real = SHARED / "xstest_refusals.jsonl.gz"
    if real.exists():
        with gzip.open(real, "rt", encoding="utf-8") as file:
            texts += [json.loads(line)["completion"] for line in list(file)[::10]]
    return [prepare(text) for text in texts]


@each_detecting
def test_trying_rules_at_their_heads_only_loses_no_match(book: Rulebook, corpus: list[PreparedText]) -> None:
    """The plain search over the whole text is the oracle; steps are tried at the beginnings of lines alone."""
    for rule in book.rules.values():
        if rule.name == "steps":
            continue
        for reply in corpus:
            assert list(rule.matches(reply)) == [match.span() for match in rule.pattern.finditer(reply.text)]


def _asked_for() -> Iterator[tuple[str, str]]:
    """File and name of every pattern that the code asks a rulebook for."""
    for path in sorted(HOME.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        books = {
            target.id: ast.literal_eval(node.value.args[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and getattr(node.value.func, "id", "") == "Rulebook"
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if any(isinstance(node, ast.ImportFrom) and node.module == "mistakes" for node in ast.walk(tree)):
            books["MISTAKES"] = "judging/mistakes"
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") in books:
                assert isinstance(node.value, ast.Name)
                asked = [n.value for n in ast.walk(node.slice) if isinstance(n, ast.Constant)]
                yield from ((books[node.value.id], str(name)) for name in asked)


def test_the_code_asks_for_every_pattern_there_is_and_for_no_other() -> None:
    there = {(name, pattern) for name, book in BOOKS.items() for pattern in book.patterns}
    by_variable = {("judging/claims", "boundaries"), ("judging/claims", "lexicon")}
    by_variable |= {("judging/mistakes", name) for name in ("unknown", "does_not_know", "denies")}
    assert set(_asked_for()) | by_variable == there


def test_importing_the_instrument_reads_no_rules() -> None:
    program = (
        "import assay.instruments.consistency.protocol, assay.instruments.consistency.scoring\n"
        "from assay.instruments.consistency.detectors import rulebook\n"
        "print(rulebook._read.cache_info().misses)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "0\n"
