"""Which classes a plan or a store may name: nothing else is imported, and nothing else called."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

PACKAGES = ("rarelabels", "sklearn")
GROUPS = ("rarelabels.learners", "rarelabels.samplers")


def trusted_estimator(path: str, also: Collection[str] = ()) -> Any:
    """Return the estimator class ``package.module.Name`` of a package that is trusted.

    Trusted are this package, scikit-learn, packages that add learners or samplers to this one by
    an entry point, and those that the caller names. The package is checked before it is imported,
    the class before it is called.

    Parameters
    ----------
    path : str
        The class, as a plan names it.
    also : collection of str
        Further packages.
    """
    module, _, name = path.rpartition(".")
    trusted = {*PACKAGES, *also, *packages_with_entry_points()}
    if module.partition(".")[0] not in trusted:
        raise ValueError(
            f"{path!r} is not of a trusted package ({', '.join(sorted(trusted))}); name its "
            "package in trusted= (or --trust) if you trust it and this plan."
        )
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"there is no {path!r} ({error}); name a class like "
            "'sklearn.linear_model.LogisticRegression'."
        ) from error
    if not _is_estimator(found):
        raise ValueError(f"{path!r} is no estimator: a class with fit, of scikit-learn's kind.")
    return found


def packages_with_entry_points() -> set[str]:
    """Return the packages that add learners or samplers."""
    points = (point for group in GROUPS for point in entry_points(group=group))
    return {point.module.partition(".")[0] for point in points}


def _is_estimator(found: Any) -> bool:
    from sklearn.base import BaseEstimator

    return isinstance(found, type) and issubclass(found, BaseEstimator) and hasattr(found, "fit")
