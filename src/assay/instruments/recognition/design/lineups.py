"""Which texts stand in which lineup, in which orders, and who else judges it.

Foils are texts of other makers as far as there are any, then of the same maker, each as near in length to the own text
as its author has one. A neutral judge of a subject is drawn once and has no text in any of its lineups: in a fleet that
is as small as a lineup one subject judges and the others give several texts, in a larger one as many judge as are not
needed for foils.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from assay.measuring.layouts import Layout, layout_of
from assay.streams import Stream

from .fleet import SubjectFleet
from .texts import CollectedText

__all__ = [
    "CONDITIONS",
    "GOLD",
    "Lineup",
    "gold_lineups",
    "order_of",
    "rotations",
    "self_lineups",
    "signature_texts",
]

CONDITIONS = ("", "ordinary", "tokens", "forgeries")
GOLD = ("canonical", "recovered", "perturbed", "other")
JUDGED = ("", "ordinary")  # conditions whose lineups are put to neutral judges


class Lineup(NamedTuple):
    """``texts``: the right one first; in which order they are shown is another matter."""

    phase: str
    condition: str
    number: int
    target: str
    probe: str
    texts: tuple[CollectedText, ...]
    judges: tuple[str, ...] = ()


def rotations(lineup: Lineup, orders: int) -> list[int]:
    """How far the texts are rotated in each order. Over as many orders as texts the own text stands once at each place;
    with fewer, the places go on from one lineup to the next."""
    k = len(lineup.texts)
    shown = min(orders, k)
    return [(lineup.number * shown + order) % k for order in range(shown)]


def order_of(names: Sequence[str], rotation: int) -> Layout:
    """Names of texts at their places, lettered from A in the order in which they are read."""
    return layout_of(names, rotation)


def self_lineups(
    fleet: SubjectFleet,
    subject: str,
    condition: str,
    probes: Sequence[str],
    count: int,
    texts: int,
    judges: int,
    seed: int,
) -> Iterator[Lineup]:
    """At most ``count`` lineups of a subject, over the probes in turn; a probe comes again with another own text. There
    are no more texts in a lineup than subjects in the fleet."""
    number = 0
    texts = min(texts, len(fleet.origins)) if condition in JUDGED else texts
    judging = _judges(fleet, subject, texts, judges, seed) if condition in JUDGED else ()
    most = max((len(fleet.collected(subject, probe)) for probe in probes), default=0)
    for sample, probe in ((sample, probe) for sample in range(most) for probe in probes):
        own = fleet.collected(subject, probe)
        if number == count or sample >= len(own):
            continue
        draws = Stream("recognition", "lineup", condition, subject, number, seed)
        foils = _foils(fleet, own[sample], condition, judging, draws)[: texts - 1]
        if foils:
            shown = (own[sample], *draws.shuffled(foils))
            yield Lineup("self", condition, number, subject, probe, shown, judging)
            number += 1


def _judges(fleet: SubjectFleet, subject: str, texts: int, judges: int, seed: int) -> tuple[str, ...]:
    """The same for all lineups of a subject: judges that differ from one to the next would add their own spread."""
    others = len(fleet.origins) - 1
    spare = max(others - (texts - 1), 1 if others > 1 else 0)
    able = Stream("recognition", "judges", subject, seed).shuffled(
        [one for one in fleet.live if one != subject]
    )
    return tuple(able[: min(judges, spare)])


def _foils(
    fleet: SubjectFleet, own: CollectedText, condition: str, judges: Sequence[str], draws: Stream
) -> list[CollectedText]:
    if condition == "forgeries":
        return _nearest(fleet.forged(own.subject, own.probe), own)
    home = fleet.origins[own.subject]
    others = draws.shuffled([one for one in fleet.others(own.subject, own.probe) if one not in judges])

    def of(which: Callable[[str], bool]) -> list[CollectedText]:
        each = [_nearest(fleet.collected(one, own.probe), own) for one in others if which(one)]
        longest = max(map(len, each), default=0)
        return [some[place] for place in range(longest) for some in each if place < len(some)]

    if condition == "tokens":
        mine = [one for one in fleet.collected(own.subject, own.probe) if one != own]
        kin = of(lambda one: bool(home.family) and fleet.origins[one].family == home.family)
        return [*kin, *_nearest(mine, own)]
    return [
        *of(lambda one: fleet.origins[one].maker != home.maker),
        *of(lambda one: fleet.origins[one].maker == home.maker),
    ]


def _nearest(texts: Iterable[CollectedText], own: CollectedText) -> list[CollectedText]:
    return sorted(texts, key=lambda one: (abs(len(one.text) - len(own.text)), one))


def gold_lineups(
    fleet: SubjectFleet,
    subject: str,
    probes: Sequence[str],
    drifts: Callable[[Sequence[CollectedText]], Sequence[float | None]],
    seed: int,
) -> Iterator[Lineup]:
    """The answers of one conversation to its probe: the first, the last, the one with the highest drift under
    perturbation; and another subject's first. Where no other has one, there are three."""
    number = 0
    for probe in probes:
        turns = fleet.conversation(subject, probe)
        moved = [turn for turn, one in enumerate(turns) if one.phase == "perturbation" and one.usable]
        if not moved or turns[-1].phase != "recovery" or not (turns[0].usable and turns[-1].usable):
            continue
        far = drifts(turns)
        highest = turns[max(moved, key=lambda turn: (far[turn] or 0.0, -turn))]
        draws = Stream("recognition", "gold", subject, number, seed)
        others = draws.shuffled([one for one in fleet.origins if one != subject])
        others.sort(key=lambda one: fleet.origins[one].maker == fleet.origins[subject].maker)
        first = (
            one
            for name in others
            for one in [*fleet.conversation(name, probe)[:1], *fleet.collected(name, probe)]
        )
        other = next((one for one in first if one.usable), None)
        shown = (turns[0], turns[-1], highest, *([other] if other else []))
        yield Lineup("gold", "", number, subject, probe, shown)
        number += 1


def signature_texts(
    fleet: SubjectFleet, probes: Sequence[str], count: int, purpose: str, seed: int
) -> list[CollectedText]:
    """Texts whose signatures are asked about: the makers in turn, as many of each as can be, the same for everyone."""
    draws = Stream("recognition", purpose, seed)
    pools = [
        draws.shuffled(
            [
                text
                for name, origin in fleet.origins.items()
                if origin.maker == maker
                for probe in probes
                for text in fleet.collected(name, probe)
            ]
        )
        for maker in draws.shuffled(fleet.makers)
    ]
    longest = max(map(len, pools), default=0)
    turns = [pool[place] for place in range(longest) for pool in pools if place < len(pool)]
    return turns[:count]
