"""Every sampler and learner by name, with settings with which it fits quickly."""

import inspect

from rarelabels.learners import MultiLabelForest, learner, learner_names
from rarelabels.sampling import sampler, sampler_names

# Only what differs from the defaults.
SETTINGS = {
    "cocoa": {"n_couples": 1},
    "ecc": {"n_chains": 2},
    "eccru3": {"n_chains": 2},
    "forest": {"n_estimators": 11},
    "iblr": {"n_neighbors": 3},
    "mlknn": {"n_neighbors": 3},
    "rare_label": {"forest": MultiLabelForest(10)},
}


def quick_learner(name, **params):
    """Return a learner that fits quickly, with a seed if it has one."""
    return seeded(learner, name, **SETTINGS.get(name, {}) | params)


def seeded(make, name, **params):
    """Return a learner or a sampler with a seed if it has one."""
    made = make(name, **params)
    return made.set_params(**{key: 0 for key in made.get_params() if key == "random_state"})


def seeded_sampler(name, **params):
    """Return a sampler with a seed if it has one."""
    return seeded(sampler, name, **params)


def samplers_of_dask():
    """Return the samplers that accept Dask collections, by the names of their classes."""
    settings = {"n_neighbors": 2, "random_state": 3}
    samplers = {}
    for made in map(sampler, sampler_names()):
        if getattr(type(made), "_works_on_blocks", False):
            params = made.get_params()
            # The usual ratio of 0.1 changes few of the samples in a test.
            ratio = {"sampling_ratio": 0.4} if params.get("sampling_ratio") == 0.1 else {}
            taken = {key: value for key, value in settings.items() if key in params}
            samplers[type(made).__name__] = made.set_params(**taken, **ratio)
    return samplers


def with_base_estimator():
    """Return the names of the learners that are built from a single-label classifier."""
    return [
        name for name in learner_names()
        if "estimator" in inspect.signature(type(learner(name))).parameters
    ]  # fmt: skip


def uses_features(made):
    """Whether a sampler uses the features, and not only the labels."""
    return any("categorical_features" in name for name in made.get_params())
