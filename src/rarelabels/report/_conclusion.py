"""What a comparison comes to, in plain words."""

from __future__ import annotations

from typing import Any

from rarelabels.report.words import signed


def conclusion(found: dict[str, Any]) -> dict[str, Any]:
    """Say which methods help, or that none does.

    Parameters
    ----------
    found : dict
        "metric_title", "baseline", "methods" (each with "name", "mean", "gain", "low", "high",
        "p_value", "verdict") and "labels" (names of the labels, with "gains" by method).

    Returns
    -------
    dict
        "helps" (bool), "headline" and "details", sentences.
    """
    others = [row for row in found["methods"] if row["name"] != found["baseline"]]
    better = _by_gain(row for row in others if row["verdict"] == "helps")
    worse = _by_gain(row for row in others if row["verdict"] == "hurts")
    headline = _helps(better, found) if better else _none_helps(found, others)
    details = [*_first_of_all(better, others), *_harm(worse), *_labels(found, better or others)]
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
    open_ones = [row["name"] for row in others if row["verdict"] == "cannot tell"]
    if not open_ones:
        return (
            f"None helps: no method has a {found['metric_title']} above that of "
            f"{found['baseline']!r}, the data as it is, by more than {found['margin']:g}."
        )
    return (
        f"Cannot tell: no method has a {found['metric_title']} clearly above that of "
        f"{found['baseline']!r}, the data as it is, but {listed(open_ones)} may."
    )


def _first_of_all(better: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[str]:
    found = [_interval(row) for row in better[:1]]
    best = _by_gain(others)[0] if others else None
    if best is None or best["verdict"] == "helps":
        return found
    if best["gain"] <= 0:
        return [*found, "Not one has a higher mean."]
    return [*found, _not_shown(best)]


def _not_shown(best: dict[str, Any]) -> str:
    """Return why the highest mean is no evidence, and what would make it one."""
    seen = f"The highest mean is that of {best['name']} ({signed(best['gain'])})"
    if best["smallest_detectable"] is None or best["p_value"] is None:
        return f"{seen}, on a single fold, which says nothing of spread."
    sentence = (
        f"{seen}, but it differs so much between folds that chance may be why "
        f"(p = {best['p_value']:.2g}, corrected). The smallest gain that this run could have shown "
        f"is {best['smallest_detectable']:.3f}"
    )
    if best["verdict"] != "cannot tell":
        return f"{sentence}."
    if best["repeats_needed"] is None:
        return f"{sentence}; no number of repeats would show a gain as seen, only more data."
    return f"{sentence}; {best['repeats_needed']} repeats would show a gain as seen."


def _interval(row: dict[str, Any]) -> str:
    return (
        f"The gain of {row['name']} lies between {signed(row['low'])} and {signed(row['high'])} "
        f"(95 % interval, p = {row['p_value']:.2g}; both corrected for the number of methods)."
    )


def _harm(worse: list[dict[str, Any]]) -> list[str]:
    if not worse:
        return []
    does = "does" if len(worse) == 1 else "do"
    return [f"{listed([row['name'] for row in worse])} {does} harm."]


def _labels(found: dict[str, Any], ranked: list[dict[str, Any]]) -> list[str]:
    best = _by_gain(ranked)[0] if ranked else None
    gains = found.get("gains", {}).get(best["name"]) if best else None
    pairs = zip(gains or [], found["labels"], strict=False)
    known = [(gain, name) for gain, name in pairs if gain is not None]
    if not best or not known:
        return []
    n_up, (most, name) = sum(gain > 0 for gain, _ in known), max(known)
    lead = f"With {best['name']}, {n_up} of {len(known)} labels score higher"
    return [f"{lead}, most of all {name!r} ({signed(most)})." if most > 0 else f"{lead}."]


def listed(names: list[str]) -> str:
    """Join names as a sentence does.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
