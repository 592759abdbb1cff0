"""The parts of a job: a data set, a learner and a method, each as plain values.

They say what to load or build, and build it; nothing here holds data. `identity` is the part that
determines a result: what something is called and where it lies do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from scipy import sparse

from rarelabels.datasets import (
    MultiLabelDataset,
    drop_labels,
    drop_rare_labels,
    fetch_mulan,
    load,
    select_frequent_features,
)
from rarelabels.datasets.mulan import local_file
from rarelabels.experiment.plan._allowlist import allowed_estimator, check_params
from rarelabels.experiment.plan._frozen import Pairs, frozen, frozen_pairs
from rarelabels.learners import learner
from rarelabels.sampling import sampler

# In place of a path or a name: what was given in memory, and is not kept with the results.
GIVEN = ":given:"

# What plans and stores may hold, by field; `check_types` names what it finds instead.
TEXT, TEXT_OR_NONE, NUMBER_OR_NONE = (str,), (str, type(None)), (int, float, type(None))
DATASET_TYPES = {
    "name": TEXT,
    "path": TEXT_OR_NONE,
    "labels": (str, int, list, tuple, type(None)),
    "features": NUMBER_OR_NONE,
    "min_positive": (int,),
    "sha256": TEXT_OR_NONE,
    "dense": (bool,),
    "separator": TEXT_OR_NONE,
    "drop": (list, tuple),
    "drop_labels": (list, tuple),
    "sheet": TEXT_OR_NONE,
    "unknown": TEXT_OR_NONE,
    "groups": TEXT_OR_NONE,
}
LEARNER_TYPES = {
    "name": TEXT,
    "learner": TEXT,
    "params": (tuple,),
    "estimator": TEXT_OR_NONE,
    "estimator_params": (tuple,),
}
METHOD_TYPES = {
    "name": TEXT,
    "sampler": TEXT_OR_NONE,
    "params": (tuple,),
    "n_estimators": (int, type(None)),
    "vary": (tuple,),
    "threshold": TEXT_OR_NONE,
    "threshold_cv": (int, type(None)),
    "threshold_members": (int, type(None)),
    "learner_params": (tuple,),
    "learner": TEXT_OR_NONE,
}


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
    drop_labels : tuple of str
        Labels to leave out.
    unknown : str or None
        The marker of an unknown label: ``"?"`` in ARFF files, a marker or ``""`` in tables.
    groups : str or None
        The column of a table with the group of each sample. No group is in two folds.

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
    drop_labels: tuple[str, ...] = ()
    unknown: str | None = None
    groups: str | None = None

    def __post_init__(self) -> None:
        check_types(self, DATASET_TYPES)
        object.__setattr__(self, "labels", frozen(self.labels))
        object.__setattr__(self, "drop", tuple(self.drop))
        object.__setattr__(self, "drop_labels", tuple(self.drop_labels))

    def identity(self) -> dict[str, Any]:
        """Return what determines the data: the content of files, not their place."""
        source = {"name": self.name.lower()} if self.path is None else {"sha256": self.sha256}
        return {
            **source,
            # The content of an XML file that names the labels is part of the sum.
            "labels": None if str(self.labels).lower().endswith(".xml") else self.labels,
            "features": self.features,
            "min_positive": self.min_positive,
            # Only if it is set, so that the keys of other jobs do not depend on it.
            **({"dense": True} if self.dense else {}),
            **({"drop_labels": self.drop_labels} if self.drop_labels else {}),
            **self._options(),
        }

    def _options(self) -> dict[str, Any]:
        """Return the options of the file's reader that are set."""
        names = ("separator", "sheet", "unknown", "groups")
        options = {name: getattr(self, name) for name in names} | {"drop": self.drop or None}
        return {name: value for name, value in options.items() if value is not None}

    def load(self) -> MultiLabelDataset:
        """Read and preprocess the data."""
        dataset = fetch_mulan(self.name, progress=False) if self.path is None else self._read()
        dataset = drop_labels(dataset, self.drop_labels)
        if self.features is not None:
            dataset, _ = select_frequent_features(dataset, self.features)
        dataset = drop_rare_labels(dataset, self.min_positive)[0]
        if self.dense and sparse.issparse(dataset.X):
            return replace(dataset, X=dataset.X.toarray())
        return dataset

    def check(self) -> None:
        """Refuse a data set that cannot be read; one of a name is downloaded if need be."""
        if self.path != GIVEN and (self.path is not None or local_file(self.name) is None):
            self.load()

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
        The base classifier of a learner that has one, as ``sklearn.linear_model.RidgeClassifier``:
        a public class of scikit-learn or this package, or of a package that the caller trusts.
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

    def __post_init__(self) -> None:
        check_types(self, LEARNER_TYPES)

    def identity(self) -> dict[str, Any]:
        """Return what determines the learner."""
        return {
            "learner": self.learner.lower(),
            "params": dict(self.params),
            "estimator": self.estimator,
            "estimator_params": dict(self.estimator_params),
        }

    def build(self, trusted: Collection[str] = (), settings: Pairs = ()) -> Any:
        """Return the learner, not fitted.

        Parameters
        ----------
        trusted : collection of str
            Packages, beyond scikit-learn and this one, of which the base classifier may be.
        settings : tuple of (str, value) pairs
            Further parameters, set at the end: a method's `learner_params`.

        Raises
        ------
        ValueError
            For classes and parameters that no plan or store may name.
        """
        require_kept(self.learner, "model was")
        params = check_params(self.params, "a learner")
        if self.estimator is not None:
            kind = allowed_estimator(self.estimator, trusted)
            params["estimator"] = kind(**check_params(self.estimator_params, "a base classifier"))
        fresh = learner(self.learner, **params)
        return fresh.set_params(**check_params(settings, "a learner")) if settings else fresh


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
        The decision rule that chooses the labels' thresholds on the training data, see
        :data:`rarelabels.decisions.RULES`. None: the model's own decisions; 0.5 for an ensemble. A
        plan's ensembles have "f1" unless it says otherwise, the exact maximum as in the paper.
    threshold_cv : int or None
        Folds of the training data on which thresholds are chosen out of fold. None: thresholds are
        chosen from the scores of the samples that the model learned from, as in the paper.
    threshold_members : int or None
        Members of the ensembles that are fitted to these folds. None: as many as the ensemble has.
    learner_params : tuple of (str, value) pairs
        Parameters of the learner that belong to the method, such as class weights of its base
        classifier: ``estimator__class_weight``.
    learner : str or None
        The name of a learner that takes the place of the plan's, with its default parameters.

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
    threshold_cv: int | None = None
    threshold_members: int | None = None
    learner_params: Pairs = ()
    learner: str | None = None

    def __post_init__(self) -> None:
        check_types(self, METHOD_TYPES)

    @property
    def is_ensemble(self) -> bool:
        """Whether there are members."""
        return self.n_estimators is not None

    def identity(self) -> dict[str, Any]:
        """Return what determines the method."""
        # Named only if they are set, so that the keys of other methods do not change.
        more: dict[str, Any] = {}
        if self.learner_params:
            more["learner_params"] = dict(self.learner_params)
        if self.learner is not None:
            more["learner"] = self.learner.lower()
        if self.threshold_cv is not None:
            more["threshold_cv"] = self.threshold_cv
        if self.threshold_members is not None:
            more["threshold_members"] = self.threshold_members
        return {
            "sampler": self.sampler.lower() if self.sampler else None,
            "params": dict(self.params),
            "n_estimators": self.n_estimators,
            "vary": dict(self.vary),
            "threshold": self.threshold,
            **more,
        }

    def build(self) -> Any:
        """Make the sampler; None for the learner alone."""
        require_kept(self.sampler, "sampler was")
        check_params(self.vary, "a sampler")
        params = check_params(self.params, "a sampler")
        return None if self.sampler is None else sampler(self.sampler, **params)

    def settings(self) -> tuple[dict[str, Any], ...]:
        """Return the settings that differ between members, one dict for each member."""
        n_members = self.n_estimators or 1
        return tuple({name: values[m] for name, values in self.vary} for m in range(n_members))


Spec = DatasetSpec | LearnerSpec | MethodSpec


def require_kept(name: str | None, what: str) -> None:
    """Refuse what was given in memory: a store has only the key of its content."""
    if name == GIVEN:
        raise ValueError(
            f"the {what} given in memory and not kept with the results; call does_sampling_help "
            "with them again: finished jobs are not repeated."
        )


def check_types(values: Any, types: Mapping[str, tuple[type, ...]]) -> None:
    """Refuse fields of another type than theirs; a truth value is not a number here."""
    for name, allowed in types.items():
        value = getattr(values, name)
        is_right = isinstance(value, allowed) and (bool in allowed or not isinstance(value, bool))
        if not is_right or (
            isinstance(value, (list, tuple)) and name in TEXTS and not _are_texts(value)
        ):
            raise ValueError(f"{name} has a value of the wrong type: {value!r}.")


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def as_dict(spec: Spec) -> dict[str, Any]:
    """Return a spec as plain values for JSON, pairs as dicts, without objects in memory."""
    values = {
        one.name: getattr(spec, one.name)
        for one in fields(spec)
        if not one.name.startswith("in_memory")
    }
    return {name: dict(value) if name in PAIRS else value for name, value in values.items()}


def from_dict(kind: type[Any], values: dict[str, Any]) -> Any:
    """Return the spec that `as_dict` describes."""
    return kind(
        **{name: frozen_pairs(value) if name in PAIRS else value for name, value in values.items()}
    )


TEXTS = {"labels", "drop", "drop_labels"}
PAIRS = {"params", "estimator_params", "vary", "learner_params"}
