"""A progress bar over the members."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def with_progress(members: Iterable[Any], n_members: int, verbose: int) -> Iterable[Any]:
    """Show how many of the members are done, if `verbose`."""
    if not verbose:
        return members
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError(
            'verbose=1 shows a progress bar, which needs tqdm: pip install "rarelabels[progress]"; '
            "or set verbose=0."
        ) from error
    return tqdm(members, total=n_members, desc="members")
