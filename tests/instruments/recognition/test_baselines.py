"""Machine baselines on the reference corpus."""

from __future__ import annotations

import pytest

from assay.instruments.recognition.measures.identification import BASELINES
from assay.measuring.identification import identify

from .corpus import jade, needs_jade


@pytest.mark.slow
@needs_jade
def test_n_grams_find_the_provider_of_a_model_that_they_never_saw() -> None:
    rows = jade()
    texts, labels, groups = ([row[name] for row in rows] for name in ("response", "provider", "model"))
    found = identify(texts, labels, groups, BASELINES)
    assert (found.rows, found.groups, found.chance, found.left_out) == (1151, 19, 0.25, {})
    value = {name: found.accuracy(name) for name in ("chance", "signature_1", "signature_2", "ngrams")}
    assert (value["ngrams"].value or 0) >= 0.60
    for measure in list(value.values())[1:]:
        assert 0.25 < (measure.low or 0) < (measure.value or 0) < (measure.high or 0) < 1
