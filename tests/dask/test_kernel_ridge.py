"""KernelRidgeClassifier on Dask collections equals one machine to rounding."""

import pickle

import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels._dask import features, tasks
from rarelabels.decisions import AtMost, Budget
from rarelabels.learners import KernelRidgeClassifier, MLkNN
from rarelabels.learners._ridge import kernels, parts
from strategies import with_gaps


def labels_of(frame, rng):
    noise = rng.random(len(frame))
    return pd.DataFrame(
        {
            "flu": ((frame["ward"] == "north") & (noise < 0.8)).astype(int),
            "cold": ((frame["age"].fillna(0) > 1) | (noise > 0.9)).astype(int),
            "rash": (noise < 0.05).astype(int),
        }
    )


def patients(n_samples, rng):
    """Return a dataframe of numbers, categories, dates and missing values."""
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=n_samples),
            "ward": rng.choice(["north", "south", "west"], n_samples),
            "smokes": rng.random(n_samples) < 0.3,
            "stays": pd.array(rng.integers(0, 4, n_samples), dtype="Int64"),
            "since": pd.date_range("2020", periods=n_samples, freq="7h"),
            "constant": 0.1,
        }
    )
    frame.loc[::7, "age"] = np.nan
    frame.loc[3::11, "ward"] = None
    frame.loc[5:9, "stays"] = pd.NA
    return frame


def blocks_of(X, edges):
    sizes = np.diff([0, *edges, len(X)]).tolist()
    return da.from_array(X, chunks=(tuple(sizes), X.shape[1]))


def assert_equal_models(found, expected, X):
    """Compare models that were fitted to a collection and to data in memory."""
    assert found.n_landmarks_ == expected.n_landmarks_
    assert (found.scaling_, found.linear_scaling_) == (expected.scaling_, expected.linear_scaling_)
    np.testing.assert_allclose(
        found.leave_one_out_scores_, expected.leave_one_out_scores_, atol=1e-4
    )
    np.testing.assert_allclose(found.thresholds_, expected.thresholds_, atol=1e-4)
    for scores in ("decision_function", "predict_proba"):
        np.testing.assert_allclose(
            getattr(found, scores)(X), getattr(expected, scores)(X), atol=1e-4
        )
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_blocks", [1, 3, 7])
def test_a_dataframe_equals_one_machine(n_blocks, weighted):
    rng = np.random.default_rng(0)
    frame = patients(300, rng)
    y, weights = labels_of(frame, rng), None
    if weighted:
        weights = rng.uniform(0.2, 2, size=300)
        weights[::4] = 0
    model = KernelRidgeClassifier(n_landmarks=40, random_state=0)
    expected = model.fit(frame, y, weights)
    spread = dd.from_pandas(frame, npartitions=n_blocks)
    found = KernelRidgeClassifier(n_landmarks=40, random_state=0).fit(spread, y, weights)
    assert_equal_models(found, expected, frame)
    pd.testing.assert_frame_equal(found.predict(spread).compute(), expected.predict(frame))


@pytest.mark.parametrize("n_blocks", [1, 3, 7])
@pytest.mark.parametrize("kind", ["table", "text", "more features than landmarks"])
def test_blocks_do_not_change_single_precision(kind, n_blocks, monkeypatch):
    # The samples that are compared, and the ones that are read at once, lie across the blocks.
    monkeypatch.setattr(kernels, "ENTRIES_AT_ONCE", 2**15)
    monkeypatch.setattr(kernels, "TILE", 2**7)
    monkeypatch.setattr(parts, "COMPARED_SAMPLES", 700)
    rng = np.random.default_rng(1)
    n_features = 60 if kind == "more features than landmarks" else 12
    X = rng.normal(loc=50, size=(1200, n_features))
    if kind == "text":
        X = rng.poisson(0.3, size=X.shape).astype(float)
    cuts = X[:, :4].mean(axis=0) + np.array([0, 1, 2, 2.5])
    y = (X[:, :4] + rng.normal(size=(1200, 4)) > cuts).astype(int)
    settled = {"n_landmarks": 50, "random_state": 0}
    expected = KernelRidgeClassifier(**settled).fit(X, y)
    assert expected.leave_one_out_scores_.dtype == np.float32
    edges = np.sort(rng.integers(0, 1200, size=n_blocks - 1))
    found = KernelRidgeClassifier(**settled).fit(blocks_of(X, edges), blocks_of(y, [500]))
    assert_equal_models(found, expected, X)


@pytest.mark.filterwarnings("ignore:label", "ignore:feature")
@settings(max_examples=40, deadline=None)
@given(data=with_gaps(min_samples=6, max_samples=16), choose=st.data())
def test_missing_values_categories_and_empty_blocks(data, choose):
    X, Y, categorical = data
    edges = sorted(choose.draw(st.lists(st.integers(0, len(X)), max_size=3)))
    weights = None
    if choose.draw(st.booleans()):
        weights = np.array(
            choose.draw(st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)))
        )
        weights[0] = 1
    settled = {
        "n_landmarks": choose.draw(st.integers(1, 16)),
        "linear_share": choose.draw(st.sampled_from([0, 0.3, 1])),
        "scaling": choose.draw(st.sampled_from(["unit", "standard"])),
        "categorical_features": categorical,
        "random_state": 0,
    }
    expected = KernelRidgeClassifier(**settled).fit(X, Y, weights)
    found = KernelRidgeClassifier(**settled).fit(blocks_of(X, edges), Y, weights)
    np.testing.assert_array_equal(found.penalties_, expected.penalties_)
    np.testing.assert_allclose(
        found.leave_one_out_scores_, expected.leave_one_out_scores_, atol=1e-4
    )
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=1e-4)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(90, 3))
    return X, (X + rng.normal(scale=0.3, size=X.shape) > [0, 0.5, 1.2]).astype(int)


@pytest.fixture(scope="module")
def fitted(numbers):
    X, y = numbers
    return KernelRidgeClassifier(n_landmarks=30, random_state=0).fit(X, y)


def test_predictions_of_arrays(numbers, fitted):
    X, _ = numbers
    spread = da.from_array(X, chunks=((40, 0, 50), 2))
    for method in (fitted.predict, fitted.predict_proba, fitted.decision_function):
        found = method(spread)
        assert isinstance(found, da.Array)
        assert found.shape == (90, 3)
        assert found.dtype == found.compute().dtype == method(X).dtype
        np.testing.assert_allclose(found.compute(), method(X), atol=1e-12)


def test_labels_in_other_containers(numbers, fitted):
    X, y = numbers
    spread = da.from_array(X, chunks=(40, 3))
    names = np.array(["a", "b", "c"])
    sets = [names[row > 0].tolist() for row in y]
    expected = fitted.predict(X)
    cases = {
        "sparse": (sparse.csr_matrix(y), da.Array),
        "bool": (da.from_array(y.astype(bool), chunks=(50, 3)), da.Array),
        "sets": (sets, dask.bag.Bag),
        "bag": (dask.bag.from_sequence(sets, npartitions=2), dask.bag.Bag),
        "frame": (pd.DataFrame(y, columns=names), dd.DataFrame),
        "Dask frame": (dd.from_pandas(pd.DataFrame(y, columns=names), npartitions=2), dd.DataFrame),
    }
    for name, (labels, kind) in cases.items():
        model = KernelRidgeClassifier(n_landmarks=30, random_state=0).fit(spread, labels)
        found = model.predict(spread)
        assert isinstance(found, kind), name
        values = found.compute()
        if kind is dask.bag.Bag:
            assert values == [names[row > 0].tolist() for row in expected]
            assert [*model.predict(X)] == values
            continue
        np.testing.assert_array_equal(values, expected, err_msg=name)
        if kind is dd.DataFrame:
            assert [*found.columns] == [*values.columns] == ["a", "b", "c"]
            # An array has no row labels, so they are numbers.
            assert values.index.tolist() == list(range(90))
            pd.testing.assert_frame_equal(model.predict(X), values)
        else:
            assert values.dtype == model.predict(X).dtype == (bool if name == "bool" else np.int64)


def test_polars_labels_become_a_dask_dataframe(numbers, fitted):
    pl = pytest.importorskip("polars")
    X, y = numbers
    spread = da.from_array(X, chunks=(40, 3))
    model = KernelRidgeClassifier(n_landmarks=30, random_state=0)
    found = model.fit(spread, pl.DataFrame(y, schema=["a", "b", "c"])).predict(spread)
    assert [*found.columns] == ["a", "b", "c"]
    np.testing.assert_array_equal(found.compute(), fitted.predict(X))


def test_models_of_dataframes_predict_all_forms():
    rng = np.random.default_rng(3)
    frame = patients(120, rng)
    y = labels_of(frame, rng)
    frame.index = y.index = [f"patient {i:03d}" for i in range(120)]
    spread = dd.from_pandas(frame, npartitions=4)
    # Dask has its own dtype for text.
    frame = spread.compute()
    one = KernelRidgeClassifier(n_landmarks=30, random_state=0).fit(frame, y)
    many = KernelRidgeClassifier(n_landmarks=30, random_state=0).fit(
        spread, dd.from_pandas(y, npartitions=3)
    )
    new = frame.head(30).assign(ward="east")
    for model in (one, many):
        assert model.predict(spread).divisions == spread.divisions
        pd.testing.assert_frame_equal(model.predict(spread).compute(), one.predict(frame))
        # A ward that was not seen at fit.
        found = model.predict_proba(dd.from_pandas(new, npartitions=2)).compute()
        pd.testing.assert_frame_equal(found, one.predict_proba(new))
    assert [*many.feature_names_in_] == [*frame.columns]
    assert [*many.label_names_in_] == ["flu", "cold", "rash"]
    assert many.score(spread, dd.from_pandas(y, npartitions=3)) == one.score(frame, y)
    for name, scores in many.part_scores(spread).items():
        np.testing.assert_allclose(scores, one.part_scores(frame)[name], atol=1e-9)


def test_models_of_arrays_predict_dataframes(numbers, fitted):
    X, y = numbers
    many = KernelRidgeClassifier(n_landmarks=30, random_state=0)
    many.fit(da.from_array(X, chunks=(40, 3)), y)
    frame = pd.DataFrame(X)
    for model in (fitted, many):
        for form in (frame, dd.from_pandas(frame, npartitions=2)):
            np.testing.assert_allclose(
                np.asarray(model.decision_function(form)), fitted.decision_function(X), atol=1e-9
            )


def test_empty_partitions_and_other_categories():
    rng = np.random.default_rng(4)
    frame = patients(80, rng)
    y = labels_of(frame, rng)
    frame["ward"] = pd.Categorical(frame["ward"])
    spread = dd.from_pandas(frame, npartitions=4)
    spread = spread.map_partitions(lambda part: part[part["constant"] > int(part.index[0] == 20)])
    whole = spread.compute()
    labels = y.loc[whole.index]
    expected = KernelRidgeClassifier(n_landmarks=20, random_state=0).fit(whole, labels)
    found = KernelRidgeClassifier(n_landmarks=20, random_state=0).fit(spread, labels)
    assert_equal_models(found, expected, whole)
    pd.testing.assert_frame_equal(found.predict(spread).compute(), expected.predict(whole))


@pytest.mark.parametrize("threshold", [None, "f1", AtMost(1)])
def test_decisions_of_other_rules(threshold, numbers):
    X, y = numbers
    spread = da.from_array(X, chunks=(40, 3))
    settled = {"n_landmarks": 30, "threshold": threshold, "random_state": 0}
    expected = KernelRidgeClassifier(**settled).fit(X, y)
    found = KernelRidgeClassifier(**settled).fit(spread, y)
    np.testing.assert_array_equal(found.predict(spread).compute(), expected.predict(X))


def test_landmarks_by_default(numbers):
    X, y = numbers
    model = KernelRidgeClassifier(random_state=0).fit(da.from_array(X, chunks=(40, 3)), y)
    assert model.n_landmarks_ == 90


def test_nothing_as_large_as_x_comes_to_the_client(monkeypatch):
    n_samples, sizes, compute = 6000, [], tasks.compute

    def recorded(wanted):
        results = compute(wanted)
        sizes.append(len(pickle.dumps(results)))
        return results

    for module in (tasks, features):
        monkeypatch.setattr(module, "compute", recorded)
    monkeypatch.setattr(parts, "PILOT_LANDMARKS", 50)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n_samples, 40))
    y = (X[:, :2] > 1).astype(int)
    model = KernelRidgeClassifier(n_landmarks=30, linear_share=0.3, random_state=0)
    model.fit(da.from_array(X, chunks=(1000, 40)), y)
    # The largest are the 2,000 samples whose distances are compared, in float32.
    assert max(sizes) < 1.1 * 4 * 2000 * 41 < X.nbytes / 5
    found = model.predict_proba(da.from_array(X[:5], chunks=(5, 40)))
    # What is sent to workers with the model does not grow with the training data.
    assert max(len(pickle.dumps(task)) for task in found.dask.values()) < 100_000


def test_what_needs_x_in_memory_is_refused(numbers, fitted):
    X, y = numbers
    spread = da.from_array(X, chunks=(40, 3))
    with pytest.raises(ValueError, match=r'n_landmarks=None .* Dask collection; use n_landmarks="'):
        KernelRidgeClassifier(n_landmarks=None).fit(spread, y)
    with pytest.raises(ValueError, match="similar_samples needs X in memory"):
        fitted.similar_samples(spread, 0)
    budget = KernelRidgeClassifier(n_landmarks=30, threshold=Budget(5)).fit(spread, y)
    assert (budget.predict(X).sum(axis=0) == 5).all()
    with pytest.raises(ValueError, match=r"rule Budget\(samples=5\) does not decide each sample"):
        budget.predict(spread)


def test_unknown_chunk_sizes(numbers, fitted):
    X, y = numbers
    spread = da.from_array(X, chunks=(40, 3))
    unknown = spread[spread[:, 0] > -99]
    with pytest.raises(ValueError, match=r"unknown chunk sizes; X.compute_chunk_sizes\(\)"):
        KernelRidgeClassifier().fit(unknown, y)
    with pytest.raises(ValueError, match=r"unknown chunk sizes; X.compute_chunk_sizes\(\)"):
        fitted.predict(unknown)
    with pytest.raises(ValueError, match=r"y.compute_chunk_sizes\(\)"):
        KernelRidgeClassifier().fit(spread, da.from_array(y)[da.from_array(y)[:, 0] >= 0])


def test_lengths_and_columns_that_do_not_agree(numbers, fitted):
    X, y = numbers
    spread = da.from_array(X, chunks=(40, 3))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        KernelRidgeClassifier().fit(spread, y[1:])
    with pytest.raises(ValueError, match="X has 2 features, but KernelRidgeClassifier"):
        fitted.predict(spread[:, :2])
    with pytest.raises(ValueError, match="expected a Dask array of shape"):
        fitted.predict(spread[:, 0])


def test_infinity_is_named(numbers, fitted):
    X, y = numbers
    bad = X.copy()
    bad[45, 1] = np.inf
    spread = da.from_array(bad, chunks=(40, 3))
    with pytest.raises(ValueError, match="infinity in row 45, column 1"):
        KernelRidgeClassifier().fit(spread, y)
    predicted = fitted.predict(spread)
    with pytest.raises(ValueError, match=r"block 1 \(counted from 0\) of X: .*infinity"):
        predicted.compute()


def test_bad_weights_are_refused(numbers):
    X, y = numbers
    with pytest.raises(ValueError, match="at least one weight must be positive"):
        KernelRidgeClassifier().fit(da.from_array(X, chunks=(40, 3)), y, np.zeros(90))


def test_other_learners_refuse_a_dask_dataframe(numbers):
    X, y = numbers
    spread = dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=2)
    with pytest.raises(TypeError, match=r"which only .*KernelRidgeClassifier.* accept"):
        MLkNN().fit(spread, y)
    with pytest.raises(TypeError, match=r"which only .*KernelRidgeClassifier.* accept"):
        MLkNN().fit(X, da.from_array(y))
