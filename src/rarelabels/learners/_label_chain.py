"""A chain of binary models over some of the labels, and the scores of several chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels._registry import part_of_models
from rarelabels.learners._base_estimator import in_parallel
from rarelabels.learners._trainer import Links, NameOf


@part_of_models
@dataclass(frozen=True)
class LabelChain:
    """The fitted links of a chain, in their order.

    Attributes
    ----------
    labels : (m,) ndarray of ints
        The label of each link.
    models : sequence of classifiers
        The model of each link.
    """

    labels: Array
    models: Links

    def scores(self, data: Any) -> Array:
        """Return the probability of each link's label, in the chain's order."""
        return self.models.probability(data)


def chain_scores(chains: list[LabelChain], X: Matrix, n_labels: int, n_jobs: int | None) -> Array:
    """Return the mean of each label's scores over the chains that contain it."""
    chains = [chain for chain in chains if chain.labels.size]
    if not chains:
        return np.zeros((X.shape[0], n_labels))
    data = chains[0].models.prepare(X)
    all_scores = in_parallel(LabelChain.scores, ((chain, data) for chain in chains), n_jobs)
    total, count = np.zeros((X.shape[0], n_labels)), np.zeros(n_labels, dtype=int)
    for chain, scores in zip(chains, all_scores, strict=True):
        total[:, chain.labels] += scores
        count[chain.labels] += 1
    return total / np.maximum(count, 1)


def bootstrap_samples(n_samples: int, rng: np.random.Generator) -> Array:
    """Draw `n_samples` samples with replacement, and sort them."""
    return np.sort(rng.integers(n_samples, size=n_samples))


def link_names(labels: Array, names: tuple[str, ...]) -> NameOf:
    """Return a function that returns the name of a link, for messages."""
    return lambda link: f"label {names[labels[link]]!r}"
