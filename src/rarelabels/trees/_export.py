"""A tree as text, and what its features contribute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._forest import Forest
from rarelabels.trees._kernels.structures import Trees
from rarelabels.trees._schema import Schema


def tree_text(forest: Forest, classes: Array) -> str:
    """Return a forest's only tree, one line per branch, with the leaves' classes and weights."""
    trees, schema = forest.trees, forest.schema
    if trees.feature[0] < 0:
        return _leaf(trees, 0, classes)
    lines = []
    pending = list(_branches(trees, schema, 0, 0))[::-1]
    while pending:
        node, depth, text = pending.pop()
        line = "|   " * depth + text
        if trees.feature[node] < 0:
            lines.append(f"{line}: {_leaf(trees, node, classes)}")
        else:
            lines.append(line)
            pending += list(_branches(trees, schema, node, depth + 1))[::-1]
    return "\n".join(lines)


def _branches(
    trees: Trees, schema: Schema, node: int, depth: int
) -> Iterator[tuple[int, int, str]]:
    """Return the children of a node, each with the condition that leads to it."""
    feature, first = int(trees.feature[node]), int(trees.child[node])
    name = _feature_name(schema, feature)
    known = schema.categories[feature]
    if known is None:
        threshold = f"{trees.threshold[node]:.6g}"
        conditions = [f"{name} <= {threshold}", f"{name} > {threshold}"]
    else:
        conditions = [f"{name} = {_category(value)}" for value in known.tolist()]
    for b, condition in enumerate(conditions):
        yield first + b, depth, condition


def _leaf(trees: Trees, node: int, classes: Array) -> str:
    weight = trees.counts[node].sum()
    best = classes[trees.probability[node].argmax()]
    if weight == 0:
        return f"{best} (no samples)"
    errors = weight - trees.counts[node].max()
    return (
        f"{best} ({weight:.6g})"
        if errors < 1e-9 * weight
        else f"{best} ({weight:.6g}/{errors:.6g})"
    )


def _feature_name(schema: Schema, feature: int) -> str:
    return str(schema.names[feature]) if schema.names is not None else f"feature {feature}"


def _category(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def importances(forest: Forest) -> Array:
    """Return each feature's share of the decrease of entropy, weighted by samples."""
    trees, schema = forest.trees, forest.schema
    decreases = np.zeros(schema.n_features)
    n_categories = schema.n_categories
    bits = _weighted_entropy(trees.counts)
    for node in np.flatnonzero(trees.feature >= 0):
        feature, first = trees.feature[node], trees.child[node]
        decreases[feature] += bits[node] - bits[first : first + max(n_categories[feature], 2)].sum()
    total = decreases.sum()
    return decreases / total if total > 0 else decreases


def _weighted_entropy(counts: Array) -> Array:
    """Return entropy × weight of each node."""
    with np.errstate(divide="ignore", invalid="ignore"):
        by_class = np.where(counts > 0, counts * np.log2(counts), 0.0).sum(axis=1)
        weight = counts.sum(axis=1)
        return np.where(weight > 0, weight * np.log2(weight), 0.0) - by_class
