"""scikit-learn's checks for classifiers that only know several labels.

Most checks have a y of one dimension. `OneTarget` lets a multi-label classifier be checked on it:
two classes in as one label, its column out as classes. The classifier itself is checked too, by
all checks but those with such a y.
"""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.fixes import parse_version
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, has_fit_parameter

# Checks whose y has one dimension, or 1 and 2 as classes, or which expect (n, 2) probabilities.
WITH_ONE_TARGET = {
    "check_classifier_data_not_an_array",
    "check_classifier_not_supporting_multiclass",
    "check_classifiers_classes",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_dtypes",
    "check_fit2d_1feature",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
}
# Checks that a sample of weight 2 does what two samples do. A leaf of the default tree needs two
# samples, whatever they weigh; of this classifier it is true, so that what is checked is what the
# learner around it does with weights.
OF_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}
EXACT = LogisticRegression(tol=1e-10, max_iter=10_000)
if parse_version(sklearn.__version__) < parse_version("1.9"):
    # Older versions have 1 and 2 as classes in more of them.
    WITH_ONE_TARGET |= {
        "check_dict_unchanged",
        "check_dont_overwrite_parameters",
        "check_dtype_object",
        "check_estimators_fit_returns_self",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_f_contiguous_array_estimator",
        "check_fit2d_predict1d",
        "check_fit_check_is_fitted",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_pipeline_consistency",
        "check_readonly_memmap_input",
    }


class OneTarget(ClassifierMixin, BaseEstimator):
    """A multi-label classifier as a classifier of two classes."""

    most_classes = 2

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y, **weights):
        if y is None:
            raise ValueError("OneTarget requires y to be passed, but the target y is None")
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        classes = np.unique(y)
        if classes.size > self.most_classes:
            raise ValueError(f"Only binary classification is supported, got {classes.size} classes")
        is_last = np.isin(y, classes[-1:]).astype(int)
        self.estimator_ = clone(self.estimator).fit(X, is_last[:, None], **weights)
        self.classes_ = classes
        return self

    def predict(self, X):
        check_is_fitted(self)
        return self.classes_[self.estimator_.predict(X)[:, 0] * (self.classes_.size - 1)]

    def predict_proba(self, X):
        check_is_fitted(self)
        positive = self.estimator_.predict_proba(X)
        # A tie is a yes here, where checks take the first of equal probabilities.
        positive = np.where(positive == 0.5, 0.5 + 1e-9, positive)
        return np.hstack([1 - positive, positive])[:, -self.classes_.size :]

    @property
    def n_features_in_(self):
        return self._of_fitted("n_features_in_")

    @property
    def feature_names_in_(self):
        return self._of_fitted("feature_names_in_")

    def _of_fitted(self, name):
        if "estimator_" not in vars(self):
            raise AttributeError(name)
        return getattr(self.estimator_, name)

    def __sklearn_tags__(self):
        tags = get_tags(self.estimator)
        tags.target_tags.single_output, tags.target_tags.multi_output = True, False
        tags.target_tags.two_d_labels = False
        tags.classifier_tags.multi_label = False
        return tags


class OneWeightedTarget(OneTarget):
    """The same for classifiers that take sample weights."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight=sample_weight)


class OneWeightedClass(OneWeightedTarget):
    """The same for one of three classes against the others.

    To classifiers of two classes alone the checks of weights give two of three classes, in older
    versions those that come first: other ones to repeated than to weighted samples.
    """

    most_classes = 3

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def one_target(estimator):
    """Return a multi-label classifier as a classifier of two classes."""
    takes_weights = has_fit_parameter(estimator, "sample_weight")
    return (OneWeightedTarget if takes_weights else OneTarget)(estimator)


def parametrize_with_multilabel_checks(estimators, expected_failures, inside):
    """Parametrize a test with the checks of each estimator, itself and with one target.

    `expected_failures` maps a check's name and the estimator's to the reason why it fails. The
    estimator itself is checked around `inside`, whose scores are never exactly 0, one half or 1.
    """
    cases = [
        _case(made, check, expected_failures)
        for estimator in estimators
        for made, check in (
            *_without(WITH_ONE_TARGET, estimator_checks_generator(_around(estimator, inside))),
            *_without(OF_WEIGHTS, estimator_checks_generator(one_target(estimator))),
            *_checks_of_weights(estimator),
        )
    ]
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _checks_of_weights(estimator):
    if not has_fit_parameter(estimator, "sample_weight"):
        return []
    cases = estimator_checks_generator(OneWeightedClass(_around(estimator, EXACT)))
    return [(made, check) for made, check in cases if _name(check) in OF_WEIGHTS]


def _around(estimator, inside):
    """Return a clone whose innermost estimator is another."""
    names = [name for name in estimator.get_params() if name.split("__")[-1] == "estimator"]
    innermost = {max(names, key=len): inside} if names else {}
    return clone(estimator).set_params(**innermost)


def _without(names, cases):
    return [(made, check) for made, check in cases if _name(check) not in names]


def _case(made, check, expected_failures):
    inner = made.estimator if isinstance(made, OneTarget) else made
    name, kind = _name(check), type(inner).__name__
    place = f"OneTarget({kind})" if isinstance(made, OneTarget) else kind
    reason = expected_failures.get((name, place))
    marks = [pytest.mark.xfail(reason=reason)] if reason else []
    return pytest.param(made, check, id=f"{place}-{name}", marks=marks)


def _name(check):
    while hasattr(check, "func"):
        check = check.func
    return check.__name__
