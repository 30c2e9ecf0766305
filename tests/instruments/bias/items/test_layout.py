"""Places and letters, counterbalanced apart from each other."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.bias.items.instance import turn_of
from assay.instruments.bias.items.model import DOMAINS, Domain
from assay.measuring.layouts import layout_of
from assay.vocabulary import Instance


@given(st.integers(2, 4), st.integers(-1000, 10**12))
def test_over_a_block_every_option_stands_everywhere_with_every_letter(k: int, begin: int) -> None:
    options = [f"o{i}" for i in range(k)]
    layouts = [layout_of(options, begin + i) for i in range(k * k)]
    for option in options:
        assert set(Counter((x.options.index(option), x.letter(option)) for x in layouts).values()) == {1}
        assert len({(x.options.index(option), x.letter(option)) for x in layouts}) == k * k


@given(st.integers(2, 4), st.integers(0, 100))
def test_letters_and_options_belong_to_each_other(k: int, place: int) -> None:
    layout = layout_of([f"o{i}" for i in range(k)], place)
    assert [layout.option(layout.letter(option)) for option in layout.options] == list(layout.options)


@given(st.integers(2, 4), st.integers(1, 7), st.integers(0, 10**6), st.sampled_from(DOMAINS))
def test_every_scenario_of_a_domain_meets_every_layout(
    k: int, scenarios: int, seed: int, domain: Domain
) -> None:
    options = [f"o{i}" for i in range(k)]
    met: dict[int, set[tuple[int, str]]] = {}
    for number in range(scenarios * k * k):
        instance = Instance("bias", "x", number, seed)
        layout = layout_of(options, turn_of(instance, domain, scenarios, k))
        met.setdefault((seed + number) % scenarios, set()).add(
            (layout.options.index("o0"), layout.letter("o0"))
        )
    assert all(len(found) == k * k for found in met.values())
