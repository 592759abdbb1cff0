"""does_sampling_help: cross-validate a model with and without sampling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from rarelabels._random import as_generator, draw_seeds
from rarelabels._samplers import DEFAULT_SAMPLERS
from rarelabels._stderr import write_line
from rarelabels._texts import as_texts, is_texts
from rarelabels._validation import check_count, check_pair, group_numbers
from rarelabels.advisor._one_label import binary_column, for_one_label
from rarelabels.advisor._result import SamplingHelp
from rarelabels.advisor._watch import Comparison
from rarelabels.advisor.methods import (
    as_multilabel,
    methods_of,
    needed_preprocessing,
    weight_params,
)
from rarelabels.advisor.question import (
    Question,
    check_margin,
    check_samples,
    given_splits,
    gives_splits,
    read_folds,
)
from rarelabels.experiment.plan import Plan, in_memory_dataset, in_memory_learner
from rarelabels.experiment.store import opened
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
    groups: Any = None,
    cv: Any = "5x5",
    margin: float = 0.01,
    categorical_features: Any = "auto",
    allow_missing_labels: bool = False,
    label_names: Sequence[str] | None = None,
    name: str = "",
    store: Any = None,
    max_minutes: float | None = None,
    max_samples: int | None = None,
    all_folds: bool = False,
    retry: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 1,
    callbacks: Sequence[Any] = (),
) -> SamplingHelp:
    """Find out by cross-validation whether sampling helps a classifier on a data set.

    The answer always compares the model alone, thresholds alone, class weights if the model has
    them, and :class:`~rarelabels.learners.RareLabelClassifier`; then each sampler, and its
    ensemble.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features), or texts
        The features, as the samplers and the estimator take them. For texts, or a dataframe with a
        column of texts, the estimator is a pipeline: its transformers are fitted to the training
        samples of each fold, and samplers resample what they return.
    y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels) or (n_samples,)
        The labels, 0 or 1. A single label may have one dimension and any two values, of which the
        rarer one is the positive class.
    estimator : estimator, default=None
        Any scikit-learn classifier or pipeline, or a learner of this package. A classifier of a
        single label is wrapped in :class:`~rarelabels.learners.BinaryRelevance`. By default,
        binary relevance with its default tree.
    samplers : names, samplers or mapping of str to them, default=("mlros", "mlsmote", "mlsol", \
"mlul")
        Which samplers to compare, by name or as objects; a mapping gives them names. With a single
        label, samplers of imbalanced-learn can be used, too.
    n_estimators : int, default=5
        Members of the ensemble over each sampler; 0 for no ensembles.
    metric : str, default="macro_f1"
        The name of one of :data:`rarelabels.metrics.METRICS`.
    groups : array-like of shape (n_samples,), default=None
        The group of each sample, for instance a patient. No group is in a training and a test fold,
        nor in two of the folds that choose thresholds and probabilities.
    cv : str, int, (int, int), splitter or iterable of splits, default="5x5"
        The largest number of repetitions × folds; an int is a number of folds in one repetition.
        After each repetition, methods end if their verdict is settled, or if the remaining folds
        would hardly change it; see :class:`rarelabels.comparison.StoppingRule`. A splitter of
        scikit-learn, or pairs of training and test samples, can take the place of stratified folds;
        a splitter gets unknown labels as negative.
    margin : float, default=0.01
        Gains up to this size, in the units of the metric, are considered irrelevant.
    categorical_features : array-like or "auto", default="auto"
        Which features are categorical, as for the samplers.
    allow_missing_labels : bool, default=False
        Whether `y` may contain NaN, None or NA for unknown labels. All methods learn from
        known labels, and scores count known labels only.
    label_names : sequence of str, default=None
        Names of the labels. By default, the names of the columns of `y`, or their numbers.
    name : str, default=""
        The name of the data set on the page.
    store : path-like or Store, default=None
        Where each result is stored once it is computed. If the call is interrupted, the same call
        continues where it stopped, and a call with more repetitions adds to the store. By default,
        results are kept for this call only.
    max_minutes : float, default=None
        The time limit. Fits that are not finished by then are stopped. The answer is based on the
        folds that the methods have in common; methods without such folds are left out and named.
        If the time is too short to run single models on each fold once, methods are compared on
        fewer samples, unless there is a `store`, with which the same call can continue later.
    max_samples : int, default=None
        Compare on at most this many samples, drawn at random; groups are drawn as a whole.
        `fit_best` still fits to all samples.
    all_folds : bool, default=False
        Run every method on all folds of `cv`.
    retry : bool, default=False
        Also run the fits that failed before.
    n_jobs : int, default=None
        Number of processes; -1 for one per core. Scores do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed for splits and models. It must be an int if there is a `store`, so that the next call
        finds the results.
    verbose : int, default=1
        With 1, progress and the expected time are written to standard error; with 0, nothing is.
    callbacks : sequence of callbacks, default=()
        Callbacks of scikit-learn 1.9 or newer, such as ``sklearn.callback.ProgressBar()``. Each fit
        of a method on a fold is a task.

    Returns
    -------
    SamplingHelp
        The verdicts, the table they are based on, an HTML page, and the recommended model.

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
    >>> from rarelabels.advisor import does_sampling_help
    >>> X, y = make_local_imbalance(120, difficulty=0.5, random_state=0)
    >>> answer = does_sampling_help(
    ...     X, y, samplers=["mlsol"], n_estimators=2, cv="2x2", random_state=0, verbose=0
    ... )
    >>> list(answer.verdicts)
    ['thresholds alone', 'class weights', 'RareLabelClassifier', 'MLSOL', 'EMLSOL']
    >>> answer.fit_best().predict(X).shape
    (120, 3)
    """
    comparison = Comparison(callbacks)
    find_metric(metric)
    check_margin(margin)
    has_splits = gives_splits(cv)
    folds = {} if has_splits else read_folds(cv)
    y = binary_column(y)
    preprocessing, model = needed_preprocessing(X, as_multilabel(estimator), categorical_features)
    if is_texts(X):
        X = as_texts(X)[:, None]
    features, labels = check_pair(
        X,
        y,
        None if preprocessing else categorical_features,
        allow_missing_labels=allow_missing_labels,
    )
    if groups is not None:
        n_needed = folds.get("n_splits", 2)
        groups = group_numbers(groups, labels.values.n_samples, at_least=n_needed)
    splits = None
    if has_splits:
        splits, folds = given_splits(cv, labels, groups)
    samplers = for_one_label(samplers) if labels.values.shape[1] == 1 else samplers
    n_estimators = check_count("n_estimators", n_estimators, 0)
    if max_samples is not None:
        max_samples = check_samples(max_samples, has_splits=has_splits)
    methods = methods_of(samplers, n_estimators, weight_params(model))
    categorical = tuple(np.flatnonzero(features.categorical).tolist())
    plan = Plan(
        PLAN_NAME,
        datasets=(in_memory_dataset(X, labels, categorical, name, label_names, groups, splits),),
        learners=(in_memory_learner(model, type(model).__name__, preprocessing),),
        methods=methods,
        n_splits=folds["n_splits"],
        n_repeats=folds["n_repeats"],
        seed=_seed(random_state, store),
        per_label=True,
    )
    # A process can be ended in the middle of a fit, this one cannot.
    is_inline = n_jobs in (None, 1) and max_minutes is None
    engine = "inline" if is_inline else "processes"
    say = write_line if verbose else _silent
    question = Question(
        plan, metric, margin, say, all_folds=bool(all_folds), max_samples=max_samples,
        fits_time=store is None and not has_splits, followed_by=comparison.has_ended,
    )  # fmt: skip
    with opened(":memory:" if store is None else store) as results:
        answered = partial(
            question.answered, results, n_jobs=n_jobs, engine=engine, max_minutes=max_minutes,
            retry=retry, progress=bool(verbose),
        )  # fmt: skip
        return comparison.followed(answered, X, y, len(plan.jobs()))


def _seed(random_state: Any, store: Any) -> int:
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        as_generator(random_state)
        return int(random_state)
    if store is not None:
        raise ValueError(
            "with store=, random_state must be an int, so that the next call finds the results, "
            f"got {random_state!r}."
        )
    return draw_seeds(as_generator(random_state), 1)[0]


def _silent(line: str) -> None:
    """Say nothing."""
