"""The methods that are compared: the model alone, what needs no sampling, samplers, ensembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils import get_tags

from rarelabels._texts import is_texts
from rarelabels._validation import check_features
from rarelabels._wording import sampler_title
from rarelabels.advisor._script import public_place
from rarelabels.ensemble.members import require_sampler
from rarelabels.experiment.plan import LearnerSpec, MethodSpec, in_memory_method
from rarelabels.learners import BinaryRelevance, MultiLabelClassifier, learner
from rarelabels.learners.base import MetaLearner
from rarelabels.learners.preprocessing import require_preprocessing, split_preprocessing

ALONE, THRESHOLDS, WEIGHTS = "model alone", "thresholds alone", "class weights"
RARE_LABELS = "RareLabelClassifier"
WITHOUT_SAMPLING = (THRESHOLDS, WEIGHTS, RARE_LABELS)
DEFAULT_SAMPLERS = ("mlros", "mlsmote", "mlsol", "mlul")

# Every method with thresholds chooses them by the same rule, from out-of-fold scores. Ensembles
# have fewer folds, and copies of fewer members on them, because every member is a fit.
RULE, RULE_FOLDS, ENSEMBLE_RULE_FOLDS, ENSEMBLE_RULE_MEMBERS = "pooled_f1", 5, 3, 2


def as_multilabel(estimator: Any) -> Any:
    """Return the multi-label classifier that an estimator stands for.

    A classifier of one label is put into binary relevance; the default base classifier of a learner
    is made explicit, so that class weights can be set in it.
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
    """Return the transformers that make numbers of X for samplers, and the model without them.

    None and the model itself if samplers can take X unchanged. What they cannot take, and no
    transformer can change, is refused before anything is fitted.
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
    made = learner(spec.learner, **dict(spec.params))
    if (
        spec.estimator is not None
        or not isinstance(made, MetaLearner)
        or made.estimator is not None
    ):
        return spec
    base = made.chosen_estimator()
    defaults = type(base)().get_params()
    own = {name: value for name, value in base.get_params().items() if value != defaults[name]}
    place = f"{public_place(type(base))}.{type(base).__name__}"
    return replace(spec, estimator=place, estimator_params=tuple(sorted(own.items())))


def takes_many_labels(estimator: Any) -> bool:
    """Whether an estimator says that it takes an indicator of several labels as y."""
    if isinstance(estimator, (MultiLabelClassifier, OneVsRestClassifier)):
        return True
    tags = get_tags(estimator)
    of_classifier = tags.classifier_tags
    return bool(tags.target_tags.multi_output or (of_classifier and of_classifier.multi_label))


def weight_params(model: Any) -> dict[str, Any]:
    """Return the parameters that balance the classes, where a model has them and none is set.

    >>> from sklearn.linear_model import LogisticRegression
    >>> weight_params(BinaryRelevance(LogisticRegression()))
    {'estimator__class_weight': 'balanced'}
    >>> weight_params(BinaryRelevance(LogisticRegression(class_weight={0: 1, 1: 5})))
    {}
    """
    found = model.get_params()
    names = [name for name in found if name.rpartition("__")[2] == "class_weight"]
    return {name: "balanced" for name in names if found[name] is None}


def methods_of(
    samplers: Any, n_estimators: int, weights: Mapping[str, Any]
) -> tuple[MethodSpec, ...]:
    """Return the methods: the model alone first, then its rivals, samplers and their ensembles.

    Parameters
    ----------
    samplers : name, sampler, sequence of them or mapping of titles to them
        What to try.
    n_estimators : int
        Members of each sampler's ensemble; 0 for no ensembles.
    weights : mapping of str to value
        The model's parameters that balance the classes; empty where it has none.
    """
    chosen = titled_samplers(samplers)
    found = [MethodSpec(ALONE), MethodSpec(THRESHOLDS, threshold=RULE, threshold_cv=RULE_FOLDS)]
    if weights:
        found.append(MethodSpec(WEIGHTS, learner_params=tuple(sorted(weights.items()))))
    found.append(MethodSpec(RARE_LABELS, learner="rare_label"))
    found += [_method(title, sampler) for title, sampler in chosen.items()]
    if n_estimators:
        settings: dict[str, Any] = {
            "n_estimators": n_estimators,
            "threshold": RULE,
            "threshold_cv": ENSEMBLE_RULE_FOLDS,
            "threshold_members": min(ENSEMBLE_RULE_MEMBERS, n_estimators),
        }
        found += [_method(f"E{title}", sampler, **settings) for title, sampler in chosen.items()]
    return tuple(found)


def titled_samplers(samplers: Any) -> dict[str, Any]:
    """Return samplers by what tables call them.

    >>> from rarelabels.sampling import MLSOL
    >>> titled_samplers(["mlros", MLSOL(), MLSOL(n_neighbors=9)])
    {'MLROS': 'mlros', 'MLSOL': MLSOL(), 'MLSOL 2': MLSOL(n_neighbors=9)}
    """
    if isinstance(samplers, Mapping):
        return {str(title): sampler for title, sampler in samplers.items()}
    is_one = isinstance(samplers, str) or not isinstance(samplers, Iterable)
    found: dict[str, Any] = {}
    for sampler in [samplers] if is_one else samplers:
        title = sampler_title(sampler.lower() if isinstance(sampler, str) else _class_name(sampler))
        alike = sum(one == title or one.startswith(f"{title} ") for one in found)
        found[f"{title} {alike + 1}" if alike else title] = sampler
    return found


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
