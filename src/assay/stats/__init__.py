"""Statistics: the lowest room. Plain numbers in, small frozen results out; nothing here knows of models or
ledgers.

| question | function |
|---|---|
| a share and its error | `wilson`, `clopper_pearson`, `agresti_coull` (and ``_array`` forms) |
| the share of the most frequent answer | `modal_share` |
| the mean of values in [0, 1] | `bounded_mean` |
| the same, narrower, by a conjecture; many confidences at once | `mean_curve` |
| how often two outputs agree, how far apart they are | `pairwise_agreement`, `pairwise_mean` |
| how varied outputs are | `shannon_entropy`, `distinct`, `unseen_chao1`, `novelty` |
| how far two measurements differ, near enough | `paired_difference`, `share_difference`, `equivalent` |
| differences of pooled rates of clusters | `cluster_contrast`, `cluster_average` |
| the mean of values without limits, over clusters | `student_mean` |
| do two measurements go together; how fast does one fall | `pearson`, `exponential_decay`, `half_life` |
| does confidence go with being right | `spearman_of_success` |
| the mean of recalls over groups, and a difference of two | `balanced_accuracy`, `balanced_difference` |
| how much of a variance lies within cells, between them, between groups | `nested_variances` |
| a weighted mean of several shares | `weighted_mean`, `weighted_difference`, `weighted_value` |
| do raters agree | `cohen_kappa`, `fleiss_kappa`, `krippendorff_alpha`, `percent_agreement` |
| any other statistic | `bootstrap`, `cluster_bootstrap` |
| is it above chance, do two differ | `binomial_test`, `fisher_exact`, `mcnemar`, `paired_permutation` |
| is it the order | `shuffled_orders`, `shuffle_test` |
| many tests at once | `holm`, `benjamini_hochberg` |
| is a share above a threshold, looking after every outcome | `sequential_share`, `sequential_properties` |
| is n enough | `power_*`, `required_n_*`, `detectable_*` for one, two and paired shares |
| how many units show a difference of two subjects | `difference_power`, `required_units` |
| what a test with fixed n would need instead | `fixed_share_size` |
| what noise alone reads | `absolute_noise`, `largest_noise` |
| some outcomes are unknown | `share_bounds` |
| is .85 - .70 within .15 | `fraction`, `share` |

Every result is a pure function of its arguments; randomness comes from a key (`philox`).
"""

from __future__ import annotations

from assay.stats._core import Alternative, Exactable, Interval, IntervalArray, Missing, Side, fraction, share
from assay.stats._draws import draw_indices, draw_signs, philox
from assay.stats.adjust import Adjusted, benjamini_hochberg, holm
from assay.stats.agreement import (
    Agreement,
    CategoryAgreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
)
from assay.stats.balanced import balanced_accuracy, balanced_difference
from assay.stats.bootstrap import BootstrapInterval, bootstrap, cluster_bootstrap
from assay.stats.bounded import bounded_mean, bounded_mean_rows
from assay.stats.bounds import ShareBounds, share_bounds
from assay.stats.clusters import (
    ClusterAnswers,
    ClusterEstimate,
    ClusterTerm,
    cluster_average,
    cluster_contrast,
)
from assay.stats.composite import Part, weighted_difference, weighted_mean, weighted_value
from assay.stats.correlation import Correlation, pearson
from assay.stats.decay import Decay, exponential_decay, half_life
from assay.stats.difference_power import (
    DifferencePower,
    RequiredUnits,
    difference_power,
    required_units,
)
from assay.stats.differences import ShareDifference, equivalent, paired_difference, share_difference
from assay.stats.discrimination import Discrimination, spearman_of_success
from assay.stats.diversity import Entropy, Unseen, distinct, novelty, shannon_entropy, unseen_chao1
from assay.stats.exact import (
    BinomialTest,
    FisherTest,
    McNemarTest,
    binomial_test,
    fisher_exact,
    mcnemar,
)
from assay.stats.gaffke import MeanCurve, mean_curve
from assay.stats.intervals import (
    agresti_coull,
    agresti_coull_array,
    clopper_pearson,
    clopper_pearson_array,
    wilson,
    wilson_array,
)
from assay.stats.modal import modal_share, modal_share_array
from assay.stats.nested import CellSums, NestedVariances, nested_variances
from assay.stats.noise import absolute_noise, largest_noise
from assay.stats.paired_shares import PairedShares, paired_shares
from assay.stats.pairs import (
    pairwise_agreement,
    pairwise_agreement_array,
    pairwise_mean,
    pairwise_mean_array,
)
from assay.stats.permutation import PermutationTest, paired_permutation
from assay.stats.power import (
    Detectable,
    Power,
    RequiredN,
    detectable_one,
    detectable_paired,
    detectable_two,
    power_one,
    power_paired,
    power_two,
    required_n_one,
    required_n_paired,
    required_n_two,
)
from assay.stats.sequential import (
    FixedShareSize,
    SequentialProperties,
    SequentialShare,
    fixed_share_size,
    sequential_properties,
    sequential_share,
)
from assay.stats.shuffles import ShuffleTest, shuffle_test, shuffled_orders
from assay.stats.student import StudentMean, student_mean, student_reach

__all__ = [
    "Adjusted",
    "Agreement",
    "Alternative",
    "BinomialTest",
    "BootstrapInterval",
    "CategoryAgreement",
    "CellSums",
    "ClusterAnswers",
    "ClusterEstimate",
    "ClusterTerm",
    "Correlation",
    "Decay",
    "Detectable",
    "DifferencePower",
    "Discrimination",
    "Entropy",
    "Exactable",
    "FisherTest",
    "FixedShareSize",
    "Interval",
    "IntervalArray",
    "McNemarTest",
    "MeanCurve",
    "Missing",
    "NestedVariances",
    "PairedShares",
    "Part",
    "PermutationTest",
    "Power",
    "RequiredN",
    "RequiredUnits",
    "SequentialProperties",
    "SequentialShare",
    "ShareBounds",
    "ShareDifference",
    "ShuffleTest",
    "Side",
    "StudentMean",
    "Unseen",
    "absolute_noise",
    "agresti_coull",
    "agresti_coull_array",
    "balanced_accuracy",
    "balanced_difference",
    "benjamini_hochberg",
    "binomial_test",
    "bootstrap",
    "bounded_mean",
    "bounded_mean_rows",
    "clopper_pearson",
    "clopper_pearson_array",
    "cluster_average",
    "cluster_bootstrap",
    "cluster_contrast",
    "cohen_kappa",
    "detectable_one",
    "detectable_paired",
    "detectable_two",
    "difference_power",
    "distinct",
    "draw_indices",
    "draw_signs",
    "equivalent",
    "exponential_decay",
    "fisher_exact",
    "fixed_share_size",
    "fleiss_kappa",
    "fraction",
    "half_life",
    "holm",
    "krippendorff_alpha",
    "largest_noise",
    "mcnemar",
    "mean_curve",
    "modal_share",
    "modal_share_array",
    "nested_variances",
    "novelty",
    "paired_difference",
    "paired_permutation",
    "paired_shares",
    "pairwise_agreement",
    "pairwise_agreement_array",
    "pairwise_mean",
    "pairwise_mean_array",
    "pearson",
    "percent_agreement",
    "philox",
    "power_one",
    "power_paired",
    "power_two",
    "required_n_one",
    "required_n_paired",
    "required_n_two",
    "required_units",
    "sequential_properties",
    "sequential_share",
    "shannon_entropy",
    "share",
    "share_bounds",
    "share_difference",
    "shuffle_test",
    "shuffled_orders",
    "spearman_of_success",
    "student_mean",
    "student_reach",
    "unseen_chao1",
    "weighted_difference",
    "weighted_mean",
    "weighted_value",
    "wilson",
    "wilson_array",
]
