"""What scikit-learn's checks ask that a multi-label classifier does not give, by name."""

SURE = "the check wants probabilities strictly between 0 and 1; votes may be unanimous"
OWN_RULE = (
    "the check wants a label predicted where its score is above one half; this classifier has a "
    "rule of its own, votes or thresholds"
)
DRAWN = (
    "the check wants a sample of weight 2 to do what two samples do; this classifier learns from "
    "samples drawn at random, and two are drawn apart"
)
DRAWING = (
    "EnsembleOfClassifierChains",
    "COCOA",
    "ECCRU3",
    "ResampledClassifier",
    "SamplingEnsemble",
)

EXPECTED = {
    **{
        (f"check_sample_weight_equivalence_on_{kind}_data", f"OneTarget({name})"): DRAWN
        for kind in ("dense", "sparse")
        for name in DRAWING
    },
    ("check_classifier_multioutput", "CalibratedLabelRanking"): OWN_RULE,
    ("check_classifier_multioutput", "COCOA"): OWN_RULE,
    ("check_classifier_multioutput", "ECCRU3"): OWN_RULE,
    ("check_classifier_multioutput", "ThresholdedClassifier"): OWN_RULE,
    ("check_classifier_multioutput", "SamplingEnsemble"): OWN_RULE,
    (
        "check_classifiers_multilabel_output_format_predict_proba",
        "CalibratedLabelRanking",
    ): SURE,
    ("check_classifiers_multilabel_output_format_predict_proba", "RAkEL"): SURE,
}
