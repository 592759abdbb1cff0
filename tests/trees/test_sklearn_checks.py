"""scikit-learn's own checks."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from rarelabels.trees import C45Classifier, EntropyTreeClassifier


@parametrize_with_checks([C45Classifier(), EntropyTreeClassifier(random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
