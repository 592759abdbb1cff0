"""Samplers and measures of Dask collections equal those of one machine, bit for bit."""

import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import NearestNeighbors

import dask
from quick import samplers_of_dask
from rarelabels import find_neighbors
from rarelabels._dask import search
from rarelabels._dask.backend import supporters
from rarelabels.measures import describe, label_types, limb, local_imbalance
from rarelabels.sampling import LPROS, MLROS, MLRUS, MLSMOTE, MLSOL, MLUL, REMEDIAL, SamplerChain
from strategies import with_gaps

SAMPLERS = samplers_of_dask()


@pytest.fixture(params=SAMPLERS)
def sampler(request):
    return SAMPLERS[request.param]


@pytest.fixture(autouse=True)
def small_panels(monkeypatch):
    monkeypatch.setattr(search, "PANEL_ROWS", 30)
    monkeypatch.setattr(search, "LEAST_PANELS", 4)


def labels_for(n_samples, rng):
    return (rng.random((n_samples, 5)) < [0.06, 0.1, 0.2, 0.5, 0.8]).astype(np.int64)


def mixed_frame(n_samples, rng):
    """Return a dataframe of every kind of column, with gaps."""
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n_samples),
            "text": rng.choice(list("xyz"), n_samples),
            "category": pd.Categorical(rng.choice(["u", "v"], n_samples)),
            "count": pd.array(rng.integers(0, 9, n_samples), dtype="Int64"),
            "time": pd.date_range("2020", periods=n_samples, freq="7h"),
            "flag": rng.random(n_samples) < 0.3,
            "single": rng.normal(size=n_samples).astype("f4"),
        }
    )
    frame.loc[5:9, "text"] = None
    frame.loc[7:20, "count"] = pd.NA
    frame.loc[40:45, "number"] = np.nan
    return frame


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int16])
def test_arrays_come_out_as_on_one_machine(sampler, dtype):
    rng = np.random.default_rng(0)
    X, y = (3 * rng.normal(size=(120, 4))).astype(dtype), labels_for(120, rng)
    blocks, y_blocks = (
        da.from_array(X, chunks=((50, 0, 1, 69), 3)),
        da.from_array(y, chunks=(70, 2)),
    )
    X_one, y_one = sampler.fit_resample(X, y)
    remembered = dict(vars(sampler))
    X_new, y_new = sampler.fit_resample(blocks, y_blocks)
    for name, value in remembered.items():
        if name.endswith("_"):
            np.testing.assert_array_equal(value, getattr(sampler, name), err_msg=name)
    assert isinstance(X_new, da.Array)
    assert isinstance(y_new, da.Array)
    for new, one in ((X_new, X_one), (y_new, y_one)):
        assert new.shape == one.shape
        assert new.dtype == new.compute().dtype == one.dtype
        assert new.compute().tobytes() == np.ascontiguousarray(one).tobytes()


@pytest.mark.parametrize(
    "index",
    [pd.RangeIndex(120), [f"{i}" for i in range(1, 121)], pd.date_range("2020", periods=120)],
    ids=["numbers", "text", "days"],
)
def test_dataframes_come_out_as_on_one_machine(sampler, index):
    rng = np.random.default_rng(1)
    frame, y = mixed_frame(120, rng), pd.DataFrame(labels_for(120, rng), columns=list("pqrst"))
    frame.index = y.index = pd.Index(index)
    X = dd.from_pandas(frame, npartitions=3, sort=False)
    Y = dd.from_pandas(y.astype({"p": "Int8", "q": "bool"}), npartitions=2, sort=False)
    X_one, y_one = sampler.fit_resample(X.compute(), Y.compute())
    X_new, y_new = sampler.fit_resample(X, Y)
    pd.testing.assert_frame_equal(X_new.compute(), X_one)
    pd.testing.assert_frame_equal(y_new.compute(), y_one)
    assert X_new.dtypes.astype(str).tolist() == X_one.dtypes.astype(str).tolist()


@pytest.mark.filterwarnings("ignore:feature", "ignore:label", "ignore:no sample")
@settings(max_examples=15, deadline=None)
@given(data=with_gaps(min_samples=6, max_samples=16), choose=st.data())
def test_gaps_categories_and_ties_equal_one_machine(data, choose):
    X, Y, categorical = data
    name = choose.draw(st.sampled_from(["MLSOL", "MLUL", "MLSMOTE"]))
    sampler = clone(SAMPLERS[name]).set_params(categorical_features=categorical)
    edges = sorted(choose.draw(st.lists(st.integers(0, len(X)), max_size=3)))
    blocks = da.from_array(X, chunks=(tuple(np.diff([0, *edges, len(X)]).tolist()), X.shape[1]))
    X_one, y_one = sampler.fit_resample(X, Y)
    X_new, y_new = sampler.fit_resample(blocks, Y)
    np.testing.assert_array_equal(X_new.compute(), X_one)
    np.testing.assert_array_equal(y_new, y_one)


@pytest.mark.parametrize("name", ["MLSOL", "MLUL", "MLSMOTE"])
def test_by_cosine_samples_come_out_as_on_one_machine(name):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(120, 4)), labels_for(120, rng)
    X[:, 3] = rng.integers(3, size=120)
    X[[5, 77], :3] = 0
    sampler = clone(SAMPLERS[name]).set_params(metric="cosine", categorical_features=[3])
    X_one, y_one = sampler.fit_resample(X, y)
    X_new, y_new = sampler.fit_resample(da.from_array(X, chunks=((50, 0, 1, 69), 3)), y)
    np.testing.assert_array_equal(X_new.compute(), X_one)
    np.testing.assert_array_equal(y_new, y_one)


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_large_groups_of_mlsmote_are_searched_in_panels(monkeypatch, ratio):
    monkeypatch.setattr(search, "LARGE_GROUP", 15)
    monkeypatch.setattr(search, "PANEL_ROWS", 4)
    rng = np.random.default_rng(2)
    X, y = rng.integers(3, size=(90, 3)).astype(float), labels_for(90, rng)
    sampler = MLSMOTE(n_neighbors=3, sampling_ratio=ratio, categorical_features=[1], random_state=0)
    expected = sampler.fit_resample(X, y)[0]
    found = sampler.fit_resample(da.from_array(X, chunks=(31, 3)), y)[0]
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("as_y", [sparse.csr_matrix, pd.DataFrame, np.ndarray.tolist])
def test_labels_of_the_driver_stay_what_they_are(as_y):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), as_y(labels_for(60, rng))
    expected = MLSOL(random_state=0).fit_resample(X, y)[1]
    found = MLSOL(random_state=0).fit_resample(da.from_array(X, chunks=20), y)[1]
    assert type(found) is type(expected)
    plain = [
        one.toarray() if sparse.issparse(one) else np.asarray(one) for one in (found, expected)
    ]
    np.testing.assert_array_equal(*plain)


LABEL_SETS = {
    "a bag of lists": list,
    "a bag of tuples": tuple,
    "a bag of sets": set,
}


@pytest.mark.parametrize("kind", LABEL_SETS.values(), ids=LABEL_SETS)
def test_a_bag_of_label_sets(kind):
    rng = np.random.default_rng(0)
    X, sets = rng.normal(size=(60, 3)), sets_for(60, rng, kind)
    expected = MLSOL(random_state=0).fit_resample(X, sets)
    bag = dask.bag.from_sequence(sets, npartitions=4)
    found = MLSOL(random_state=0).fit_resample(da.from_array(X, chunks=20), bag)
    np.testing.assert_array_equal(found[0].compute(), expected[0])
    assert isinstance(found[1], dask.bag.Bag)
    assert found[1].compute() == expected[1]


def test_a_series_of_label_sets(sampler):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = pd.Series(sets_for(60, rng, list), index=range(5, 65), name="held")
    X_one, y_one = sampler.fit_resample(X, y)
    with dask.config.set({"dataframe.convert-string": False}):
        series = dd.from_pandas(y, npartitions=4)
    X_new, y_new = sampler.fit_resample(da.from_array(X, chunks=20), series)
    np.testing.assert_array_equal(X_new.compute(), X_one)
    pd.testing.assert_series_equal(y_new.compute(), y_one)


def sets_for(n_samples, rng, kind):
    names = np.array(["ache", "chill", "cold", "flu", "rash"])
    return [kind(names[row > 0].tolist()) for row in labels_for(n_samples, rng)]


@pytest.mark.parametrize("is_frame", [False, True])
def test_a_chain_equals_one_machine(is_frame):
    rng = np.random.default_rng(0)
    frame, y = mixed_frame(120, rng), labels_for(120, rng)
    members = [REMEDIAL(), MLSOL(n_neighbors=3), MLRUS(), MLSMOTE(n_neighbors=2), MLUL()]
    chain = SamplerChain(members, random_state=0)
    X = frame if is_frame else rng.normal(size=(120, 3))
    expected = chain.fit_resample(X, y)
    indices, is_synthetic = chain.sample_indices_, chain.is_synthetic_
    blocks = dd.from_pandas(X, npartitions=3) if is_frame else da.from_array(X, chunks=50)
    found, y_new = chain.fit_resample(blocks, da.from_array(y, chunks=(70, 5)))
    if is_frame:
        pd.testing.assert_frame_equal(found.compute(), chain.fit_resample(blocks.compute(), y)[0])
    else:
        np.testing.assert_array_equal(found.compute(), expected[0])
    np.testing.assert_array_equal(y_new.compute(), expected[1])
    np.testing.assert_array_equal(chain.sample_indices_, indices)
    np.testing.assert_array_equal(chain.is_synthetic_, is_synthetic)


def test_unknown_labels_of_a_dask_array():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), labels_for(80, rng).astype(float)
    y[rng.random(y.shape) < 0.1] = np.nan
    sampler = MLSOL(random_state=0, allow_missing_labels=True)
    expected = sampler.fit_resample(X, y)
    found = sampler.fit_resample(da.from_array(X, chunks=30), da.from_array(y, chunks=30))
    for new, one in zip(found, expected, strict=True):
        np.testing.assert_array_equal(new.compute(), one)


def test_measures_equal_one_machine():
    rng = np.random.default_rng(0)
    frame, y = mixed_frame(100, rng), labels_for(100, rng)
    frame = pd.concat([frame, frame.iloc[:9]], ignore_index=True)
    y = np.vstack([y, 1 - y[:9]])
    X = dd.from_pandas(frame, npartitions=3)
    one, spread = describe(X.compute(), y), describe(X, da.from_array(y, chunks=(50, 5)))
    assert repr(one) == repr(spread)
    assert one.n_conflicting == spread.n_conflicting == 18
    assert limb(X, y) == limb(X.compute(), y)
    for measure in (local_imbalance, label_types):
        np.testing.assert_array_equal(measure(X, y), measure(X.compute(), y))


def test_neighbors_are_found_once_for_several_uses():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), labels_for(90, rng)
    blocks = da.from_array(X, chunks=40)
    found = find_neighbors(blocks, n_neighbors=5)
    assert found.recall == 1
    again = MLUL(neighbors=found, random_state=0).fit_resample(blocks, y)[0].compute()
    np.testing.assert_array_equal(again, MLUL(random_state=0).fit_resample(X, y)[0])


def test_a_generator_goes_on_where_it_would_on_one_machine():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), labels_for(90, rng)
    ends = []
    for data in (X, da.from_array(X, chunks=40)):
        for made in (np.random.default_rng(5), np.random.Generator(np.random.MT19937(5))):
            MLSOL(random_state=made).fit_resample(data, y)
            ends.append(made.random())
    assert ends[:2] == ends[2:]


def test_every_sampler_that_takes_dask_is_named():
    assert {"MLROS", "MLSMOTE", "MLSOL", "MLUL"} <= set(SAMPLERS) <= set(supporters())


def test_others_refuse_a_dask_collection():
    rng = np.random.default_rng(0)
    X, y = da.from_array(rng.normal(size=(30, 3)), chunks=10), labels_for(30, rng)
    with pytest.raises(TypeError, match=r"Dask Array, which only .* MLSOL, MLUL.* compute"):
        LPROS().fit_resample(X, y)
    with pytest.raises(TypeError, match="Dask Array, which only"):
        LPROS().fit_resample(X.compute(), da.from_array(y))
    with pytest.raises(TypeError, match="and a SamplerChain of these accept"):
        SamplerChain([MLROS(), LPROS()]).fit_resample(X, y)
    with pytest.raises(ValueError, match="mulan_compatible=True needs X in memory"):
        MLSMOTE(mulan_compatible=True).fit_resample(X, y)
    with pytest.raises(ValueError, match="needs X in memory, but X is a Dask collection"):
        MLSOL(neighbors=NearestNeighbors()).fit_resample(X, y)
