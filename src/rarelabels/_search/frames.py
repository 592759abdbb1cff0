"""The frame of samples that lie in blocks elsewhere: what each block says of it, put together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rarelabels._blocks.features import Block
from rarelabels._containers import Array
from rarelabels._distance import Placing
from rarelabels._search.columns import DenseColumns, Frame


@dataclass(frozen=True)
class Look:
    """What a block says: whether its products are exact, and the middle of its samples."""

    n_samples: int
    is_exact: bool
    centre: Array


def look_at(placing: Placing, block: Block) -> Look:
    """Look at the samples of a block as they are."""
    space = placing.place(block)
    is_exact = DenseColumns(space, _plain(placing)).are_exact()
    return Look(len(block), is_exact, space.centre)


def frame_after(placing: Placing, looks: list[Look]) -> Frame:
    """Return the frame that suits all blocks, not yet scaled."""
    if all(look.is_exact for look in looks):
        return _plain(placing)
    n_samples = np.array([look.n_samples for look in looks])
    # Shares before sums, which might overflow.
    shares = n_samples / n_samples.sum()
    return _plain(placing).about(shares @ np.array([look.centre for look in looks]))


def reach_in(placing: Placing, frame: Frame, block: Block) -> tuple[float, Array] | None:
    """Return what `Frame.reaching` needs of a block."""
    return None if frame.is_exact else DenseColumns(placing.place(block), frame).reach()


def scaled_frame(frame: Frame, reaches: list[tuple[float, Array]]) -> Frame:
    """Return the frame in which no sample of the blocks has a norm above 1."""
    return frame if frame.is_exact else frame.reaching(reaches)


def _plain(placing: Placing) -> Frame:
    return Frame(placing.empty.low, placing.gaps, placing.n_codes)
