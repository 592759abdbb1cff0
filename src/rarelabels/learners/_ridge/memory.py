"""How much memory a fit takes, and whether it is there."""

from __future__ import annotations

import os

# What a fit may take of the memory that is available.
USABLE_SHARE = 0.8


def available_bytes() -> int | None:
    """Return the memory that is available, None where the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def exact_bytes(n_samples: int, n_labels: int, n_at_once: int) -> int:
    """Return what exact solutions take: the kernel, a factorization for each thread, and scores."""
    return 4 * ((1 + n_at_once) * n_samples**2 + 6 * n_samples * n_labels)


def check_exact_memory(n_samples: int, n_labels: int, n_at_once: int, n_landmarks: int) -> None:
    """Refuse exact solutions that do not fit into memory, before anything is allocated."""
    needed, available = exact_bytes(n_samples, n_labels, n_at_once), available_bytes()
    if available is not None and needed > USABLE_SHARE * available:
        raise MemoryError(
            f"exact solutions for {n_samples} samples take {needed / 1e9:.1f} GB of memory, and "
            f"{available / 1e9:.1f} GB are available; use n_landmarks={n_landmarks}, which takes "
            f"{4 * n_samples * (n_labels + 64) / 1e9 + 0.5:.1f} GB."
        )
