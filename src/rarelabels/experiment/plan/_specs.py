"""What a job is made of: a data set, a learner and a method, each as plain values.

They say what to load or build, and build it; nothing here holds data. `identity` is the part that
determines a result: what something is called and where it lies do not.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any
from weakref import WeakValueDictionary

from scipy import sparse

from rarelabels.datasets import (
    MultiLabelDataset,
    drop_rare_labels,
    fetch_mulan,
    load,
    select_frequent_features,
)
from rarelabels.datasets.mulan import LOCAL_FOLDER
from rarelabels.experiment.plan._frozen import Pairs, canonical_json, frozen, frozen_pairs
from rarelabels.experiment.plan._trusted import trusted_estimator
from rarelabels.learners import learner
from rarelabels.sampling import sampler

# In place of a path or a name: what was given in memory, and is not kept with the results.
GIVEN = ":given:"

_HELD: WeakValueDictionary[str, MultiLabelDataset] = WeakValueDictionary()


@dataclass(frozen=True)
class DatasetSpec:
    """A data set and its preprocessing.

    Attributes
    ----------
    name : str
        What it is called in tables; without a `path`, the Mulan project's name for it.
    path : str or None
        A file, for :func:`rarelabels.datasets.load`.
    labels : str, int, tuple of str or None
        Which of the file's columns are labels, where it does not say.
    features : float or None
        The share of the features to keep, those with the most non-zero values.
    min_positive : int
        Labels that fewer samples carry are dropped.
    sha256 : str or None
        Sum of the file: other content is another data set.
    dense : bool
        Whether sparse features are made dense, for classifiers that take no others.
    separator : str or None
        What separates the names of labels in a single column of them.
    drop : tuple of str
        Columns of the file to leave out.
    sheet : str or None
        The sheet of an Excel workbook; by default the first.

    Examples
    --------
    >>> from rarelabels.experiment import DatasetSpec
    >>> medical = DatasetSpec("medical", features=0.1, min_positive=2)
    >>> medical.load()  # doctest: +SKIP
    MultiLabelDataset('medical': 978 samples, 144 features (144 categorical), 35 labels)
    """

    name: str
    path: str | None = None
    labels: Any = None
    features: float | None = None
    min_positive: int = 1
    sha256: str | None = None
    dense: bool = False
    separator: str | None = None
    drop: tuple[str, ...] = ()
    sheet: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", frozen(self.labels))
        object.__setattr__(self, "drop", tuple(self.drop))

    def identity(self) -> dict[str, Any]:
        """Return what determines the data: the content of files, not their place."""
        source = {"name": self.name.lower()} if self.path is None else {"sha256": self.sha256}
        return {
            **source,
            # The content of an XML file that names the labels is part of the sum.
            "labels": None if str(self.labels).lower().endswith(".xml") else self.labels,
            "features": self.features,
            "min_positive": self.min_positive,
            # Named only where it is so, so that other keys do not know of it.
            **({"dense": True} if self.dense else {}),
            **self._options(),
        }

    def _options(self) -> dict[str, Any]:
        """Return the options of the file's reader that are set."""
        options = {"separator": self.separator, "drop": self.drop or None, "sheet": self.sheet}
        return {name: value for name, value in options.items() if value is not None}

    def load(self) -> MultiLabelDataset:
        """Read and preprocess the data."""
        # Data that is in memory already, for a command that shows it, is not read twice.
        key = canonical_json([self.identity(), os.environ.get(LOCAL_FOLDER)])
        found = _HELD.get(key)
        if found is None:
            found = _HELD[key] = self._prepared()
        return found

    def _prepared(self) -> MultiLabelDataset:
        dataset = fetch_mulan(self.name, progress=False) if self.path is None else self._read()
        if self.features is not None:
            dataset, _ = select_frequent_features(dataset, self.features)
        dataset = drop_rare_labels(dataset, self.min_positive)[0]
        if self.dense and sparse.issparse(dataset.X):
            return replace(dataset, X=dataset.X.toarray())
        return dataset

    def _read(self) -> MultiLabelDataset:
        require_kept(self.path, "data were")
        labels = list(self.labels) if isinstance(self.labels, tuple) else self.labels
        return load(str(self.path), labels, **self._options())


@dataclass(frozen=True)
class LearnerSpec:
    """A learner by its registered name.

    Attributes
    ----------
    name : str
        What it is called in tables.
    learner : str
        A name that :func:`rarelabels.learners.learner` knows.
    params : tuple of (str, value) pairs
        Its parameters.
    estimator : str or None
        The base classifier of a learner that has one, as ``sklearn.linear_model.RidgeClassifier``;
        of scikit-learn, this package or one that the caller trusts.
    estimator_params : tuple of (str, value) pairs
        The parameters of the base classifier.

    Examples
    --------
    >>> from rarelabels.experiment import LearnerSpec
    >>> LearnerSpec("5NN", "mlknn", params=(("n_neighbors", 5),)).build()
    MLkNN(n_neighbors=5)
    >>> LearnerSpec("Bayes", "br", estimator="sklearn.naive_bayes.GaussianNB").build()
    BinaryRelevance(estimator=GaussianNB())
    """

    name: str
    learner: str
    params: Pairs = ()
    estimator: str | None = None
    estimator_params: Pairs = ()

    def identity(self) -> dict[str, Any]:
        """Return what determines the learner."""
        return {
            "learner": self.learner.lower(),
            "params": dict(self.params),
            "estimator": self.estimator,
            "estimator_params": dict(self.estimator_params),
        }

    def build(self, trusted: Collection[str] = ()) -> Any:
        """Return the learner, not fitted.

        Parameters
        ----------
        trusted : collection of str
            Packages, beyond scikit-learn and this one, of which the base classifier may be.
        """
        require_kept(self.learner, "model was")
        params = dict(self.params)
        if self.estimator is not None:
            made = trusted_estimator(self.estimator, trusted)
            params["estimator"] = made(**dict(self.estimator_params))
        return learner(self.learner, **params)


@dataclass(frozen=True)
class MethodSpec:
    """What is done about rare labels: nothing, a sampler, or an ensemble over a sampler.

    Attributes
    ----------
    name : str
        What it is called in tables.
    sampler : str or None
        A name that :func:`rarelabels.sampling.sampler` knows; None for the learner alone.
    params : tuple of (str, value) pairs
        The sampler's parameters.
    n_estimators : int or None
        Members of the ensemble; None for a single model.
    vary : tuple of (str, values) pairs
        Parameters of the sampler that differ from member to member.
    threshold : str or None
        What the thresholds of the labels maximise on the training data. None: the model's own
        decisions; 0.5 for an ensemble. A plan's ensembles have "f1" unless it says otherwise.
    learner_params : tuple of (str, value) pairs
        Parameters of the learner that belong to the method, such as class weights of its base
        classifier: ``estimator__class_weight``.

    Examples
    --------
    >>> from rarelabels.experiment import MethodSpec
    >>> method = MethodSpec("EkMLUL", "mlul", n_estimators=3, vary=(("n_neighbors", (5, 6, 7)),))
    >>> method.build(), method.settings()[2]
    (MLUL(), {'n_neighbors': 7})
    """

    name: str
    sampler: str | None = None
    params: Pairs = ()
    n_estimators: int | None = None
    vary: Pairs = ()
    threshold: str | None = None
    learner_params: Pairs = ()

    @property
    def is_ensemble(self) -> bool:
        """Whether there are members."""
        return self.n_estimators is not None

    def identity(self) -> dict[str, Any]:
        """Return what determines the method."""
        # Named only where there are any, so that the keys of other methods do not know of it.
        of_learner = {"learner_params": dict(self.learner_params)} if self.learner_params else {}
        return {
            "sampler": self.sampler.lower() if self.sampler else None,
            "params": dict(self.params),
            "n_estimators": self.n_estimators,
            "vary": dict(self.vary),
            "threshold": self.threshold,
            **of_learner,
        }

    def build(self) -> Any:
        """Make the sampler; None for the learner alone."""
        require_kept(self.sampler, "sampler was")
        return None if self.sampler is None else sampler(self.sampler, **dict(self.params))

    def settings(self) -> tuple[dict[str, Any], ...]:
        """Return the settings that each member has of its own."""
        n_members = self.n_estimators or 1
        return tuple({name: values[m] for name, values in self.vary} for m in range(n_members))


Spec = DatasetSpec | LearnerSpec | MethodSpec


def require_kept(name: str | None, what: str) -> None:
    """Refuse what was given in memory: a store has only the key of its content."""
    if name == GIVEN:
        raise ValueError(
            f"the {what} given in memory and not kept with the results; call does_sampling_help "
            "with them again: what is done is not repeated."
        )


def as_dict(spec: Spec) -> dict[str, Any]:
    """Return a spec as plain values for JSON, pairs as dicts, without what is held in memory."""
    values = {
        one.name: getattr(spec, one.name) for one in fields(spec) if not one.name.startswith("held")
    }
    return {name: dict(value) if name in PAIRS else value for name, value in values.items()}


def from_dict(kind: type[Any], values: dict[str, Any]) -> Any:
    """Return the spec that `as_dict` describes."""
    return kind(
        **{name: frozen_pairs(value) if name in PAIRS else value for name, value in values.items()}
    )


PAIRS = {"params", "estimator_params", "vary", "learner_params"}
