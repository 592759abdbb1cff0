"""Chains of binary models over some of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array, Matrix
from rarelabels.learners._models import Links, NameOf, in_parallel


@dataclass(frozen=True)
class LabelChain:
    """Fitted links, in their order.

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
    """Return the mean of each label's scores over the chains that hold it."""
    chains = [chain for chain in chains if chain.labels.size]
    if not chains:
        return np.zeros((X.shape[0], n_labels))
    data = chains[0].models.prepare(X)
    found = in_parallel(LabelChain.scores, ((chain, data) for chain in chains), n_jobs)
    total, count = np.zeros((X.shape[0], n_labels)), np.zeros(n_labels, dtype=int)
    for chain, scores in zip(chains, found, strict=True):
        total[:, chain.labels] += scores
        count[chain.labels] += 1
    return total / np.maximum(count, 1)


def bootstrap_samples(n_samples: int, rng: np.random.Generator) -> Array:
    """Draw as many samples as there are, with replacement and sorted."""
    return np.sort(rng.integers(n_samples, size=n_samples))


def link_names(labels: Array, names: tuple[str, ...]) -> NameOf:
    """Return what names a link in messages."""
    return lambda link: f"label {names[labels[link]]!r}"
