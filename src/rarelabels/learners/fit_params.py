"""Parameters that a learner's `fit` passes to the estimator inside, such as `sample_weight`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import _check_method_params, has_fit_parameter

from rarelabels._containers import Array


@dataclass(frozen=True)
class FitParams:
    """Parameters of an estimator's `fit`, some of which have a value for each sample.

    Attributes
    ----------
    by_name : mapping of str to value
        The parameters.
    n_samples : int
        Number of training samples.
    """

    by_name: Mapping[str, Any] = field(default_factory=dict)
    n_samples: int = 0

    def __bool__(self) -> bool:
        return bool(self.by_name)

    @property
    def weights(self) -> Array | None:
        """The weights of samples, or of samples and labels, or None without weights."""
        return None if self.weight_name is None else self.by_name[self.weight_name]

    @property
    def weight_table(self) -> Array | None:
        """The weights of samples and labels, None if weights do not differ between labels."""
        weights = self.weights
        return weights if weights is not None and weights.ndim == 2 else None

    @property
    def weight_name(self) -> str | None:
        """The name of the weights: `sample_weight`, with the prefix of a pipeline's step."""
        return next((name for name in self.by_name if _is_weight(name)), None)

    def with_weights(self, weights: Array | None) -> FitParams:
        """Return the parameters with other weights, or unchanged if `weights` is None."""
        if weights is None or self.weight_name is None:
            return self
        return replace(self, by_name={**self.by_name, self.weight_name: weights})

    def with_groups(self, groups: Any, estimator: Any) -> FitParams:
        """Return the parameters with the group of each sample, if the estimator uses groups."""
        name = groups_parameter(estimator)
        if groups is None or name is None:
            return self
        table = np.asarray(groups)
        return FitParams({**self.by_name, name: table}, len(table))

    def of(self, samples: Array | None = None, weights: Array | None = None) -> dict[str, Any]:
        """Return the parameters for some of the samples, by default for all.

        `weights` are the weights of the samples for one model, if weights differ between labels.
        """
        if not self.by_name:
            return {}
        if weights is None:
            empty_X = np.empty((self.n_samples, 0))
            return _check_method_params(empty_X, dict(self.by_name), indices=samples)
        name = self.weight_name
        others = {key: value for key, value in self.by_name.items() if key != name}
        return {**replace(self, by_name=others).of(samples), str(name): weights}


NO_PARAMS = FitParams()


def passed_on(
    learner: Any, estimator: Any, sample_weight: Any, fit_params: Mapping[str, Any], n_samples: int
) -> FitParams:
    """Return the parameters of the estimator's `fit`, by scikit-learn's rules for meta-estimators.

    With metadata routing, these are the parameters that the estimator requests. Otherwise, all
    parameters are passed, and `sample_weight` must be a parameter of its `fit`.
    """
    named = dict(fit_params)
    if sample_weight is not None:
        named["sample_weight"] = sample_weight
    if not named or not hasattr(estimator, "fit") or isinstance(estimator, type):
        # An object that is not an estimator raises an error when it is fitted.
        return NO_PARAMS
    if get_config()["enable_metadata_routing"]:
        named = dict(process_routing(learner, "fit", **named).estimator.fit)
    elif sample_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight was passed, but {type(estimator).__name__} does not accept it; fit "
            "without it, pass it with the name of a pipeline's step (step__sample_weight), or use "
            "another estimator."
        )
    for name in filter(_is_weight, named):
        named[name] = _one_per_sample(name, named[name], n_samples)
    return FitParams(named, n_samples)


def routing_to(learner: Any, estimator: Any, *, with_groups: bool = False) -> MetadataRouter:
    """Return the metadata routing of a learner's `fit`.

    `with_groups` says that the learner uses the parameter `groups` for its folds.
    """
    mapping = MethodMapping().add(caller="fit", callee="fit")
    # The owner is given by name, because scikit-learn 1.6 would make a deep copy of an object.
    owner = type(learner).__name__
    router = MetadataRouter(owner=owner).add(estimator=estimator, method_mapping=mapping)
    if with_groups:
        request = MetadataRequest(owner=owner)
        request.fit.add_request(param="groups", alias=True)
        router.add_self_request(request)
    return router


def groups_parameter(estimator: Any) -> str | None:
    """Return the name of the groups parameter of an estimator's `fit`, or None if it has none.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rarelabels.learners import BinaryRelevance, RareLabelClassifier
    >>> groups_parameter(make_pipeline(StandardScaler(), RareLabelClassifier()))
    'rarelabelclassifier__groups'
    >>> groups_parameter(BinaryRelevance())
    """
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        inner = groups_parameter(last)
        if inner is None or get_config()["enable_metadata_routing"]:
            return inner
        return f"{name}__{inner}"
    accepts_groups = hasattr(estimator, "fit") and has_fit_parameter(estimator, "groups")
    return "groups" if accepts_groups else None


def _is_weight(name: str) -> bool:
    return name.split("__")[-1] == "sample_weight"


def _one_per_sample(name: str, weights: Any, n_samples: int) -> Array:
    table = np.asarray(weights)
    if table.ndim not in (1, 2) or table.shape[0] != n_samples:
        raise ValueError(
            f"{name} must have one weight for each of the {n_samples} samples, or one for each "
            f"sample and label; got shape {table.shape}."
        )
    return table
