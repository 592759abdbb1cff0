"""Define the compared methods: the model alone, its rivals, samplers and their ensembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import get_tags

from rarelabels._samplers import sampler_title
from rarelabels._texts import is_texts
from rarelabels._validation import check_features
from rarelabels.advisor._script import public_place
from rarelabels.ensemble.members import require_sampler
from rarelabels.experiment.plan import LearnerSpec, MethodSpec, in_memory_method
from rarelabels.learners import BinaryRelevance, MultiLabelClassifier, learner
from rarelabels.learners.composed import MetaLearner
from rarelabels.learners.preprocessing import require_preprocessing, split_preprocessing
from rarelabels.learners.scores import learns_several_labels

ALONE, THRESHOLDS, WEIGHTS = "model alone", "thresholds alone", "class weights"
RARE_LABELS = "RareLabelClassifier"
WITHOUT_SAMPLING = (THRESHOLDS, WEIGHTS, RARE_LABELS)

# Every method with thresholds chooses them by the same rule, from out-of-fold scores. Ensembles
# have fewer folds, and copies of fewer members on them, because every member is a fit.
RULE, RULE_FOLDS, ENSEMBLE_RULE_FOLDS, ENSEMBLE_RULE_MEMBERS = "pooled_f1", 5, 3, 2


def as_multilabel(estimator: Any) -> Any:
    """Return a multi-label classifier for the estimator that a user gave.

    A classifier of one label is wrapped in binary relevance. The default base classifier of a
    learner is set explicitly, so that class weights can be set in it.
    """
    if estimator is None or isinstance(estimator, str):
        estimator = learner(estimator or "br")
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise TypeError(
            "estimator must be a scikit-learn classifier, a pipeline or a learner of this package, "
            f"got {estimator!r}."
        )
    model = clone(estimator) if takes_many_labels(estimator) else BinaryRelevance(clone(estimator))
    if isinstance(model, MetaLearner) and model.estimator is None:
        model.set_params(estimator=model.chosen_estimator())
    return model


def needed_preprocessing(X: Any, model: Any, categorical_features: Any) -> tuple[Any, Any]:
    """Return the transformers that convert X to numbers for samplers, and the model without them.

    If samplers can take X unchanged, return None and the model itself. If samplers cannot take X
    and the model has no transformers, raise an error before anything is fitted.
    """
    if is_texts(X):
        return require_preprocessing(model)
    if hasattr(X, "columns"):
        try:
            _ = check_features(X, categorical_features).numbers
        except ValueError:
            preprocessing, rest = split_preprocessing(model)
            if preprocessing is None:
                raise
            return preprocessing, rest
    return None, model


def explicit_learner(spec: LearnerSpec) -> LearnerSpec:
    """Return a learner by name with its default base classifier named, if it has one.

    >>> explicit_learner(LearnerSpec("br", "br")).estimator
    'sklearn.tree.DecisionTreeClassifier'
    """
    model = learner(spec.learner, **dict(spec.params))
    if (
        spec.estimator is not None
        or not isinstance(model, MetaLearner)
        or model.estimator is not None
    ):
        return spec
    base = model.chosen_estimator()
    defaults = type(base)().get_params()
    changed = {name: value for name, value in base.get_params().items() if value != defaults[name]}
    place = f"{public_place(type(base))}.{type(base).__name__}"
    return replace(spec, estimator=place, estimator_params=tuple(sorted(changed.items())))


def takes_many_labels(estimator: Any) -> bool:
    """Whether an estimator says that it takes an indicator of several labels as y."""
    if isinstance(estimator, (MultiLabelClassifier, OneVsRestClassifier)):
        return True
    return learns_several_labels(get_tags(estimator))


def weight_params(model: Any) -> dict[str, Any]:
    """Return the parameters that balance the classes, if a model has them and they are not set.

    >>> from sklearn.linear_model import LogisticRegression
    >>> weight_params(BinaryRelevance(LogisticRegression()))
    {'estimator__class_weight': 'balanced'}
    >>> weight_params(BinaryRelevance(LogisticRegression(class_weight={0: 1, 1: 5})))
    {}
    """
    params = model.get_params()
    names = [name for name in params if name.rpartition("__")[2] == "class_weight"]
    return {name: "balanced" for name in names if params[name] is None}


def methods_of(
    samplers: Any, n_estimators: int, weights: Mapping[str, Any]
) -> tuple[MethodSpec, ...]:
    """Return the methods: the model alone first, then its rivals, samplers and their ensembles.

    Parameters
    ----------
    samplers : name, sampler, sequence of them or mapping of titles to them
        The samplers to compare.
    n_estimators : int
        Number of members of each sampler's ensemble; 0 for no ensembles.
    weights : mapping of str to value
        The model's parameters that balance the classes; it is empty if there are none.
    """
    chosen = titled_samplers(samplers)
    methods = [MethodSpec(ALONE), MethodSpec(THRESHOLDS, threshold=RULE, threshold_cv=RULE_FOLDS)]
    if weights:
        methods.append(MethodSpec(WEIGHTS, learner_params=tuple(sorted(weights.items()))))
    methods.append(MethodSpec(RARE_LABELS, learner="rare_label"))
    methods += [_method(title, sampler) for title, sampler in chosen.items()]
    if n_estimators:
        settings: dict[str, Any] = {
            "n_estimators": n_estimators,
            "threshold": RULE,
            "threshold_cv": ENSEMBLE_RULE_FOLDS,
            "threshold_members": min(ENSEMBLE_RULE_MEMBERS, n_estimators),
        }
        methods += [_method(f"E{title}", sampler, **settings) for title, sampler in chosen.items()]
    return tuple(methods)


def explanation(method: MethodSpec) -> str:
    """Explain a method in one sentence.

    >>> explanation(MethodSpec("EMLSOL", "mlsol", n_estimators=5))
    'EMLSOL is an ensemble of 5 models, each fitted to resampled training data.'
    """
    known = {
        ALONE: "The model alone is your model without any change.",
        THRESHOLDS: "Thresholds alone means that your model stays the same, and that a decision "
        "threshold for each label, chosen from out-of-fold scores, replaces 0.5.",
        WEIGHTS: "Class weights means that your model is fitted with balanced class weights.",
        RARE_LABELS: "RareLabelClassifier is a model of this package for rare labels, which is "
        "used in place of yours.",
    }
    if method.name in known:
        return known[method.name]
    if method.n_estimators:
        return (
            f"{method.name} is an ensemble of {method.n_estimators} models, each fitted to "
            "resampled training data."
        )
    return f"{method.name} resamples the training data before your model is fitted to them."


def titled_samplers(samplers: Any) -> dict[str, Any]:
    """Return samplers by their titles in tables.

    >>> from rarelabels.sampling import MLSOL
    >>> titled_samplers(["mlros", MLSOL(), MLSOL(n_neighbors=9)])
    {'MLROS': 'mlros', 'MLSOL': MLSOL(), 'MLSOL 2': MLSOL(n_neighbors=9)}
    """
    if isinstance(samplers, Mapping):
        return {str(title): sampler for title, sampler in samplers.items()}
    is_one = isinstance(samplers, str) or not isinstance(samplers, Iterable)
    titled: dict[str, Any] = {}
    for sampler in [samplers] if is_one else samplers:
        title = sampler_title(sampler.lower() if isinstance(sampler, str) else _class_name(sampler))
        alike = sum(one == title or one.startswith(f"{title} ") for one in titled)
        titled[f"{title} {alike + 1}" if alike else title] = sampler
    return titled


def _class_name(sampler: Any) -> str:
    name = type(sampler).__name__
    return name.lower() if name.isupper() else name


def _method(title: str, sampler: Any, **settings: Any) -> MethodSpec:
    if isinstance(sampler, str):
        method = MethodSpec(title, sampler.lower(), **settings)
        method.build()
        return method
    require_sampler(sampler)
    return in_memory_method(sampler, name=title, **settings)
