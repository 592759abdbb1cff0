"""Turn measures into advice: what to do about the labels of a data set, and why.

Each rule states when it applies, to which labels, what to do and why. The thresholds are the
constants below, which the guide documents. Every rule is based on measurements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._wording import listed, percent

# With fewer positives, one of five folds has two of them or fewer.
TOO_RARE = 10
# With fewer positives, the gain of a single label is not assessed.
FEW = 20
EASY_SHARE = 0.7
# A label is not rare if its rarer class has more than this fraction of the samples.
RARE_SHARE = 0.3
HARD_SHARE = 0.5
OUTLIER_SHARE = 0.5
HIGH_SCUMBLE = 0.1
CONFLICT_SHARE = 0.01
SMALL = 0.5
MOST_NAMED = 4

# Results of the study of this package; a test compares them with the stored results.
BORDER_EVIDENCE = (
    "In the study, an ensemble over MLSOL raised macro-F1 for nine of ten pairs of data set and "
    "learner, by 0.05 on average; MLSOL alone by 0.01. Ensembles over other samplers did about as "
    "well, and learners that choose their thresholds gained 0.01. Much of the gain is due to "
    "thresholds: they gave logistic regression 0.12 without any sampler, and no sampler added more "
    "than 0.01 to that"
)
SCUMBLE_EVIDENCE = (
    "On data sets of the study with such values, MLSOL was slightly better than MLROS for seven of "
    "ten pairs of data set and learner: binary relevance gained 0.012 macro-F1 with MLSOL, 0.007 "
    "with MLROS, and lost 0.07 when REMEDIAL split the samples"
)
# Measured by benchmarks/embedding_gains.py.
EMBEDDINGS_EVIDENCE = (
    "On embeddings of bibtex, enron and medical, macro-F1 of MLkNN after MLSOL was higher by "
    "0.010, 0.030 and 0.012 with cosine than with rescaled features"
)
EASY_EVIDENCE = (
    "On 16 such labels of genbase, medical and scene, MLROS and MLSOL did not change the F1 of "
    "trees. An ensemble over MLSOL raised it by 0.01, compared with 0.04 for harder labels"
)


@dataclass(frozen=True)
class Advice:
    """One step of the advice.

    Attributes
    ----------
    topic : str
        Topic of the step, in a few words.
    labels : tuple of int
        The labels concerned, the most affected first; empty if the step concerns all data.
    what : str
        What to do.
    why : str
        What was measured, and what is known about such data.
    code : str
        Python code to copy, or "".
    command : str
        The corresponding shell command, in which DATA is the data set, or "".

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.measures import describe
    >>> X, y = make_local_imbalance(500, 4, difficulty=0.5, random_state=3)
    >>> [step.topic for step in describe(X, y).advice]
    ['labels at a border', 'find out']
    """

    topic: str
    labels: tuple[int, ...]
    what: str
    why: str
    code: str = ""
    command: str = ""

    def __str__(self) -> str:
        return f"{self.topic}: {self.what} ({self.why})"


@dataclass(frozen=True, eq=False)
class Measured:
    """Input of the rules: the table of labels, the summary and properties of the samples."""

    labels: Array
    summary: dict[str, Any]
    n_conflicting: int
    are_embeddings: bool = False

    @property
    def minority(self) -> Array:
        """Number of samples in the rarer class of each label."""
        counts, n = self.labels["count"], self.summary["n_samples"]
        return np.where(self.labels["minority_class"] == 1, counts, n - counts)

    def names(self, places: Array) -> str:
        """Return the names of the first labels and the number of the others."""
        shown = [repr(str(self.labels["label"][j])) for j in places[:MOST_NAMED]]
        more = len(places) - len(shown)
        return listed([*shown, f"{more} more"] if more else shown)


Rule = Callable[[Measured], Advice | None]


def advise(measured: Measured) -> tuple[Advice, ...]:
    """Return the steps that apply, starting with problems that affect every method."""
    steps = (rule(measured) for rule in RULES)
    return tuple(step for step in steps if step is not None)


def _conflicts(measured: Measured) -> Advice | None:
    n, share = measured.n_conflicting, measured.n_conflicting / measured.summary["n_samples"]
    if share < CONFLICT_SHARE:
        return None
    return Advice(
        "equal samples, different labels", (),
        "inspect them: add features that distinguish them, or correct their labels",
        f"{n} samples ({percent(share)}) equal others in every feature but have different labels; "
        "no classifier can predict all of them correctly, and cloning repeats the conflict",
    )  # fmt: skip


def _embeddings(measured: Measured) -> Advice | None:
    is_euclidean = measured.summary.get("metric", "euclidean") == "euclidean"
    if not measured.are_embeddings or not is_euclidean:
        return None
    return Advice(
        "embeddings", (),
        'compare samples by cosine, with metric="cosine" in measures, samplers and MLkNN',
        "every sample has norm 1, as embeddings and tf-idf vectors do, and rescaling each feature "
        f"changes their angles. {EMBEDDINGS_EVIDENCE}",
        'describe(X, y, metric="cosine")',
        "rarelabels describe DATA --metric cosine",
    )  # fmt: skip


def _outliers(measured: Measured) -> Advice | None:
    table = measured.labels
    hit = np.flatnonzero((measured.minority >= FEW) & (table["outlier"] >= OUTLIER_SHARE))
    if not hit.size:
        return None
    places = hit[np.argsort(-table["outlier"][hit], kind="stable")]
    return Advice(
        "labels the features cannot predict", tuple(places.tolist()),
        f"check the features and the labeling of {measured.names(places)} before any sampling",
        f"at least {percent(OUTLIER_SHARE)} of their samples have no neighbor of the same class",
        "label_types(X, y)[:, j] == LabelType.OUTLIER  # which samples",
        "rarelabels describe DATA --report page.html",
    )  # fmt: skip


def _too_rare(measured: Measured) -> Advice | None:
    hit = np.flatnonzero(measured.minority < TOO_RARE)
    if not hit.size:
        return None
    places = hit[np.argsort(measured.minority[hit], kind="stable")]
    return Advice(
        "labels too rare to learn from", tuple(places.tolist()),
        f"collect more samples of {measured.names(places)}, merge them with other labels, or leave "
        "them out",
        f"they have fewer than {TOO_RARE} samples of their rarer class: one of five folds has two "
        "of them or fewer, so their scores are not reliable",
        f"y, kept = drop_rare_labels(y, min_positive={TOO_RARE})",
        "rarelabels compare DATA --drop-label NAME,NAME",
    )  # fmt: skip


def _small(measured: Measured) -> Advice | None:
    share = float((measured.minority < FEW).mean())
    if share < SMALL:
        return None
    return Advice(
        "few samples for these labels", (),
        "compare methods by the mean over labels, and collect samples before trying more methods",
        f"{percent(share)} of the labels have fewer than {FEW} samples of their rarer class, too "
        "few to assess a single label",
    )  # fmt: skip


def _borderline(measured: Measured) -> Advice | None:
    table = measured.labels
    hard = np.nan_to_num(table["borderline"]) + np.nan_to_num(table["rare"])
    is_outlying = table["outlier"] >= OUTLIER_SHARE
    hit = np.flatnonzero((measured.minority >= FEW) & (hard >= HARD_SHARE) & ~is_outlying)
    if not hit.size:
        return None
    places = hit[np.argsort(-hard[hit], kind="stable")]
    return Advice(
        "labels at a border", tuple(places.tolist()),
        f"try thresholds, or an ensemble over MLSOL, for {measured.names(places)}",
        f"at least {percent(HARD_SHARE)} of their samples lie at a border or in small groups. "
        f"{BORDER_EVIDENCE}",
        'ThresholdedClassifier(model)  # or SamplingEnsemble(model, MLSOL())',
        "rarelabels compare DATA --samplers mlsol",
    )  # fmt: skip


def _scumble(measured: Measured) -> Advice | None:
    value = measured.summary["scumble"]
    if not value >= HIGH_SCUMBLE:
        return None
    return Advice(
        "rare labels with frequent ones", (),
        "prefer synthetic samples (MLSOL) to clones of whole samples (MLROS), and do not split "
        "samples (REMEDIAL)",
        f"SCUMBLE is {value:.2f}; if it is {HIGH_SCUMBLE:g} or more, cloning samples of rare "
        f"labels adds to frequent labels as well. {SCUMBLE_EVIDENCE}",
        "MLSOL()",
        "rarelabels resample DATA OUT --sampler mlsol",
    )  # fmt: skip


def _easy(measured: Measured) -> Advice | None:
    n_minority, n_samples = measured.minority, measured.summary["n_samples"]
    is_rare = (n_minority >= FEW) & (n_minority <= RARE_SHARE * n_samples)
    hit = np.flatnonzero(is_rare & (measured.labels["safe"] >= EASY_SHARE))
    if not hit.size:
        return None
    places = hit[np.argsort(n_minority[hit], kind="stable")]
    return Advice(
        "rare but easy", tuple(places.tolist()),
        f"leave {measured.names(places)} unchanged",
        f"at most {percent(RARE_SHARE)} of the samples are in their rarer class, but at least "
        f"{percent(EASY_SHARE)} of these are surrounded by their own class. {EASY_EVIDENCE}",
    )  # fmt: skip


def _find_out(measured: Measured) -> Advice | None:
    return Advice(
        "find out", (),
        "compare methods on your data with your model",
        "what helps depends on the model as much as on the data",
        "does_sampling_help(X, y, model)",
        "rarelabels compare DATA",
    )  # fmt: skip


# Problems that no method can fix come first, then what may help, then labels that need nothing.
RULES: tuple[Rule, ...] = (
    _conflicts, _embeddings, _outliers, _too_rare, _small, _borderline, _scumble, _easy, _find_out,
)  # fmt: skip
