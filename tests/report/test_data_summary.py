import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from rarelabels.datasets import MultiLabelDataset, load
from rarelabels.measures import (
    ConstantLabelWarning,
    LabelType,
    describe,
    label_types,
    scumble_per_instance,
)
from rarelabels.report import data_summary, measures_summary, render_page
from rarelabels.report._projection import KEPT_OF_A_LABEL, MAX_SAMPLES
from rarelabels.sampling import MLROS, MLSOL, MLUL


def test_measures_are_those_of_describe(clouds):
    found, expected = measures_summary(clouds, n_neighbors=3), describe(*clouds, n_neighbors=3)
    assert found["summary"] == expected.summary
    for row, label in zip(found["labels"], expected.labels, strict=True):
        assert row["count"] == label["count"]
        assert row["local_imbalance"] == label["local_imbalance"]
        assert row["minority_samples"] == min(label["count"], clouds.n_samples - label["count"])


def test_json_holds_the_summary(clouds):
    found = data_summary(clouds)
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_constant_labels_become_none(clouds):
    Y = clouds.Y.copy()
    Y[:, 0], Y[:, 1] = 0, 1
    with pytest.warns(ConstantLabelWarning):
        found = data_summary(MultiLabelDataset(clouds.X, Y))
    assert found["labels"][0]["irlbl"] is None
    assert found["labels"][1]["local_imbalance"] is None
    assert found["map"]["types"][0] == [[], [], [], []]


def test_the_map_types_every_sample_as_the_measure_does(clouds):
    found, types = data_summary(clouds)["map"], label_types(*clouds)
    assert len(found["points"]) == clouds.n_samples
    for label in range(clouds.n_labels):
        for kind in range(LabelType.MAJORITY):
            expected = np.flatnonzero(types[:, label] == kind)
            np.testing.assert_array_equal(found["types"][label][kind], expected)


def test_overlays_tell_what_the_samplers_did(clouds):
    samplers = ("none", "mlsol", "mlul", "mlros")
    mlsol, mlul, mlros = data_summary(clouds, samplers=samplers)["map"]["overlays"]

    _, made = (sampler := MLSOL(random_state=0)).fit_resample(*clouds)
    assert mlsol["n_added"] == len(mlsol["added"]) == sampler.is_synthetic_.sum() == 60
    new = made[sampler.is_synthetic_]
    # The first label is carried by most samples, so that its rarer class is to lack it.
    np.testing.assert_array_equal(mlsol["minority"][0], np.flatnonzero(new[:, 0] == 0))
    np.testing.assert_array_equal(mlsol["minority"][5], np.flatnonzero(new[:, 5] == 1))

    (sampler := MLUL(random_state=0)).fit_resample(*clouds)
    removed = np.setdiff1d(np.arange(clouds.n_samples), sampler.sample_indices_)
    np.testing.assert_array_equal(mlul["removed"], removed)

    (sampler := MLROS(random_state=0)).fit_resample(*clouds)
    repeated = np.flatnonzero(np.bincount(sampler.sample_indices_) > 1)
    np.testing.assert_array_equal(mlros["repeated"], repeated)


@pytest.mark.parametrize("name", ["lpros", "lprus", "mlenn", "mltl", "remedial", "rhwrsmt"])
def test_every_sampler_can_be_shown(clouds, name):
    (overlay,) = data_summary(clouds, samplers=(name,))["map"]["overlays"]
    assert overlay["sampler"] == name
    assert overlay["n_added"] + overlay["n_repeated"] + overlay["n_removed"] > 0


def test_sparse_samples_are_placed_like_dense_ones_would_be():
    rng = np.random.default_rng(0)
    X = sparse.random_array((80, 12), density=0.3, rng=rng, format="csr")
    Y = sparse.csr_array(rng.random((80, 3)) < [0.5, 0.3, 0.1], dtype=int)
    found = data_summary(MultiLabelDataset(X, Y))["map"]
    assert found["method"] == "truncated SVD"
    assert np.ptp(found["points"], axis=0).min() > 100


@pytest.mark.parametrize("n_features", [1, 2])
def test_few_features_have_a_map(clouds, n_features):
    dataset = MultiLabelDataset(clouds.X[:, :n_features], clouds.Y)
    assert len(data_summary(dataset)["map"]["points"]) == clouds.n_samples


def test_cooccurrence_counts_samples_that_labels_share(clouds):
    found = data_summary(clouds)["cooccurrence"]
    names, Y = list(clouds.label_names), clouds.Y
    rare, frequent = names.index(found["rare"][0]), names.index(found["frequent"][0])
    assert Y.sum(axis=0)[rare] == Y.sum(axis=0).min()
    assert Y.sum(axis=0)[frequent] == Y.sum(axis=0).max()
    shared = int((Y[:, rare] & Y[:, frequent]).sum())
    assert found["together"][0][0] == shared
    assert found["share"][0][0] == shared / Y[:, rare].sum()
    assert sum(found["scumble"]["counts"]) == clouds.n_samples
    assert found["scumble"]["edges"][-1] == pytest.approx(scumble_per_instance(Y).max())


def test_equally_frequent_labels_leave_nothing_rare():
    Y = np.tile([[1, 0], [0, 1]], (20, 1))
    found = data_summary(MultiLabelDataset(np.arange(40.0)[:, None], Y))["cooccurrence"]
    assert found["rare"] == []
    assert found["never_alone"] is None


def test_the_samples_shown_of_many_keep_some_of_every_label(shared_data):
    dataset = load(shared_data / "yeast" / "yeast.arff")
    found = data_summary(dataset)["map"]
    assert len(found["points"]) == MAX_SAMPLES < found["n_samples"]
    counts = [sum(map(len, types)) for types in found["types"]]
    assert min(counts) >= KEPT_OF_A_LABEL


def test_categories_count_as_in_the_neighbour_search(shared_data):
    dataset = load(shared_data / "flags" / "flags.arff")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = data_summary(dataset, samplers=("mlsol", "mlul", "mlsmote"))
    expected = describe(*dataset, categorical_features=list(dataset.categorical_features))
    assert found["summary"]["limb"] == expected.summary["limb"]


def test_overlays_of_unknown_labels(clouds):
    rng = np.random.default_rng(0)
    Y = np.asarray(clouds.Y, dtype=float)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    dataset = replace(clouds, Y=Y)
    summary = data_summary(dataset)
    mlsol, mlul = summary["map"]["overlays"]
    made = MLSOL(allow_missing_labels=True, random_state=0)
    _, y_new = made.fit_resample(dataset.X, Y)
    added = y_new[made.is_synthetic_]
    assert mlsol["n_added"] == len(added) > 0
    assert mlul["n_removed"] > 0
    for label, row in enumerate(summary["labels"]):
        # Unknown labels of new samples are of neither class.
        expected = np.flatnonzero(added[:, label] == row["minority_class"])
        assert mlsol["minority"][label] == expected.tolist()
        n_known = {value: int((Y[:, label] == value).sum()) for value in (0, 1)}
        assert row["minority_samples"] == n_known[row["minority_class"]]
        assert row["unknown"] == np.isnan(Y[:, label]).sum()
    n_unknown = int(np.isnan(Y).sum())
    assert summary["summary"]["n_unknown"] == n_unknown
    page = render_page(summary)
    assert f"{n_unknown} of {Y.size:,} labels" in page
    assert "more frequent class, or unknown" in page
    assert "or unknown" not in render_page(data_summary(clouds))
