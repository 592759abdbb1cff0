"""Summarize a comparison in sentences: what to use, why, and the numbers."""

from __future__ import annotations

from typing import Any

from rarelabels._wording import listed, signed
from rarelabels.comparison._gains import CANNOT_TELL, HELPS, HURTS, NO_RELEVANT_DIFFERENCE
from rarelabels.comparison._label_gains import HIGHER, LOWER

Row = dict[str, Any]
ALPHA = 0.05


def conclusion(summary: dict[str, Any]) -> dict[str, Any]:
    """Return sentences that say which method to use, and why.

    Parameters
    ----------
    summary : dict
        The result of `comparison_summary` without the conclusion.

    Returns
    -------
    dict
        "helps" (bool), "headline" (str) and "details" (list of str).
    """
    others = [row for row in summary["methods"] if row["name"] != summary["baseline"]]
    helps = any(row["verdict"] == HELPS for row in others)
    if not others:
        return {"helps": False, "headline": "There is nothing to compare with.", "details": []}
    used = _row(summary, summary["recommended"])
    is_perfect = _is_perfect(summary, _row(summary, summary["baseline"]))
    details = [
        *(_why_this_one(summary, used) if helps else _why_the_baseline(summary, others)),
        *([] if is_perfect else _beyond(summary)),
        *_equal(summary),
        *_by_verdict(others, [used["name"], *_same_as_baseline(summary)]),
        *([] if is_perfect else _labels(summary, summary["focus"])),
        *_power(summary),
        *_ended_early(summary),
    ]
    return {"helps": helps, "headline": _headline(summary, used, others), "details": details}


def _row(summary: dict[str, Any], name: str) -> Row:
    return next(row for row in summary["methods"] if row["name"] == name)


def _sentence(words: str) -> str:
    """Return words with a capital letter and a period."""
    return f"{words[0].upper()}{words[1:]}."


def _by_gain(rows: Any) -> list[Row]:
    return sorted(rows, key=lambda row: row["gain"], reverse=True)


def _headline(summary: dict[str, Any], used: Row, others: list[Row]) -> str:
    base, metric = _row(summary, summary["baseline"]), summary["metric_title"]
    if used["name"] != summary["baseline"]:
        change = used["gain"] * (-1 if _is_loss(summary) else 1)
        moves = "falls" if _is_loss(summary) else "rises"
        return (
            f"Use {used['name']}: {metric} {moves} from {base['mean']:.3f} to {used['mean']:.3f} "
            f"({signed(change)})."
        )
    if _is_perfect(summary, base):
        best = _perfect(summary)
        return (
            f"Use the {_alone(summary)}: it is perfect here, with a {metric} of {best} on every "
            "fold."
        )
    if all(row["verdict"] == HURTS for row in others):
        return f"Use the {_alone(summary)}: every other method makes the {metric} worse."
    if any(row["verdict"] == CANNOT_TELL for row in others):
        return (
            f"Use the {_alone(summary)}: this run cannot show that any other method has a better "
            f"{metric}."
        )
    moves = "lowers" if _is_loss(summary) else "raises"
    return (
        f"Use the {_alone(summary)}: no other method {moves} the {metric} by more than "
        f"{summary['margin']:g}."
    )


def _alone(summary: dict[str, Any]) -> str:
    """Return the name of the baseline for use in a sentence."""
    name = str(summary["baseline"])
    return name if name == "model alone" else f"baseline, {name}"


def _is_loss(summary: dict[str, Any]) -> bool:
    """Whether lower scores are better."""
    return bool(summary["lower_is_better"])


def _perfect(summary: dict[str, Any]) -> int:
    return 0 if _is_loss(summary) else 1


def _better(summary: dict[str, Any]) -> str:
    """Return what a better mean is."""
    return "lower" if _is_loss(summary) else "higher"


def _best(summary: dict[str, Any]) -> str:
    """Return what the best mean is."""
    return "lowest" if _is_loss(summary) else "highest"


def _is_perfect(summary: dict[str, Any], row: Row) -> bool:
    return all(score == _perfect(summary) for score in row["scores"])


def _why_this_one(summary: dict[str, Any], used: Row) -> list[str]:
    """State the certainty of the gain, and why a method with a higher mean is not recommended."""
    lines = [
        f"The gain is clear: it lies between {signed(used['low'])} and {signed(used['high'])} "
        f"(95 % interval, p = {used['p_value']:.2g}, both corrected for the number of methods)."
    ]
    if not used["is_relevant"]:
        lines.append(f"It may be smaller than {summary['margin']:g}, though.")
    best = _by_gain(summary["methods"])[0]
    if best["gain"] > used["gain"]:
        seen = f"{best['name']} has the {_best(summary)} mean, {best['mean']:.3f}"
        if best["verdict"] == HELPS:
            but = f"it is not clearly better than {used['name']}, which is simpler"
        else:
            # It may be the simpler one, but varies more from fold to fold.
            but = f"its gain over {summary['baseline']!r} is not clear; more folds may show it"
        lines.append(_sentence(f"{seen}, but {but}"))
    return lines


def _why_the_baseline(summary: dict[str, Any], others: list[Row]) -> list[str]:
    """Describe the best of the other methods, and what this run could have shown."""
    best = _by_gain(others)[0]
    if _is_perfect(summary, _row(summary, summary["baseline"])):
        return []
    if best["gain"] <= 0:
        return [f"No other method has a {_better(summary)} mean."]
    change, where = (-best["gain"], "below") if _is_loss(summary) else (best["gain"], "above")
    lead = (
        f"{best['name']} has the {_best(summary)} mean, {signed(change)} {where} "
        f"{summary['baseline']!r}"
    )
    if best["p_value"] is None or best["p_value"] != best["p_value"]:
        return [
            _sentence(
                f"{lead}, but a single fold does not show how much means vary; use more folds"
            )
        ]
    between = f"The true difference is probably between {signed(best['low'])} and "
    but = f"but this may be chance. {between}{signed(best['high'])} (95 % interval)"
    lines = [_sentence(f"{lead}, {but}")]
    if best["verdict"] == CANNOT_TELL:
        lines.append(best["what_it_would_take"])
    return lines


def _equal(summary: dict[str, Any]) -> list[str]:
    """Name the methods with the same scores as the baseline on every fold, and a reason."""
    base, same = _row(summary, summary["baseline"]), _same_as_baseline(summary)
    if not same or _is_perfect(summary, base):
        return []
    have = "has" if len(same) == 1 else "have"
    reason = (
        "Thresholds change nothing if a model scores samples by 0 or 1 only, as a fully grown tree "
        "does."
        if any("threshold" in name for name in same)
        else "A sampler changes nothing if no label is rarer than the others, as with one label."
    )
    lead = _sentence(f"{listed(same)} {have} exactly the scores of {base['name']!r} on every fold")
    return [f"{lead} {reason}"]


def _same_as_baseline(summary: dict[str, Any]) -> list[str]:
    base = _row(summary, summary["baseline"])
    return [
        row["name"]
        for row in summary["methods"]
        if row["name"] != base["name"] and row["equals_baseline"]
    ]


def _by_verdict(others: list[Row], already_named: list[str]) -> list[str]:
    """List the other methods by verdict."""
    phrases = {
        HELPS: ("also helps", "also help"),
        NO_RELEVANT_DIFFERENCE: ("makes no relevant difference", "make no relevant difference"),
        CANNOT_TELL: (
            "may help or hurt; this run cannot tell", "may help or hurt; this run cannot tell",
        ),
        HURTS: ("makes it worse", "make it worse"),
    }  # fmt: skip
    lines = []
    for verdict, (one, several) in phrases.items():
        names = [
            row["name"]
            for row in _by_gain(others)
            if row["verdict"] == verdict and row["name"] not in already_named
        ]
        if names:
            lines.append(_sentence(f"{listed(names)} {one if len(names) == 1 else several}"))
    return lines


def _beyond(summary: dict[str, Any]) -> list[str]:
    """State whether sampling is better than the best method without sampling."""
    beyond = summary["beyond"]
    if beyond is None or beyond["p_value"] != beyond["p_value"]:
        return []
    is_clear, is_higher = beyond["p_value"] <= ALPHA, beyond["gain"] > 0
    if is_clear:
        answer, how = (
            ("helps", "clearly better") if is_higher else ("does not help", "clearly worse")
        )
    elif beyond["high"] <= summary["margin"]:
        answer, how = "does not help", "not better"
    else:
        answer, how = "is not shown to help", "not clearly better"
    return [
        f"Sampling {answer}: the best method with it, {beyond['method']}, is {how} than the best "
        f"one without it, {beyond['rival']}. The difference is {signed(beyond['gain'])}, between "
        f"{signed(beyond['low'])} and {signed(beyond['high'])}."
    ]


def _labels(summary: dict[str, Any], method: str | None) -> list[str]:
    """Name the labels with clear gains or losses, and summarize those with few positives."""
    tests = summary["label_tests"].get(method)
    if tests is None or method is None or len(summary["labels"]) == 1:
        return []
    known = [gain for gain in summary["gains"][method] if gain == gain]
    judged = [place for place, low in enumerate(tests["low"]) if low == low]
    higher = [place for place in judged if tests["verdict"][place] == HIGHER]
    lower = [place for place in judged if tests["verdict"][place] == LOWER]
    lead = (
        f"With {method}, {sum(gain > 0 for gain in known)} of {len(known)} labels have a "
        f"{_better(summary)} mean"
    )
    # Verdicts are on gains, so "higher" is better.
    words = ("lower", "higher") if _is_loss(summary) else ("higher", "lower")
    clear = [*_named(words[0], higher, summary), *_named(words[1], lower, summary)]
    each = f"clearly {'; '.join(clear)}" if clear else "no single label is clearly better or worse"
    return [f"{lead}; {each}.", *_rare_labels(summary["rare_labels"], method)]


def _named(word: str, places: list[int], summary: dict[str, Any]) -> list[str]:
    names = [repr(summary["labels"][place]) for place in places]
    shown = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more"]
    return [f"{word}: {listed(shown)}"] if shown else []


def _rare_labels(rare: dict[str, Any] | None, method: str) -> list[str]:
    row = rare["methods"].get(method) if rare else None
    if rare is None or row is None:
        return []
    one = rare["n_labels"] == 1
    lead = (
        f"{rare['n_labels']} {'label has' if one else 'labels have'} fewer than {rare['fewest']} "
        f"positive samples, too few to judge {'it' if one else 'each'} alone"
    )
    return [
        f"{lead}; {'its' if one else 'their'} mean changes by {signed(row['gain'])}, between "
        f"{signed(row['low'])} and {signed(row['high'])}: {row['verdict']}."
    ]


def _power(summary: dict[str, Any]) -> list[str]:
    if summary["n_splits"] != 2 or summary["n_folds"] < 2:
        return []
    return [
        "With two folds, models learn from half of the data and small gains are missed; 5x5 folds "
        "show more."
    ]


def _ended_early(summary: dict[str, Any]) -> list[str]:
    """Name the methods that have fewer folds than the baseline."""
    by_count: dict[int, list[str]] = {}
    for row in summary["methods"]:
        if row["n_folds"] < summary["n_folds"]:
            by_count.setdefault(row["n_folds"], []).append(row["name"])
    if not by_count:
        return []
    ended = listed([f"{listed(names)} on {n} folds" for n, names in sorted(by_count.items())])
    return [f"These methods were run on fewer than {summary['n_folds']} folds: {ended}."]
