"""For networks in PyTorch: draw samples by weights that are computed from labels.

What is here needs PyTorch, which the extra ``torch`` installs. The weights themselves,
:mod:`rarelabels.weights`, and decisions from logits, :mod:`rarelabels.decisions`, do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rarelabels._validation import check_count

try:
    from torch.utils.data import Sampler
except ImportError:
    # The module can be read and documented without PyTorch; making a sampler needs it.
    Sampler = None

Base: Any = object if Sampler is None else Sampler

__all__ = ["LabelSampler"]


class LabelSampler(Base):
    """Draws samples with replacement, each with its chance, for a ``DataLoader``.

    It is a ``torch.utils.data.Sampler``, as PyTorch's ``WeightedRandomSampler`` is. The draws of an
    epoch depend on the seed and on the number of the epoch alone, so that a run that is continued
    draws as one that was not interrupted. There may be more than 2**24 samples. The processes of a
    distributed run draw the same samples and take turns.

    Parameters
    ----------
    weights : array-like of shape (n_samples,)
        How often each sample is drawn, in proportion, such as
        :func:`rarelabels.weights.class_aware_probabilities` or the `probabilities` of
        :func:`rarelabels.weights.local_weights`. Not negative, and not all 0.
    n_draws : int, default=None
        Samples of an epoch, over all processes; by default, as many as there are.
    seed : int, default=0
        Seeds the draws.
    rank, n_replicas : int, default=0, 1
        The number of this process, and how many there are. Each gets the same number of samples:
        what does not divide evenly is left out.

    See Also
    --------
    rarelabels.weights.class_aware_probabilities : Chances if a label is drawn first.
    rarelabels.weights.distribution_balanced_weights : What to multiply the loss by.

    Examples
    --------
    >>> from rarelabels.torch import LabelSampler
    >>> from rarelabels.weights import class_aware_probabilities
    >>> chances = class_aware_probabilities([[1, 1], [1, 0], [0, 0]])
    >>> sampler = LabelSampler(chances, n_draws=6)  # doctest: +SKIP
    >>> list(sampler)  # doctest: +SKIP
    [0, 0, 0, 0, 1, 1]
    """

    def __init__(
        self,
        weights: Any,
        n_draws: int | None = None,
        *,
        seed: int = 0,
        rank: int = 0,
        n_replicas: int = 1,
    ) -> None:
        if Sampler is None:
            raise ImportError(
                "LabelSampler needs PyTorch; install it with: pip install 'rarelabels[torch]'"
            )
        self.weights = checked_chances(weights)
        asked = len(self.weights) if n_draws is None else check_count("n_draws", n_draws, 1)
        self.seed = check_count("seed", seed, 0)
        self.n_replicas = check_count("n_replicas", n_replicas, 1)
        self.rank = check_count("rank", rank, 0)
        if self.rank >= self.n_replicas:
            raise ValueError(f"rank must be less than n_replicas={n_replicas}, got {rank}.")
        self.n_draws = asked
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the number of the next epoch, as in PyTorch's ``DistributedSampler``.

        Parameters
        ----------
        epoch : int
            From 0 on. It is counted up with each iteration, so this is needed only to continue.
        """
        self.epoch = check_count("epoch", epoch, 0)

    def __len__(self) -> int:
        """Return how many samples this process gets in an epoch."""
        return self.n_draws // self.n_replicas

    def __iter__(self) -> Iterator[int]:
        """Draw the samples of an epoch."""
        rng = np.random.default_rng([self.seed, self.epoch])
        self.epoch += 1
        ends = np.cumsum(self.weights)
        # A draw of exactly the sum, by rounding, belongs to the last sample that can be drawn.
        last = int(np.flatnonzero(self.weights)[-1])
        drawn = np.searchsorted(ends, rng.random(self.n_draws) * ends[-1], side="right")
        of_this_process = np.minimum(drawn, last)[self.rank :: self.n_replicas][: len(self)]
        return iter(of_this_process.tolist())


def checked_chances(weights: Any) -> Any:
    """Return weights of samples as floats, of which some must be positive."""
    table = np.asarray(weights, dtype=np.float64)
    if table.ndim != 1 or not table.size:
        raise ValueError(
            f"weights must have one weight for each sample, shape (n_samples,); got shape "
            f"{table.shape}."
        )
    is_wrong = ~np.isfinite(table) | (table < 0)
    if is_wrong.any():
        raise ValueError(
            f"weights must be finite and not negative, but {int(is_wrong.sum())} are not; a sample "
            "of weight 0 is never drawn."
        )
    if not table.any():
        raise ValueError("weights are 0 for all samples; at least one must be positive.")
    return table
