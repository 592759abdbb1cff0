"""Learners, side by side with what else there is and with each other.

Run with ``python -m benchmarks.bench_learners``. Half of the samples train, the other half is
predicted; the best of a few runs.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.tree import DecisionTreeClassifier

import rarelabels._neighbors.find as find_module
from benchmarks._measure import DATA, absent, scaled, seconds, show
from benchmarks.ensemble_pays import halves, load
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, CalibratedLabelRanking, MLkNN
from rarelabels.sampling import MLSOL


def main() -> None:
    if absent("learners", ["yeast", "bibtex"]):
        return
    warnings.simplefilter("ignore")
    data = {name: split(*load(DATA, name)) for name in ("yeast", "bibtex")}
    bench_mlknn(data)
    bench_binary_relevance(data)
    bench_label_ranking(data["bibtex"])
    bench_neighbours(data)


def split(X: Any, Y: Any) -> tuple[Any, Any, Any]:
    train, test = (half[: scaled(half.size)] for half in halves(Y.shape[0], seed=0))
    return X[train], Y[train], X[test]


def learn_and_predict(model: Any, X: Any, Y: Any, X_test: Any) -> Callable[[], Any]:
    return lambda: model.fit(X, Y).predict_proba(X_test)


def bench_mlknn(data: dict[str, Any]) -> None:
    try:
        from skmultilearn.adapt import MLkNN as TheirMLkNN
    except ImportError as error:
        print(f"MLkNN: skipped, scikit-multilearn-ng is not there ({error})", file=sys.stderr)
        return
    rows = [("data", "CPU-s ours", "scikit-multilearn-ng", "times as fast")]
    for name, (X, Y, X_test) in data.items():
        ours, _ = seconds(learn_and_predict(MLkNN(), X, Y, X_test))
        theirs, _ = seconds(
            learn_and_predict(
                TheirMLkNN(k=10),
                sparse.lil_matrix(X),
                sparse.lil_matrix(Y),
                sparse.lil_matrix(X_test),
            ),
            repeats=1,
        )
        rows.append((name, f"{ours:.3f}", f"{theirs:.2f}", f"{theirs / ours:.1f}"))
    show("MLkNN, 10 neighbors: fit and predict_proba", rows)


def bench_binary_relevance(data: dict[str, Any]) -> None:
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    rows = [("data", "CPU-s", "OneVsRest", "ratio", "wall-s 1", "2 threads", "OneVsRest", "ratio")]
    for name, (X, Y, X_test) in data.items():
        made = {
            "one": BinaryRelevance(tree, n_jobs=1),
            "theirs": OneVsRestClassifier(tree),
            "two": BinaryRelevance(tree, n_jobs=2),
        }
        work = {key: learn_and_predict(model, X, Y, X_test) for key, model in made.items()}
        # In turns, so that a busy moment hits all of them.
        turns = [{key: seconds(call, repeats=1) for key, call in work.items()} for _ in range(5)]
        took = {key: np.min([turn[key] for turn in turns], axis=0) for key in made}
        cpu, wall = ({key: pair[part] for key, pair in took.items()} for part in (0, 1))
        rows.append(
            (
                name,
                f"{cpu['one']:.2f}",
                f"{cpu['theirs']:.2f}",
                f"{cpu['one'] / cpu['theirs']:.2f}",
                f"{wall['one']:.2f}",
                f"{wall['two']:.2f}",
                f"{wall['theirs']:.2f}",
                f"{wall['two'] / wall['theirs']:.2f}",
            )
        )
    show("BinaryRelevance and scikit-learn's OneVsRestClassifier, the same trees", rows)


def bench_label_ranking(bibtex: Any) -> None:
    rows = [("learner", "CPU-s", "wall-s", "times the CPU of BinaryRelevance")]
    found = {}
    for learner in (BinaryRelevance, CalibratedLabelRanking):
        work = learn_and_predict(learner(random_state=0), *bibtex)
        found[learner.__name__] = seconds(work, repeats=1)
    base = found["BinaryRelevance"][0]
    rows += [
        (name, f"{cpu:.1f}", f"{wall:.1f}", f"{cpu / base:.2f}")
        for name, (cpu, wall) in found.items()
    ]
    show("CalibratedLabelRanking on bibtex: 12,561 pairs", rows)


def bench_neighbours(data: dict[str, Any]) -> None:
    rows = [("data", "searches of five members", "CPU-s", "of one MLSOL", "ratio")]
    for name, (X, Y, _) in data.items():
        one = SearchClock()
        one.run(lambda X=X, Y=Y: MLSOL(random_state=0).fit_resample(X, Y))
        five = SearchClock()
        members = SamplingEnsemble(Nothing(), MLSOL(), threshold=None, random_state=0)
        five.run(lambda X=X, Y=Y, members=members: members.fit(X, Y))
        rows.append(
            (
                name,
                five.n_searches,
                f"{five.cpu:.3f}",
                f"{one.cpu:.3f}",
                f"{five.cpu / one.cpu:.2f}",
            )
        )
    show("Searches for neighbors of SamplingEnsemble(five MLSOL) and of one MLSOL", rows)


class Nothing(BinaryRelevance):
    """A learner that takes no time."""

    def _fit(self, X: Any, labels: Any, rng: Any) -> None:
        self.fitted_ = True


class SearchClock:
    """Times what a call spends on searching neighbors: the best of three calls."""

    def __init__(self) -> None:
        self.cpu, self.n_searches = float("inf"), 0

    def run(self, call: Callable[[], Any]) -> None:
        """Keep the least that three calls spend, and the number of searches."""
        for _ in range(3):
            spent = self._spent(call)
            self.cpu, self.n_searches = min(self.cpu, sum(spent)), len(spent)

    def _spent(self, call: Callable[[], Any]) -> list[float]:
        spent, search = [], find_module.nearest_samples

        def timed(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            found = search(*args, **kwargs)
            spent.append(time.process_time() - start)
            return found

        find_module.nearest_samples = timed
        try:
            call()
        finally:
            find_module.nearest_samples = search
        return spent


if __name__ == "__main__":
    main()
