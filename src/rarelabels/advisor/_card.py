"""Write the model card: the model, what to expect of it, and its limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rarelabels._wording import short

if TYPE_CHECKING:
    from rarelabels.advisor._result import SamplingHelp

MOST_LABELS = 200
NOT_FOR = """## What it is not for

- Data from other sources or times, or recorded in other ways. Evaluate the model again on them.
- Decisions about people that no person reviews.
- Labels that are costly to miss if their recall in the table above is low.
- Labels marked with *: they have fewer than 20 positive samples, so the estimates are uncertain.

## Trust

A joblib file is a pickle: loading it runs code. Load only files that you created yourself or
received from someone you trust. `rarelabels.advisor.load_model` loads a `.skops` file and creates
known types only. Load both with the versions of scikit-learn and rarelabels that wrote them.
"""


def model_card(answer: SamplingHelp, method: str, model: Any) -> str:
    """Write the card in Markdown."""
    data, summary = answer.data, answer.summary
    row = next(one for one in summary["methods"] if one["name"] == method)
    lines = [
        f"# {_cell(method)} on {_cell(data.name or 'a data set')}",
        "",
        f"- Data: {short(data.n_samples)} samples, {short(data.n_features)} features, "
        f"{short(data.n_labels)} labels.",
        f"- Method: {_cell(method)} with {_cell(answer.plan.learners[0].name)}, "
        f"seed {answer.plan.seed}.",
        f"- {summary['metric_title']} by {answer.plan.n_splits}-fold cross-validation, repeated "
        f"({row['n_folds']} folds in all): {row['mean']:.3f}{_interval(row)}.",
        f"- Recommendation of the comparison: {_cell(summary['conclusion']['headline'])}",
        "- `predict_proba` returns calibrated probabilities; `predict` uses the thresholds of the "
        "method.",
        "",
        "## What to expect of each label",
        "",
        "Precision and recall on samples that were not used for fitting (five folds), with 95 % "
        "intervals.",
        "",
        *_label_lines(data.label_names, model.expected_),
        "",
        NOT_FOR,
    ]
    return "\n".join(lines)


def _interval(row: dict[str, Any]) -> str:
    if row["score_low"] is None:
        return ""
    return f", 95 % interval {row['score_low']:.3f} to {row['score_high']:.3f}"


def _label_lines(names: Any, expected: Any) -> list[str]:
    """Return a table of the labels, rarest first."""
    order = expected["positives"].argsort(kind="stable")[:MOST_LABELS]
    heads = ["| label | positives | precision | recall |", "|---|---:|---:|---:|"]
    rows = [
        f"| {_cell(names[j])}{'*' if expected['positives'][j] < 20 else ''} "
        f"| {expected['positives'][j]} | {_share(expected[j], 'precision')} "
        f"| {_share(expected[j], 'recall')} |"
        for j in order
    ]
    more = len(expected) - len(order)
    return [*heads, *rows, *([f"\n… and {more} more frequent labels."] if more else [])]


def _share(row: Any, name: str) -> str:
    value = row[name]
    if value != value:
        return "none predicted" if name == "precision" else "no positives"
    return f"{value:.2f} ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})"


def _cell(name: str) -> str:
    """Return a name that cannot end a line or a table's cell, nor begin markup."""
    text = " ".join("".join(one if one.isprintable() else " " for one in str(name)).split())
    return "".join(f"\\{sign}" if sign in "|\\`*_<>[]#&~!" else sign for sign in text)
