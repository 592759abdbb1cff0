"""Compare methods statistically, given a table of scores."""

from rarelabels.comparison._corrected_t import (
    FoldMean,
    corrected_t_test,
    repeats_to_detect,
    smallest_detectable_gain,
)
from rarelabels.comparison._corrections import holm
from rarelabels.comparison._correlation import (
    PearsonResult,
    pearson_correlation,
    pearson_critical_value,
)
from rarelabels.comparison._early_stop import StoppingRule
from rarelabels.comparison._gains import Gain, gains_over_baseline
from rarelabels.comparison._label_gains import LabelGains, label_gains, rare_label_gains
from rarelabels.comparison._latex import latex_table
from rarelabels.comparison._pairwise import PairwiseResult, wilcoxon_bergmann_hommel
from rarelabels.comparison._plot import critical_difference_plot, indistinct_runs
from rarelabels.comparison._ranks import FriedmanResult, average_ranks, friedman_test
from rarelabels.comparison._summary import comparison_summary

__all__ = [
    "FoldMean",
    "FriedmanResult",
    "Gain",
    "LabelGains",
    "PairwiseResult",
    "PearsonResult",
    "StoppingRule",
    "average_ranks",
    "comparison_summary",
    "corrected_t_test",
    "critical_difference_plot",
    "friedman_test",
    "gains_over_baseline",
    "holm",
    "indistinct_runs",
    "label_gains",
    "latex_table",
    "pearson_correlation",
    "pearson_critical_value",
    "rare_label_gains",
    "repeats_to_detect",
    "smallest_detectable_gain",
    "wilcoxon_bergmann_hommel",
]
