"""What a store holds and gives: records of jobs, tables of scores, and rows in a file."""

from __future__ import annotations

import csv
import io
import os
import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from rarelabels.datasets.files import replacing
from rarelabels.datasets.formulas import escape_formula

DONE, FAILED = "done", "failed"
WRITERS: tuple[Any, ...] = ("pyarrow", "polars", "pandas")


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def library_versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    import numpy
    import scipy
    import sklearn

    import rarelabels

    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "sklearn": sklearn.__version__,
        "rarelabels": rarelabels.__version__,
    }


@dataclass(frozen=True)
class Record:
    """The result of one job.

    Attributes
    ----------
    key : str
        The job's.
    status : "done" or "failed"
        Whether there are scores.
    error : str or None
        Why not: the message and where it came from.
    warnings : str or None
        What was warned of, each warning once.
    scores : dict of str to float or None
        By metric; None where no label could be scored.
    label_scores : dict of str to dict
        By metric and label, where the job asks for them.
    sampling_seconds, training_seconds, prediction_seconds : float or None
        What the job alone takes: the time of what it shares with other jobs counts for each. An
        ensemble's are the sums over its members, with one neighbor search; choosing thresholds is
        training; prediction is that of the test samples.
    seconds : float or None
        What it took in the run, where members and searches were shared with the jobs before it.
    peak_memory : int or None
        Bytes that the worker held at most while it ran the job.
    started, host, versions
        When and where the job ran, and with which versions.

    Examples
    --------
    >>> from rarelabels.experiment import Record
    >>> record = Record("0123456789abcdef01234567", "done", scores={"macro_f1": 0.5})
    >>> sorted(record.versions)
    ['numpy', 'python', 'rarelabels', 'scipy', 'sklearn']
    """

    key: str
    status: str
    error: str | None = None
    warnings: str | None = None
    scores: dict[str, float | None] = field(default_factory=dict)
    label_scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    sampling_seconds: float | None = None
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    seconds: float | None = None
    peak_memory: int | None = None
    started: str = field(default_factory=now)
    host: str = field(default_factory=platform.node)
    versions: dict[str, str] = field(default_factory=library_versions)

    def __post_init__(self) -> None:
        for name in ("error", "warnings"):
            object.__setattr__(self, name, encodable(getattr(self, name)))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        return asdict(self)


def encodable(text: str | None) -> str | None:
    r"""Return a text that can be stored: lone surrogates, as of odd file names, are written out.

    >>> encodable("caf\xe9 \udcff") == "caf\xe9 " + r"\udcff"
    True
    """
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def failure(key: str, error: str, started: str | None = None) -> Record:
    """Return the record of a job that failed."""
    return Record(key, FAILED, error=error, started=started or now())


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Average scores, ready for :mod:`rarelabels.comparison`.

    Attributes
    ----------
    values : ndarray of shape (n_datasets, n_methods)
        Means over folds; NaN where folds are missing.
    datasets, methods : tuple of str
        The names of rows and columns, in the plan's order.

    Examples
    --------
    >>> import numpy as np
    >>> from rarelabels.comparison import average_ranks
    >>> from rarelabels.experiment import ScoreTable
    >>> table = ScoreTable(np.array([[0.5, 0.6], [0.7, 0.9]]), ("a", "b"), ("Default", "MLSOL"))
    >>> average_ranks(table.columns())
    {'Default': 2.0, 'MLSOL': 1.0}
    """

    values: npt.NDArray[np.float64]
    datasets: tuple[str, ...]
    methods: tuple[str, ...]

    def columns(self) -> dict[str, list[float]]:
        """Return the scores of each method, a list over data sets.

        Returns
        -------
        dict of str to list of float
            By method, in the table's order.
        """
        return {name: self.values[:, j].tolist() for j, name in enumerate(self.methods)}

    def to_pandas(self) -> Any:
        """Return the table as a pandas dataframe.

        Returns
        -------
        pandas.DataFrame
            Indexed by data set.
        """
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.datasets), columns=list(self.methods))

    def to_latex(
        self, *, decimals: int = 3, alpha: float = 0.05, lower_is_better: bool = False
    ) -> str:
        """Return the table as LaTeX, for the package booktabs.

        Parameters
        ----------
        decimals : int, default=3
            Decimals of the scores.
        alpha : float, default=0.05
            The level of significance of the stars.
        lower_is_better : bool, default=False
            Whether a lower score is better.

        Returns
        -------
        str
            As :func:`rarelabels.comparison.latex_table` writes it.
        """
        from rarelabels.comparison import latex_table

        return latex_table(
            self.columns(),
            self.datasets,
            decimals=decimals,
            alpha=alpha,
            lower_is_better=lower_is_better,
        )

    def select(self, methods: Iterable[str]) -> ScoreTable:
        """Keep some methods, in the order given.

        Parameters
        ----------
        methods : iterable of str
            Their names.

        Returns
        -------
        ScoreTable
            With those columns.
        """
        kept = tuple(methods)
        missing = [name for name in kept if name not in self.methods]
        if missing:
            raise KeyError(f"the table has no method {missing[0]!r}; it has {self.methods}.")
        places = [self.methods.index(name) for name in kept]
        return ScoreTable(self.values[:, places], self.datasets, kept)

    def complete(self) -> ScoreTable:
        """Drop the data sets on which a method has no score.

        Returns
        -------
        ScoreTable
            Without NaN.
        """
        whole = np.flatnonzero(~np.isnan(self.values).any(axis=1))
        names = tuple(self.datasets[i] for i in whole)
        return ScoreTable(self.values[whole], names, self.methods)


def table_of(cells: Iterable[Mapping[str, Any]], n_folds: int | None) -> ScoreTable:
    """Make the table of cells with a dataset, a method, a value and its number of folds.

    A cell with fewer than `n_folds` folds stays empty; None: any number will do.
    """
    cells = list(cells)
    datasets = tuple(dict.fromkeys(cell["dataset"] for cell in cells))
    methods = tuple(dict.fromkeys(cell["method"] for cell in cells))
    values = np.full((len(datasets), len(methods)), np.nan)
    for cell in cells:
        enough = n_folds is None or cell["folds"] >= n_folds
        if enough and cell["value"] is not None:
            values[datasets.index(cell["dataset"]), methods.index(cell["method"])] = cell["value"]
    return ScoreTable(values, datasets, methods)


def export_rows(rows: list[dict[str, Any]], columns: tuple[str, ...], path: Any) -> None:
    """Write rows as CSV or Parquet, by the name of the file.

    In CSV, texts that a spreadsheet would run as formulas begin with an apostrophe.
    """
    target = Path(os.fspath(path))
    suffix = target.suffix.lower()
    if suffix == ".csv":
        _write_csv(rows, columns, target)
    elif suffix in (".parquet", ".pq"):
        _write_parquet(rows, columns, target)
    else:
        raise ValueError(f"a store is exported as .csv or .parquet, got {target.name!r}.")


def _write_csv(rows: list[dict[str, Any]], columns: tuple[str, ...], target: Path) -> None:
    with replacing(target) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)


def _cell(value: Any) -> Any:
    return escape_formula(value) if isinstance(value, str) else value


def _write_parquet(rows: list[dict[str, Any]], columns: tuple[str, ...], target: Path) -> None:
    backend = next((name for name in WRITERS if find_spec(name)), None)
    if backend is None:
        raise ImportError(
            'a Parquet file needs pyarrow, polars or pandas: pip install "rarelabels[tables]"; '
            "a .csv file does not."
        )
    schema = {name: _kind(rows, name) for name in columns}
    data = {name: [row[name] for row in rows] for name in columns}
    content = io.BytesIO()
    nw.from_dict(data, schema, backend=backend).write_parquet(content)
    with replacing(target) as file:
        file.write(content.getvalue())


def _kind(rows: list[dict[str, Any]], column: str) -> Any:
    kinds = {type(row[column]) for row in rows} - {type(None)}
    if kinds and kinds <= {int}:
        return nw.Int64
    return nw.Float64 if kinds and kinds <= {int, float} else nw.String
