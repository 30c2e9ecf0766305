"""Places and letters, counterbalanced apart from each other."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.bias.items.layout import layout_of, place_of
from assay.instruments.bias.items.model import DOMAINS
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


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_alone_is_balanced_over_four_instances(domain: str) -> None:
    known = next(d for d in DOMAINS if d == domain)
    layouts = [layout_of(["b", "n"], place_of(Instance("bias", "x", r, 7), known)) for r in range(4)]
    assert len({(x.options.index("b"), x.letter("b")) for x in layouts}) == 4
