"""The decision rules by name: one record each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rarelabels._registry import Deferred, did_you_mean
from rarelabels.decisions._rule_base import DecisionRule

if TYPE_CHECKING:
    from rarelabels._containers import Array


@dataclass(frozen=True)
class Rule(DecisionRule):
    """A decision rule without parameters.

    Attributes
    ----------
    name : str
        Name of the rule, for the parameter `rule` of other functions and classes.
    title : str
        Short description of what the rule maximizes.
    compute : callable
        A function of true labels, scores, weights and the mask of known entries that returns a
        threshold for each label.

    See Also
    --------
    check_rule : Returns the rule of a name.

    Examples
    --------
    >>> from rarelabels.decisions import RULES
    >>> [rule.name for rule in RULES][:2]
    ['pooled_f1', 'f1']
    """

    name: str
    title: str
    compute: Callable[..., Array]

    def thresholds(self, Y: Array, scores: Array, weights: Any = None, known: Any = None) -> Array:
        """Return the threshold of each label."""
        return self.compute(Y, scores, weights, known)


# The first is the default.
RULES = (
    Rule(
        "pooled_f1",
        "F, with labels of similar frequency",
        Deferred("rarelabels.decisions._pooled_f1:pooled_f1_thresholds"),
    ),
    Rule("f1", "F", Deferred("rarelabels.decisions._per_label:f1_thresholds")),
    Rule(
        "expected_f1",
        "expected F",
        Deferred("rarelabels.decisions._expected_f1:expected_f1_thresholds"),
    ),
    Rule(
        "micromacro",
        "macro-F and micro-F together",
        Deferred("rarelabels.decisions._micromacro:micromacro_thresholds"),
    ),
    Rule("fbr", "F, if it is high enough", Deferred("rarelabels.decisions._fbr:fbr_thresholds")),
    Rule("gmean", "G-mean", Deferred("rarelabels.decisions._per_label:gmean_thresholds")),
    Rule(
        "balanced_accuracy",
        "balanced accuracy",
        Deferred("rarelabels.decisions._per_label:balanced_accuracy_thresholds"),
    ),
)


def check_rule(rule: Any) -> Any:
    """Return the decision rule with a name; a rule object is returned unchanged.

    Parameters
    ----------
    rule : str or rule
        A name, like ``"pooled_f1"``, or an object with the methods `thresholds` and `decide`.

    Returns
    -------
    Rule or rule object
        The rule.

    Raises
    ------
    ValueError
        If the name is unknown. The message lists the names.

    Examples
    --------
    >>> from rarelabels.decisions import check_rule
    >>> check_rule("f1").title
    'F'
    """
    if hasattr(rule, "thresholds") and hasattr(rule, "decide"):
        return rule
    names = [known.name for known in RULES]
    for known in RULES:
        if isinstance(rule, str) and known.name == rule:
            return known
    nearest = f" ({did_you_mean(rule, names)})" if isinstance(rule, str) else ""
    raise ValueError(
        f"rule must be one of {', '.join(map(repr, names))}, or a rule object from "
        f"rarelabels.decisions; got {rule!r}{nearest}."
    )
