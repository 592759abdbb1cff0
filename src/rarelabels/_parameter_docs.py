"""The one place that describes parameters that many public functions and classes share.

A docstring holds the names of such parameters in braces, alone on a line, as `{sample_weight}` or
`{y_true, y_pred}`. The decorator `shared_parameters` replaces the line by their types and
descriptions, so that `help` and the documentation show them in full.
"""

from __future__ import annotations

import re
import textwrap
from typing import TypeVar

from rarelabels._distances import DISTANCES
from rarelabels._engines import ENGINES
from rarelabels._formats import FORMATS

T = TypeVar("T")

PLACEHOLDER = re.compile(r"^([ \t]*)\{([A-Za-z_][\w ,]*)\}$", re.MULTILINE)


def _described(text: str) -> str:
    """Return a description as lines below the name of a parameter."""
    indent = "    "
    return textwrap.fill(text, width=92, initial_indent=indent, subsequent_indent=indent)


def _choices(names: list[str]) -> str:
    """Return names as numpydoc has them."""
    return "{" + ", ".join(f'"{name}"' for name in names) + "}"


DISTANCE_NAMES = _choices([one.name for one in DISTANCES])
ENGINE_NAMES = _choices([one.name for one in ENGINES])
FORMAT_NAMES = ", ".join(
    f"``{one.name}`` ({', '.join(f'``{suffix}``' for suffix in one.suffixes)})" for one in FORMATS
)
ABOUT_DISTANCES = _described(
    "The distance between samples. " + " ".join(f'"{one.name}" {one.details}' for one in DISTANCES)
)
ABOUT_ENGINES = _described(
    "Where jobs run. "
    + " ".join(f'"{one.name}": {one.place}.' for one in ENGINES)
    + f' By default the plan\'s engine, or "{ENGINES[0].name}".'
)
ABOUT_FORMATS = _described(
    f"The name of the format: {FORMAT_NAMES}. By default, it is chosen by the suffix of the file, "
    "and to read also by its content."
)

# By what is between the braces. Words behind the names tell entries of the same names apart.
ENTRIES = {
    "X": """
X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
    The features.
""",
    "X, or a Dask collection": """
X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
    The features. A Dask array or dataframe is accepted too.
""",
    "y": """
y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
    The labels, 0 or 1.
""",
    "y, or label sets": """
y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
    The labels, 0 or 1, or a list of the names that each sample has.
""",
    "y, or label sets, perhaps unknown": """
y : array-like, sparse matrix or dataframe of shape (n_samples, n_labels), or label sets
    The labels, 0 or 1, or a list of the names that each sample has; NaN, None or NA for
    unknown labels if `allow_missing_labels` is True.
""",
    "y_true": """
y_true : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
    The true labels, 0 or 1.
""",
    "y_true, y_pred": """
y_true, y_pred : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
    The true and the predicted labels, 0 or 1.
""",
    "y_score": """
y_score : array-like or dataframe of shape (n_samples, n_labels)
    Scores, probabilities or votes: higher means more likely.
""",
    "y_score, or sparse": """
y_score : array-like, sparse matrix or dataframe of shape (n_samples, n_labels)
    Scores, probabilities or votes: higher means more likely. What a sparse matrix does not
    store is ranked below all that it stores.
""",
    "sample_weight": """
sample_weight : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
    Weights of the samples, or of each sample and label.
""",
    "allow_missing_labels": """
allow_missing_labels : bool, default=False
    Whether NaN in y marks an unknown label, which is left out of counts and comparisons. If
    False, NaN in y is an error.
""",
    "allow_missing_labels, in y_true": """
allow_missing_labels : bool, default=False
    Whether `y_true` may hold NaN for labels that are not known. Such entries do not count.
""",
    "allow_missing_labels, in folds": """
allow_missing_labels : bool, default=False
    Whether `y` may have NaN for unknown labels. The known positives and the known negatives
    of each label are spread, and unknown entries are ignored.
""",
    "format": f"""
format : str, optional
{ABOUT_FORMATS}
""",
    "engine": f"""
engine : {ENGINE_NAMES}, address or distributed.Client, default=None
{ABOUT_ENGINES}
""",
    "engine, of a plan": f"""
engine : {ENGINE_NAMES} or None
    The name of an engine of :func:`run`, unless :func:`run` is given another. Only :func:`run`
    takes the address of a Dask scheduler: what connects to one runs what it sends.
""",
    "metric": f"""
metric : {DISTANCE_NAMES}, default="{DISTANCES[0].name}"
{ABOUT_DISTANCES}
""",
    "n_neighbors": """
n_neighbors : int, default=5
    Number of neighbors of each sample.
""",
    "scale_features, categorical_features, metric, neighbors, n_jobs": f"""
scale_features : bool, default=True
    Whether to rescale every numeric feature to [0, 1] first. This and the following parameters
    are described in full at :func:`rarelabels.find_neighbors`.
categorical_features : "auto", mask, indices, names or None, default="auto"
    Features with categories, which add 1 to the squared distance where they differ. "auto":
    by the dtypes of a dataframe.
metric : {DISTANCE_NAMES}, default="{DISTANCES[0].name}"
    The distance between samples.
neighbors : "approximate", search or Neighbors, default=None
    Another search for neighbors, or neighbors that were searched before.
n_jobs : int, default=None
    Number of threads of the search. The result does not depend on it.
""",
    "n_jobs": """
n_jobs : int, default=None
    Number of threads. The result does not depend on it.
""",
    "n_jobs, ignored": """
n_jobs : int, default=None
    Ignored: nothing runs in parallel.
""",
    "random_state": """
random_state : int, RandomState, Generator or None, default=None
    Seed of the random draws. The same seed gives the same result for any `n_jobs`.
""",
    "random_state, ignored": """
random_state : int, RandomState, Generator or None, default=None
    Ignored: nothing is drawn at random.
""",
    "sample_indices_, kept": """
sample_indices_ : ndarray of shape (n_samples_new,)
    Indices of the input samples that were kept, in their order.
""",
    "sample_indices_, then clones": """
sample_indices_ : ndarray of shape (n_samples_new,)
    Index of the input sample that each output sample is: first all input samples in their
    order, then the clones.
""",
    "sample_indices_, then synthetic": """
sample_indices_ : ndarray of shape (n_samples_new,)
    Index of the input sample that each output sample is; for a synthetic sample, its seed.
""",
    "is_synthetic_": """
is_synthetic_ : ndarray of bool of shape (n_samples_new,)
    Which samples are synthetic.
""",
    "is_synthetic_, never": """
is_synthetic_ : ndarray of bool of shape (n_samples_new,)
    Always False.
""",
    "is_synthetic_, not clones": """
is_synthetic_ : ndarray of bool of shape (n_samples_new,)
    Always False: a clone is not synthetic.
""",
    "n_features_in_, n_labels_in_, feature_names_in_": """
n_features_in_, n_labels_in_ : int
    Number of columns of X and of y.
feature_names_in_ : ndarray of str
    Names of the columns of X, if they are strings.
""",
    "classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_": """
classes_, n_features_in_, n_labels_in_, feature_names_in_, label_names_in_
    As in :class:`rarelabels.learners.MultiLabelClassifier`.
""",
}


def shared_parameters(thing: T) -> T:
    """Describe the parameters that are in braces in the docstring of a function or class.

    >>> from rarelabels.metrics import hamming_loss
    >>> "sample_weight : array-like" in hamming_loss.__doc__
    True
    """
    # Without docstrings, as with python -OO, there is nothing to do.
    if thing.__doc__:
        thing.__doc__ = PLACEHOLDER.sub(_entry, thing.__doc__)
    return thing


def _entry(match: re.Match[str]) -> str:
    """Return the lines that replace a placeholder, with its indent."""
    indent, names = match.groups()
    return "\n".join(indent + line for line in ENTRIES[names].strip().splitlines())
