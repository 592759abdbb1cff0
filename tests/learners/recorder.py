"""A classifier that remembers what it was given."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Recorder(ClassifierMixin, BaseEstimator):
    """Learns the share of each class, by the sign of the second feature; keeps X and y.

    The first feature of X is the sample's number.
    """

    def fit(self, X, y):
        self.seen_X_, self.seen_y_ = np.array(X), np.array(y)
        self.classes_ = np.unique(y)
        self.shares_ = [self._share(y[(X[:, 1] > 0) == side]) for side in (False, True)]
        return self

    def _share(self, y):
        return np.array([(y == value).sum() + 1 for value in self.classes_]) / (
            len(y) + len(self.classes_)
        )

    def predict_proba(self, X):
        return np.array([self.shares_[int(sample[1] > 0)] for sample in np.asarray(X)])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @property
    def samples(self):
        """Numbers of the samples it was given."""
        return self.seen_X_[:, 0].astype(int)


def numbered(X):
    """Put each sample's number before its features."""
    return np.column_stack([np.arange(len(X)), X])
