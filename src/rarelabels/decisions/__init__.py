"""Decision rules, which choose thresholds for the scores of any model."""

from rarelabels.decisions._choose import choose_thresholds
from rarelabels.decisions._costs import Costs
from rarelabels.decisions._decider import ThresholdDecider
from rarelabels.decisions._limits import AtLeastOne, AtMost, Budget
from rarelabels.decisions._records import RULES, Rule, check_rule
from rarelabels.decisions._rule_base import DecisionRule
from rarelabels.decisions._targets import (
    PrecisionTarget,
    RecallTarget,
    UnreachableTarget,
    positives_needed,
)
from rarelabels.decisions._threshold_report import ThresholdReport, threshold_report

__all__ = [
    "RULES",
    "AtLeastOne",
    "AtMost",
    "Budget",
    "Costs",
    "DecisionRule",
    "PrecisionTarget",
    "RecallTarget",
    "Rule",
    "ThresholdDecider",
    "ThresholdReport",
    "UnreachableTarget",
    "check_rule",
    "choose_thresholds",
    "positives_needed",
    "threshold_report",
]
