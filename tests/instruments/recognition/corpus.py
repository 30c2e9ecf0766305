"""The reference corpus and what its shipped numbers are made by. The corpus is no part of the source tree."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from assay.instruments.recognition.drift import drifts_of
from assay.instruments.recognition.signature import Norms, sign, word_rates
from tests.support import SHARED

JADE, RUN012 = SHARED / "jade.jsonl.gz", SHARED / "run012.json"

needs_jade = pytest.mark.skipif(not JADE.exists(), reason=f"the reference corpus is not at {JADE}")
needs_run012 = pytest.mark.skipif(not RUN012.exists(), reason=f"the real run is not at {RUN012}")


@cache
def jade() -> list[dict[str, Any]]:
    with gzip.open(JADE, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def norms_of(vectors: npt.NDArray[np.float64], spread: Sequence[float], horizon: float) -> Norms:
    """The numbers of a corpus, from its vectors."""
    thirds = np.quantile(vectors, [1 / 3, 2 / 3], axis=0)
    rows = (spread, vectors.mean(0), vectors.std(0, ddof=1), *thirds)
    names = ("spread", "mean", "sd", "lower", "upper")
    five = {name: [float(f"{value:.6g}") for value in row] for name, row in zip(names, rows, strict=True)}
    return msgspec.convert({"texts": len(vectors), "horizon": horizon, **five}, Norms)


def numbers_of_the_corpus() -> dict[str, Norms]:
    """What ``data/reference.json`` has to say of each version."""
    texts = [row["response"] for row in jade()]
    rates = word_rates(texts)
    spread = [float(f"{value:.6g}") for value in rates.std(0, ddof=1)]
    scaled = rates / np.array(spread)
    baseline = [place for place, row in enumerate(jade()) if row["phase"] == "baseline"]
    sessions = [jade()[place]["session"] for place in baseline]
    drifts = np.concatenate(
        [
            drifts_of(scaled[chosen], ["baseline"] * len(chosen), 2)
            for session in dict.fromkeys(sessions)
            if (chosen := [p for p, s in zip(baseline, sessions, strict=True) if s == session])
        ]
    )
    horizon = float(f"{np.quantile(drifts[~np.isnan(drifts)], 0.95):.6g}")
    return {"1": norms_of(sign(texts, 1), [1.0] * 5, 1.23), "2": norms_of(scaled, spread, horizon)}


if __name__ == "__main__":  # prints the file that is shipped
    document = {
        "corpus": "1,151 responses of 19 models of four providers to 56 identity probes; numbers only, no text",
        "source": "computed from responses in the public repository ZiggyMack/Nyquist_Consciousness (MIT)",
        "horizon": "version 1: as published; version 2: the .95 quantile of the drift of baseline turns",
        "versions": numbers_of_the_corpus(),
    }
    print(msgspec.json.format(msgspec.json.encode(document), indent=1).decode())
