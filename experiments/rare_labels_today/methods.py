"""The methods of the benchmark, by name.

A method is a function of a `Half` that returns `Scores`. Most methods are an estimator whose scores
of its own training samples come out of three folds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from rare_labels_today.datasets import Half
from rare_labels_today.network import BalancedNetwork
from rarelabels._validation import check_labels
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    IBLR,
    BinaryRelevance,
    KernelRidgeClassifier,
    MLkNN,
    MultiLabelForest,
    RareLabelClassifier,
)
from rarelabels.learners.out_of_fold import Folds, out_of_fold_scores
from rarelabels.learners.scores import fit_multilabel, label_scores, label_votes
from rarelabels.sampling import MLROS, MLSMOTE, MLSOL
from rarelabels.trees import C45Classifier

SEED, INNER_FOLDS = 1, 3
PENALTIES = (0.1, 1.0, 10.0, 100.0)
MILLION = 1_000_000
MOST_ENTRIES_OF_ENSEMBLES = MILLION // 4
MODEL, WEIGHTS, SAMPLER, ENSEMBLE = "models", "class weights", "samplers", "ensembles"


@dataclass(frozen=True, eq=False)
class Scores:
    """What a method says about a half.

    Attributes
    ----------
    unseen : ndarray of shape (n_train, n_labels)
        Scores of the training samples by models that did not learn from them.
    learned : ndarray of bools of shape (n_train, n_labels)
        Whether that model learned from some positive sample of the label.
    test : ndarray of shape (n_test, n_labels)
        Scores of the samples to predict.
    votes : ndarray of bools of shape (n_test, n_labels)
        What the model itself decides.
    """

    unseen: Any
    learned: Any
    test: Any
    votes: Any


@dataclass(frozen=True)
class Method:
    """A method of the benchmark.

    Attributes
    ----------
    name : str
        As the tables call it.
    score : callable
        A function of a `Half` that returns `Scores`.
    group : str
        "models", "class weights", "samplers" or "ensembles".
    base : str or None
        The method that it adds something to.
    most_entries : int
        The limit on the number of training samples times labels.
    most_cells : int
        The limit on the number of training samples times labels times features.
    package : str or None
        What must be installed in addition to this package.
    """

    name: str
    score: Callable[[Half], Scores]
    group: str = MODEL
    base: str | None = None
    most_entries: int = 100 * MILLION
    most_cells: int = MILLION * MILLION
    package: str | None = None

    def is_too_large(self, half: Half) -> bool:
        """Whether a half is above one of the limits."""
        n_samples, n_labels = half.Y_train.shape
        n_entries = n_samples * n_labels
        is_above = n_entries * half.X_train.shape[1] > self.most_cells
        return n_entries > self.most_entries or is_above

    @property
    def is_installed(self) -> bool:
        """Whether its package is installed."""
        return self.package is None or find_spec(self.package) is not None


def as_numbers(half: Half) -> tuple[Any, Any]:
    """Return features without categories and missing values, for scikit-learn's estimators."""
    if sparse.issparse(half.X_train):
        return half.X_train, half.X_test
    categorical = list(half.categorical_features)
    numeric = [j for j in range(half.X_train.shape[1]) if j not in categorical]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    transformer = make_column_transformer(
        (SimpleImputer(), numeric),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), categorical),
    )
    return transformer.fit_transform(half.X_train), transformer.transform(half.X_test)


def normalized(half: Half) -> tuple[Any, Any]:
    """Return features with rows of length 1 and idf weights for texts, standardized else."""
    X_train, X_test = as_numbers(half)
    if not sparse.issparse(X_train):
        scaler = StandardScaler()
    elif (X_train.data % 1 == 0).all():
        scaler = TfidfTransformer(sublinear_tf=True)
    else:
        scaler = Normalizer()
    return scaler.fit_transform(X_train), scaler.transform(X_test)


def dense(half: Half) -> tuple[Any, Any]:
    """Return features as dense arrays."""
    X_train, X_test = as_numbers(half)
    return (X_train.toarray(), X_test.toarray()) if sparse.issparse(X_train) else (X_train, X_test)


def given(half: Half) -> tuple[Any, Any]:
    """Return features as they are, with categories and missing values."""
    return half.X_train, half.X_test


def out_of_fold(
    make: Callable[[Half], Any], features: Callable[[Half], tuple[Any, Any]] = given
) -> Callable[[Half], Scores]:
    """Return a method that scores its training samples out of three folds."""

    def score(half: Half) -> Scores:
        X_train, X_test = features(half)
        model, labels = make(half), check_labels(half.Y_train)
        n_labels = labels.matrix.shape[1]
        unseen, learned = out_of_fold_scores(model, X_train, labels, Folds(INNER_FOLDS, SEED, SEED))
        fitted = fit_multilabel(clone(model), X_train, half.Y_train)
        test = label_scores(fitted, X_test, n_labels)
        return Scores(unseen, learned, test, label_votes(fitted, X_test, n_labels))

    return score


def tuned_logistic_regression(half: Half) -> Scores:
    """Choose the penalty by average precision out of three folds, and keep these scores."""
    features = normalized(half)
    truth = half.Y_train.toarray() == 1
    candidates = [
        out_of_fold(lambda _, C=C: logistic_regression(C=C), lambda _: features) for C in PENALTIES
    ]
    tried = [candidate(half) for candidate in candidates]
    return max(tried, key=lambda scores: mean_average_precision(truth, scores))


def mean_average_precision(truth: Any, scores: Scores) -> float:
    """Return the mean over the labels that some model learned."""
    values = [
        average_precision_score(truth[:, j], scores.unseen[:, j])
        for j in range(truth.shape[1])
        if (truth & scores.learned)[:, j].any()
    ]
    return float(np.mean(values)) if values else 0.0


def leave_one_out(make: Callable[[Half], Any], attribute: str) -> Callable[[Half], Scores]:
    """Return a method whose model has out-of-sample scores of its training samples."""

    def score(half: Half) -> Scores:
        truth = half.Y_train.toarray() == 1
        model = make(half).fit(half.X_train, half.Y_train)
        unseen = np.asarray(getattr(model, attribute), dtype=float)
        # Without the sample a label with a single positive has none.
        learned = ~(truth & (truth.sum(axis=0) == 1)) & ~np.isnan(unseen)
        test = np.asarray(score_function(model)(half.X_test))
        votes = np.asarray(model.predict_proba(half.X_test)) >= 0.5
        return Scores(np.nan_to_num(unseen), learned, test, votes)

    return score


def score_function(model: Any) -> Any:
    """Return the decision function of a model, or its probabilities if it has none."""
    return getattr(model, "decision_function", model.predict_proba)


def logistic_regression(**options: Any) -> Any:
    """Return one logistic regression for each label."""
    return BinaryRelevance(LogisticRegression(max_iter=1000, **options))


def c45(half: Half) -> Any:
    """Return C4.5 with its defaults."""
    return C45Classifier(categorical_features=categories(half))


def trees(half: Half) -> Any:
    """Return one C4.5 tree for each label."""
    return BinaryRelevance(c45(half), random_state=SEED)


def categories(half: Half) -> Any:
    """Return the categorical features, None if there are none."""
    return list(half.categorical_features) or None


def extra_trees(**options: Any) -> Any:
    """Return scikit-learn's extremely randomized trees, each for all labels."""
    return ExtraTreesClassifier(150, min_samples_leaf=1, random_state=SEED, **options)


def rare_label(half: Half) -> Any:
    """Return RareLabelClassifier with its defaults."""
    return RareLabelClassifier(categorical_features=categories(half), random_state=SEED)


def boosting(_: Half) -> Any:
    """Return gradient boosting for each label, with leaves for rare labels."""
    model = HistGradientBoostingClassifier(
        max_iter=50, min_samples_leaf=5, early_stopping=False, random_state=SEED
    )
    return BinaryRelevance(model)


def boomer(_: Half) -> Any:
    """Return gradient boosted rules for all labels, with the defaults of mlrl-boomer."""
    from mlrl.boosting import BoomerClassifier

    return BoomerClassifier(random_state=SEED)


SAMPLERS = {"MLSOL": MLSOL, "MLROS": MLROS, "MLSMOTE": MLSMOTE}


@dataclass(frozen=True)
class Base:
    """What samplers are combined with.

    Attributes
    ----------
    make : callable
        Return the estimator for a half.
    features : callable
        Return the features for a half.
    samplers : tuple of str
        The samplers, all by default.
    with_ensembles : bool
        Whether ensembles of samplings are tried as well.
    most_entries, most_cells : int
        The limits as in `Method`. Ensembles have a lower limit on entries.
    """

    make: Callable[[Half], Any]
    features: Callable[[Half], tuple[Any, Any]]
    samplers: tuple[str, ...] = tuple(SAMPLERS)
    with_ensembles: bool = True
    most_entries: int = MILLION
    most_cells: int = MILLION * MILLION


BASES = {
    "logistic regression": Base(
        lambda _: logistic_regression(), as_numbers, most_entries=MILLION // 2
    ),
    "extra trees": Base(
        lambda _: extra_trees(), as_numbers, with_ensembles=False, most_entries=MILLION // 2
    ),
    "BR, C4.5": Base(trees, given),
    "RareLabelClassifier": Base(rare_label, given, with_ensembles=False),
    "gradient boosting": Base(boosting, dense, ("MLSOL",), most_cells=35 * MILLION),
}


def sampler_of(name: str, half: Half, features: Any) -> Any:
    """Return a sampler, which is told of categories unless they were replaced by indicators."""
    sampler = SAMPLERS[name]()
    if features is given and "categorical_features" in sampler.get_params():
        sampler.set_params(categorical_features=categories(half))
    return sampler


def resampled(name: str, sampler: str) -> Method:
    """Return a base with one sampler."""
    base = BASES[name]

    def with_sampler(half: Half) -> Any:
        return ResampledClassifier(
            base.make(half), sampler_of(sampler, half, base.features), random_state=SEED
        )

    score = out_of_fold(with_sampler, base.features)
    return Method(f"{name} + {sampler}", score, SAMPLER, name, base.most_entries, base.most_cells)


def ensemble(name: str, sampler: str) -> Method:
    """Return a base with an ensemble of five samplings."""
    base = BASES[name]

    def with_samplers(half: Half) -> Any:
        return SamplingEnsemble(
            base.make(half),
            sampler_of(sampler, half, base.features),
            threshold=None,
            random_state=SEED,
        )

    score = out_of_fold(with_samplers, base.features)
    limits = (MOST_ENTRIES_OF_ENSEMBLES, base.most_cells)
    return Method(f"{name} + E{sampler}", score, ENSEMBLE, name, *limits)


METHODS = (
    Method("RareLabelClassifier", leave_one_out(rare_label, "out_of_sample_scores_")),
    Method(
        "KernelRidgeClassifier",
        leave_one_out(
            lambda half: KernelRidgeClassifier(
                categorical_features=categories(half), random_state=SEED
            ),
            "leave_one_out_scores_",
        ),
    ),
    Method(
        "MultiLabelForest",
        leave_one_out(
            lambda half: MultiLabelForest(
                categorical_features=categories(half), random_state=SEED
            ),
            "oob_scores_",
        ),
    ),
    Method(
        "logistic regression", out_of_fold(lambda _: logistic_regression(), as_numbers),
        most_entries=4 * MILLION,
    ),
    Method("logistic regression, tuned", tuned_logistic_regression, most_entries=4 * MILLION),
    Method(
        "linear SVM", out_of_fold(lambda _: BinaryRelevance(LinearSVC()), normalized),
        most_entries=4 * MILLION,
    ),
    Method(
        "RBF SVM", out_of_fold(lambda _: BinaryRelevance(SVC()), normalized),
        most_entries=MILLION // 10,
    ),
    Method(
        "random forest",
        out_of_fold(lambda _: RandomForestClassifier(150, random_state=SEED), as_numbers),
        most_entries=MILLION,
    ),
    Method(
        "extra trees", out_of_fold(lambda _: extra_trees(), as_numbers), most_entries=MILLION
    ),
    Method(
        "gradient boosting",
        out_of_fold(boosting, dense),
        most_cells=200 * MILLION,
    ),
    Method(
        "boosted rules", out_of_fold(boomer, as_numbers),
        most_entries=MILLION, package="mlrl",
    ),
    Method(
        "neural network",
        out_of_fold(lambda _: BalancedNetwork(balanced=False, random_state=SEED), normalized),
        most_entries=4 * MILLION, most_cells=2000 * MILLION, package="torch",
    ),
    Method(
        "IBLR", out_of_fold(lambda half: IBLR(categorical_features=categories(half))),
        most_entries=4 * MILLION,
    ),
    Method("MLkNN", out_of_fold(lambda half: MLkNN(categorical_features=categories(half)))),
    Method("BR, C4.5", out_of_fold(trees), most_entries=MILLION),
    Method(
        "COCOA, C4.5",
        out_of_fold(lambda half: COCOA(c45(half), random_state=SEED)),
        most_entries=MILLION // 4,
    ),
    Method(
        "ECCRU3, C4.5",
        out_of_fold(lambda half: ECCRU3(c45(half), random_state=SEED)),
        most_entries=MILLION // 4,
    ),
    Method(
        "logistic regression, weights",
        out_of_fold(lambda _: logistic_regression(class_weight="balanced"), as_numbers),
        WEIGHTS, "logistic regression", 4 * MILLION,
    ),
    Method(
        "linear SVM, weights",
        out_of_fold(lambda _: BinaryRelevance(LinearSVC(class_weight="balanced")), normalized),
        WEIGHTS, "linear SVM", 4 * MILLION,
    ),
    Method(
        "extra trees, weights",
        out_of_fold(lambda _: extra_trees(class_weight="balanced"), as_numbers),
        WEIGHTS, "extra trees", MILLION,
    ),
    Method(
        "neural network, balanced",
        out_of_fold(lambda _: BalancedNetwork(random_state=SEED), normalized),
        WEIGHTS, "neural network", 4 * MILLION, 2000 * MILLION, package="torch",
    ),
    *(resampled(name, sampler) for name, base in BASES.items() for sampler in base.samplers),
    *(
        ensemble(name, sampler)
        for name, base in BASES.items() if base.with_ensembles
        for sampler in base.samplers
    ),
)  # fmt: skip
