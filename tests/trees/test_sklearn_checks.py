"""scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rarelabels.trees import C45Classifier, EntropyTreeClassifier

COUNTS = (
    "the check has a sample of weight 2 do what two samples do; min_samples_leaf counts samples, "
    "as that of scikit-learn's trees does"
)
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": COUNTS,
    "check_sample_weight_equivalence_on_sparse_data": COUNTS,
}


def expected(tree):
    return EXPECTED if isinstance(tree, EntropyTreeClassifier) else {}


@parametrize_with_checks(
    [C45Classifier(), EntropyTreeClassifier(random_state=0)], expected_failed_checks=expected
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
