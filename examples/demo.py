"""Two labels, equally frequent, and yet one is hard: measure it, then resample for it."""

import numpy as np

from rarelabels.measures import describe
from rarelabels.sampling import MLSOL, MLUL


def two_labels(n_samples=600, n_positive=60, seed=0):
    """Rows on a square: `easy` marks one corner, `hard` as many rows around six places."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_samples, 2))
    to_corner = np.hypot(*X.T)
    to_places = np.min([np.hypot(*(X - place).T) for place in rng.random((6, 2))], axis=0)
    blurred = to_places + rng.normal(scale=0.04, size=n_samples)
    y = np.zeros((n_samples, 2), dtype=int)
    y[np.argsort(to_corner)[:n_positive], 0] = 1
    y[np.argsort(blurred)[:n_positive], 1] = 1
    return X, y


def show(title, X, y):
    found = describe(X, y)
    print(f"\n{title}: {found.summary['n_samples']} rows, LImb {found.summary['limb']:.3f}")
    print(f"{'label':>6} {'count':>6} {'IRLbl':>6} {'local imbalance':>16}   types of its rows")
    for name, row in zip(("easy", "hard"), found.labels, strict=True):
        kinds = ", ".join(
            f"{row[kind]:.0%} {kind}" for kind in ("safe", "borderline", "rare", "outlier")
        )
        figures = f"{row['count']:6d} {row['irlbl']:6.2f} {row['local_imbalance']:16.3f}"
        print(f"{name:>6} {figures}   {kinds}")


def main():
    X, y = two_labels()
    show("As it came", X, y)
    show("MLSOL adds 30 %, near the hard rows", *MLSOL(random_state=0).fit_resample(X, y))
    show("MLUL removes 10 %, in the others' way", *MLUL(random_state=0).fit_resample(X, y))


if __name__ == "__main__":
    main()
