"""Three parts in one call, and splits by time."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarelabels._labels import LabelMatrix
from rarelabels.measures import ConstantLabelWarning
from rarelabels.model_selection import (
    IterativeStratifiedKFold,
    iterative_train_validation_test_split,
    time_ordered_split,
)
from rarelabels.model_selection._time_ordered import n_split_labels

NAN = np.nan


@given(seed=st.integers(0, 2**32 - 1), n_samples=st.integers(10, 60))
def test_three_parts_have_their_sizes_and_every_sample_once(seed, n_samples):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n_samples, 4)) < [0.5, 0.3, 0.1, 0.05]).astype(int)
    parts = iterative_train_validation_test_split(
        np.arange(n_samples)[:, None], Y, validation_size=0.25, test_size=2, random_state=seed
    )
    n_validation = -(-n_samples // 4)
    assert [len(part) for part in parts[:3]] == [n_samples - n_validation - 2, n_validation, 2]
    assert sorted(np.concatenate(parts[:3]).ravel()) == list(range(n_samples))
    for X, y in zip(parts[:3], parts[3:], strict=True):
        np.testing.assert_array_equal(y, Y[X.ravel()])


def test_each_part_has_its_share_of_rare_labels():
    Y = np.zeros((100, 3), dtype=int)
    Y[:5, 0] = Y[10:20, 1] = Y[::2, 2] = 1
    parts = iterative_train_validation_test_split(np.arange(100), Y, random_state=0)
    assert [part.sum(axis=0).tolist() for part in parts[3:]] == [[3, 6, 30], [1, 2, 10], [1, 2, 10]]


def test_groups_are_in_one_part_each():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 20, 200)
    Y = rng.integers(0, 2, (200, 3))
    parts = iterative_train_validation_test_split(groups, Y, groups=groups, random_state=0)[:3]
    found = [set(part) for part in parts]
    assert all(found)
    assert sum(map(len, found)) == len(set(groups))


def test_three_large_groups_fill_three_parts():
    groups = np.repeat([0, 1, 2], [50, 3, 3])
    Y = np.random.default_rng(0).integers(0, 2, (56, 2))
    parts = iterative_train_validation_test_split(groups, Y, groups=groups, random_state=0)[:3]
    assert all(len(part) for part in parts)


def test_hidden_values_change_no_split():
    rng = np.random.default_rng(0)
    Y, mask = rng.integers(0, 2, (60, 3)), rng.random((60, 3)) < 0.3

    # Columns of pandas keep a value behind each missing entry.
    def labels(hidden):
        columns = (np.where(mask, hidden, Y)[:, j].copy() for j in range(3))
        made = (pd.arrays.IntegerArray(one, mask[:, j].copy()) for j, one in enumerate(columns))
        return pd.DataFrame(dict(enumerate(made))).add_prefix("label_")

    first, second = (
        iterative_train_validation_test_split(
            np.arange(60), labels(hidden), random_state=0, allow_missing_labels=True
        )[:3]
        for hidden in (0, 1)
    )
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="allow_missing_labels"):
        iterative_train_validation_test_split(np.arange(60), labels(0))


def test_sizes_that_leave_nothing_are_refused():
    Y = np.ones((10, 1), dtype=int)
    with pytest.raises(ValueError, match="leave none of the 10 samples"):
        iterative_train_validation_test_split(Y, Y, validation_size=0.5, test_size=0.5)
    with pytest.raises(ValueError, match="validation_size must be a float"):
        iterative_train_validation_test_split(Y, Y, validation_size=0)


@given(seed=st.integers(0, 2**32 - 1), n_samples=st.integers(2, 40))
def test_labels_in_both_parts_are_counted_as_by_a_loop(seed, n_samples):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n_samples, 3)) < 0.2).astype(int)
    times = np.unique(rng.integers(0, 10, n_samples), return_inverse=True)[1]
    n_times = int(times.max()) + 1
    counted = n_split_labels(LabelMatrix.of(Y), times, n_times)
    for start in range(n_times):
        before, after = Y[times < start].any(axis=0), Y[times >= start].any(axis=0)
        assert counted[start] == (before & after).sum()


def test_the_test_part_is_last_and_equal_times_stay_together():
    rng = np.random.default_rng(0)
    times = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 30, 200), "D")
    Y = rng.integers(0, 2, (200, 3))
    frame = pd.DataFrame({"time": times, "x": rng.random(200)})
    train, test, y_train, y_test = time_ordered_split(frame, Y, times=times, test_size=0.3)
    assert train["time"].max() < test["time"].min()
    assert 40 <= len(test) <= 80
    assert len(y_train) + len(y_test) == 200


def test_the_start_moves_for_a_rare_label():
    Y = np.zeros((100, 2), dtype=int)
    Y[:, 0] = 1
    Y[[10, 70], 1] = 1
    test = time_ordered_split(np.arange(100), Y, times=np.arange(100))[1]
    assert test[0] == 70
    # Without slack the size counts, and a warning names the label.
    with pytest.warns(ConstantLabelWarning, match="label 1 has no positive sample in the test"):
        test = time_ordered_split(np.arange(100), Y, times=np.arange(100), slack=0)[1]
    assert test[0] == 75


def test_wrong_times():
    Y = np.ones((4, 1), dtype=int)
    with pytest.raises(ValueError, match="one time for each of the 4 samples"):
        time_ordered_split(Y, Y, times=[1, 2])
    with pytest.raises(ValueError, match="times has 1 missing"):
        time_ordered_split(Y, Y, times=[1.0, 2.0, NAN, 3.0])
    with pytest.raises(ValueError, match="all samples have the same time"):
        time_ordered_split(Y, Y, times=[1, 1, 1, 1])


def test_columns_of_several_classes_are_refused_with_a_hint():
    with pytest.raises(ValueError, match="column with several classes becomes one column"):
        list(IterativeStratifiedKFold(2).split(np.zeros((4, 1)), [[0, 2], [1, 0], [0, 1], [1, 3]]))
