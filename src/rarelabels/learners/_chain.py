"""A chain of binary models, each of which sees the labels of those before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix
from rarelabels._random import draw_seeds
from rarelabels.learners._models import fit_model
from rarelabels.learners.scores import class_probability


@dataclass(frozen=True)
class Chain:
    """Fitted links, in their order.

    Attributes
    ----------
    labels : (m,) ndarray of ints
        The label of each link.
    models : list of classifiers
        The model of each link.
    """

    labels: Array
    models: list[Any]

    def scores(self, X: Matrix) -> Array:
        """Give the probability of each link's label, in the chain's order.

        Each link sees what those before it predict.
        """
        seen, found = ChainFeatures(X, len(self.models)), []
        for model in self.models:
            found.append(class_probability(model, seen.current()))
            seen.add(found[-1] > 0.5)
        return np.column_stack(found)


class ChainFeatures:
    """Features that grow by one label at a time."""

    def __init__(self, X: Matrix, n_links: int) -> None:
        self._n_columns, self._sparse = X.shape[1], X if sparse.issparse(X) else None
        if self._sparse is None:
            # By columns, so that the first of them lie together.
            self._dense = np.zeros((X.shape[0], X.shape[1] + n_links), X.dtype, order="F")
            self._dense[:, : X.shape[1]] = X

    def current(self) -> Matrix:
        """Give the features and the labels added so far."""
        return self._dense[:, : self._n_columns] if self._sparse is None else self._sparse

    def add(self, label: Array) -> None:
        """Add a label's column behind the others."""
        if self._sparse is None:
            self._dense[:, self._n_columns] = label
        else:
            column = sparse.csc_array(label[:, None].astype(self._sparse.dtype))
            self._sparse = sparse.hstack([self._sparse, column], format=self._sparse.format)
        self._n_columns += 1


RowChoice = Callable[[Array, np.random.Generator], Array]


def fit_chain(
    estimator: Any,
    X: Matrix,
    Y: Array,
    labels: Array,
    rng: np.random.Generator,
    names: Sequence[str],
    balance: RowChoice | None = None,
) -> Chain:
    """Fit a chain of labels.

    Parameters
    ----------
    estimator : classifier
        Cloned for each link.
    X : (n, d) ndarray or sparse matrix
        The features.
    Y : (n, m) ndarray
        The labels of the links, in the order of the chain.
    labels : (m,) ndarray of ints
        Which labels they are.
    rng : Generator
        Source of the links' seeds and rows.
    names : sequence of str
        The names of all labels.
    balance : callable, optional
        Chooses the rows that a link learns on from its classes. A chain with it sees the labels
        that the links before *predict*, one without it the true ones.
    """
    seen, models = ChainFeatures(X, labels.size), []
    for target, label, seed in zip(Y.T, labels, draw_seeds(rng, labels.size), strict=True):
        rows = slice(None) if balance is None else balance(target, rng)
        what = f"label {names[label]!r}"
        model = fit_model(estimator, seen.current()[rows], target[rows], seed, what)
        predicts = balance is not None
        seen.add(class_probability(model, seen.current()) > 0.5 if predicts else target)
        models.append(model)
    return Chain(labels, models)


def mean_over_chains(chains: list[Chain], found: list[Array], n_labels: int) -> Array:
    """Average each label's scores over the chains that hold it."""
    total, count = np.zeros((found[0].shape[0], n_labels)), np.zeros(n_labels, dtype=int)
    for chain, scores in zip(chains, found, strict=True):
        total[:, chain.labels] += scores
        count[chain.labels] += 1
    return total / np.maximum(count, 1)
