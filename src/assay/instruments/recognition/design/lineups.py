"""Which texts stand in which lineup, in which orders, and who else judges it.

Foils are by different authors, of other makers as far as there are any, each as near in length to the own text as its
author has one. A neutral judge of a subject has no text in a lineup that it judges: in a fleet that is larger than a
lineup those judge who are not needed for foils; in a smaller one every second lineup leaves the judge's text out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.streams import Stream

from .fleet import SubjectFleet
from .texts import CollectedText

__all__ = [
    "CONDITIONS",
    "GOLD",
    "Lineup",
    "gold_lineups",
    "judges_of",
    "rotations",
    "self_lineups",
    "signature_texts",
]

CONDITIONS = ("", "ordinary", "family", "tokens", "forgeries")
GOLD = ("canonical", "recovered", "perturbed", "other")
ENOUGH, TIMES = 200, 3  # characters, some two sentences; how much longer a text is that is not cut to fewer
Cut = Callable[[Sequence[str]], Sequence[str]]  # texts as long as they are shown
JUDGED = ("", "ordinary")  # conditions whose lineups are put to neutral judges


class Lineup(NamedTuple):
    """``texts``: the right one first; in which order they are shown is another matter. ``place`` counts the lineups of
    a subject that have as many texts: where the right one stands goes on from one to the next."""

    phase: str
    condition: str
    number: int
    target: str
    probe: str
    texts: tuple[CollectedText, ...]
    judges: tuple[str, ...] = ()
    place: int = 0


def rotations(lineup: Lineup, orders: int) -> list[int]:
    """How far the texts are rotated in each order. Over as many orders as texts the own text stands once at each place;
    with fewer, the places go on from one lineup to the next of as many texts."""
    k = len(lineup.texts)
    shown = min(orders, k)
    return [(lineup.place * shown + order) % k for order in range(shown)]


def self_lineups(
    fleet: SubjectFleet,
    subject: str,
    condition: str,
    probes: Sequence[str],
    count: int,
    texts: int,
    judges: int,
    seed: int,
    cut: Cut,
) -> Iterator[Lineup]:
    """At most ``count`` lineups of a subject, over the probes in turn; a probe comes again with another own text. An
    author has one text in a lineup."""
    number, sizes = 0, Counter[int]()
    every = judges_of(fleet, subject, texts, judges, seed) if condition in JUDGED else ()
    small = len(fleet.origins) <= texts
    most = max((len(fleet.collected(subject, probe)) for probe in probes), default=0)
    for sample, probe in ((sample, probe) for sample in range(most) for probe in probes):
        own = fleet.collected(subject, probe)
        if number == count or sample >= len(own):
            continue
        draws = Stream("recognition", "lineup", condition, subject, number, seed)
        judging = () if small and number % 2 == 0 else every
        foils = _foils(fleet, own[sample], condition, judging, draws)
        shown = [own[sample]]
        for foil in foils:
            shown += [foil] if len(shown) < texts and _fit([*shown, foil], cut) else []
        if len(shown) > 1:
            mixed = (shown[0], *draws.shuffled(shown[1:]))
            yield Lineup("self", condition, number, subject, probe, mixed, judging, sizes[len(mixed)])
            number += 1
            sizes[len(mixed)] += 1


def _fit(texts: Sequence[CollectedText], cut: Cut) -> bool:
    """Whether texts can stand in one lineup. All are cut to the length of the shortest, which would leave little of
    another where that has less than ``ENOUGH`` characters and the other is more than ``TIMES`` as long."""
    lengths = [len(one.text.strip()) for one in texts]
    return min(lengths) >= min(ENOUGH, max(lengths) / TIMES) and _differ(texts, cut)


def _differ(texts: Sequence[CollectedText], cut: Cut) -> bool:
    """Whether the texts differ in the part that is shown: of two that are alike nobody can tell the right one."""
    shown = cut([one.text.strip() for one in texts])
    return len(set(shown)) == len(shown)


def judges_of(fleet: SubjectFleet, subject: str, texts: int, judges: int, seed: int) -> tuple[str, ...]:
    """The same for all lineups of a subject: judges that differ from one to the next would add their own spread. Other
    makers come first, for one of the same maker may write alike."""
    others = len(fleet.origins) - 1
    spare = max(others - (texts - 1), 1 if others > 1 else 0)
    draws = Stream("recognition", "judges", subject, seed)
    able = draws.shuffled([one for one in fleet.live if one != subject])
    able.sort(key=lambda one: fleet.origins[one].maker == fleet.origins[subject].maker)
    return tuple(able[: min(judges, spare)])


def _foils(
    fleet: SubjectFleet, own: CollectedText, condition: str, judges: Sequence[str], draws: Stream
) -> list[CollectedText]:
    if condition == "forgeries":
        return _nearest(fleet.forged(own.subject, own.probe), own)
    if condition == "tokens":
        return _nearest((one for one in fleet.collected(own.subject, own.probe) if one != own), own)
    home = fleet.origins[own.subject]
    others = draws.shuffled([one for one in fleet.others(own.subject, own.probe) if one not in judges])
    if condition == "family":
        others = [one for one in others if home.family and fleet.origins[one].family == home.family]
    others.sort(key=lambda one: fleet.origins[one].maker == home.maker)
    return [_nearest(fleet.collected(one, own.probe), own)[0] for one in others]


def _nearest(texts: Iterable[CollectedText], own: CollectedText) -> list[CollectedText]:
    return sorted(texts, key=lambda one: (abs(len(one.text) - len(own.text)), one))


def gold_lineups(
    fleet: SubjectFleet,
    subject: str,
    probes: Sequence[str],
    drifts: Callable[[Sequence[CollectedText]], Sequence[float | None]],
    judges: Sequence[str],
    seed: int,
    cut: Cut,
) -> Iterator[Lineup]:
    """The answers of one conversation to its probe: the first, the last, the one with the highest drift under
    perturbation; and another subject's first. Where no other has one, there are three; where a subject's own are shown
    alike, there is no lineup."""
    first_place = Stream("recognition", "gold", subject, seed).below(len(GOLD))  # of the right one
    number, sizes = 0, Counter[int]()
    for probe in probes:
        turns = fleet.conversation(subject, probe)
        moved = [turn for turn, one in enumerate(turns) if one.phase == "perturbation" and one.usable]
        if not moved or turns[-1].phase != "recovery" or not (turns[0].usable and turns[-1].usable):
            continue
        far = drifts(turns)
        moved.sort(key=lambda turn: (-(far[turn] or 0.0), turn))
        ends = [turns[0], turns[-1]]
        highest = next((turns[turn] for turn in moved if _fit([*ends, turns[turn]], cut)), None)
        if highest is None:
            continue
        own = [*ends, highest]
        draws = Stream("recognition", "gold", subject, number, seed)
        others = draws.shuffled([one for one in fleet.origins if one != subject and one not in judges])
        others.sort(key=lambda one: fleet.origins[one].maker == fleet.origins[subject].maker)
        each = ([*fleet.conversation(name, probe)[:1], *fleet.collected(name, probe)] for name in others)
        first = (one for some in each for one in some)
        other = next((one for one in first if one.usable and _fit([*own, one], cut)), None)
        shown = (*own, other) if other else tuple(own)
        place = first_place + sizes[len(shown)]
        yield Lineup("gold", "", number, subject, probe, shown, tuple(judges), place)
        number += 1
        sizes[len(shown)] += 1


def signature_texts(
    fleet: SubjectFleet, probes: Sequence[str], count: int, purpose: str, seed: int
) -> list[CollectedText]:
    """Texts whose signatures are asked about: the makers in turn, as many of each as can be, the same for everyone."""
    draws = Stream("recognition", purpose, seed)
    pools = []
    for maker in draws.shuffled(fleet.makers):
        names = [name for name, origin in fleet.origins.items() if origin.maker == maker]
        own = [text for name in names for probe in probes for text in fleet.collected(name, probe)]
        pools.append(draws.shuffled(own))
    longest = max(map(len, pools), default=0)
    turns = [pool[place] for place in range(longest) for pool in pools if place < len(pool)]
    return turns[:count]
