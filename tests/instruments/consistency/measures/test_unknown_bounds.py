"""Bounds where no time was recorded: a repair or a promise may have come too late."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.canonical import real
from assay.instruments.consistency.judging import UNTIMED
from assay.instruments.consistency.judging.judgement import Check
from tests.instruments.consistency.made import Made, measure

UNKNOWN = (Check("in_time", True, note=UNTIMED),)


def repairs(*kinds: str, subject: str = "a", of: str = "M3", made: Made | None = None) -> Made:
    """``good``, ``bad``, or ``open``: right, but without a time; ``strict``: the same where no time is no success."""
    found = made or Made()
    for kind in kinds:
        strict = kind == "strict"
        late = ("slow_repair",) if of == "M3" else ("late_promise",)
        found.add(
            of,
            kind in ("good", "open"),
            subject=subject,
            checks=UNKNOWN if kind in ("open", "strict", "bare") else (),
            failures=late if strict else ("no_repair",) if kind in ("bad", "bare") else (),
        )
    return found


def ends(made: Made, name: str, **labels: str) -> tuple[float | None, float | None, float | None]:
    found = measure(made.score(), name, **labels)
    return found.bound_low, found.value, found.bound_high


def test_repairs_without_a_time_may_have_been_late() -> None:
    made = repairs("good", "good", "open", "bad")
    for name in ("M3", "R", "M5"):
        assert ends(made, name) == (0.5, 0.75, 0.75)
    assert ends(made, "incomplete")[0] is None  # a matter of content
    assert any(note.startswith("no bounds") for note in measure(made.score(), "latency").notes)


def test_what_fails_by_its_content_is_known_to_fail() -> None:
    assert ends(repairs("good", "bare"), "M3") == (None, 0.5, None)


def test_where_a_reply_without_a_time_does_not_count_it_may_have_been_in_time() -> None:
    assert ends(repairs("good", "strict", "strict", "bad"), "M3") == (0.25, 0.25, 0.75)


def test_m5_weighs_the_ends_of_its_components() -> None:
    made = repairs("good", "open", made=Made().share("M2", 1, 2))
    assert ends(made, "F") == (None, 0.5, None)
    assert ends(made, "M5") == (0.5, 0.75, 0.75)  # equal weights of F (.5) and R (.5 to 1)


def test_a_difference_goes_from_worst_less_best_to_best_less_worst() -> None:
    made = repairs("good", "open", "bad", "bad", subject="b", made=repairs("good", "open"))
    assert ends(made, "R_difference", subject="b", against="a") == (-0.75, -0.5, 0.0)
    assert ends(made, "M5_difference", subject="b", against="a") == (-0.75, -0.5, 0.0)
    assert ends(made, "P_difference", subject="b", against="a") == (None, None, None)


KINDS = st.lists(st.sampled_from(["good", "bad", "open", "strict", "bare"]), min_size=1, max_size=4)


@settings(max_examples=25, deadline=None)
@given(KINDS, KINDS)
def test_every_completion_lies_within_the_bounds_and_the_ends_are_attained(
    mends: list[str], promises: list[str]
) -> None:
    result = repairs(*promises, of="P", made=repairs(*mends)).score()
    open_ = [kind in ("open", "strict") for kind in (*mends, *promises)]
    values: dict[str, list[Fraction]] = {"M3": [], "R": [], "P": [], "M5": []}
    for times in product((True, False), repeat=sum(open_)):
        known = iter(times)
        right = [
            next(known) if unknown else kind == "good"
            for kind, unknown in zip((*mends, *promises), open_, strict=True)
        ]
        mended = Fraction(sum(right[: len(mends)]), len(mends))
        kept = Fraction(sum(right[len(mends) :]), len(promises))
        for name, share in {"M3": mended, "R": mended, "P": kept, "M5": (mended + kept) / 2}.items():
            values[name].append(share)
    unknown = {"M3": any(open_[: len(mends)]), "P": any(open_[len(mends) :])}
    unknown |= {"R": unknown["M3"], "M5": any(open_)}
    for name, found in values.items():
        one = measure(result, name)
        least, most = real(float(min(found))), real(float(max(found)))
        assert (one.bound_low, one.bound_high) == ((least, most) if unknown[name] else (None, None))
        assert one.value is not None
        assert least is not None
        assert most is not None
        assert least <= one.value <= most
