"""C4.5, as Weka's J48 has it."""

from __future__ import annotations

from typing import Any

from rarelabels.trees._base import BatchTree, pruning_rules
from rarelabels.trees._kernels.structures import Rules
from rarelabels.trees._schema import Schema, learn_schema


class C45Classifier(BatchTree):
    """C4.5 decision tree as in Weka's J48: gain ratio, error-based pruning, subtree raising."""

    _allows_missing = True

    def __init__(
        self,
        *,
        min_samples_leaf: int = 2,
        confidence: float | None = 0.25,
        subtree_raising: bool = True,
        categorical_features: Any = "auto",
        collapse: bool = True,
        mdl_correction: bool = True,
        laplace: bool = False,
        actual_thresholds: bool = True,
        random_state: Any = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.categorical_features = categorical_features
        self.collapse = collapse
        self.mdl_correction = mdl_correction
        self.laplace = laplace
        self.actual_thresholds = actual_thresholds
        self.random_state = random_state

    def _rules(self) -> Rules:
        least, cf, z = pruning_rules(self.min_samples_leaf, self.confidence)
        return Rules(
            gain_ratio=True,
            min_leaf=least,
            mdl=bool(self.mdl_correction),
            actual=bool(self.actual_thresholds),
            collapse=bool(self.collapse),
            prune=self.confidence is not None,
            raising=bool(self.subtree_raising),
            laplace=bool(self.laplace),
            cf=cf,
            z=z,
        )

    def _schema(self, X: Any) -> Schema:
        return learn_schema(X, self.categorical_features)

    def _takes_objects(self) -> bool:
        given = self.categorical_features
        return given is not None and not isinstance(given, str)

    def _seed(self) -> int:
        return 0
