"""Read Weka's answers from reference/j48-examples.npz, and its flags as our parameters."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

PATH = Path(__file__).parents[1] / "reference" / "j48-examples.npz"
FLAGS = {
    "-S": {"subtree_raising": False},
    "-U": {"confidence": None},
    "-A": {"laplace": True},
    "-O": {"collapse": False},
    "-J": {"mdl_correction": False},
    "-doNotMakeSplitPointActualValue": {"actual_thresholds": False},
}


@dataclass(frozen=True)
class Run:
    """One run of J48: training samples come first in X."""

    name: str
    X: np.ndarray
    y: np.ndarray
    n_categories: np.ndarray
    flags: str
    probability: np.ndarray
    n_leaves: int
    size: int

    def __str__(self):
        return f"{self.name} {self.flags}"

    @property
    def options(self):
        made, words = {}, iter(self.flags.split())
        for word in words:
            if word == "-C":
                made["confidence"] = float(next(words))
            elif word == "-M":
                made["min_samples_leaf"] = int(next(words))
            else:
                made |= FLAGS[word]
        return made

    @property
    def frame(self):
        """X as a dataframe whose dtypes declare the categories."""
        return pd.DataFrame({f"f{j}": self._column(j, n) for j, n in enumerate(self.n_categories)})

    def _column(self, j, n_categories):
        values = self.X[:, j]
        if n_categories == 0:
            return values
        codes = np.where(np.isnan(values), -1, values).astype(int)
        return pd.Categorical.from_codes(codes, [f"c{i}" for i in range(n_categories)])


def read_runs():
    with np.load(PATH) as file:
        g = dict(file)
    rows, columns, n_classes = g["toy_rows"], g["toy_cols"], g["toy_classes"]
    X = np.split(g["toy_X"], np.cumsum(rows * columns)[:-1])
    y = np.split(g["toy_y"].astype(int), np.cumsum(g["toy_train_rows"])[:-1])
    kinds = np.split(g["toy_n_categories"], np.cumsum(columns)[:-1])
    toys = g["toyrun_toy"]
    answers = np.split(g["toyrun_probability"], np.cumsum(rows[toys] * n_classes[toys])[:-1])
    return [
        Run(
            name=str(g["toy_name"][t]),
            X=X[t].reshape(rows[t], columns[t]),
            y=y[t],
            n_categories=kinds[t],
            flags=str(g["toyrun_flags"][i]),
            probability=answers[i].reshape(rows[t], n_classes[t]),
            n_leaves=int(g["toyrun_leaves"][i]),
            size=int(g["toyrun_size"][i]),
        )
        for i, t in enumerate(toys)
    ]


def read_added_errors():
    with np.load(PATH) as file:
        return file["add_errs"]
