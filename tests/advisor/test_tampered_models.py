"""A .skops file that was tampered with is refused, instead of crashing Python when it predicts."""

import json
import shutil
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree

from rarelabels.advisor import load_model, save_model
from rarelabels.learners import BinaryRelevance, EnsembleOfClassifierChains, MLkNN

pytest.importorskip("skops")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X + RNG.normal(size=X.shape) > 0).astype(int)
y = Y[:, 0]
FAR = 2**31 - 1


def refused(model, tmp_path):
    save_model(model, tmp_path / "model.skops")
    with pytest.raises(ValueError, match=r"damaged or tampered|not a whole"):
        load_model(tmp_path / "model.skops")


def loads(model, tmp_path):
    save_model(model, tmp_path / "model.skops")
    return load_model(tmp_path / "model.skops")


def with_nodes(tree, change):
    """Return a tree of scikit-learn whose nodes were changed."""
    _, args, state = tree.__reduce__()
    nodes = state["nodes"].copy()
    change(nodes)
    made = Tree(*args)
    made.__setstate__({**state, "nodes": nodes})
    return made


def first_inner(nodes):
    return int(np.flatnonzero(nodes["left_child"] >= 0)[0])


NODE_CHANGES = {
    "left_child": FAR, "right_child": -7, "feature": 3,
}  # fmt: skip


@pytest.mark.parametrize("field", NODE_CHANGES)
@pytest.mark.parametrize("make", [DecisionTreeClassifier, RandomForestClassifier])
def test_nodes_of_trees(tmp_path, field, make):
    model = make(random_state=0).fit(X, y)
    owner = model if make is DecisionTreeClassifier else model.estimators_[0]

    def change(nodes):
        nodes[field][first_inner(nodes)] = NODE_CHANGES[field]

    owner.tree_ = with_nodes(owner.tree_, change)
    refused(model, tmp_path)


def test_a_circle_of_nodes(tmp_path):
    model = DecisionTreeClassifier(random_state=0).fit(X, y)

    def change(nodes):
        nodes["left_child"][first_inner(nodes)] = 0

    model.tree_ = with_nodes(model.tree_, change)
    refused(model, tmp_path)


def edited(path, change):
    """Change the schema in a file."""
    other = path.with_name("other.skops")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(other, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "schema.json":
                schema = json.loads(content)
                change(schema)
                content = json.dumps(schema).encode()
            target.writestr(name, content)
    shutil.move(other, path)


def node_of(schema, name):
    return schema["content"]["content"][name]


def set_n_nodes(schema):
    node_of(schema, "tree_")["content"]["content"]["node_count"]["content"] = "100000000"


def set_n_outputs(schema):
    node_of(schema, "tree_")["__reduce__"]["args"]["content"][2]["content"] = "1000000"


def set_n_features(schema):
    node_of(schema, "n_features_in_")["content"] = "2"


@pytest.mark.parametrize("change", [set_n_outputs, set_n_features])
def test_sizes_of_trees(tmp_path, change):
    path = tmp_path / "model.skops"
    save_model(DecisionTreeClassifier(random_state=0).fit(X, y), path)
    edited(path, change)
    with pytest.raises(ValueError, match=r"damaged or tampered|not a whole"):
        load_model(path)


def test_a_number_of_nodes_that_there_are_not(tmp_path):
    path, model = tmp_path / "model.skops", DecisionTreeClassifier(random_state=0).fit(X, y)
    save_model(model, path)
    edited(path, set_n_nodes)
    try:
        loaded = load_model(path)
    except ValueError:
        return
    # This version of scikit-learn counts the nodes itself.
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("field", "value"),
    [("left", FAR), ("right", 0), ("feature_idx", 3), ("feature_idx", -1), ("is_categorical", 1)],
)
def test_nodes_of_boosting(tmp_path, field, value):
    model = HistGradientBoostingClassifier(max_iter=2).fit(X, y)
    nodes = model._predictors[0][0].nodes
    nodes[field][int(np.flatnonzero(nodes["is_leaf"] == 0)[0])] = value
    refused(model, tmp_path)


def test_rounds_of_boosting(tmp_path):
    model = GradientBoostingClassifier(n_estimators=2).fit(X, y)
    assert loads(model, tmp_path).predict(X).shape == y.shape
    model.estimators_ = np.repeat(model.estimators_, 50, axis=1)
    refused(model, tmp_path)


SVM_CHANGES = {
    "_n_support": lambda found: found * 1000,
    "support_vectors_": lambda found: found[:, :1].copy(),
    "_dual_coef_": lambda found: found[:, :2].copy(),
    "_intercept_": lambda found: found[:0].copy(),
    "_probA": lambda found: np.zeros(5),
}


@pytest.mark.parametrize("name", SVM_CHANGES)
def test_support_vectors(tmp_path, name):
    model = SVC().fit(X, (X[:, 0] > 0).astype(int) + (X[:, 1] > 0))
    assert loads(model, tmp_path).predict(X).shape == y.shape
    setattr(model, name, SVM_CHANGES[name](getattr(model, name)))
    refused(model, tmp_path)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (KMeans(2, n_init=1, random_state=0), "cluster_centers_"),
        (LatentDirichletAllocation(2, random_state=0), "exp_dirichlet_component_"),
        (KNeighborsClassifier(algorithm="brute"), "_fit_X"),
    ],
)
def test_tables_of_features(tmp_path, model, name):
    model.fit(np.abs(X), y)
    setattr(model, name, getattr(model, name)[:, :1].copy())
    refused(model, tmp_path)


def test_neighbors_among_no_samples(tmp_path):
    model = KNeighborsClassifier(algorithm="brute").fit(X, y)
    assert loads(model, tmp_path).predict(X).shape == y.shape
    model._fit_X = model._fit_X[:0].copy()
    refused(model, tmp_path)


@pytest.mark.parametrize(("name", "value"), [("indices", FAR), ("indices", -1), ("indptr", FAR)])
def test_sparse_matrices(tmp_path, name, value):
    model = MLkNN().fit(X, Y)
    assert loads(model, tmp_path).predict(X).shape == Y.shape
    getattr(model._labels, name)[1] = value
    refused(model, tmp_path)


def test_labels_of_other_samples(tmp_path):
    model = MLkNN().fit(X, Y)
    model._labels = sparse.csr_array(Y[:5])
    refused(model, tmp_path)


@pytest.fixture
def compiled_trees():
    pytest.importorskip("numba")
    from rarelabels.trees import C45Classifier

    return BinaryRelevance(C45Classifier()).fit(X, Y)


TREE_CHANGES = {
    "child": lambda trees: trees._replace(child=np.full_like(trees.child, FAR)),
    "negative child": lambda trees: trees._replace(child=np.full_like(trees.child, -9)),
    "circle": lambda trees: trees._replace(child=np.zeros_like(trees.child)),
    "feature": lambda trees: trees._replace(
        feature=np.where(trees.feature < 0, -1, 3).astype("i4")
    ),
    "not a leaf": lambda trees: trees._replace(feature=np.zeros_like(trees.feature)),
    "threshold": lambda trees: trees._replace(threshold=np.full_like(trees.threshold, np.nan)),
    "short": lambda trees: trees._replace(probability=trees.probability[:2].copy()),
    "dtype": lambda trees: trees._replace(child=trees.child.astype(np.int64)),
}


def forests_of(model):
    from rarelabels.advisor._model_checks import _parts

    return next(part for part in _parts(model) if type(part).__name__ == "Forests")


@pytest.mark.parametrize("name", TREE_CHANGES)
def test_compiled_trees(tmp_path, compiled_trees, name):
    assert loads(compiled_trees, tmp_path).predict(X).shape == Y.shape
    forests = forests_of(compiled_trees)
    forest = forests.forests[0]
    forests.forests[0] = replace(forest, trees=TREE_CHANGES[name](forest.trees))
    refused(compiled_trees, tmp_path)


@pytest.mark.parametrize("roots", [[0], [0, 5], [0, 1, FAR], [3, 2, 1, 0]])
def test_roots_of_compiled_trees(tmp_path, compiled_trees, roots):
    forests = forests_of(compiled_trees)
    forests.forests[0] = replace(forests.forests[0], roots=np.array(roots, dtype=np.int64))
    refused(compiled_trees, tmp_path)


def test_an_encoder_of_other_features(tmp_path, compiled_trees):
    forests = forests_of(compiled_trees)
    other = forests_of(BinaryRelevance(compiled_trees.estimator).fit(X[:, :1], Y))
    forests.encoder = other.encoder
    refused(compiled_trees, tmp_path)


def test_a_link_that_sees_a_later_one(tmp_path):
    pytest.importorskip("numba")
    from rarelabels.advisor._model_checks import _parts
    from rarelabels.trees import EntropyTreeClassifier

    model = EnsembleOfClassifierChains(EntropyTreeClassifier(), n_chains=1, random_state=0)
    model.fit(X, Y)
    assert loads(model, tmp_path).predict(X).shape == Y.shape
    chain = next(part for part in _parts(model) if type(part).__name__ == "Chain")
    feature = chain.forest.trees.feature
    feature[feature >= 0] = 3
    refused(model, tmp_path)


def test_what_is_derived_is_computed_again(tmp_path, compiled_trees):
    expected, forests = compiled_trees.predict(X), forests_of(compiled_trees)
    vars(forests.encoder.schema)["n_categories"] = np.full(3, 50, dtype=np.int32)
    loaded = loads(compiled_trees, tmp_path)
    assert forests_of(loaded).encoder.schema.n_categories.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(loaded.predict(X), expected)


@given(st.data())
def test_any_index_out_of_range_is_found(tmp_path_factory, data):
    """The class of error: one index of a tree anywhere, any value outside its range."""
    model = DecisionTreeClassifier(random_state=0, max_depth=4).fit(X, y)
    field = data.draw(st.sampled_from(["left_child", "right_child", "feature"]))

    def change(nodes):
        inner = np.flatnonzero(nodes["left_child"] >= 0)
        node = int(inner[data.draw(st.integers(0, inner.size - 1))])
        first_wrong = 3 if field == "feature" else nodes.size
        wrong = st.one_of(st.integers(first_wrong, 2**62), st.integers(-(2**62), -1))
        if field != "feature":
            wrong = st.one_of(wrong, st.integers(0, node))
        nodes[field][node] = data.draw(wrong)

    model.tree_ = with_nodes(model.tree_, change)
    refused(model, tmp_path_factory.mktemp("model"))


def test_linear_models_load_as_before(tmp_path):
    model = BinaryRelevance(LogisticRegression()).fit(X, sparse.csr_array(Y))
    assert (loads(model, tmp_path).predict(X) != model.predict(X)).nnz == 0
