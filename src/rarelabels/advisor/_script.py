"""Write a program that fits the chosen model again, with the same folds, seeds and scores."""

from __future__ import annotations

import inspect
import math
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rarelabels.experiment.plan import MethodSpec, Plan, model_of
from rarelabels.learners import ThresholdedClassifier
from rarelabels.learners.fit_params import groups_parameter
from rarelabels.learners.known_labels import PARAMETER, allowing_unknown

PROGRAM = '''"""Score and fit {title}.

Made by rarelabels {version}: {n_repeats}x{n_splits} folds, seed {seed}.
"""

{imports}

{load}
{base}

def make_model(seed):
    """Return the model, not fitted."""
    return {model}


def score_on_folds():
    """Score the model on each fold of the comparison."""
{folds}
    scores = []
    for fold, (train, test) in enumerate(folds):
        seed = int(np.random.SeedSequence([{seed}, fold]).generate_state(1)[0])
        model = make_model(seed).fit(
            _safe_indexing(X, train), _safe_indexing(y, train){fold_groups}
        )
        predictions = model.{predict}(_safe_indexing(X, test))
        metric = find_metric({metric!r})
        scores.append(metric.score(_safe_indexing(y, test), {given}=predictions{unknown}))
    return np.array(scores)


if __name__ == "__main__":
    scores = score_on_folds()
    print({title_text}, f"{{scores.mean():.6f}} on {{scores.size}} folds")
    model = CalibratedClassifier(make_model({seed}){unknown}, random_state={seed})
    joblib.dump(model.fit(X, y{groups}), "model.joblib")
'''
OWN_FOLDS = """    splitter = RepeatedIterativeStratifiedKFold(
        n_splits={n_splits}, n_repeats={n_repeats}, random_state={seed}{unknown}
    )
    folds = splitter.split(X, y{groups})"""


def training_script(
    plan: Plan, method: MethodSpec, metric: str, load: str, base: str | None = None
) -> str:
    """Write the program.

    `load` leaves X and y, and `groups` and `splits` if the comparison had them; `base` leaves the
    classifier in `estimator`.
    """
    from rarelabels import __version__
    from rarelabels.metrics import find_metric

    writer = Writer()
    data = plan.datasets[0].load()
    unfitted = model_of(
        plan.learners[0], method, categorical_features=data.categorical_features,
        trusted=plan.trusted,
    )  # fmt: skip
    unknown = ""
    if data.has_unknown_labels:
        unknown, unfitted = f", {PARAMETER}=True", allowing_unknown(unfitted)
    has_groups = data.groups is not None
    needs_scores = find_metric(metric).needs_scores
    writer.imports |= {
        "import joblib",
        "import numpy as np",
        "from rarelabels.learners import CalibratedClassifier",
        "from rarelabels.metrics import find_metric",
        "from sklearn.utils import _safe_indexing",
    }
    group_name = groups_parameter(unfitted) if has_groups else None
    model = code_of_model(writer, unfitted, bool(base))
    title = f"{method.name} with {plan.learners[0].name}"
    return PROGRAM.format(
        # Names are those of a plan, which may be anybody's: here they are text and nothing else.
        title=_in_docstring(title),
        title_text=repr(f"{title}:"),
        version=__version__,
        n_repeats=plan.n_repeats,
        n_splits=plan.n_splits,
        seed=plan.seed,
        folds=code_of_folds(writer, plan, unknown, has_groups=has_groups),
        unknown=unknown,
        fold_groups=f", {group_name}=_safe_indexing(groups, train)" if group_name else "",
        groups=", groups=groups" if has_groups else "",
        imports=writer.import_lines(),
        load=load.strip(),
        base=f"{base.strip()}\n" if base else "",
        model=model,
        metric=metric,
        predict="predict_proba" if needs_scores else "predict",
        given="y_score" if needs_scores else "y_pred",
    )


def code_of_folds(writer: Writer, plan: Plan, unknown: str, *, has_groups: bool) -> str:
    """Return the code that leaves the pairs of training and test samples in `folds`."""
    if getattr(plan.datasets[0], "in_memory_splits", None) is not None:
        return f"    folds = splits[: {plan.n_repeats * plan.n_splits}]"
    splitter = "RepeatedIterativeStratifiedKFold"
    writer.imports.add(f"from rarelabels.model_selection import {splitter}")
    return OWN_FOLDS.format(
        n_splits=plan.n_splits,
        n_repeats=plan.n_repeats,
        seed=plan.seed,
        unknown=unknown,
        groups=", groups" if has_groups else "",
    )


def _in_docstring(text: str) -> str:
    r"""Return a text on one line that cannot end the docstring around it.

    >>> print(_in_docstring('MLSOL with "BR"'))
    MLSOL with \"BR\"
    """
    return repr(text)[1:-1].replace('"', r"\"")


def code_of_model(writer: Writer, model: Any, has_base: bool) -> str:
    """Return the code of a method's model, its seeds replaced by `seed`.

    With `has_base`, the classifier inside it is the variable `estimator`.
    """
    if isinstance(model, Pipeline) and has_base:
        raise ValueError("model= cannot be given for texts: the pipeline is written out.")
    outer = model[-1] if isinstance(model, Pipeline) else model
    inner = outer.estimator if isinstance(outer, ThresholdedClassifier) else outer
    inner.set_params(random_state=Raw("seed"))
    outer.set_params(random_state=Raw("seed"))
    if has_base:
        inner.estimator = Raw("estimator")
    return writer.code(model)


class Raw(str):
    """A string of code, whose representation is the code itself."""


class Writer:
    """Writes estimators as the Python code that makes them, and collects the imports it needs."""

    def __init__(self) -> None:
        self.imports: set[str] = set()

    def code(self, value: Any) -> str:
        """Return the code of a value."""
        if isinstance(value, Raw):
            return str(value)
        if isinstance(value, dict):
            pairs = (f"{self.code(key)}: {self.code(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, (list, tuple)):
            inside = ", ".join(self.code(item) for item in value)
            ends = "[]" if isinstance(value, list) else "()"
            comma = "," if isinstance(value, tuple) and len(value) == 1 else ""
            return f"{ends[0]}{inside}{comma}{ends[1]}"
        if isinstance(value, np.ndarray):
            return f"np.array({value.tolist()!r})"
        if isinstance(value, np.generic):
            return repr(value.item())
        if hasattr(value, "get_params") and not isinstance(value, type):
            return self.call(type(value), value.get_params(deep=False))
        if inspect.isroutine(value) or isinstance(value, type):
            return self.name(value)
        if isinstance(value, float) and not math.isfinite(value):
            return f"float({str(value)!r})"
        if value is None or isinstance(value, (bool, int, float, str, bytes, slice, range)):
            return repr(value)
        raise ValueError(
            f"{value!r} cannot be written as code; pass model= with lines that create the model."
        )

    def call(self, kind: type, params: dict[str, Any]) -> str:
        """Return the code that creates an object, with parameters that are not the defaults."""
        known = inspect.signature(kind).parameters
        by_place = [
            self.code(params[name])
            for name, parameter in known.items()
            if parameter.default is inspect.Parameter.empty and name in params
        ]
        by_name = [
            f"{name}={self.code(value)}"
            for name, value in params.items()
            if name in known and not _is_default(known[name], value)
        ]
        return f"{self.name(kind)}({', '.join([*by_place, *by_name])})"

    def name(self, thing: Any) -> str:
        """Return the name of a class or function, to be imported from the shortest place."""
        place = public_place(thing)
        if place == "__main__" or not thing.__qualname__.isidentifier():
            raise ValueError(
                f"{thing.__qualname__} is defined in the running program, so a script cannot "
                "import it. Move it to a module, or pass model= with the lines that create it."
            )
        self.imports.add(f"from {place} import {thing.__name__}")
        return str(thing.__name__)

    def import_lines(self) -> str:
        """Return the imports, one a line."""
        plain = sorted(line for line in self.imports if line.startswith("import"))
        return "\n".join([*plain, "", *sorted(self.imports - set(plain))])


def _is_default(parameter: inspect.Parameter, value: Any) -> bool:
    """Whether a value need not be written; what has no default is written by its place."""
    if parameter.default is inspect.Parameter.empty:
        return True
    default = parameter.default
    if isinstance(value, float) and isinstance(default, float) and value != value:
        return default != default
    return type(value) is type(default) and bool(np.all(value == default))


def public_place(thing: Any) -> str:
    """Return the module to import from: the part of its module's name before an underscore.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> public_place(DecisionTreeClassifier)
    'sklearn.tree'
    """
    module = str(thing.__module__)
    if module == "__main__":
        return module
    parts: list[str] = []
    for part in module.split("."):
        if part.startswith("_"):
            break
        parts.append(part)
    package = import_module(".".join(parts)) if parts else None
    return ".".join(parts) if getattr(package, thing.__name__, None) is thing else module
