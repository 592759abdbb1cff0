"""Hold the answer: verdicts, the table they are based on, a page, and the best model."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._registry import Deferred, did_you_mean
from rarelabels._stderr import terminal_width, wrapped
from rarelabels._tables import text_table
from rarelabels._wording import signed
from rarelabels.advisor._card import model_card
from rarelabels.advisor._script import training_script
from rarelabels.datasets import MultiLabelDataset
from rarelabels.datasets.files import replacing
from rarelabels.experiment.evaluate import without_column
from rarelabels.experiment.plan import InMemoryDataset, MethodSpec, Plan, model_of
from rarelabels.learners import CalibratedClassifier
from rarelabels.learners.fit_params import NO_PARAMS
from rarelabels.learners.known_labels import allowing_unknown

# The package `report` draws the page when it is requested.
PAGE = Deferred("rarelabels.report:comparison_page")
COLUMNS = (
    "mean", "gain", "low", "high", "p_value", "probability_helps", "smallest_detectable", "seconds",
)  # fmt: skip
OF_LABELS = ("gain", "low", "high", "p_value")


@dataclass(frozen=True, eq=False, repr=False)
class SamplingHelp:
    """Whether sampling helps a model on a data set, and what to do next.

    Attributes
    ----------
    summary : dict
        All results, as :func:`rarelabels.comparison.comparison_summary` returns them.
    plan : Plan
        The jobs that were run.
    failures : dict of str to (int, str)
        For each method that failed, the number of folds and the reason.

    See Also
    --------
    does_sampling_help : Returns such an answer.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.advisor import does_sampling_help
    >>> X, y = make_local_imbalance(120, difficulty=0.5, random_state=0)
    >>> answer = does_sampling_help(X, y, samplers="mlsol", cv="2x2", random_state=0, verbose=0)
    >>> answer.table["method"].tolist()[:2], len(answer.labels("EMLSOL"))
    (['model alone', 'thresholds alone'], 3)
    """

    summary: dict[str, Any]
    plan: Plan
    failures: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def data(self) -> MultiLabelDataset:
        """The data set."""
        return self.plan.datasets[0].load()

    @property
    def verdicts(self) -> dict[str, str]:
        """One of the four verdicts for each method except the model alone."""
        rows = self.summary["methods"]
        return {row["name"]: row["verdict"] for row in rows if row["name"] != self.baseline}

    @property
    def baseline(self) -> str:
        """The name of the model alone."""
        return str(self.summary["baseline"])

    @property
    def conclusion(self) -> str:
        """The answer in words: one headline, then details."""
        conclusion = self.summary["conclusion"]
        return "\n".join([conclusion["headline"], *conclusion["details"]])

    @property
    def best(self) -> str:
        """The recommended method: the simplest one that no other is clearly better than.

        From simple to complex: the model alone, thresholds, class weights, RareLabelClassifier,
        single samplers, and ensembles over samplers.
        """
        return str(self.summary["recommended"])

    @property
    def table(self) -> Array:
        """A structured array with one row per method, the model alone first."""
        rows = self.summary["methods"]
        columns = [np.array([row["name"] for row in rows])]
        columns += [np.array([row.get(name) for row in rows], dtype=float) for name in COLUMNS]
        columns.append(np.array([row["verdict"] for row in rows]))
        columns.append(np.array([row["n_folds"] for row in rows]))
        return _structured(["method", *COLUMNS, "verdict", "n_folds"], columns)

    def labels(self, method: str | None = None) -> Array:
        """Return what a method gains on each label.

        Parameters
        ----------
        method : str, optional
            Its name; by default, the recommended method, or the one with the highest mean if the
            model alone is recommended.

        Returns
        -------
        structured ndarray of shape (n_labels,)
            With ``label``, ``positives``, ``gain``, ``low``, ``high``, ``p_value`` (corrected for
            the number of labels) and ``verdict``: "higher", "lower", "not clear" or, under 20
            positives, "too few to judge".
        """
        gains, tests = self.summary["gains"], self.summary["label_tests"]
        if method is None:
            method = str(self.summary["focus"])
        if method not in gains:
            raise ValueError(f"no method is called {method!r}; {did_you_mean(method, gains)}")
        columns = [gains[method], *(tests[method][name] for name in OF_LABELS[1:])]
        return _structured(
            ["label", "positives", *OF_LABELS, "verdict"],
            [
                np.array(self.summary["labels"], dtype=np.str_),
                np.array(self.summary["positives"]),
                *(np.array(column, dtype=float) for column in columns),
                np.array(tests[method]["verdict"]),
            ],
        )

    def fit_best(self, method: str | None = None, *, calibrate: bool = True) -> Any:
        """Fit the recommended method to all data.

        Parameters
        ----------
        method : str, optional
            The name of the method to fit; by default, the recommended one.
        calibrate : bool, default=True
            Turn scores into calibrated probabilities; see
            :class:`rarelabels.learners.CalibratedClassifier`, whose `expected_` says what precision
            and recall to expect of each label. Decisions stay those of the method.

        Returns
        -------
        multi-label classifier
            Fitted.
        """
        model = self._model(self._method(method))
        if calibrate:
            model = CalibratedClassifier(model, random_state=self.plan.seed)
        data, given = self.data, self.plan.datasets[0]
        if data.has_unknown_labels:
            allowing_unknown(model)
        X = without_column(data.X)
        y = given.in_memory_y if isinstance(given, InMemoryDataset) else data.Y
        return model.fit(X, y, **NO_PARAMS.with_groups(data.groups, model).of())

    def script(self, load: str, *, model: str | None = None, method: str | None = None) -> str:
        """Write a program that scores the best method as this comparison did, and fits it.

        Parameters
        ----------
        load : str
            Lines of Python that leave the features in `X` and the labels in `y`, one column of 0
            and 1 for each label, with NaN for unknown labels. If the comparison had groups, also
            the group of each sample in `groups`; if `cv` gave splits, also the list of these in
            `splits`.
        model : str, optional
            Lines of Python that leave the classifier, without sampling, in `estimator`; else it is
            written out from its parameters.
        method : str, optional
            Another method, by its name.

        Returns
        -------
        str
            The program.
        """
        chosen = self._method(method)
        n_folds = {row["name"]: row["n_folds"] for row in self.summary["methods"]}
        n_repeats = -(-n_folds.get(chosen.name, 1) // self.plan.n_splits)
        plan = replace(self.plan, n_repeats=n_repeats)
        return training_script(plan, chosen, str(self.summary["metric"]), load, model)

    def card(self, model: Any, method: str | None = None) -> str:
        """Write the model card of a model of `fit_best`: data, method, expectations, limits.

        Parameters
        ----------
        model : CalibratedClassifier
            From `fit_best`.
        method : str, optional
            The method that it was fitted with, if not the best.

        Returns
        -------
        str
            Markdown.
        """
        return model_card(self, self._method(method).name, model)

    def to_html(self) -> str:
        """Return the page: the answer, and a description of the data.

        Returns
        -------
        str
            One HTML document, which loads nothing.
        """
        return str(PAGE(self))

    def save_report(self, path: Any) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : path-like
            The file, which is replaced if it exists.
        """
        page = self.to_html()
        with replacing(path) as file:
            file.write(page.encode())

    def _repr_html_(self) -> str:
        page = escape(self.to_html(), quote=True)
        style = "width:100%;height:80vh;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" title="Does sampling help?"></iframe>'

    def __repr__(self) -> str:
        heads = ["method", self.summary["metric_title"], "gain", "95 % interval", "p", "verdict"]
        rows = [_row(row) for row in sorted(self.summary["methods"], key=lambda row: -row["gain"])]
        table = text_table(heads, rows)
        width = terminal_width(sys.stdout)
        if width is not None and max(map(len, table.split("\n"))) > width:
            # Shorter verdicts, and no p-values, which the intervals imply.
            heads.remove("p")
            table = text_table(heads, [[*row[:4], row[5].partition(",")[0]] for row in rows])
        headline, *details = [
            wrapped(line, sys.stdout)
            for line in [*self.conclusion.split("\n"), *self._what_failed()]
        ]
        return "\n".join([headline, "", table, "", *details])

    def _what_failed(self) -> list[str]:
        return [
            f"{name} failed on {count} folds: {reason}"
            for name, (count, reason) in self.failures.items()
        ]

    def _method(self, name: str | None) -> MethodSpec:
        wanted = self.best if name is None else name
        for method in self.plan.methods:
            if method.name == wanted:
                return method
        known = [method.name for method in self.plan.methods]
        raise ValueError(f"no method is called {wanted!r}; {did_you_mean(wanted, known)}")

    def _model(self, method: MethodSpec) -> Any:
        return model_of(
            self.plan.learners[0],
            method,
            categorical_features=self.data.categorical_features,
            seed=self.plan.seed,
            trusted=self.plan.trusted,
        )


def _row(row: dict[str, Any]) -> list[str]:
    mean = f"{row['mean']:.3f}"
    if row["p_value"] is None:
        # The baseline, or a single fold, which does not show how much gains vary.
        gain = "" if row["verdict"] == "baseline" else signed(row["gain"])
        return [row["name"], mean, gain, "", "", row["verdict"]]
    interval = f"{signed(row['low'])} to {signed(row['high'])}"
    amount = ", by a relevant amount" if row["is_relevant"] else ""
    p = f"{row['p_value']:.2g}"
    return [row["name"], mean, signed(row["gain"]), interval, p, f"{row['verdict']}{amount}"]


def _structured(names: list[str], columns: list[Array]) -> Array:
    table = np.empty(
        len(columns[0]), dtype=[(n, column.dtype) for n, column in zip(names, columns, strict=True)]
    )
    for name, column in zip(names, columns, strict=True):
        table[name] = column
    return table
