"""From measures to a plan: what to do about the labels of a data set, and why.

Each rule is a record: when it applies, to which labels, what to do and why. Its thresholds are the
constants below; the guide writes them down. A rule that nothing was measured for is not here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._wording import listed, percent

# With fewer positives one of five folds has two of them or less.
TOO_RARE = 10
# With fewer positives a label's gain is not judged by itself.
FEW = 20
EASY_SHARE = 0.7
# Of the samples: a label whose rarer class has more of them is not rare.
RARE_SHARE = 0.3
HARD_SHARE = 0.5
OUTLIER_SHARE = 0.5
HIGH_SCUMBLE = 0.1
CONFLICT_SHARE = 0.01
SMALL = 0.5
MOST_NAMED = 4

# What the study of this package found so far; a test holds it against the study's results.
BORDER_EVIDENCE = (
    "In the study an ensemble over MLSOL raised macro-F1 on nine of ten pairs of data set and "
    "learner, by 0.05 on average; MLSOL alone by 0.01. Ensembles over other samplers did about as "
    "well, and learners with thresholds of their own gained 0.01: much of it is the thresholds, "
    "which gave logistic regression 0.10 without any sampler, and no sampler more than 0.01 beyond"
)
SCUMBLE_EVIDENCE = (
    "On the study's data sets with so much of it MLSOL was ahead of MLROS on seven of ten pairs "
    "of data set and learner, by little: binary relevance gained 0.012 macro-F1 by MLSOL, 0.007 by "
    "MLROS, and lost 0.07 where REMEDIAL split the samples"
)
# Measured by benchmarks/embedding_gains.py.
EMBEDDINGS_EVIDENCE = (
    "On embeddings of bibtex, enron and medical, macro-F1 of MLkNN after MLSOL was higher by "
    "0.010, 0.030 and 0.012 with cosine than with rescaled features"
)
EASY_EVIDENCE = (
    "On 16 such labels of genbase, medical and scene MLROS and MLSOL left the F1 of trees as it "
    "was, and an ensemble over MLSOL raised it by 0.01, that of harder labels by 0.04"
)


@dataclass(frozen=True)
class Advice:
    """One step of the plan.

    Attributes
    ----------
    topic : str
        What it is about, in a few words.
    labels : tuple of int
        The labels that it concerns, those it concerns most first; empty where it is the whole data.
    what : str
        What to do.
    why : str
        What was measured here, and what is known of such data.
    code : str
        Python to copy, or "".
    command : str
        The same as a command, where DATA is the data set, or "".

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
    """What the rules use: the labels' table, the summary, and facts about the samples."""

    labels: Array
    summary: dict[str, Any]
    n_conflicting: int
    are_embeddings: bool = False

    @property
    def minority(self) -> Array:
        """Samples of each label's rarer class."""
        counts, n = self.labels["count"], self.summary["n_samples"]
        return np.where(self.labels["minority_class"] == 1, counts, n - counts)

    def names(self, places: Array) -> str:
        """Name some labels, the first of them."""
        shown = [repr(str(self.labels["label"][j])) for j in places[:MOST_NAMED]]
        more = len(places) - len(shown)
        return listed([*shown, f"{more} more"] if more else shown)


Rule = Callable[[Measured], Advice | None]


def advise(measured: Measured) -> tuple[Advice, ...]:
    """Return the steps that apply, what spoils every method first."""
    found = (rule(measured) for rule in RULES)
    return tuple(step for step in found if step is not None)


def _conflicts(measured: Measured) -> Advice | None:
    n, share = measured.n_conflicting, measured.n_conflicting / measured.summary["n_samples"]
    if share < CONFLICT_SHARE:
        return None
    return Advice(
        "equal samples, other labels", (),
        "look at them: add features that tell them apart, or correct their labels",
        f"{n} samples ({percent(share)}) equal others in every feature and not in their labels; no "
        "classifier can be right on all of them, and cloning repeats the conflict",
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
        "labels that the features do not tell", tuple(places.tolist()),
        f"check features and labelling of {measured.names(places)} before any sampling",
        f"at least {percent(OUTLIER_SHARE)} of their samples have no neighbor of their own class",
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
        f"collect more of {measured.names(places)}, merge them with others, or leave them out",
        f"under {TOO_RARE} samples of their rarer class: one of five folds holds two of them or "
        "less, and no score of theirs can be trusted",
        f"y, kept = drop_rare_labels(y, min_positive={TOO_RARE})",
        "rarelabels compare DATA --drop-label NAME,NAME",
    )  # fmt: skip


def _small(measured: Measured) -> Advice | None:
    share = float((measured.minority < FEW).mean())
    if share < SMALL:
        return None
    return Advice(
        "a small table for its labels", (),
        "judge methods by the mean over labels, and more samples before more methods",
        f"{percent(share)} of the labels have under {FEW} samples of their rarer class, too few to "
        "judge a label by itself",
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
        "rare labels in the company of frequent ones", (),
        "prefer synthetic samples (MLSOL) to clones of whole samples (MLROS), and do not split "
        "samples (REMEDIAL)",
        f"SCUMBLE is {value:.2f}; from {HIGH_SCUMBLE:g} on, cloning a sample of a rare label adds "
        f"to frequent ones as well. {SCUMBLE_EVIDENCE}",
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
        f"leave {measured.names(places)} alone",
        f"at most {percent(RARE_SHARE)} of the samples are of their rarer class, yet at least "
        f"{percent(EASY_SHARE)} of these lie among their own. {EASY_EVIDENCE}",
    )  # fmt: skip


def _find_out(measured: Measured) -> Advice | None:
    return Advice(
        "find out", (),
        "compare on your data with your model",
        "what helps depends on the model as much as on the data",
        "does_sampling_help(X, y, model)",
        "rarelabels compare DATA",
    )  # fmt: skip


# In this order: first what no method can mend, then what may help, last what needs nothing.
RULES: tuple[Rule, ...] = (
    _conflicts, _embeddings, _outliers, _too_rare, _small, _borderline, _scumble, _easy, _find_out,
)  # fmt: skip
