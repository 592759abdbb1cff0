"""A small neural network with the distribution-balanced loss, in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from rarelabels._containers import dense
from rarelabels.weights import (
    class_aware_probabilities,
    distribution_balanced_weights,
    logit_bias,
)

BATCH, RATE, DECAY = 64, 1e-3, 1e-4


class BalancedNetwork(ClassifierMixin, BaseEstimator):
    """One hidden layer, trained on samples drawn by their labels.

    Parameters
    ----------
    n_hidden : int
        The number of hidden units.
    n_updates : int
        The number of mini-batches of 64 samples.
    balanced : bool
        Whether to draw samples by their labels and to use the weights of the distribution-balanced
        loss (Wu et al., ECCV 2020); otherwise the plain binary cross-entropy is used.
    random_state : int
        Draws the initial parameters and the samples.
    """

    def __init__(
        self,
        n_hidden: int = 128,
        n_updates: int = 1500,
        balanced: bool = True,
        random_state: int = 0,
    ) -> None:
        self.n_hidden = n_hidden
        self.n_updates = n_updates
        self.balanced = balanced
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> BalancedNetwork:
        """Learn from samples."""
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(self.random_state)
        rng = np.random.default_rng(self.random_state)
        truth = dense(y).astype(np.float32)
        n_samples, n_labels = truth.shape
        features, targets = sparse.csr_array(X).astype(np.float32), torch.from_numpy(truth)
        chances = class_aware_probabilities(truth) if self.balanced else None
        if self.balanced:
            weights = torch.from_numpy(distribution_balanced_weights(truth).astype(np.float32))
        else:
            weights = torch.ones_like(targets)
        network = torch.nn.Sequential(
            torch.nn.Linear(features.shape[1], self.n_hidden),
            torch.nn.ReLU(),
            torch.nn.Dropout(0.3),
            torch.nn.Linear(self.n_hidden, n_labels),
        )
        # The network starts with the frequencies of the labels.
        torch.nn.init.zeros_(network[-1].weight)
        network[-1].bias.data = torch.from_numpy(logit_bias(truth).astype(np.float32))
        optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
        for _ in range(self.n_updates):
            drawn = rng.choice(n_samples, BATCH, p=chances)
            logits = network(torch.from_numpy(features[drawn].toarray()))
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                logits, targets[drawn], weight=weights[drawn]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        self.network_ = network.eval()
        self.classes_ = [np.array([0, 1])] * n_labels
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the logits of samples."""
        import torch

        features = sparse.csr_array(X).astype(np.float32).toarray()
        with torch.no_grad():
            return self.network_(torch.from_numpy(features)).numpy().astype(float)

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each label."""
        return expit(self.decision_function(X))

    def predict(self, X: Any) -> Any:
        """Return the labels whose probability is at least one half."""
        return (self.decision_function(X) >= 0).astype(int)
