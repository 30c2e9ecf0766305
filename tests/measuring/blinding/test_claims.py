"""Names that a text claims for its writer."""

from __future__ import annotations

import time

import pytest

from assay.measuring.blinding import blind
from assay.measuring.blinding.claims import claimed_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("As Veldt, made by Ostrava Labs, I keep what holds.", ("Veldt", "Ostrava Labs")),
        ("I am Orbit. I help people.", ("Orbit",)),
        ("I'm Juno-7, trained by Northlight.", ("Juno-7", "Northlight")),
        ("My name is Aster and I write.", ("Aster",)),
        ("I was developed by Blue Harbour Research to help.", ("Blue Harbour Research",)),
        ("As an AI, I cannot feel.", ()),
        ("As I see it, I am not sure. As AI, I am careful.", ()),
        ("I am German in manner. I am here.", ()),
        ("The bridge was built by hand. As English has it, fine.", ()),
        ("I am a Large Language Model.", ()),
    ],
)
def test_claims(text: str, names: tuple[str, ...]) -> None:
    assert claimed_names(text) == names


def test_a_claimed_name_is_taken_out_wherever_it_stands() -> None:
    found = blind("I am Orbit. People like Orbit, and Orbital is no name.", [])
    assert found.text == "I am [name]. People like [name], and Orbital is no name."
    assert found.found == ("Orbit",)
    assert blind(found.text, []).found == ()


def test_long_texts_take_no_long_time() -> None:
    begun = time.process_time()
    for piece in ("As A", "I am Aa ", "As Aaaa Aaaa ", "my name is A"):
        blind(piece * 20_000, [])
    assert time.process_time() - begun < 60
