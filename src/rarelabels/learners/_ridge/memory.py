"""The memory that a fit needs, and the memory that is available."""

from __future__ import annotations

import os

# The share of the available memory that a fit may use.
USABLE_SHARE = 0.8


def available_bytes() -> int | None:
    """Return the memory that is available, or None if the system does not report it."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def exact_bytes(n_samples: int, n_labels: int, n_at_once: int) -> int:
    """Return the memory of exact solutions: the kernel, a factorization per thread, and scores."""
    return 4 * ((1 + n_at_once) * n_samples**2 + 6 * n_samples * n_labels)


def check_exact_memory(n_samples: int, n_labels: int, n_at_once: int, n_landmarks: int) -> None:
    """Raise an error if exact solutions do not fit into memory, before anything is allocated."""
    needed, available = exact_bytes(n_samples, n_labels, n_at_once), available_bytes()
    if available is not None and needed > USABLE_SHARE * available:
        raise MemoryError(
            f"exact solutions for {n_samples} samples need {needed / 1e9:.1f} GB of memory, but "
            f"{available / 1e9:.1f} GB are available; use n_landmarks={n_landmarks}, which needs "
            f"{4 * n_samples * (n_labels + 64) / 1e9 + 0.5:.1f} GB."
        )
