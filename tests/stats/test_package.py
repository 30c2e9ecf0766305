from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys

import msgspec
import pytest

import assay.stats

MODULES = [f"assay.stats.{m.name}" for m in pkgutil.iter_modules(assay.stats.__path__)]

EVERYTHING = """
import msgspec, numpy as np
from assay import stats as s
x = np.linspace(0, 1, 23)
results = [
    s.wilson(3, 7), s.clopper_pearson(3, 7), s.agresti_coull(3, 7), s.modal_share([5, 3, 1]),
    s.bounded_mean(x), s.bounded_mean(x, betting="mixture"),
    s.cluster_bootstrap(x, list("abcdefghijkabcdefghijka"), lambda r: float(r.mean()), key="k", method="bca"),
    s.paired_permutation(x, x ** 2, key="k", flips=500), s.binomial_test(3, 7, .25),
    s.fisher_exact(3, 4, 5, 1), s.mcnemar(3, 9),
    s.holm([.01, .04, .03]), s.detectable_two(.5, 40), s.detectable_paired(.3, 90),
    s.share_bounds(3, 4, 2), s.pairwise_agreement([5, 3, 1]), s.pairwise_mean(.3, 9), s.novelty([5, 3, 1]),
    s.shannon_entropy([5, 3, 1]), s.unseen_chao1([5, 3, 1, 1]), s.paired_difference(x, x ** 2),
    s.sequential_share([1] * 20, threshold=.7, least=20, most=50), s.paired_shares(2, 1, 50),
    s.sequential_properties(.7, threshold=.7, least=20, most=50),
    s.share_difference(3, 10, 9, 10), s.cohen_kappa("aabb", "abab", key="k"),
    s.krippendorff_alpha([list("aa"), list("ab"), list("bb")], key="k"), s.percent_agreement([list("aa"), list("ab")]),
]
print(msgspec.json.encode(results).decode())
"""


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return done.stdout


def test_results_are_the_same_in_any_process_and_with_any_hash_seed() -> None:
    outputs = {
        run(EVERYTHING, PYTHONHASHSEED=seed, OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)
        for seed, threads in (("0", "1"), ("4242", "2"))
    }
    assert len(outputs) == 1
    assert len(msgspec.json.decode(outputs.pop())) == 28


def test_importing_the_package_does_not_import_scipy_stats() -> None:
    code = "import sys; from assay.stats import wilson; print('scipy.stats' in sys.modules)"
    assert run(code).strip() == "False"


@pytest.mark.parametrize("name", MODULES)
def test_every_export_is_there(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__all__ == sorted(module.__all__, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    for export in module.__all__:
        assert hasattr(module, export)


def test_results_are_frozen_and_survive_json() -> None:
    got = assay.stats.wilson(3, 7)
    with pytest.raises(AttributeError):
        got.value = 0.5  # type: ignore[misc]
    assert msgspec.json.decode(msgspec.json.encode(got), type=assay.stats.Interval) == got
