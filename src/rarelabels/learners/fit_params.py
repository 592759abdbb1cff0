"""What the caller of a learner's fit passes on to the estimator inside, such as `sample_weight`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import _check_method_params, has_fit_parameter

from rarelabels._containers import Array


@dataclass(frozen=True)
class FitParams:
    """Parameters of an estimator's fit, of which some have a value for each sample.

    Attributes
    ----------
    by_name : mapping of str to value
        The parameters.
    n_samples : int
        Samples of the training data.
    """

    by_name: Mapping[str, Any] = field(default_factory=dict)
    n_samples: int = 0

    def __bool__(self) -> bool:
        return bool(self.by_name)

    @property
    def weights(self) -> Array | None:
        """The samples' weights, if there are any."""
        return self.by_name.get("sample_weight")

    def of(self, samples: Array | None = None) -> dict[str, Any]:
        """Return the parameters for some of the samples, by default for all."""
        if not self.by_name:
            return {}
        counted = np.empty((self.n_samples, 0))
        return _check_method_params(counted, dict(self.by_name), indices=samples)


NO_PARAMS = FitParams()


def passed_on(
    learner: Any, estimator: Any, sample_weight: Any, given: Mapping[str, Any], n_samples: int
) -> FitParams:
    """Return what goes to the estimator's fit, by scikit-learn's rules for meta-estimators.

    With metadata routing what it requests; otherwise everything, where `sample_weight` must be a
    parameter of its fit.
    """
    named = dict(given) if sample_weight is None else {**given, "sample_weight": sample_weight}
    if not named or not hasattr(estimator, "fit") or isinstance(estimator, type):
        # What is not an estimator at all is refused where it would be fitted.
        return NO_PARAMS
    if get_config()["enable_metadata_routing"]:
        named = dict(process_routing(learner, "fit", **named).estimator.fit)
    elif sample_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"sample_weight was passed, but {type(estimator).__name__} does not take it; leave it "
            "out, pass it by the name of a pipeline's step (step__sample_weight), or take another "
            "estimator."
        )
    if "sample_weight" in named:
        named["sample_weight"] = _one_per_sample(named["sample_weight"], n_samples)
    return FitParams(named, n_samples)


def routing_to(learner: Any, estimator: Any) -> MetadataRouter:
    """Return scikit-learn's description of what a learner's fit passes on."""
    mapping = MethodMapping().add(caller="fit", callee="fit")
    # By name: as an object, scikit-learn 1.6 would deep-copy it.
    return MetadataRouter(owner=type(learner).__name__).add(
        estimator=estimator, method_mapping=mapping
    )


def _one_per_sample(weights: Any, n_samples: int) -> Array:
    made = np.asarray(weights)
    if made.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight for each of the {n_samples} samples, got shape "
            f"{made.shape}."
        )
    return made
