"""Entropy trees, with the splits of scikit-learn's."""

from __future__ import annotations

from typing import Any

from rarelabels._random import as_generator
from rarelabels.trees._base import BatchTree, pruning_rules
from rarelabels.trees._kernels.structures import Rules
from rarelabels.trees._schema import Schema, learn_schema


class EntropyTreeClassifier(BatchTree):
    """Decision tree with the splits of scikit-learn's entropy tree, and pruning on request."""

    def __init__(
        self,
        *,
        min_samples_leaf: int = 2,
        confidence: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.random_state = random_state

    def _rules(self) -> Rules:
        least, cf, z = pruning_rules(self.min_samples_leaf, self.confidence)
        is_pruned = self.confidence is not None
        return Rules(
            gain_ratio=False,
            min_leaf=least,
            mdl=False,
            actual=False,
            collapse=is_pruned,
            prune=is_pruned,
            raising=False,
            laplace=False,
            cf=cf,
            z=z,
        )

    def _schema(self, X: Any) -> Schema:
        return learn_schema(X, None, is_single=True)

    def _seed(self) -> int:
        return int(as_generator(self.random_state).integers(2**31 - 1))
