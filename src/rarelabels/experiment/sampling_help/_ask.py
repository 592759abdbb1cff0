"""The question: which methods, on which folds, and the run that answers it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._random import as_generator, draw_seeds
from rarelabels._validation import check_count, check_pair
from rarelabels.experiment.plan import Plan, held_dataset, held_learner
from rarelabels.experiment.runner import duration, run, run_job
from rarelabels.experiment.sampling_help._answer import SamplingHelp
from rarelabels.experiment.sampling_help._rivals import (
    ALONE,
    DEFAULT_SAMPLERS,
    WITHOUT_SAMPLING,
    as_multilabel,
    methods_of,
    weight_params,
)
from rarelabels.experiment.sampling_help._stored import stored_comparison
from rarelabels.experiment.store import DONE, Store, opened
from rarelabels.metrics import find_metric

PLAN_NAME = "does sampling help"


def does_sampling_help(
    X: Any,
    y: Any,
    estimator: Any = None,
    *,
    samplers: Any = DEFAULT_SAMPLERS,
    n_estimators: int = 5,
    metric: str = "macro_f1",
    cv: Any = "5x5",
    margin: float = 0.01,
    categorical_features: Any = "auto",
    label_names: Sequence[str] | None = None,
    name: str = "",
    store: Any = None,
    max_minutes: float | None = None,
    retry: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 1,
) -> SamplingHelp:
    """Find out by cross-validation whether sampling helps a classifier on a data set.

    Compared are always the model alone, thresholds alone and, where the model has them, class
    weights; then each sampler, and its ensemble.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        The features, as the samplers and the estimator take them.
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
        The labels, 0 or 1.
    estimator : estimator, default=None
        Any scikit-learn classifier or pipeline, or a learner of this package. One that takes a
        single label is put into :class:`~rarelabels.learners.BinaryRelevance`; None is that with
        its default tree.
    samplers : names, samplers or mapping of str to them, default=("mlros", "mlsmote", "mlsol", \
"mlul")
        Which samplers to try, by name or as objects; a mapping says what to call them.
    n_estimators : int, default=5
        Members of the ensemble over each sampler; 0 for no ensembles.
    metric : str, default="macro_f1"
        The name of one of :data:`rarelabels.metrics.METRICS`.
    cv : str, int or (int, int), default="5x5"
        Repetitions × folds; an int is a number of folds, once.
    margin : float, default=0.01
        The largest gain that does not matter, in the units of the metric.
    categorical_features : array-like or "auto", default="auto"
        As the samplers take it.
    label_names : sequence of str, default=None
        What the labels are called; None: as the columns of y, or by their numbers.
    name : str, default=""
        What the page calls the data set.
    store : path-like or Store, default=None
        Where results are kept as they come: the same call goes on where it ended, and one with more
        repetitions adds to it. None keeps them for this call.
    max_minutes : float, default=None
        When to stop; the answer is then that of the folds that every method has.
    retry : bool, default=False
        Fit again what failed before.
    n_jobs : int, default=None
        Processes; -1 for one per core. Scores do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seeds splits and models. With a `store` an int, so that the next call finds the results.
    verbose : int, default=1
        1 says on standard error how long it will take, and how far it is; 0 says nothing.

    Returns
    -------
    SamplingHelp
        The verdicts, the table behind them, a page to look at, and the best model to fit.

    See Also
    --------
    rarelabels.comparison.gains_over_baseline : The test and the four verdicts.

    Notes
    -----
    On each fold every method is fitted to the same training samples with the same seed. The gain of
    a method over the model alone is tested by the corrected resampled t-test, with Holm's
    correction for the number of methods. The first fit is timed for an estimate of how long the
    run takes.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.experiment import does_sampling_help
    >>> X, y = make_local_imbalance(120, difficulty=0.5, random_state=0)
    >>> found = does_sampling_help(
    ...     X, y, samplers=["mlsol"], n_estimators=2, cv="2x2", random_state=0, verbose=0
    ... )
    >>> list(found.verdicts)
    ['thresholds alone', 'class weights', 'MLSOL', 'EMLSOL']
    >>> found.fit_best().predict(X).shape
    (120, 3)
    """
    find_metric(metric)
    check_margin(margin)
    folds = read_folds(cv)
    features, labels = check_pair(X, y, categorical_features)
    model = as_multilabel(estimator)
    n_estimators = check_count("n_estimators", n_estimators, 0)
    methods = methods_of(samplers, n_estimators, weight_params(model))
    categorical = tuple(np.flatnonzero(features.categorical).tolist())
    plan = Plan(
        PLAN_NAME,
        datasets=(held_dataset(X, labels, categorical, name, label_names),),
        learners=(held_learner(model, type(model).__name__),),
        methods=methods,
        n_splits=folds["n_splits"],
        n_repeats=folds["n_repeats"],
        seed=_seed(random_state, store),
        per_label=True,
    )
    engine = "inline" if n_jobs in (None, 1) else "objects"
    question = Question(plan, metric, margin, _say if verbose else _silent)
    with opened(":memory:" if store is None else store) as results:
        return question.answered(
            results, n_jobs=n_jobs, engine=engine, max_minutes=max_minutes, retry=retry,
            progress=bool(verbose),
        )  # fmt: skip


def check_margin(margin: Any) -> None:
    """Refuse a margin that is no number of at least 0, before anything is fitted."""
    if not margin >= 0:
        raise ValueError(f"margin must be at least 0, got {margin!r}.")


def read_folds(cv: Any) -> dict[str, int]:
    """Read repetitions and folds of each.

    >>> read_folds("5x2"), read_folds(10)
    ({'n_repeats': 5, 'n_splits': 2}, {'n_repeats': 1, 'n_splits': 10})
    """
    text = "x".join(map(str, cv)) if isinstance(cv, tuple) else str(cv)
    found = re.fullmatch(r"(?:(\d+)[x×])?(\d+)", text.strip().lower())
    if not found or int(found[2]) < 2 or int(found[1] or 1) < 1:
        raise ValueError(
            "cv must be like 5x5 (five repetitions of five folds) or 10 (ten folds, once), "
            f"got {cv!r}."
        )
    return {"n_repeats": int(found[1] or 1), "n_splits": int(found[2])}


@dataclass(frozen=True)
class Question:
    """A comparison to run: its plan of one data set and one model, the model alone first.

    Attributes
    ----------
    plan : Plan
        What to run.
    metric : str
        What to compare by.
    margin : float
        The largest gain that does not matter.
    say : callable
        Takes lines on how it goes.
    """

    plan: Plan
    metric: str
    margin: float
    say: Callable[[str], None]

    def answered(self, store: Store, *, retry: bool = False, **how: Any) -> SamplingHelp:
        """Run what is missing, and say what comes out."""
        self._estimate(store, retry, how.get("n_jobs"))
        done = run(self.plan, store, retry=retry, **how)
        self.say(str(done))
        return self.answer(store)

    def answer(self, store: Store) -> SamplingHelp:
        """Say what comes out of the results in a store."""
        data = self.plan.datasets[0].load()
        summary = stored_comparison(
            store,
            self.plan.name,
            metric=self.metric,
            baseline=ALONE,
            n_splits=self.plan.n_splits,
            labels=data.label_names,
            positives=np.asarray(data.Y.sum(axis=0)).ravel().tolist(),
            margin=self.margin,
            without_sampling=WITHOUT_SAMPLING,
        )
        return SamplingHelp(summary, self.plan, failures_of(store, self.plan.name))

    def _estimate(self, store: Store, retry: bool, n_jobs: int | None) -> None:
        """Fit the model alone on the first fold, and say how long all the rest will take."""
        pending = store.pending(self.plan.jobs(), retry=retry)
        if not pending:
            return
        seconds = self._pilot(store)
        n_models = models_per_fold(self.plan)
        n_folds = len({job.fold for job in pending})
        n_workers = min(n_processes(n_jobs), n_folds)
        expected = duration(seconds * n_models * n_folds / n_workers)
        self.say(
            f"{len(pending)} fits of methods to do, about {expected}: {n_folds} folds × {n_models} "
            f"models of {seconds:.2g} s, {n_workers} at a time (sampling comes on top)."
        )

    def _pilot(self, store: Store) -> float:
        jobs = self.plan.jobs()
        job, known = jobs[0], store.seconds().get(jobs[0].key)
        if known is not None:
            return known
        with store.only_run():
            # Known to the store before its result is.
            store.register(self.plan.name, jobs)
            record = run_job(job, trusted=self.plan.trusted)
            if record.status != DONE:
                # Not kept: with the model alone failing there is nothing to compare with.
                reason = str(record.error).splitlines()[0]
                raise RuntimeError(f"the model alone cannot be fitted to the first fold: {reason}")
            store.write(record)
        return float(record.seconds or 0.0)


def failures_of(store: Store, plan: str) -> dict[str, tuple[int, str]]:
    """Return for each method that failed on how many folds, and the first reason."""
    found: dict[str, tuple[int, str]] = {}
    for row in store.failures(plan):
        count, reason = found.get(row["method"], (0, str(row["error"]).splitlines()[0]))
        found[row["method"]] = (count + 1, reason)
    return found


def n_processes(n_jobs: int | None) -> int:
    """Return how many processes a number of jobs stands for."""
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def models_per_fold(plan: Plan) -> int:
    """Return how many models a fold takes: thresholds and single samplers share those of others."""
    sizes: dict[Any, int] = {}
    for method in plan.methods:
        which = (method.sampler, method.params, method.learner_params)
        sizes[which] = max(sizes.get(which, 0), method.n_estimators or 1)
    return sum(sizes.values())


def _seed(random_state: Any, store: Any) -> int:
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        as_generator(random_state)
        return int(random_state)
    if store is not None:
        raise ValueError(
            "store= needs random_state= to be an int: with it the next call finds what is done, "
            f"got {random_state!r}."
        )
    return draw_seeds(as_generator(random_state), 1)[0]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _silent(line: str) -> None:
    """Say nothing."""
