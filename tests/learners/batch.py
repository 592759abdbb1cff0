"""The batch protocol at its plainest: scikit-learn trees, fitted one by one."""

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.tree import DecisionTreeClassifier


def tree(random_state=0):
    return DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=2, random_state=random_state
    )


class BatchTree(ClassifierMixin, BaseEstimator):
    """A tree with `code`, `fit_many` and `fit_chain`; keeps the tasks and seeds it was given."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.tree_ = tree().fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict_proba(self, X):
        return self.tree_.predict_proba(X)

    def code(self, X):
        return Coding(X)

    def fit_many(self, coding, tasks, seeds, n_jobs=None):
        assert len(seeds) == len(tasks)
        given = [tasks.of(t) for t in range(len(tasks))]
        models = [self._fitted(coding.X[samples], classes) for samples, classes in given]
        return Forest(models, tasks, seeds)

    def fit_chain(self, coding, sample_indices, tasks, feed, seeds=None):
        assert len(seeds) == len(tasks)
        X, models = coding.X[sample_indices], []
        for link in range(len(tasks)):
            positions, y = tasks.of(link)
            models.append(self._fitted(X[positions], y))
            said = is_yes(probability(models[-1], X, 1)) if feed is None else feed[:, link]
            X = np.column_stack([X, said])
        return Linked(models)

    def _fitted(self, X, y):
        assert y.size
        return clone(self).fit(X, y)


class Coding:
    def __init__(self, X):
        self.X = X.toarray() if sparse.issparse(X) else X
        self.n_samples, self.n_features = X.shape

    def encode(self, X):
        return X.toarray() if sparse.issparse(X) else X


class Forest:
    def __init__(self, models, tasks, seeds):
        self.models, self.tasks, self.seeds = models, tasks, seeds

    def __len__(self):
        return len(self.models)

    def __getitem__(self, t):
        assert 0 <= t < len(self)
        return self.models[t]

    def encode(self, X):
        return X.toarray() if sparse.issparse(X) else X

    def probability(self, data, k, n_jobs=None):
        return np.column_stack([probability(model, data, k) for model in self.models])

    def mean_probability(self, data, k, groups, n_groups, n_jobs=None):
        found = self.probability(data, k)
        means = [found[:, groups == group].sum(axis=1) for group in range(n_groups)]
        return np.column_stack(means) / np.bincount(groups, minlength=n_groups)

    def decide(self, data, n_jobs=None):
        if self.tasks.n_classes == 2:
            return is_yes(self.probability(data, 1)).astype(int)
        found = [self.probability(data, k) for k in range(self.tasks.n_classes)]
        return np.stack(found).argmax(axis=0)

    def count_wins(self, data, first, second, n_labels, n_jobs=None):
        wins = np.zeros((data.shape[0], n_labels), dtype=np.int32)
        for chosen, one, other in zip(self.decide(data).T, first, second, strict=True):
            wins[:, one] += chosen == 1
            wins[:, other] += chosen == 0
        return wins


class Linked:
    def __init__(self, models):
        self.models = models

    def __len__(self):
        return len(self.models)

    def __getitem__(self, link):
        return self.models[link]

    def encode(self, X):
        return X.toarray() if sparse.issparse(X) else X

    def probability(self, data):
        found = []
        for model in self.models:
            found.append(probability(model, data, 1))
            data = np.column_stack([data, is_yes(found[-1])])
        return np.column_stack(found)


def is_yes(probability):
    return probability >= 0.5


def probability(model, X, k):
    column = np.flatnonzero(model.classes_ == k)
    return model.predict_proba(X)[:, column[0]] if column.size else np.zeros(X.shape[0])
