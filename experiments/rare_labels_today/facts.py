"""Single numbers of the benchmark, for sentences: the page asks for them by name.

``gain | A | B | ROLE | SCORE``
    How much better A is than B on average over the data sets that both have.
``better | A | B | ROLE | SCORE``
    On how many of these data sets A is better.
``rule | NAME | ROLE``
    Macro-F of a decision rule, mean of models and data sets.
``band | NAME | ROLE | BAND``
    The same for the labels of a band.
``jobs | STATUS``, ``hours``, ``sets | ROLE``
    How much was computed.
``correlation | METHOD | ROLE``
    The mean correlation of local imbalance and the gain in F.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rare_labels_today.comparisons import Difference, difference
from rare_labels_today.leaderboard import BAND_NAMES, band_scores, by_dataset, scores_of
from rare_labels_today.local_imbalance import correlations
from rare_labels_today.methods import MODEL
from rare_labels_today.tables import mean_of_defined, of_group, records, score


def fact(question: str) -> str:
    """Return the number that a question asks for, as text.

    Examples
    --------
    >>> decimal(0.0264), decimal(-0.0113), decimal(1.0)
    ('.026', '−.011', '1.000')
    """
    kind, *arguments = (part.strip() for part in question.split("|"))
    return FACTS[kind](*arguments)


def gain(method: str, other: str, role: str, key: str) -> str:
    """Return the mean difference of two methods."""
    return decimal(compared(method, other, role, key).mean)


def better(method: str, other: str, role: str, key: str) -> str:
    """Return on how many data sets a method is better."""
    found = compared(method, other, role, key)
    return f"{found.n_better} of {found.n_datasets}"


def compared(method: str, other: str, role: str, key: str) -> Difference:
    """Compare two methods that have data sets in common."""
    found = difference(by_dataset(records(), role), method, other, partial(score, key))
    if found is None:
        raise ValueError(f"{method} and {other} have no {role} data set in common.")
    return found


def rule(name: str, role: str) -> str:
    """Return the macro-F of a rule."""
    values = [scores_of(of_dataset, name)["F"] for of_dataset in of_models(role)]
    return decimal(float(np.mean(values)))


def band(name: str, role: str, label: str) -> str:
    """Return the F of a rule for the labels of a band."""
    means = mean_of_defined([band_scores(of_dataset, name) for of_dataset in of_models(role)])
    return decimal(means[BAND_NAMES.index(label)])


def of_models(role: str) -> list[list[dict[str, object]]]:
    """Return the records of each model and data set."""
    grouped = by_dataset(records(), role)
    return [of for method in of_group(MODEL) for of in grouped[method.name].values()]


def jobs(status: str) -> str:
    """Return the number of jobs with a status."""
    return f"{sum(record['status'] == status for record in records()):,}"


def hours() -> str:
    """Return the CPU time of all jobs."""
    return f"{sum(record.get('cpu_seconds', 0) for record in records()) / 3600:.1f}"


def sets(role: str) -> str:
    """Return the number of data sets with finished jobs."""
    names = {name for of_method in by_dataset(records(), role).values() for name in of_method}
    return str(len(names))


def correlation(method: str, role: str) -> str:
    """Return the mean correlation of local imbalance and the gain in F."""
    base = next(one.base for one in of_group("samplers", "ensembles") if one.name == method)
    return decimal(float(np.mean(correlations(by_dataset(records(), role), method, base))))


def decimal(number: float) -> str:
    """Return a number with three decimals, without a zero before the point."""
    text = f"{abs(number):.3f}"
    return ("−" if round(number, 3) < 0 else "") + text.removeprefix("0")


FACTS = {
    function.__name__: function
    for function in (gain, better, rule, band, jobs, hours, sets, correlation)
}
