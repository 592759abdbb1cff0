"""Decide which classes and parameters a plan or a store may name.

A plan, a store or a packed store may come from somebody else. It names classes and parameters, and
nothing in it may run code that the caller did not ask for. Three rules hold this:

- A class is imported only if its full name is on a list, or if the caller trusts its package.
- A parameter that names a path, a cache or a callable is refused, at any depth.
- A value is a number, a text or a list of them. No text is ever looked up as code.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

# Classifiers, transformers and pipelines of scikit-learn, by the public module they are in. Left
# out are FunctionTransformer, which calls a function, and the vectorizers of texts, which can read
# the files that the data names.
SKLEARN = {
    "calibration": "CalibratedClassifierCV",
    "cluster": "Birch BisectingKMeans FeatureAgglomeration KMeans MiniBatchKMeans",
    "compose": "ColumnTransformer",
    "cross_decomposition": "CCA PLSCanonical PLSRegression PLSSVD",
    "decomposition": "DictionaryLearning FactorAnalysis FastICA IncrementalPCA KernelPCA "
    "LatentDirichletAllocation MiniBatchDictionaryLearning MiniBatchNMF MiniBatchSparsePCA NMF "
    "PCA SparseCoder SparsePCA TruncatedSVD",
    "discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "dummy": "DummyClassifier",
    "ensemble": "AdaBoostClassifier BaggingClassifier ExtraTreesClassifier "
    "GradientBoostingClassifier HistGradientBoostingClassifier RandomForestClassifier "
    "RandomTreesEmbedding StackingClassifier VotingClassifier",
    "feature_selection": "GenericUnivariateSelect RFE RFECV SelectFdr SelectFpr SelectFromModel "
    "SelectFwe SelectKBest SelectPercentile SequentialFeatureSelector VarianceThreshold",
    "gaussian_process": "GaussianProcessClassifier",
    "impute": "KNNImputer MissingIndicator SimpleImputer",
    "kernel_approximation": "AdditiveChi2Sampler Nystroem PolynomialCountSketch RBFSampler "
    "SkewedChi2Sampler",
    "linear_model": "LogisticRegression LogisticRegressionCV PassiveAggressiveClassifier "
    "Perceptron RidgeClassifier RidgeClassifierCV SGDClassifier",
    "manifold": "Isomap LocallyLinearEmbedding",
    "model_selection": "FixedThresholdClassifier TunedThresholdClassifierCV",
    "multiclass": "OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier",
    "multioutput": "ClassifierChain MultiOutputClassifier",
    "naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "neighbors": "KNeighborsClassifier KNeighborsTransformer NearestCentroid "
    "NeighborhoodComponentsAnalysis RadiusNeighborsClassifier RadiusNeighborsTransformer",
    "neural_network": "BernoulliRBM MLPClassifier",
    "pipeline": "FeatureUnion Pipeline",
    "preprocessing": "Binarizer KBinsDiscretizer KernelCenterer MaxAbsScaler MinMaxScaler "
    "Normalizer OneHotEncoder OrdinalEncoder PolynomialFeatures PowerTransformer "
    "QuantileTransformer RobustScaler SplineTransformer StandardScaler TargetEncoder",
    "random_projection": "GaussianRandomProjection SparseRandomProjection",
    "semi_supervised": "LabelPropagation LabelSpreading SelfTrainingClassifier",
    "svm": "LinearSVC NuSVC SVC",
    "tree": "DecisionTreeClassifier ExtraTreeClassifier",
}
# Of this package, everything that these modules export and that is a classifier.
MODULES = ("rarelabels.ensemble", "rarelabels.learners", "rarelabels.trees")
GROUPS = ("rarelabels.learners", "rarelabels.samplers")

# A parameter whose name has one of these words is refused unless it is None.
REFUSED_WORDS = {
    "address", "backend", "cachedir", "callable", "callback", "client", "cmd", "command",
    "connection", "dir", "directory", "exec", "executable", "file", "filename", "files",
    "folder", "func", "handler", "hook", "host", "import", "loader", "location", "logger",
    "memory", "module", "path", "paths", "pickle", "port", "preprocessor", "script", "server",
    "socket", "tokenizer", "uri", "url",
}  # fmt: skip
# A cache may have a size, but neither a place nor a class.
NUMBERS_ONLY = {"cache", "caching"}
# Names of columns and classes are free; any other text with these characters could be a path.
FREE_WORDS = {"categorical", "categories", "classes", "columns", "features", "labels", "names"}
OF_PATHS = re.compile(r"[/\\~:\x00-\x1f\x7f]|^\.\.?$")


def listed_classes() -> frozenset[str]:
    """Return the full names of all scikit-learn classes that a plan may name."""
    return frozenset(
        f"sklearn.{module}.{name}" for module, names in SKLEARN.items() for name in names.split()
    )


def allowed_estimator(path: str, trusted: Collection[str] = ()) -> Any:
    """Return the estimator class ``package.module.Name`` if a plan may name it.

    Allowed are the scikit-learn classes on the list, the classifiers of this package, the classes
    that other packages add to this one by an entry point, and all estimators of packages that the
    caller trusts. The name is checked before anything is imported.

    Parameters
    ----------
    path : str
        The class, as a plan names it.
    trusted : collection of str
        Packages that the caller trusts.

    Raises
    ------
    ValueError
        For any other name.
    """
    if not isinstance(path, str):
        raise ValueError(f"an estimator must be the full name of a class, got {path!r}.")
    module, _, name = path.rpartition(".")
    if not _may_be_imported(path, module, name, trusted):
        raise ValueError(_refusal(path, module))
    try:
        estimator = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"there is no {path!r} ({error}); name a class like "
            "'sklearn.linear_model.LogisticRegression'."
        ) from error
    if not _is_estimator(estimator):
        raise ValueError(f"{path!r} is not an estimator: a class with fit, as scikit-learn's are.")
    return estimator


def check_params(params: Iterable[tuple[str, Any]], what: str) -> dict[str, Any]:
    """Return parameters as a dict; refuse those that name a path, a cache or a callable.

    Parameters
    ----------
    params : iterable of (str, value) pairs
        Names may be nested, as in ``estimator__memory``.
    what : str
        Whose parameters they are, for the error.

    Raises
    ------
    ValueError
        For a parameter that no plan or store may set.

    Examples
    --------
    >>> check_params([("n_neighbors", 5), ("metric", "cosine")], "a learner")
    {'n_neighbors': 5, 'metric': 'cosine'}
    >>> check_params([("estimator__memory", "cache")], "a learner")
    Traceback (most recent call last):
    ...
    ValueError: a learner may not have estimator__memory='cache' in a plan or a store: ...
    """
    checked = dict(params)
    for name, value in checked.items():
        if not isinstance(name, str) or not _is_harmless(name, value):
            raise ValueError(
                f"{what} may not have {name}={value!r} in a plan or a store: it could name a path, "
                "a cache or a function. Make the estimator in Python and pass it to "
                "does_sampling_help."
            )
    return checked


def _is_harmless(name: str, value: Any) -> bool:
    if value is None:
        return True
    words = set(re.split(r"[^a-z0-9]+", name.lower()))
    if words & REFUSED_WORDS:
        return False
    is_number = isinstance(value, (bool, int, float))
    if words & NUMBERS_ONLY:
        return is_number
    return is_number or _is_harmless_value(value, is_free=bool(words & FREE_WORDS))


def _is_harmless_value(value: Any, *, is_free: bool) -> bool:
    """Whether a value is plain and, unless the names of columns are meant, not like a path."""
    if isinstance(value, (list, tuple)):
        return all(_is_harmless_value(item, is_free=is_free) for item in value)
    if isinstance(value, str):
        return is_free or OF_PATHS.search(value) is None
    return value is None or isinstance(value, (bool, int, float))


def _may_be_imported(path: str, module: str, name: str, trusted: Collection[str]) -> bool:
    """Whether a class may be imported: by its name alone, before anything is."""
    parts = module.split(".")
    if not all(part.isidentifier() for part in (*parts, name)):
        return False
    if path in listed_classes() or path in classes_of_entry_points():
        return True
    if module in MODULES:
        return not name.startswith("_")
    # A package's __main__ is a program, not a module with classes.
    return parts[0] in trusted and "__main__" not in parts


def _refusal(path: str, module: str) -> str:
    if module.partition(".")[0] in ("rarelabels", "sklearn"):
        return (
            f"{path!r} is not on the list of classes that a plan may name: classifiers, "
            "transformers and pipelines of scikit-learn and this package by their public names, "
            "such as 'sklearn.linear_model.LogisticRegression'."
        )
    return (
        f"{path!r} is not of a trusted package; name its package in trusted= (or --trust) if you "
        "trust it and this plan."
    )


def classes_of_entry_points() -> frozenset[str]:
    """Return the full names of the classes that other packages add to this one."""
    points = (point for group in GROUPS for point in entry_points(group=group))
    return frozenset(point.value.split("[")[0].strip().replace(":", ".") for point in points)


def _is_estimator(estimator: Any) -> bool:
    from sklearn.base import BaseEstimator

    return (
        isinstance(estimator, type)
        and issubclass(estimator, BaseEstimator)
        and hasattr(estimator, "fit")
    )
