"""Draws are the same everywhere and for ever: known answers, uniformity, no dependence on the process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.streams import Stream

keys = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\x1f"), max_size=8), max_size=4)


def independent(key: list[str], count: int) -> list[int]:
    """The definition in four lines: SHA-256(key ‖ counter), eight bytes at a time, the last eight first."""
    root = hashlib.sha256("\x1f".join(key).encode()).digest()
    blocks = [hashlib.sha256(root + n.to_bytes(8, "big")).digest() for n in range(count // 4 + 1)]
    words = [int.from_bytes(block[at : at + 8], "big") for block in blocks for at in (24, 16, 8, 0)]
    return words[:count]


@given(keys, st.integers(1, 13))
def test_the_words_are_those_of_the_definition(key: list[str], count: int) -> None:
    stream = Stream(*key)
    assert [stream.bits64() for _ in range(count)] == independent(key, count)


def test_known_answers() -> None:
    # echo -n "content" | sha256sum, then sha256 over those 32 bytes and eight zero bytes: the last eight bytes
    root = hashlib.sha256(b"content").digest()
    assert Stream("content").fingerprint == root.hex()
    assert Stream("content").bits64() == int(hashlib.sha256(root + bytes(8)).hexdigest()[-16:], 16)
    stream = Stream("known", 1)
    assert [stream.below(6) for _ in range(12)] == KNOWN_BELOW_6
    assert Stream("known", 2).shuffled("abcdefgh") == KNOWN_SHUFFLE
    assert Stream("known", 3).random() == KNOWN_RANDOM


KNOWN_BELOW_6 = [word % 6 for word in independent(["known", "1"], 12)]  # the limit of below(6) is 2^64 - 4
KNOWN_RANDOM = (independent(["known", "3"], 1)[0] >> 11) / 2**53


def _shuffle() -> list[str]:
    out = list("abcdefgh")
    for i, word in zip(range(7, 0, -1), independent(["known", "2"], 7), strict=True):
        j = word % (i + 1)
        out[i], out[j] = out[j], out[i]
    return out


KNOWN_SHUFFLE = _shuffle()


def test_the_definition_has_not_moved() -> None:
    """Written down once. If this fails, every ledger that was ever recorded can no longer be replayed."""
    assert Stream("content", "x", 7).bits64() == 0x57B7A20C9E5B3B9D
    assert [Stream("die", n).below(6) for n in range(10)] == [0, 2, 3, 5, 5, 1, 4, 3, 5, 4]
    assert Stream("cards").shuffled(range(10)) == [4, 7, 8, 3, 2, 9, 5, 0, 6, 1]


def test_numbers_below_six_are_uniform() -> None:
    draws = 60_000
    counts = Counter(map(Stream("uniform").below, [6] * draws))
    chi_square = sum((counts[face] - draws / 6) ** 2 / (draws / 6) for face in range(6))
    assert set(counts) == set(range(6))
    assert chi_square < 25.7  # qchisq(0.9999, df = 5) = 25.74


def test_reals_are_uniform_and_below_one() -> None:
    stream = Stream("reals")
    draws = [stream.random() for _ in range(20_000)]
    assert min(draws) >= 0
    assert max(draws) < 1
    counts = Counter(int(draw * 20) for draw in draws)
    assert sum((counts[n] - 1000) ** 2 / 1000 for n in range(20)) < 53  # qchisq(0.9999, df = 19) = 52.4


@given(keys, st.lists(st.integers(), max_size=30))
def test_a_shuffle_is_a_permutation_and_leaves_its_input_alone(key: list[str], items: list[int]) -> None:
    before = list(items)
    assert sorted(Stream(*key).shuffled(items)) == sorted(items)
    assert items == before


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**9))
def test_integers_stay_within_their_bounds(low: int, width: int) -> None:
    assert low <= Stream("i", low).integer(low, low + width) <= low + width


def test_every_ordering_of_three_is_as_likely() -> None:
    counts = Counter("".join(Stream("order", n).shuffled("abc")) for n in range(6000))
    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 25.7


def test_weights_are_kept() -> None:
    stream = Stream("weights")
    counts = Counter(stream.weighted("abc", [1, 0, 3]) for _ in range(8000))
    assert counts["b"] == 0
    assert sum((counts[o] - e) ** 2 / e for o, e in (("a", 2000), ("c", 6000))) < 15.1  # qchisq(.9999, 1)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [-1.0, 2.0], [float("nan"), 1.0], [float("inf"), 1.0], []])
def test_weights_that_mean_nothing_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights must not be negative"):
        Stream("w").weighted(["a", "b"][: len(weights)], weights)


@pytest.mark.parametrize("n", [0, -1, 2**64 + 1])
def test_a_bound_that_cannot_be_drawn_below_is_refused(n: int) -> None:
    with pytest.raises(ValueError, match="cannot draw below"):
        Stream("x").below(n)


def test_no_choice_can_be_made_from_nothing() -> None:
    with pytest.raises(ValueError, match="cannot draw below 0"):
        Stream("x").choice([])


def test_a_key_cannot_imitate_another_by_holding_the_separator() -> None:
    with pytest.raises(ValueError, match=r"U\+001F"):
        Stream("a\x1fb")
    assert Stream("a", "b").fingerprint != Stream("ab").fingerprint


def test_a_process_with_another_hash_seed_draws_the_same() -> None:
    program = (
        "from assay.streams import Stream; s = Stream('p', 1);"
        "print(s.bits64(), s.random(), s.shuffled('abcdef'), s.weighted('xyz', [.1, .2, .3]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
