"""
Plugging in another neighbor index
===================================

The exact search takes seconds for up to 50,000 samples. For more samples, you can replace it by any
object with the methods `fit` and `kneighbors` of scikit-learn: faiss, hnswlib or pynndescent in a
few lines of code or, as here, a small approximate index.
"""

# %%
# An index in twenty lines
# ------------------------
# Random hyperplanes cut the space into cells. This is repeated several times, and the neighbors of
# a sample are searched in its cells.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import BaseEstimator

from rarelabels import find_neighbors
from rarelabels.datasets import make_multilabel
from rarelabels.measures import limb
from rarelabels.sampling import MLSOL


class Cells(BaseEstimator):
    """Neighbors among the samples on the same side of a few random planes."""

    def __init__(self, n_planes=4, n_cuttings=4, seed=0):
        self.n_planes = n_planes
        self.n_cuttings = n_cuttings
        self.seed = seed

    def fit(self, X, y=None):
        rng = np.random.default_rng(self.seed)
        planes = rng.normal(size=(X.shape[1], self.n_planes * self.n_cuttings))
        sides = (X - X.mean(axis=0)) @ planes > 0
        powers = 2 ** np.arange(self.n_planes)
        self.X_ = X
        self.cells_ = sides.reshape(len(X), self.n_cuttings, -1) @ powers
        return self

    def kneighbors(self, X=None, n_neighbors=5, return_distance=True):
        """Samples of the data it was fitted to, the sample itself among them."""
        indices = np.empty((len(self.X_), n_neighbors), dtype=np.intp)
        distances = np.empty(indices.shape)
        for i, sample in enumerate(self.X_):
            near = np.flatnonzero((self.cells_ == self.cells_[i]).any(axis=1))
            squared = ((self.X_[near] - sample) ** 2).sum(axis=1)
            best = np.argsort(squared, kind="stable")[:n_neighbors]
            indices[i], distances[i] = near[best], np.sqrt(squared[best])
        return (distances, indices) if return_distance else indices


# %%
# How good is it?
# ---------------
# `find_neighbors` scales the features before it passes them to the index, so that the distances are
# those of the exact search. The recall is the share of the exact neighbors that are found.

X, Y = make_multilabel(1500, 20, 10, sparse_output=False, random_state=0)
exact = find_neighbors(X)
recalls, limbs = [], []
settings = (1, 2, 4, 8)
for n_cuttings in settings:
    found = find_neighbors(X, neighbors=Cells(n_cuttings=n_cuttings))
    same = [np.isin(a, b).mean() for a, b in zip(found.indices, exact.indices, strict=True)]
    recalls.append(np.mean(same))
    limbs.append(limb(X, Y, neighbors=found))
    print(f"{n_cuttings} cuttings: recall {recalls[-1]:.2f}, LImb {limbs[-1]:.4f}")
print(f"exact:       recall 1.00, LImb {limb(X, Y, neighbors=exact):.4f}")

# %%
# A missed neighbor is replaced by one that is farther away and more often of the other class, so
# LImb is too high. At a recall of 0.95 or more, the difference is small.

figure, axes = plt.subplots(1, 2, figsize=(6.4, 4.2), layout="constrained")
axes[0].plot(settings, recalls, "o-")
axes[0].set(title="true neighbors found", xlabel="cuttings", ylim=(0, 1.05))
axes[1].plot(settings, limbs, "o-", label="approximate")
axes[1].axhline(limb(X, Y, neighbors=exact), color="0.5", ls="--", label="exact")
axes[1].set(title="LImb", xlabel="cuttings", ylim=(0, 1))
axes[1].legend()
plt.show()

# %%
# In a sampler
# ------------
# The same parameter accepts the index, or the neighbors that were found before.

by_index = MLSOL(neighbors=Cells(), random_state=0).fit_resample(X, Y)
reused = MLSOL(neighbors=exact, random_state=0).fit_resample(X, Y)
print(by_index[0].shape, reused[0].shape)
