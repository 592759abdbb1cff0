"""What scikit-learn's checks ask that a multi-label classifier does not give, by name."""

SURE = "the check wants probabilities strictly between 0 and 1; votes may be unanimous"
OWN_RULE = (
    "the check wants a label predicted where its score is above one half; this classifier has a "
    "rule of its own, votes or thresholds"
)
DRAWN = (
    "the check wants a sample of weight 2 to do what two samples do; this classifier learns from "
    "samples drawn at random, or from folds, and two are drawn apart"
)
ABOVE_ZERO = (
    "the check wants a label predicted where its decision function is above 0; this classifier has "
    "a threshold for each label"
)
LEFT_OUT = (
    "the check wants a sample of weight 2 to do what two samples do; leave-one-out scores leave "
    "out the sample with its whole weight, or one of the two"
)
COUNTED = (
    "the check wants a sample of weight 2 to do what two samples do; two samples are two neighbors"
)
DRAWING = (
    "EnsembleOfClassifierChains",
    "COCOA",
    "ECCRU3",
    "MultiLabelForest",
    "ResampledClassifier",
    "SamplingEnsemble",
    "ThresholdedClassifier",
)

EXPECTED = {
    **{
        (f"check_sample_weight_equivalence_on_{kind}_data", f"OneTarget({name})"): DRAWN
        for kind in ("dense", "sparse")
        for name in DRAWING
    },
    **{
        (f"check_sample_weight_equivalence_on_{kind}_data", f"OneTarget({name})"): LEFT_OUT
        for kind in ("dense", "sparse")
        for name in ("KernelRidgeClassifier", "RareLabelClassifier")
    },
    **{
        (f"check_sample_weight_equivalence_on_{kind}_data", f"OneTarget({name})"): COUNTED
        for kind in ("dense", "sparse")
        for name in ("IBLR", "MLkNN")
    },
    ("check_classifier_multioutput", "KernelRidgeClassifier"): OWN_RULE,
    ("check_classifier_multioutput", "RareLabelClassifier"): OWN_RULE,
    ("check_classifiers_train", "OneTarget(RareLabelClassifier)"): ABOVE_ZERO,
    ("check_classifier_multioutput", "CalibratedLabelRanking"): OWN_RULE,
    ("check_classifier_multioutput", "COCOA"): OWN_RULE,
    ("check_classifier_multioutput", "ECCRU3"): OWN_RULE,
    ("check_classifier_multioutput", "ThresholdedClassifier"): OWN_RULE,
    ("check_classifiers_train", "OneTarget(ThresholdedClassifier)"): OWN_RULE,
    ("check_classifier_multioutput", "SamplingEnsemble"): OWN_RULE,
    (
        "check_classifiers_multilabel_output_format_predict_proba",
        "CalibratedLabelRanking",
    ): SURE,
    ("check_classifiers_multilabel_output_format_predict_proba", "MultiLabelForest"): SURE,
    ("check_classifiers_multilabel_output_format_predict_proba", "RAkEL"): SURE,
}
