"""Decision trees, many at once on one coding of X: C4.5 as Weka's J48 grows it, and by entropy.

Needs numba: ``pip install "rarelabels[fast]"``.
"""

from rarelabels.trees._c45 import C45Classifier
from rarelabels.trees._entropy import EntropyTreeClassifier

__all__ = ["C45Classifier", "EntropyTreeClassifier"]
