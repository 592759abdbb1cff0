"""What scikit-learn's checks ask that a multi-label-only classifier cannot give, by name."""

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

# Older versions make a y of 1 and 2 for more of their checks.
as_listed = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="the failures listed here are those with scikit-learn 1.9",
)

FLAT_Y = "the check's y has one dimension, which these learners refuse: they have no single label"
ONE_AND_TWO = "the check's y holds 1 and 2; a label is 0 or 1"
TWO_COLUMNS = "the check wants (n, 2) probabilities for one column of y; ours are (n, n_labels)"
FLAT_PREDICTIONS = "the check wants predictions of one dimension for one column of y"

OF_ALL = {
    "check_estimators_dtypes": ONE_AND_TWO,
    "check_fit2d_1feature": ONE_AND_TWO,
    "check_classifier_data_not_an_array": ONE_AND_TWO,
    "check_estimator_sparse_array": TWO_COLUMNS,
    "check_estimator_sparse_matrix": TWO_COLUMNS,
    "check_classifiers_one_label": FLAT_Y,
    "check_classifiers_classes": FLAT_Y,
    "check_classifiers_train": FLAT_PREDICTIONS,
    "check_classifier_not_supporting_multiclass": FLAT_Y + "; it wants 'Only binary' in the error",
}
SURE = {
    "check_classifiers_multilabel_output_format_predict_proba": (
        "the check wants probabilities strictly between 0 and 1; trees and votes are sure at times"
    )
}
OWN_RULE = {
    "check_classifier_multioutput": (
        "the check wants a label predicted where its score is above one half; this learner "
        "has a rule of its own, votes or thresholds"
    )
}
SAMPLER_SPEAKS = {
    "check_dtype_object": "the sampler takes objects that are declared categorical, and says so",
}
