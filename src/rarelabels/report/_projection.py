"""Map the samples in two dimensions, and show the effect of samplers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._labels import LabelMatrix
from rarelabels._local import LocalImbalance, flip_labels, minority_class, row_numbers
from rarelabels._neighbors import Neighbors, feature_space
from rarelabels._params import set_where_known
from rarelabels._plain import plain
from rarelabels._validation import check_features
from rarelabels.report.words import sampler_title
from rarelabels.sampling import sampler

MAX_SAMPLES = 2000
KEPT_OF_A_LABEL = 25
GRID = 1000  # places on the map are whole numbers from 0 to this


@dataclass(frozen=True)
class SamplerEffect:
    """The effect of a sampler: the samples that it added, repeated or removed."""

    name: str
    title: str
    X: Any
    Y: LabelMatrix
    grown_from: Any
    repeated: Any
    removed: Any


def map_summary(
    dataset: Any,
    local: LocalImbalance,
    neighbors: Neighbors,
    samplers: tuple[str, ...],
    rng: np.random.Generator,
) -> dict[str, Any]:
    """Place samples, and what samplers add to them, on a plane.

    Returns
    -------
    dict
        "method", "explained" (shares of the variance), "n_samples", "points" (places of the shown
        samples), "types" (for each label, for each of the four types, the points that are of it)
        and "overlays", one for each sampler.
    """
    shown = shown_samples(local.entries, rng)
    Y = dataset.label_matrix
    drawn = [draw(name, dataset, Y, neighbors) for name in samplers if name != "none"]
    places, explained, method = projected(dataset, [one.X for one in drawn])
    places = _on_grid(places)
    ends = np.cumsum([dataset.n_samples, *(one.X.shape[0] for one in drawn)])
    parts = [places[start:end] for start, end in pairwise(ends)]
    return {
        "method": method,
        "explained": plain(explained),
        "n_samples": dataset.n_samples,
        "points": plain(places[shown]),
        "types": _types_of(local, shown),
        "overlays": [
            _overlay(one, part, shown, _usual(Y)) for one, part in zip(drawn, parts, strict=True)
        ],
    }


def shown_samples(entries: sparse.csr_array, rng: np.random.Generator) -> Any:
    """Choose samples to show, at random, so that every label keeps some of its minority samples."""
    n_samples = entries.shape[0]
    if n_samples <= MAX_SAMPLES:
        return np.arange(n_samples)
    order, by_label = rng.permutation(n_samples), entries.tocsc()
    place = np.argsort(order)
    needed = [_first(by_label.indices[a:b], place) for a, b in pairwise(by_label.indptr)]
    place[np.unique(np.concatenate(needed))[:MAX_SAMPLES]] -= n_samples
    return np.sort(np.argsort(place, kind="stable")[:MAX_SAMPLES])


def _first(samples: Any, place: Any) -> Any:
    return samples[np.argsort(place[samples])[:KEPT_OF_A_LABEL]]


def draw(name: str, dataset: Any, Y: LabelMatrix, neighbors: Neighbors) -> SamplerEffect:
    """Resample with a sampler's defaults, and return what it added, repeated and removed."""
    chosen = sampler(name)
    shares = getattr(chosen, "_shares_neighbors", False)
    categorical = list(dataset.categorical_features) or None
    set_where_known(chosen, random_state=0, categorical_features=categorical)
    set_where_known(chosen, neighbors=neighbors if shares else None)
    set_where_known(chosen, allow_missing_labels=True)
    with warnings.catch_warnings():
        # What a sampler warns of was said when the data set was described.
        warnings.simplefilter("ignore")
        X, y = chosen.fit_resample(dataset.X, Y.with_nan())
    is_synthetic = np.asarray(chosen.is_synthetic_)
    kept = np.bincount(chosen.sample_indices_[~is_synthetic], minlength=dataset.n_samples)
    return SamplerEffect(
        name=name,
        title=sampler_title(name),
        X=X[np.flatnonzero(is_synthetic)],
        Y=LabelMatrix.of(y).take(np.flatnonzero(is_synthetic)),
        grown_from=chosen.sample_indices_[is_synthetic],
        repeated=np.flatnonzero(kept > 1),
        removed=np.flatnonzero(kept == 0),
    )


def projected(dataset: Any, added: list[Any]) -> tuple[Any, Any, str]:
    """Project samples and added samples on the first two components of the samples.

    The components are those of the space that neighbors are searched in.
    """
    from sklearn.decomposition import PCA, TruncatedSVD

    categorical = list(dataset.categorical_features) or None
    X, *added = with_missing_filled([dataset.X, *added])
    features = check_features(X, categorical)
    stack = sparse.vstack if sparse.issparse(X) else np.vstack
    behind = check_features(stack([X[:1], *added]), categorical)
    points = feature_space(features, behind).euclidean()
    n_samples, n_components = dataset.n_samples, min(2, points.shape[1])
    is_sparse = sparse.issparse(points)
    if is_sparse and points.shape[1] > 2:
        model: Any = TruncatedSVD(n_components, random_state=0)
    else:
        points = points.toarray() if is_sparse else points
        model = PCA(n_components, random_state=0)
    model.fit(points[:n_samples])
    places = np.zeros((points.shape[0] - 1, 2))
    without_stand_in = np.delete(np.arange(points.shape[0]), n_samples)
    places[:, :n_components] = model.transform(points[without_stand_in])
    method = "truncated SVD" if isinstance(model, TruncatedSVD) else "PCA"
    return places, model.explained_variance_ratio_, method


def with_missing_filled(tables: list[Any]) -> list[Any]:
    """Fill missing values of tables, so that each sample has a position on the map.

    Medians of the first table replace them, and zeros in sparse tables.

    >>> with_missing_filled([np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([[np.nan, 5.0]])])[1]
    array([[2., 5.]])
    """
    first = tables[0]
    if sparse.issparse(first):
        return [_with_missing_as_zeros(table) for table in tables]
    if not any(np.isnan(table).any() for table in tables):
        return tables
    with warnings.catch_warnings():
        # A feature without any value has no median; it is 0 everywhere.
        warnings.simplefilter("ignore", RuntimeWarning)
        medians = np.nan_to_num(np.nanmedian(first, axis=0))
    return [np.where(np.isnan(table), medians, table) for table in tables]


def _with_missing_as_zeros(table: Any) -> Any:
    if not np.isnan(table.data).any():
        return table
    filled = table.copy()
    filled.data = np.nan_to_num(filled.data)
    return filled


def _on_grid(places: Any) -> Any:
    low, high = places.min(axis=0), places.max(axis=0)
    return np.rint(GRID * (places - low) / np.where(high > low, high - low, 1)).astype(int)


def _types_of(local: LocalImbalance, shown: Any) -> list[list[list[int]]]:
    """Return, for each label and type, the positions among the shown samples that are of it."""
    position = np.full(local.entries.shape[0], -1)
    position[shown] = np.arange(shown.size)
    at = position[row_numbers(local.entries)]
    labels, types, is_shown = local.entries.indices, local.types, at >= 0
    places: list[list[list[int]]] = [[[], [], [], []] for _ in range(local.entries.shape[1])]
    for label, kind, place in zip(labels[is_shown], types[is_shown], at[is_shown], strict=True):
        places[label][kind].append(int(place))
    return places


def _usual(Y: LabelMatrix) -> Any:
    """Return the labels that most samples carry, whose rarer class is therefore 0."""
    return np.flatnonzero(minority_class(Y) == 0)


def _overlay(drawn: SamplerEffect, places: Any, shown: Any, usual: Any) -> dict[str, Any]:
    grew_from_shown = np.flatnonzero(np.isin(drawn.grown_from, shown))
    by_label = flip_labels(drawn.Y.take(grew_from_shown), usual).positives.tocsc()
    return {
        "sampler": drawn.name,
        "title": drawn.title,
        "n_added": int(drawn.X.shape[0]),
        "n_repeated": int(drawn.repeated.size),
        "n_removed": int(drawn.removed.size),
        "added": plain(places[grew_from_shown]),
        "minority": [by_label.indices[a:b].tolist() for a, b in pairwise(by_label.indptr)],
        "repeated": plain(np.flatnonzero(np.isin(shown, drawn.repeated))),
        "removed": plain(np.flatnonzero(np.isin(shown, drawn.removed))),
    }
