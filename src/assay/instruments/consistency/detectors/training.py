"""Trains the linear model on the labelled replies that come with Assay.

    python -m assay.instruments.consistency.detectors.training          writes data/detectors/weights.tsv
    python -m assay.instruments.consistency.detectors.training --folds  cross-validates instead

A support vector machine with squared hinge loss, by dual coordinate descent (Hsieh et al., ICML 2008). An n-gram that
is as common with the component as without it is made small beforehand, as in Wang and Manning (ACL 2012). It uses
only operations that every IEEE machine rounds alike, so the same replies give the same file everywhere.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files
from math import fsum, sqrt
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from assay.instruments.consistency.scenarios.content import shipped_content

from .features import Features
from .labelled import FILES, LabelledReply, replies_in
from .linear import BIAS, COMPONENTS, NGRAMS, Weights, decide, score
from .triple import VERSION, RuleFindings, read_reply

__all__ = ["Example", "examples", "train", "weights_file"]

COST = 0.3  # of an error against the size of the weights
TRIPLES = 0.3  # what a reply weighs on which rules were written: there the rules look better than they are
MARK = 0.3  # a rule mark against NGRAMS for all n-grams
PASSES = 30
RARE = 3  # replies in which an n-gram has to stand
QUANTUM = 200  # a weight of 1 in the file's integers
SMALL = 3  # integers: n-grams that weigh less for every component are left out
EARLY = 5  # batches of triples up to this one were known when most rules were written


TOGETHER = {
    "triples": ("1 2 3 4",),
    "refusals": ("a b c d", "e f g", "h i", "j k", "l o p"),
    "ordinary": ("everyday pointed later",),
    "languages": (),
    "assistants": (),
}


class Example(NamedTuple):
    """A labelled reply as the model sees it."""

    reply: LabelledReply
    group: str
    reading: RuleFindings
    known: bool  # rules were written on it, or it is a request: it weighs less

    @property
    def features(self) -> Features:
        return self.reading.features


def examples() -> list[Example]:
    """Every labelled reply that is not held out, the held-out ones with their own group, and the requests.

    A reply that repeats its request declines nothing and offers nothing, so a request is an example of none; those that
    subjects are given are a group of their own.
    """
    replies = [(name, reply, _known(name, reply)) for name in FILES for reply in replies_in(name)]
    requests = [
        (name, structs.replace(reply, reply=reply.prompt, **dict.fromkeys(COMPONENTS, False)), True)
        for name, reply, _ in replies
        if name in ("triples", "assistants") and reply.prompt
    ]
    return [
        Example(reply, _group(name, reply), read_reply(reply.reply), known)
        for name, reply, known in (*replies, *requests)
    ] + [Example(_nothing(text), "requests", read_reply(text), known=True) for text in scenario_requests()]


def scenario_requests() -> list[str]:
    """What the shipped scenarios put to subjects at a boundary, and the small tasks between, in a fixed order."""
    content = shipped_content()
    texts = set(content.asks.exchanges)
    for boundary in content.boundaries:
        texts |= {*boundary.outside, boundary.near}
        texts |= {boundary.confided.ask} if boundary.confided else set()
    return sorted(texts)


def _nothing(text: str) -> LabelledReply:
    request = LabelledReply(id=text, batch="requests", reply=text, prompt=text)
    return structs.replace(request, **dict.fromkeys(COMPONENTS, False))


def _known(name: str, reply: LabelledReply) -> bool:
    return name == "triples" and int(reply.batch) <= EARLY


def _group(name: str, reply: LabelledReply) -> str:
    """Batches that were written together, by the same authors in the same voices, are one group."""
    if reply.fold == "held-out":
        return "held-out"
    batch = str(reply.batch)
    return f"{name} {next((together for together in TOGETHER[name] if batch in together.split()), batch)}"


def train(rows: Sequence[Example]) -> Weights:
    """The weights of all components, rounded to integers."""
    seen = Counter(name for row in rows for name in row.features.ngrams)
    names = sorted(name for name, count in seen.items() if count >= RARE)
    marks = [BIAS, *sorted({mark for row in rows for mark in row.features.marks})]
    index = {name: at for at, name in enumerate(names)}
    places = {mark: len(names) + at for at, mark in enumerate(marks)}
    ngram_columns: list[list[int]] = []
    mark_columns: list[list[int]] = []
    for row in rows:
        ngrams, held = row.features
        ngram_columns.append(sorted(index[name] for name in ngrams if name in index))
        mark_columns.append(sorted(places[mark] for mark in (BIAS, *held)))
    values = [NGRAMS / sqrt(max(1, len(row.features.ngrams))) for row in rows]
    solved = []
    for component in COMPONENTS:
        labelled = [at for at, row in enumerate(rows) if getattr(row.reply, component) is not None]
        signs = {at: 1.0 if getattr(rows[at].reply, component) else -1.0 for at in labelled}
        costs = {at: COST * (TRIPLES if rows[at].known else 1.0) for at in labelled}
        sizes = _sizes(labelled, ngram_columns, signs, len(index)) + [MARK * MARK] * len(places)
        solved.append(_solve(labelled, ngram_columns, mark_columns, values, signs, costs, sizes))
    by_column = [tuple(round(weights[at] * QUANTUM) for weights in solved) for at in range(len(index))]
    of_marks = [tuple(round(weights[places[mark]] * QUANTUM) for weights in solved) for mark in marks]
    return Weights(
        {name: weights for name, weights in zip(names, by_column, strict=True) if _counts(weights)},
        {mark: weights for mark, weights in zip(marks, of_marks, strict=True) if any(weights)},
    )


def _counts(weights: Iterable[int]) -> bool:
    return any(abs(weight) >= SMALL for weight in weights)


def _sizes(
    labelled: Sequence[int], ngrams: Sequence[Sequence[int]], signs: dict[int, float], count: int
) -> list[float]:
    """The square of each n-gram's size: how unevenly it is shared between the labels, 1 on average.

    Of replies with and without the component, shares a and b have the n-gram: its size is |a - b| / (a + b).
    """
    seen = {1.0: [1.0] * count, -1.0: [1.0] * count}  # one more than was seen, so that none is empty
    for i in labelled:
        column = seen[signs[i]]
        for at in ngrams[i]:
            column[at] += 1.0
    totals = {sign: sum(1.0 for i in labelled if signs[i] == sign) for sign in seen}
    shares = zip(
        (many / totals[1.0] for many in seen[1.0]), (many / totals[-1.0] for many in seen[-1.0]), strict=True
    )
    squares = [((a - b) / (a + b)) * ((a - b) / (a + b)) for a, b in shares]
    average = fsum(squares) / count
    return [square / average for square in squares]


def _solve(
    labelled: Sequence[int],
    ngrams: Sequence[Sequence[int]],
    marks: Sequence[Sequence[int]],
    values: Sequence[float],
    signs: dict[int, float],
    costs: dict[int, float],
    sizes: Sequence[float],
) -> list[float]:
    """Weights by dual coordinate descent, one reply after the other, in a fixed order of passes."""
    weights = [0.0] * len(sizes)
    alphas = dict.fromkeys(labelled, 0.0)
    at_weight, at_size = weights.__getitem__, sizes.__getitem__
    norms = {
        i: values[i] * values[i] * fsum(map(at_size, ngrams[i])) + fsum(map(at_size, marks[i]))
        for i in labelled
    }
    for number in range(PASSES):
        for i in _order(labelled, number):
            value, sign, slack = values[i], signs[i], 0.5 / costs[i]
            found = value * fsum(map(at_weight, ngrams[i])) + fsum(map(at_weight, marks[i]))
            gradient = sign * found - 1.0 + slack * alphas[i]
            alpha = max(0.0, alphas[i] - gradient / (norms[i] + slack))
            step = (alpha - alphas[i]) * sign
            if step:
                alphas[i] = alpha
                for at in ngrams[i]:
                    weights[at] += step * value * sizes[at]
                for at in marks[i]:
                    weights[at] += step * sizes[at]
    return weights


def _order(labelled: Sequence[int], number: int) -> Iterable[int]:
    """Another order in every pass: every so-many-th reply, round and round."""
    stride = (31, 37, 41, 43, 47)[number % 5]
    return [i for first in range(stride) for i in labelled[first::stride]]


def weights_file(weights: Weights) -> str:
    """The text of ``weights.tsv``."""
    lines = [f"{VERSION}\t" + "\t".join(COMPONENTS)]
    for kind, table in (("mark", weights.marks), ("ngram", weights.ngrams)):
        lines += ["\t".join((kind, name, *map(str, table[name]))) for name in sorted(table)]
    return "\n".join(lines) + "\n"


def folds(rows: Sequence[Example]) -> list[str]:
    """Agreement by rules, by the model and by n-grams alone, each group read by a model trained on the others."""
    lines = [f"{'':<36}{'component':<12}{'replies':>8}{'rules':>8}{'n-grams':>9}{'both':>8}"]
    kept = [row for row in rows if row.group != "held-out"]
    for group in sorted({row.group for row in kept}):
        others = [row for row in kept if row.group != group]
        mine = [row for row in kept if row.group == group and row.reply.reply != row.reply.prompt]
        if not mine:  # requests only
            continue
        both, words = train(others), train([_words_only(row) for row in others])
        for component in COMPONENTS:
            asked = [row for row in mine if getattr(row.reply, component) is not None]
            if not asked:
                continue
            labels = [getattr(row.reply, component) for row in asked]
            by = [
                [row.reading.by_rules[component] for row in asked],
                [score(words, _words_only(row).features, component) > 0 for row in asked],
                [decide(both, row.features, component, row.reading.by_rules[component]) for row in asked],
            ]
            shares = [sum(map(lambda a, b: a == b, found, labels)) / len(asked) for found in by]
            numbers = f"{shares[0]:>8.3f}{shares[1]:>9.3f}{shares[2]:>8.3f}"
            lines.append(f"{group:<36}{component:<12}{len(asked):>8}{numbers}")
    return lines


def _words_only(row: Example) -> Example:
    return row._replace(reading=row.reading._replace(features=Features(row.features.ngrams, frozenset())))


def main(arguments: Sequence[str]) -> None:
    rows = examples()
    if arguments == ["--folds"]:
        print("\n".join(folds(rows)))
        return
    place = Path(str(files("assay.instruments.consistency").joinpath("data", "detectors", "weights.tsv")))
    place.write_text(weights_file(train([row for row in rows if row.group != "held-out"])), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
