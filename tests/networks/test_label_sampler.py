"""Pieces for networks in PyTorch; without it these tests are skipped."""

import numpy as np
import pytest

from rarelabels.datasets import make_multilabel
from rarelabels.decisions import ThresholdDecider
from rarelabels.metrics import macro_f1
from rarelabels.weights import (
    class_aware_probabilities,
    distribution_balanced_weights,
    positive_weights,
)

torch = pytest.importorskip("torch", reason="PyTorch is not installed (extra torch)")
from torch.utils.data import BatchSampler, DataLoader, Sampler, TensorDataset  # noqa: E402

from rarelabels.torch import LabelSampler  # noqa: E402


def test_it_is_a_sampler_that_draws_in_proportion():
    weights = np.array([0.0, 1, 2, 7, 0])
    sampler = LabelSampler(weights, 40_000)
    assert isinstance(sampler, Sampler)
    assert len(sampler) == 40_000
    drawn = list(sampler)
    assert all(type(one) is int for one in drawn[:5])
    # Five standard deviations of a share are at most 0.0125.
    shares = np.bincount(drawn, minlength=5) / 40_000
    np.testing.assert_allclose(shares, weights / 10, atol=0.0125)
    assert shares[0] == shares[4] == 0


def test_by_hand():
    # The draws are where the numbers of NumPy's generator fall among the sums 1, 3 and 10.
    numbers = np.random.default_rng([5, 0]).random(8) * 10
    expected = [0 if one < 1 else 1 if one < 3 else 2 for one in numbers]
    assert list(LabelSampler([1, 2, 7], 8, seed=5)) == expected


def test_epochs_differ_and_can_be_continued():
    sampler = LabelSampler(np.ones(50), seed=3)
    first, second, third = list(sampler), list(sampler), list(sampler)
    assert first != second != third
    again = LabelSampler(np.ones(50), seed=3)
    again.set_epoch(2)
    assert list(again) == third
    assert list(LabelSampler(np.ones(50), seed=4)) != first


def test_processes_take_turns():
    whole = list(LabelSampler(np.arange(20.0), 11))
    parts = [list(LabelSampler(np.arange(20.0), 11, rank=r, n_replicas=3)) for r in range(3)]
    assert [len(part) for part in parts] == [3, 3, 3]
    assert [one for turn in zip(*parts, strict=True) for one in turn] == whole[:9]


def test_more_samples_than_the_draws_of_pytorch_allow():
    n = 2**24 + 3
    weights = np.zeros(n)
    weights[[5, n - 1]] = 1
    drawn = list(LabelSampler(weights, 200))
    assert {*drawn} == {5, n - 1}


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((2, 2)), "one weight for each sample"),
        ([], "one weight for each sample"),
        ([1, -1], "1 are not"),
        ([np.nan, 1], "1 are not"),
        ([0, 0], "0 for all samples"),
    ],
)
def test_wrong_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        LabelSampler(weights)


def test_wrong_counts():
    with pytest.raises(ValueError, match="rank must be less than n_replicas=2, got 2"):
        LabelSampler([1], rank=2, n_replicas=2)
    for wrong in ({"n_draws": 0}, {"seed": -1}, {"n_replicas": 0}):
        with pytest.raises(ValueError, match="must be an int of at least"):
            LabelSampler([1], **wrong)


def loader_of(X, y, cells, sampler):
    """Return batches without a collate function: the data set is indexed by a batch at once."""
    tensors = [torch.tensor(part, dtype=torch.float32) for part in (X, y, cells)]
    batches = BatchSampler(sampler, batch_size=32, drop_last=False)
    return DataLoader(TensorDataset(*tensors), sampler=batches, batch_size=None)


def test_batches_without_collate():
    X, y = np.arange(10.0)[:, None], np.eye(10, 2, dtype=int)
    sampler = LabelSampler(np.ones(10), 70, seed=1)
    drawn = list(sampler)
    sampler.set_epoch(0)
    batches = list(loader_of(X, y, np.ones((10, 2)), sampler))
    assert [len(batch[0]) for batch in batches] == [32, 32, 6]
    assert torch.cat([batch[0] for batch in batches])[:, 0].tolist() == drawn


def test_a_network_from_draws_to_decisions():
    X, y = make_multilabel(900, 10, 6, signal=0.6, tail=1.0, sparse_output=False, random_state=0)
    train, val, test = slice(500), slice(500, 700), slice(700, 900)
    torch.manual_seed(0)
    network = torch.nn.Linear(10, 6)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.05)
    loss = torch.nn.BCEWithLogitsLoss(
        reduction="none", pos_weight=torch.tensor(positive_weights(y[train])).float().clamp(max=5)
    )
    sampler = LabelSampler(class_aware_probabilities(y[train]), seed=0)
    cells = distribution_balanced_weights(y[train])
    first = last = None
    for epoch in range(15):
        errors = []
        for features, labels, weights in loader_of(X[train], y[train], cells, sampler):
            optimizer.zero_grad()
            error = (loss(network(features), labels) * weights).mean()
            error.backward()
            optimizer.step()
            errors.append(error.item())
        first, last = (np.mean(errors) if epoch == 0 else first), np.mean(errors)
    assert last < 0.9 * first
    # Decisions from logits: thresholds of validation samples, as tensors or arrays.
    with torch.no_grad():
        logits = network(torch.tensor(X, dtype=torch.float32))
    decider = ThresholdDecider().fit(logits[val], torch.tensor(y[val]))
    decided = decider.predict(logits[test])
    in_torch = logits[test] >= torch.tensor(decider.thresholds_)
    np.testing.assert_array_equal(decided == 1, in_torch.numpy())
    np.testing.assert_array_equal(ThresholdDecider().fit(logits[val].numpy(), y[val]).predict(
        logits[test].numpy()), decided)  # fmt: skip
    plain = (logits[test] >= 0).int()
    assert macro_f1(y[test], decided) > 0.3
    assert macro_f1(y[test], decided) >= macro_f1(y[test], plain) - 0.05
