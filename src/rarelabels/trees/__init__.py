"""Decision trees that can be fitted many at once: C4.5 as in Weka's J48, and entropy trees.

They require numba: ``pip install "rarelabels[fast]"``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rarelabels.trees._c45 import C45Classifier
    from rarelabels.trees._entropy import EntropyTreeClassifier

__all__ = ["C45Classifier", "EntropyTreeClassifier"]


def __getattr__(name: str) -> Any:
    """Return a class when it is first asked for: only then is numba needed."""
    if name == "C45Classifier":
        from rarelabels.trees._c45 import C45Classifier

        return C45Classifier
    if name == "EntropyTreeClassifier":
        from rarelabels.trees._entropy import EntropyTreeClassifier

        return EntropyTreeClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
