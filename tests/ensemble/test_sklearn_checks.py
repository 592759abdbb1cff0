"""scikit-learn's own checks on the classifiers that resample."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from learners.expected_failures import OF_ALL, SAMPLER_SPEAKS, SURE, as_listed
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import BinaryRelevance
from rarelabels.sampling import MLSOL


def made():
    inside = BinaryRelevance(), MLSOL(n_neighbors=2)
    return [
        ResampledClassifier(*inside, random_state=0),
        SamplingEnsemble(*inside, n_estimators=3, random_state=0),
    ]


def expected(estimator):
    return OF_ALL | SURE | SAMPLER_SPEAKS


# The checks' tiny data often leaves MLSOL nothing to do, which it says.
@pytest.mark.filterwarnings("ignore:no row is informative")
@as_listed
@parametrize_with_checks(made(), expected_failed_checks=expected)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
