"""Samplers applied one after another."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np
from sklearn.base import clone

from rarelabels._containers import Array
from rarelabels._params import set_where_known
from rarelabels._random import as_generator
from rarelabels._validation import check_pair
from rarelabels.base import Resample, SamplerMemory


class SamplerChain(SamplerMemory):
    """Samplers one after another, each on what the one before it made.

    Parameters
    ----------
    samplers : list of samplers, or of (name, sampler) pairs
        Any objects with `fit_resample`, this package's or not. They are cloned, never fitted
        themselves. A sampler without a name is called by its class in lower case (``mlsmote``, or
        ``mlsmote-1``, ``mlsmote-2`` … if there are several): ``set_params(mlsmote__n_neighbors=3)``
        sets a parameter of it, ``set_params(mlsmote=…)`` puts another in its place.
    random_state : int, RandomState, Generator or None, default=None
        Seeds every sampler that takes one. None: each has its own.
    n_jobs : int, default=None
        Given to every sampler that takes it. None: each has its own.

    Attributes
    ----------
    samplers_ : list
        The samplers as they were used.
    sample_indices_ : ndarray of shape (n_samples_new,)
        For each sample that came out the sample of the chain's input that it is, or grew from. It
        and `is_synthetic_` are missing if a sampler of the chain has no ``sample_indices_``.
    is_synthetic_ : ndarray of bool of shape (n_samples_new,)
        Which samples are synthetic, by whichever sampler; a clone of such a sample is one too.
    n_features_in_, n_labels_in_ : int
        Columns of X and of y.
    feature_names_in_ : ndarray of str
        Names of X's columns, where they are strings.

    See Also
    --------
    rhwrsmt, remedial_hwr_ros, remedial_hwr_hus : REMEDIAL, then another sampler.

    Examples
    --------
    >>> from rarelabels.sampling import MLROS, MLRUS, SamplerChain
    >>> X = [["a"], ["b"], ["c"], ["d"], ["e"]]
    >>> y = [[1, 0], [1, 0], [1, 0], [1, 0], [0, 1]]
    >>> chain = SamplerChain([MLRUS(sampling_ratio=1), MLROS(sampling_ratio=1)], random_state=0)
    >>> X_new, y_new = chain.fit_resample(X, y)
    >>> X_new, chain.sample_indices_
    ([['a'], ['b'], ['d'], ['e'], ['e']], array([0, 1, 3, 4, 4]))
    >>> chain.set_params(mlros__sampling_ratio=0).fit_resample(X, y)[0]
    [['a'], ['b'], ['d'], ['e']]
    """

    def __init__(
        self, samplers: Any, *, random_state: Any = None, n_jobs: int | None = None
    ) -> None:
        self.samplers = samplers
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Resample the data with one sampler after another.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The features.
        y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
            The labels, 0 or 1.

        Returns
        -------
        X_resampled, y_resampled
            What the last sampler made. X may be a Dask collection where every sampler takes one; it
            is persisted, and so is what each but the last makes of it.
        """
        supports_dask = self._each("_supports_dask")
        features, labels = check_pair(X, y, allow_missing_labels=True, supports_dask=supports_dask)
        self.samplers_ = self._ready_samplers()
        origins: Array | None = np.arange(features.n_samples)
        is_synthetic = np.zeros(features.n_samples, dtype=bool)
        for sampler in self.samplers_:
            # A sampler reads X several times. A Dask collection would be computed each time.
            if features.backend is not None:
                X = features.backend.persist(X)
            X, y = sampler.fit_resample(X, y)
            origins, is_synthetic = _follow(sampler, origins, is_synthetic)
        self._remember(features, labels, Resample(kept=np.empty(0) if origins is None else origins))
        self.is_synthetic_ = is_synthetic
        if origins is None:
            del self.sample_indices_, self.is_synthetic_
        return X, y

    @property
    def _takes_missing_values(self) -> bool:  # type: ignore[override]
        return self._each("_takes_missing_values")

    def _each(self, trait: str) -> bool:
        """Whether every sampler says this of itself."""
        samplers = [sampler for _, sampler in named_samplers(self.samplers)]
        return all(getattr(sampler, trait, False) for sampler in samplers)

    def _ready_samplers(self) -> list[Any]:
        """Clone the samplers, and give them the chain's seed and jobs."""
        samplers = [_copy(sampler) for _, sampler in named_samplers(self.samplers)]
        if self.random_state is not None:
            seeds = as_generator(self.random_state).integers(2**32, size=len(samplers)).tolist()
            for sampler, seed in zip(samplers, seeds, strict=True):
                set_where_known(sampler, deep=False, random_state=seed)
        if self.n_jobs is not None:
            for sampler in samplers:
                set_where_known(sampler, deep=False, n_jobs=self.n_jobs)
        return samplers

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the chain's parameters and, if deep, its samplers by name and theirs.

        Parameters
        ----------
        deep : bool, default=True
            Whether to go into the samplers.

        Returns
        -------
        dict
            Parameters by name.
        """
        params: dict[str, Any] = super().get_params(deep=False)
        if not deep:
            return params
        for name, sampler in named_samplers(self.samplers):
            params[name] = sampler
            for key, value in _params(sampler).items():
                params[f"{name}__{key}"] = value
        return params

    def set_params(self, **params: Any) -> SamplerChain:
        """Set the chain's parameters, those of its samplers, or a sampler by its name.

        Parameters
        ----------
        **params : dict
            ``samplers``, ``random_state``, ``n_jobs``, a sampler's name, or a name and a parameter
            with two underscores between them.

        Returns
        -------
        SamplerChain
            The chain itself.
        """
        if "samplers" in params:
            self.samplers = params.pop("samplers")
        names = [name for name, _ in named_samplers(self.samplers)]
        for name in names:
            if name in params:
                self.samplers = _replaced(self.samplers, names.index(name), params.pop(name))
        super().set_params(**params)
        return self


def named_samplers(samplers: Any) -> list[tuple[str, Any]]:
    """Return the samplers of a chain with their names, checked."""
    if not isinstance(samplers, (list, tuple)) or not samplers:
        raise ValueError(f"samplers must be a list of at least one sampler, got {samplers!r}.")
    pairs = [
        item if isinstance(item, tuple) and len(item) == 2 else ("", item) for item in samplers
    ]
    for _, sampler in pairs:
        if not hasattr(sampler, "fit_resample"):
            raise TypeError(
                "samplers must be objects with fit_resample, or (name, sampler) pairs of them, "
                f"got {sampler!r}."
            )
    names = _unique([name or type(sampler).__name__.lower() for name, sampler in pairs])
    return [(name, sampler) for name, (_, sampler) in zip(names, pairs, strict=True)]


def _unique(names: list[str]) -> list[str]:
    """Number the names that come more than once."""
    total, seen, unique = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}-{seen[name]}" if total[name] > 1 else name)
    return unique


def _replaced(samplers: Any, place: int, sampler: Any) -> list[Any]:
    made = list(samplers)
    made[place] = (made[place][0], sampler) if isinstance(made[place], tuple) else sampler
    return made


def _copy(sampler: Any) -> Any:
    return clone(sampler) if hasattr(sampler, "get_params") else copy.deepcopy(sampler)


def _params(sampler: Any) -> dict[str, Any]:
    return sampler.get_params() if hasattr(sampler, "get_params") else {}


def _follow(sampler: Any, origins: Array | None, is_synthetic: Array) -> tuple[Array | None, Array]:
    """Trace the samples that a sampler made back to the chain's input."""
    samples = getattr(sampler, "sample_indices_", None)
    if samples is None or origins is None:
        return None, is_synthetic
    made = getattr(sampler, "is_synthetic_", np.zeros(len(samples), dtype=bool))
    return origins[samples], is_synthetic[samples] | made
