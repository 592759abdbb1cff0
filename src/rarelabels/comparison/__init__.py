"""Which method is better, from nothing but a table of scores."""

from rarelabels.comparison._correlation import (
    PearsonResult,
    pearson_correlation,
    pearson_critical_value,
)
from rarelabels.comparison._pairwise import PairwiseResult, wilcoxon_bergmann_hommel
from rarelabels.comparison._plot import critical_difference_plot
from rarelabels.comparison._ranks import FriedmanResult, average_ranks, friedman_test

__all__ = [
    "FriedmanResult",
    "PairwiseResult",
    "PearsonResult",
    "average_ranks",
    "critical_difference_plot",
    "friedman_test",
    "pearson_correlation",
    "pearson_critical_value",
    "wilcoxon_bergmann_hommel",
]
