"""scikit-learn's own checks on the classifiers that resample."""

import pytest
from sklearn.linear_model import LogisticRegression

from learners.expected_failures import EXPECTED
from learners.one_target import parametrize_with_multilabel_checks
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import BinaryRelevance
from rarelabels.sampling import MLSOL


def made():
    inside = BinaryRelevance(), MLSOL(n_neighbors=2)
    return [
        ResampledClassifier(*inside, random_state=0),
        SamplingEnsemble(*inside, n_estimators=3, random_state=0),
    ]


# The checks' tiny data often leaves MLSOL nothing to do, which it says.
@pytest.mark.filterwarnings("ignore:no sample is informative")
@pytest.mark.filterwarnings("ignore:label 0 has a single class")
@parametrize_with_multilabel_checks(made(), EXPECTED, LogisticRegression(max_iter=1000))
def test_scikit_learn_checks(estimator, check):
    check(estimator)
