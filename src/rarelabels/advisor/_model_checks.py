"""Check a loaded model before it predicts: compiled code follows indices without checking them.

A file that was tampered with can name nodes, features or rows that do not exist. What would read
or write outside an array is refused here. Wrong numbers are not: they give wrong predictions.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import BisectingKMeans, KMeans, MiniBatchKMeans
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.ensemble import IsolationForest
from sklearn.ensemble._forest import BaseForest
from sklearn.ensemble._gb import BaseGradientBoosting
from sklearn.ensemble._hist_gradient_boosting.gradient_boosting import BaseHistGradientBoosting
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.neighbors._base import NeighborsBase
from sklearn.svm._base import BaseLibSVM
from sklearn.tree import BaseDecisionTree
from sklearn.tree._tree import Tree

from rarelabels.learners import IBLR, MLkNN

WORDS_OF_CATEGORIES = 8  # words of 32 bits for 256 categories, in scikit-learn's boosting


class DamagedModelError(ValueError):
    """A model file that was damaged or tampered with."""


def check_archive(path: Any) -> None:
    """Check what is used before a model is complete: the sizes of scikit-learn's trees.

    Parameters
    ----------
    path : path-like
        A file of skops.

    Raises
    ------
    DamagedModelError
        If the file is not one, or a tree in it cannot be made.
    """
    with damaged_unless_whole(path), zipfile.ZipFile(path) as archive:
        for node in _nodes(json.loads(archive.read("schema.json"))):
            if node.get("__class__") == "Tree" or "Tree" in str(node.get("__loader__")):
                _check_sizes(archive, node)


@contextmanager
def damaged_unless_whole(path: Any) -> Iterator[None]:
    """Turn what reading a damaged file raises into one error that names the file."""
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise DamagedModelError(f"{path} is not a whole .skops file ({message}).") from error


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all dicts in what JSON gave."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _check_sizes(archive: zipfile.ZipFile, node: dict[str, Any]) -> None:
    """Check the arguments that scikit-learn's Tree is made with."""
    if node.get("__loader__") != "TreeNode":
        raise ValueError("a tree is stored in another way than trees are")
    n_features, n_classes, n_outputs = node["__reduce__"]["args"]["content"]
    with archive.open(n_classes["file"]) as file:
        sizes = np.lib.format.read_array(file, allow_pickle=False)
    if sizes.dtype != np.intp or sizes.ndim != 1 or not 1 <= sizes.size <= 10**6:
        raise ValueError("a tree has no numbers of classes")
    if json.loads(n_outputs["content"]) != sizes.size:
        raise ValueError("a tree has another number of outputs")
    is_right = 1 <= json.loads(n_features["content"]) < 2**31
    if not is_right or not (1 <= sizes.min() <= sizes.max() <= 10**6):
        raise ValueError("a tree has an impossible size")


def check_model(model: Any) -> None:
    """Check all parts of a model.

    Parameters
    ----------
    model : object
        As it was loaded.

    Raises
    ------
    DamagedModelError
        If a part would lead compiled code out of its arrays.
    """
    # The innermost parts first: some checks of the others use them.
    for part in reversed(list(_parts(model))):
        try:
            _forget_derived(part)
            for kind, check in CHECKS:
                if isinstance(part, kind):
                    check(part)
            if type(part).__module__.startswith("rarelabels."):
                _check_own(part)
        except Exception as error:
            name = type(part).__name__
            raise DamagedModelError(
                f"the model was damaged or tampered with: its {name} is not consistent ({error})."
            ) from error


def _parts(model: Any) -> Iterator[Any]:
    """Yield a model and everything in it, each once."""
    waiting, seen = [model], {}
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, (str, bytes, int, float, type(None), type)):
            continue
        seen[id(part)] = part
        yield part
        if isinstance(part, dict):
            waiting += [*part.keys(), *part.values()]
        elif isinstance(part, (list, tuple, set, frozenset)):
            waiting += part
        elif isinstance(part, np.ndarray):
            waiting += part.ravel().tolist() if part.dtype.hasobject else []
        elif isinstance(part, partial):
            waiting += [part.args, part.keywords]
        waiting += getattr(part, "__dict__", {}).values()


def _forget_derived(part: Any) -> None:
    """Drop what a part computes from its other attributes, so that it is computed again."""
    kind = type(part)
    if not kind.__module__.startswith("rarelabels."):
        return
    for name in list(getattr(part, "__dict__", {})):
        if isinstance(getattr(kind, name, None), cached_property):
            del part.__dict__[name]


def _check_own(part: Any) -> None:
    """Check what compiled code of this package reads."""
    name = type(part).__name__
    if isinstance(part, (IBLR, MLkNN)) and hasattr(part, "_labels"):
        _require(part._labels.shape[0] == part._features.n_samples, "it has other labels")
    compiled = ("Chain", "CompiledForest", "Forests", "LinkedTrees")
    # Of a tree an attribute; a method of this name is none.
    if name not in compiled and "_forest" not in getattr(part, "__dict__", {}):
        return
    # These exist only where numba is installed.
    from rarelabels.trees.consistency import (
        check_chain,
        check_encoder,
        check_forest,
        check_label_forest,
    )

    if name == "Chain":
        check_chain(part)
    elif name == "CompiledForest":
        check_label_forest(part)
    elif name == "LinkedTrees":
        _require(type(part.links).__name__ == "Chain", "it has no links")
        check_encoder(part.encoder, part.links.forest.schema)
    elif name == "Forests":
        ends = np.cumsum([len(forest) for forest in part.forests]).tolist()
        _require(ends == list(part._ends), "its models are counted wrong")
        for forest in part.forests:
            check_forest(forest)
            check_encoder(part.encoder, forest.schema)
    else:
        check_forest(part._forest)


def _check_sparse(matrix: Any) -> None:
    if hasattr(matrix, "check_format"):
        matrix.check_format(full_check=True)
    elif hasattr(matrix, "coords"):
        for indices, size in zip(matrix.coords, matrix.shape, strict=True):
            _require(not len(indices) or 0 <= indices.min() <= indices.max() < size, "an index")


def _check_tree(tree: Tree) -> None:
    _require(tree.node_count == tree.capacity > 0, "it has another number of nodes")
    own = np.arange(tree.node_count)
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    is_leaf = left == -1
    for child in (left, right):
        is_inside = (child > own) & (child < tree.node_count)
        _require(np.where(is_leaf, child == -1, is_inside).all(), "a node has no such child")
    has_feature = (feature >= 0) & (feature < tree.n_features)
    _require((is_leaf | has_feature).all(), "a node has no such feature")


def _check_decision_tree(estimator: BaseDecisionTree) -> None:
    if hasattr(estimator, "tree_"):
        _require(estimator.tree_.n_features == estimator.n_features_in_, "it has other features")


def _check_same_features(ensemble: Any) -> None:
    """Check members that get X without checking it themselves."""
    members = np.ravel(np.asarray(getattr(ensemble, "estimators_", ()), dtype=object)).tolist()
    for member in members:
        same = member.tree_.n_features == ensemble.n_features_in_
        _require(same, "a tree has other features")


def _check_isolation(ensemble: IsolationForest) -> None:
    columns = getattr(ensemble, "estimators_features_", ())
    for member, used in zip(getattr(ensemble, "estimators_", ()), columns, strict=True):
        _require(member.tree_.n_features == len(used), "a tree has other features")


def _check_boosting(ensemble: BaseGradientBoosting) -> None:
    if not hasattr(ensemble, "estimators_"):
        return
    _check_same_features(ensemble)
    # One column of scores for each tree of a round: scikit-learn writes them without a check.
    scores = ensemble._raw_predict_init(np.zeros((1, ensemble.n_features_in_), dtype=np.float32))
    is_right = scores.shape == (1, ensemble.estimators_.shape[1])
    _require(is_right and ensemble.estimators_.ndim == 2, "it has another number of trees")


def _check_hist_boosting(ensemble: BaseHistGradientBoosting) -> None:
    rounds = getattr(ensemble, "_predictors", ())
    if not rounds:
        return
    is_categorical = np.asarray(ensemble._bin_mapper.is_categorical_)
    _require(is_categorical.shape == (ensemble.n_features_in_,), "it has other features")
    n_trees = ensemble.n_trees_per_iteration_
    for predictors in rounds:
        _require(len(predictors) == n_trees, "a round has another number of trees")
        for predictor in predictors:
            _require(isinstance(predictor, TreePredictor), "a round has no trees")
            _check_predictor(predictor, is_categorical != 0)


def _check_predictor(predictor: TreePredictor, is_categorical: Any) -> None:
    nodes, bitsets = predictor.nodes, predictor.raw_left_cat_bitsets
    _require(nodes.ndim == 1 and nodes.size > 0, "a tree has no nodes")
    _require(bitsets.ndim == 2 and bitsets.shape[1] == WORDS_OF_CATEGORIES, "it has no categories")
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    of_inner = nodes[inner]
    for side in ("left", "right"):
        child = of_inner[side].astype(np.int64)
        _require(((child > inner) & (child < nodes.size)).all(), "a node has no such child")
    feature = of_inner["feature_idx"]
    is_known = ((feature >= 0) & (feature < is_categorical.size)).all()
    _require(is_known, "a node has no such feature")
    by_category = of_inner["is_categorical"] != 0
    sets = of_inner["bitset_idx"][by_category].astype(np.int64)
    _require((sets < bitsets.shape[0]).all(), "a node has no such categories")
    _require(is_categorical[feature[by_category]].all(), "a number is split by categories")


def _check_support_vectors(machine: BaseLibSVM) -> None:
    if not hasattr(machine, "support_vectors_"):
        return
    counts, n_vectors = machine._n_support, machine.support_.size
    n_classes = counts.size
    _require(n_classes >= 2 and (counts >= 0).all(), "it has no support vectors")
    n_pairs = n_classes * (n_classes - 1) // 2
    for name in ("_dual_coef_", "dual_coef_"):
        _require(getattr(machine, name).shape == (n_classes - 1, n_vectors), f"{name} has a shape")
    _require(machine._intercept_.shape == (n_pairs,), "it has other intercepts")
    for values in (machine._probA, machine._probB):
        _require(values.shape in ((0,), (n_pairs,)), "its probabilities have another number")
    _require(machine._probA.shape == machine._probB.shape, "its probabilities differ")
    _require(bool(machine._sparse) == sparse.issparse(machine.support_vectors_), "it is sparse")
    if machine._sparse:
        _require(machine._dual_coef_.nnz == n_vectors * (n_classes - 1), "coefficients are missing")
    if machine.kernel == "precomputed" or callable(machine.kernel):
        is_inside = (machine.support_ >= 0) & (machine.support_ < machine.shape_fit_[0])
        _require(is_inside.all(), "it has no such support vector")
    else:
        expected = (n_vectors, machine.n_features_in_)
        _require(machine.support_vectors_.shape == expected, "its vectors have another shape")
    is_counted = counts.sum() == n_vectors or machine._impl not in ("c_svc", "nu_svc")
    _require(is_counted, "its support vectors are counted wrong")


def _check_centers(model: Any) -> None:
    """Check tables that have one column for each feature."""
    for name in ("cluster_centers_", "components_", "exp_dirichlet_component_", "_fit_X"):
        table = getattr(model, name, None)
        if table is not None and getattr(model, "metric", None) != "precomputed":
            is_right = table.ndim == 2 and table.shape[1] == model.n_features_in_
            _require(is_right and table.shape[0] > 0, f"{name} has another shape")
            n_samples = getattr(model, "n_samples_fit_", table.shape[0])
            _require(n_samples == table.shape[0], "it has another number of samples")
    n_threads = getattr(model, "_n_threads", 1)
    _require(isinstance(n_threads, int) and 1 <= n_threads <= MOST_THREADS, "it has no threads")


def _require(is_right: Any, what: str) -> None:
    if not is_right:
        raise ValueError(what)


MOST_THREADS = 4096
CHECKS: tuple[tuple[Any, Callable[[Any], None]], ...] = (
    (sparse.sparray, _check_sparse),
    (sparse.spmatrix, _check_sparse),
    (Tree, _check_tree),
    (BaseDecisionTree, _check_decision_tree),
    (BaseForest, _check_same_features),
    (IsolationForest, _check_isolation),
    (BaseGradientBoosting, _check_boosting),
    (BaseHistGradientBoosting, _check_hist_boosting),
    (BaseLibSVM, _check_support_vectors),
    ((BisectingKMeans, KMeans, MiniBatchKMeans), _check_centers),
    ((LatentDirichletAllocation, NeighborsBase), _check_centers),
)
