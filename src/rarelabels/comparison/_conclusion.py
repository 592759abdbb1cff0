"""The conclusion of a comparison in plain words."""

from __future__ import annotations

from typing import Any

from rarelabels._wording import listed, signed
from rarelabels.comparison._gains import CANNOT_TELL, HELPS, HURTS
from rarelabels.comparison._label_gains import HIGHER, LOWER


def conclusion(found: dict[str, Any]) -> dict[str, Any]:
    """Return which methods help, that none does or that the run cannot tell, as sentences.

    Parameters
    ----------
    found : dict
        As `comparison_summary` has it, without the conclusion.

    Returns
    -------
    dict
        "helps" (bool), "headline" and "details", sentences.
    """
    others = [row for row in found["methods"] if row["name"] != found["baseline"]]
    better = _by_gain(row for row in others if row["verdict"] == HELPS)
    worse = _by_gain(row for row in others if row["verdict"] == HURTS)
    headline = _helps(better, found) if better else _none_helps(found, others)
    open_ones = [row for row in others if row["verdict"] == CANNOT_TELL]
    shown = _by_gain(better or open_ones or others)[:1]
    details = [
        *(_interval(row) for row in better[:1]),
        *_also_open(others, open_ones, better),
        *_harm(worse),
        *_beyond(found["beyond"], found["metric_title"]),
        *(sentence for row in shown for sentence in _labels(found, row["name"])),
        *_power(found),
    ]
    return {"helps": bool(better), "headline": headline, "details": details}


def _by_gain(rows: Any) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: row["gain"], reverse=True)


def _helps(better: list[dict[str, Any]], found: dict[str, Any]) -> str:
    best = better[0]
    base = next(row for row in found["methods"] if row["name"] == found["baseline"])
    amount = " by a relevant amount" if best["is_relevant"] else ""
    also = f" So do {listed([row['name'] for row in better[1:]])}." if len(better) > 1 else ""
    also = also.replace("So do", "So does") if len(better) == 2 else also
    return (
        f"{best['name']} helps{amount}: {found['metric_title']} goes from {base['mean']:.3f} to "
        f"{best['mean']:.3f} ({signed(best['gain'])}).{also}"
    )


def _none_helps(found: dict[str, Any], others: list[dict[str, Any]]) -> str:
    if not others:
        return "There is nothing to compare with."
    open_ones = _by_gain(row for row in others if row["verdict"] == CANNOT_TELL)
    if open_ones:
        return f"Cannot tell: {_cannot_tell(open_ones[0])}."
    return (
        f"None helps: no method has a {found['metric_title']} above that of "
        f"{found['baseline']!r} by more than {found['margin']:g}."
    )


def _cannot_tell(row: dict[str, Any]) -> str:
    seen = f"{row['name']} {signed(row['gain'])}"
    if row["smallest_detectable"] is None or row["p_value"] != row["p_value"]:
        return f"{seen} on a single fold, which says nothing of spread"
    between = f"between {signed(row['low'])} and {signed(row['high'])}"
    return f"{seen}, {between}; {row['what_it_would_take']}"


def _also_open(
    others: list[dict[str, Any]], open_ones: list[dict[str, Any]], better: list[dict[str, Any]]
) -> list[str]:
    """Name the methods beyond the headline's that may help, or say that no mean is higher."""
    if others and max(row["gain"] for row in others) <= 0:
        return ["No method has a higher mean."]
    named = [row["name"] for row in _by_gain(open_ones)][0 if better else 1 :]
    return [f"{listed(named)} may help or hurt: the run cannot tell."] if named else []


def _interval(row: dict[str, Any]) -> str:
    return (
        f"The gain of {row['name']} lies between {signed(row['low'])} and {signed(row['high'])} "
        f"(95 % interval, p = {row['p_value']:.2g}; both corrected for the number of methods). The "
        f"probability that it exceeds the margin is {row['probability_helps']:.2f}."
    )


def _harm(worse: list[dict[str, Any]]) -> list[str]:
    if not worse:
        return []
    does = "hurts" if len(worse) == 1 else "hurt"
    return [f"{listed([row['name'] for row in worse])} {does}."]


def _beyond(found: dict[str, Any] | None, metric: str) -> list[str]:
    """Say whether sampling does more than the best method without it."""
    if found is None or found["p_value"] != found["p_value"]:
        return []
    sure = "clearly " if found["p_value"] <= 0.05 else "not clearly "
    than = "above" if found["gain"] > 0 else "below"
    return [
        f"Against {found['rival']}, which need no sampling, the {metric} of {found['method']} is "
        f"{sure}{than}: {signed(found['gain'])}, between {signed(found['low'])} and "
        f"{signed(found['high'])} (this one comparison, not corrected)."
    ]


def _labels(found: dict[str, Any], method: str) -> list[str]:
    """Say which labels gain or lose clearly, and how those with few positives do together."""
    tests = found["label_tests"].get(method)
    if tests is None:
        return []
    known = [gain for gain in found["gains"][method] if gain == gain]
    judged = [place for place, low in enumerate(tests["low"]) if low == low]
    higher = [place for place in judged if tests["verdict"][place] == HIGHER]
    lower = [place for place in judged if tests["verdict"][place] == LOWER]
    lead = (
        f"With {method}, {sum(gain > 0 for gain in known)} of {len(known)} labels have a higher "
        "mean"
    )
    clear = [*_named("higher", higher, found), *_named("lower", lower, found)]
    each = f"clear by itself: {'; '.join(clear)}" if clear else "none is clear by itself"
    return [f"{lead}; {each}.", *_rare_labels(found["rare_labels"], method)]


def _named(word: str, places: list[int], found: dict[str, Any]) -> list[str]:
    names = [repr(found["labels"][place]) for place in places]
    shown = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more"]
    return [f"{word} {listed(shown)}"] if shown else []


def _rare_labels(rare: dict[str, Any] | None, method: str) -> list[str]:
    row = rare["methods"].get(method) if rare else None
    if rare is None or row is None:
        return []
    one = rare["n_labels"] == 1
    lead = (
        f"{rare['n_labels']} {'label has' if one else 'labels have'} under {rare['fewest']} "
        f"positives, too few to judge {'it' if one else 'each'}"
    )
    return [
        f"{lead}; their mean changes by {signed(row['gain'])}, between {signed(row['low'])} and "
        f"{signed(row['high'])}: {row['verdict']}."
    ]


def _power(found: dict[str, Any]) -> list[str]:
    if found["n_splits"] != 2 or found["n_folds"] < 2:
        return []
    return [
        "With two folds the training sets are half of the data and the test is weaker than with "
        "5x5 folds."
    ]
