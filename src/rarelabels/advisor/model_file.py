"""Save and load fitted models, with joblib as a pickle, or with skops.

A pickle is a program that runs when it is loaded. A file of skops lists the types of the parts of
a model, and loading it creates objects of these types only. The reader decides which are allowed.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from rarelabels._registry import is_part_of_models
from rarelabels.datasets.files import replacing

SKOPS = ".skops"
# Where the parts of fitted models are defined; the classes are marked there. Other modules are not
# imported because a file names them.
ROOMS = ("learners", "trees", "_containers", "_features")
# Of what fitted models of other packages consist, besides what skops trusts. By name rather than by
# package: a class that imports or calls what a file tells it to would undo the whole.
OF_OTHERS = (
    "scipy.sparse._csr.csr_array",
    "sklearn._loss.link.Interval",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.tree._tree.Tree",
    # How scikit-learn's boosting reads categories.
    "functools.partial",
    "sklearn.utils.validation.check_array",
)


def save_model(model: Any, path: Any) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : classifier
        Fitted, as :meth:`SamplingHelp.fit_best` returns it.
    path : path-like
        The file; one that is there is replaced. A name that ends in ``.skops`` makes a file that
        `load_model` loads without running code of the file; it needs the extra ``models``. Every
        other name makes a pickle, for ``joblib.load``.

    See Also
    --------
    load_model : Load it.

    Examples
    --------
    >>> from rarelabels.datasets import make_local_imbalance
    >>> from rarelabels.advisor import save_model
    >>> from rarelabels.learners import MLkNN
    >>> X, y = make_local_imbalance(60, random_state=0)
    >>> save_model(MLkNN().fit(X, y), "model.joblib")  # doctest: +SKIP
    """
    content = model_bytes(model, path)
    with replacing(path) as file:
        file.write(content)


def model_bytes(model: Any, path: Any) -> bytes:
    """Return the content of the file, in the format that its name asks for."""
    if is_skops(path):
        return bytes(_skops().dumps(model))
    import joblib

    content = io.BytesIO()
    joblib.dump(model, content)
    return content.getvalue()


def load_model(path: Any, *, trusted: Iterable[str] = ()) -> Any:
    """Load a model that `save_model` wrote as ``.skops``.

    Parameters
    ----------
    path : path-like
        The file.
    trusted : iterable of str
        Full names of types that the file may contain in addition to those of this package and the
        usual ones of scikit-learn, NumPy and SciPy, such as classes that you wrote.

    Returns
    -------
    classifier
        The fitted model, with the same predictions as the saved one.

    Raises
    ------
    ValueError
        If the file contains types that are not trusted, which the error names, or if it is a
        pickle, or was damaged or tampered with.

    See Also
    --------
    save_model : Write it.

    Notes
    -----
    A file that was tampered with can still contain wrong numbers. It cannot run code unless skops
    or a trusted type has a flaw. Trees, support vectors and sparse matrices are checked, so that
    prediction does not read outside their arrays. Types that you trust by name are not checked.

    Examples
    --------
    >>> from rarelabels.advisor import load_model
    >>> load_model("model.skops").predict(X)  # doctest: +SKIP
    """
    # Many modules of scikit-learn are imported to check models.
    from rarelabels.advisor._model_checks import check_archive, check_model, damaged_unless_whole

    if not is_skops(path):
        raise ValueError(
            f"{path} is not a .skops file. A pickle runs code when it is loaded. If you trust its "
            "author, load it with joblib.load. save_model(model, 'model.skops') writes a safer "
            "file."
        )
    io_of_skops = _skops()
    check_archive(path)
    with damaged_unless_whole(path):
        types = io_of_skops.get_untrusted_types(file=path)
    known = {*trusted_types(), *trusted}
    unknown = sorted(name for name in set(types) - known if not is_own_part(name))
    if unknown:
        raise ValueError(
            f"{path} holds types that are not trusted: {', '.join(unknown)}. If you know them and "
            f"what they do, load_model(path, trusted={unknown!r}) loads it."
        )
    with damaged_unless_whole(path):
        model = io_of_skops.load(path, trusted=types)
    check_model(model)
    return model


def is_skops(path: Any) -> bool:
    """Whether a file's name asks for the format of skops."""
    return Path(path).suffix.lower() == SKOPS


def is_own_part(name: str) -> bool:
    """Whether a type, by its full name, is a class of this package that is a part of models.

    >>> is_own_part("rarelabels._containers.ArrayContainer")
    True
    >>> is_own_part("rarelabels._registry.Deferred"), is_own_part("os.system")
    (False, False)
    """
    package, _, rest = name.partition(".")
    place, _, kind = name.rpartition(".")
    if package != "rarelabels" or rest.partition(".")[0] not in ROOMS:
        return False
    try:
        return is_part_of_models(getattr(import_module(place), kind, None))
    except ImportError:
        # The module does not exist, or one of its dependencies is not installed.
        return False


def trusted_types() -> tuple[str, ...]:
    """Return the full names of public classes that models consist of, and of those of others."""
    from rarelabels import _outputs, decisions, ensemble, learners, sampling

    packages = (decisions, ensemble, learners, sampling)
    public = [getattr(package, name) for package in packages for name in package.__all__]
    # How predictions get the kind of container that the labels came in.
    public += [one for one in vars(_outputs).values() if one.__class__ is type]
    # The record of a named rule calls the function that it names; models hold the name instead.
    classes = {
        f"{one.__module__}.{one.__qualname__}"
        for one in public
        if inspect.isclass(one)
        and one is not decisions.Rule
        and one.__module__.startswith("rarelabels.")
    }
    return (*sorted(classes), *OF_OTHERS)


def _skops() -> Any:
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            'a .skops file needs skops: pip install "rarelabels[models]"; .joblib does not.'
        ) from error
    return skops.io
