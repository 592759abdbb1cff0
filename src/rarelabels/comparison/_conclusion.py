"""The conclusion of a comparison in plain words: what to use, then why, then the numbers."""

from __future__ import annotations

from typing import Any

from rarelabels._wording import listed, signed
from rarelabels.comparison._gains import CANNOT_TELL, HELPS, HURTS, NO_RELEVANT_DIFFERENCE
from rarelabels.comparison._label_gains import HIGHER, LOWER

Row = dict[str, Any]


def conclusion(found: dict[str, Any]) -> dict[str, Any]:
    """Say which method to use, and why.

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
    helps = any(row["verdict"] == HELPS for row in others)
    if not others:
        return {"helps": False, "headline": "There is nothing to compare with.", "details": []}
    used = _row(found, found["recommended"])
    details = [
        *(_why_this_one(found, used) if helps else _why_the_baseline(found, others)),
        *_equal(found),
        *_by_verdict(others, [used["name"], *_same_as_baseline(found)]),
        *_beyond(found["beyond"]),
        *_labels(found, found["focus"]),
        *_power(found),
        *_ended_early(found),
    ]
    return {"helps": helps, "headline": _headline(found, used, others), "details": details}


def _row(found: dict[str, Any], name: str) -> Row:
    return next(row for row in found["methods"] if row["name"] == name)


def _by_gain(rows: Any) -> list[Row]:
    return sorted(rows, key=lambda row: row["gain"], reverse=True)


def _headline(found: dict[str, Any], used: Row, others: list[Row]) -> str:
    base, metric = _row(found, found["baseline"]), found["metric_title"]
    if used["name"] != found["baseline"]:
        change = used["gain"] * (-1 if _is_loss(found) else 1)
        moves = "falls" if _is_loss(found) else "rises"
        return (
            f"Use {used['name']}: {metric} {moves} from {base['mean']:.3f} to {used['mean']:.3f} "
            f"({signed(change)})."
        )
    if _is_perfect(found, base):
        best = _perfect(found)
        return (
            f"Use the {_alone(found)}: it is perfect here, with a {metric} of {best} on every fold."
        )
    if all(row["verdict"] == HURTS for row in others):
        return f"Use the {_alone(found)}: every other method makes the {metric} worse."
    if any(row["verdict"] == CANNOT_TELL for row in others):
        return (
            f"Use the {_alone(found)}: this run cannot show that any other method has a better "
            f"{metric}."
        )
    moves = "lowers" if _is_loss(found) else "raises"
    return (
        f"Use the {_alone(found)}: no other method {moves} the {metric} by more than "
        f"{found['margin']:g}."
    )


def _alone(found: dict[str, Any]) -> str:
    """Return the baseline as a sentence names it."""
    name = str(found["baseline"])
    return name if name == "model alone" else f"baseline, {name}"


def _is_loss(found: dict[str, Any]) -> bool:
    """Whether lower scores are better."""
    return bool(found["lower_is_better"])


def _perfect(found: dict[str, Any]) -> int:
    return 0 if _is_loss(found) else 1


def _better(found: dict[str, Any]) -> str:
    """Return what a better mean is."""
    return "lower" if _is_loss(found) else "higher"


def _best(found: dict[str, Any]) -> str:
    """Return what the best mean is."""
    return "lowest" if _is_loss(found) else "highest"


def _is_perfect(found: dict[str, Any], row: Row) -> bool:
    return all(score == _perfect(found) for score in row["scores"])


def _why_this_one(found: dict[str, Any], used: Row) -> list[str]:
    """Say how sure the gain is, and why a method with a higher mean is not recommended."""
    lines = [
        f"The gain is clear: it lies between {signed(used['low'])} and {signed(used['high'])} "
        f"(95 % interval, p = {used['p_value']:.2g}, both corrected for the number of methods)."
    ]
    if not used["is_relevant"]:
        lines.append(f"It may be smaller than {found['margin']:g}, though.")
    best = _by_gain(found["methods"])[0]
    if best["gain"] > used["gain"]:
        lines.append(
            f"{best['name']} has the {_best(found)} mean, {best['mean']:.3f}, but it is not "
            f"clearly better than {used['name']}, which is simpler."
        )
    return lines


def _why_the_baseline(found: dict[str, Any], others: list[Row]) -> list[str]:
    """Say what the best of the other methods does, and what this run could have shown."""
    best = _by_gain(others)[0]
    if _is_perfect(found, _row(found, found["baseline"])):
        return []
    if best["gain"] <= 0:
        return [f"No other method has a {_better(found)} mean."]
    change, where = (-best["gain"], "below") if _is_loss(found) else (best["gain"], "above")
    seen = (
        f"{best['name']} has the {_best(found)} mean, {signed(change)} {where} "
        f"{found['baseline']!r}"
    )
    if best["p_value"] is None or best["p_value"] != best["p_value"]:
        return [f"{seen}, but a single fold does not show how much means vary; use more folds."]
    between = f"The true difference is probably between {signed(best['low'])} and "
    lines = [f"{seen}, but this may be chance. {between}{signed(best['high'])} (95 % interval)."]
    if best["verdict"] == CANNOT_TELL:
        lines.append(best["what_it_would_take"])
    return lines


def _equal(found: dict[str, Any]) -> list[str]:
    """Say which methods have the baseline's score on every fold, and how that comes about."""
    base, same = _row(found, found["baseline"]), _same_as_baseline(found)
    if not same or _is_perfect(found, base):
        return []
    have = "has" if len(same) == 1 else "have"
    return [
        f"{listed(same)} {have} exactly the scores of {base['name']!r} on every fold. Thresholds "
        "change nothing if a model scores samples by 0 or 1 only, as a fully grown tree does."
    ]


def _same_as_baseline(found: dict[str, Any]) -> list[str]:
    base = _row(found, found["baseline"])
    return [
        row["name"]
        for row in found["methods"]
        if row["name"] != base["name"] and row["equals_baseline"]
    ]


def _by_verdict(others: list[Row], said_before: list[str]) -> list[str]:
    """Name the other methods by their verdicts."""
    said = {
        HELPS: ("also helps", "also help"),
        NO_RELEVANT_DIFFERENCE: ("makes no relevant difference", "make no relevant difference"),
        CANNOT_TELL: (
            "may help or hurt; this run cannot tell", "may help or hurt; this run cannot tell",
        ),
        HURTS: ("makes it worse", "make it worse"),
    }  # fmt: skip
    lines = []
    for verdict, (one, several) in said.items():
        names = [
            row["name"]
            for row in _by_gain(others)
            if row["verdict"] == verdict and row["name"] not in said_before
        ]
        if names:
            lines.append(f"{listed(names)} {one if len(names) == 1 else several}.")
    return lines


def _beyond(found: dict[str, Any] | None) -> list[str]:
    """Say whether sampling does more than the best method without it."""
    if found is None or found["p_value"] != found["p_value"]:
        return []
    is_clear, is_higher = found["p_value"] <= 0.05, found["gain"] > 0
    sure = "clearly " if is_clear and is_higher else "not clearly " if is_higher else "not "
    return [
        f"The best method with sampling, {found['method']}, is {sure}better than {found['rival']}, "
        f"without sampling: the difference is {signed(found['gain'])}, between "
        f"{signed(found['low'])} and {signed(found['high'])}."
    ]


def _labels(found: dict[str, Any], method: str | None) -> list[str]:
    """Say which labels gain or lose clearly, and how those with few positives do together."""
    tests = found["label_tests"].get(method)
    if tests is None or method is None:
        return []
    known = [gain for gain in found["gains"][method] if gain == gain]
    judged = [place for place, low in enumerate(tests["low"]) if low == low]
    higher = [place for place in judged if tests["verdict"][place] == HIGHER]
    lower = [place for place in judged if tests["verdict"][place] == LOWER]
    lead = (
        f"With {method}, {sum(gain > 0 for gain in known)} of {len(known)} labels have a "
        f"{_better(found)} mean"
    )
    # Verdicts are on gains, so "higher" is better.
    words = ("lower", "higher") if _is_loss(found) else ("higher", "lower")
    clear = [*_named(words[0], higher, found), *_named(words[1], lower, found)]
    each = f"clearly {'; '.join(clear)}" if clear else "no single label is clearly better or worse"
    return [f"{lead}; {each}.", *_rare_labels(found["rare_labels"], method)]


def _named(word: str, places: list[int], found: dict[str, Any]) -> list[str]:
    names = [repr(found["labels"][place]) for place in places]
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


def _power(found: dict[str, Any]) -> list[str]:
    if found["n_splits"] != 2 or found["n_folds"] < 2:
        return []
    return [
        "With two folds, models learn from half of the data and small gains stay unseen; 5x5 folds "
        "show more."
    ]


def _ended_early(found: dict[str, Any]) -> list[str]:
    """Say which methods have fewer folds than the baseline."""
    by_count: dict[int, list[str]] = {}
    for row in found["methods"]:
        if row["n_folds"] < found["n_folds"]:
            by_count.setdefault(row["n_folds"], []).append(row["name"])
    if not by_count:
        return []
    ended = listed([f"{listed(names)} on {n} folds" for n, names in sorted(by_count.items())])
    return [f"Run on fewer than {found['n_folds']} folds: {ended}."]
