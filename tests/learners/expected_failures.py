"""What scikit-learn's checks ask that a multi-label classifier does not give, by name."""

SURE = "the check wants probabilities strictly between 0 and 1; votes may be unanimous"
OWN_RULE = (
    "the check wants a label predicted where its score is above one half; this classifier has a "
    "rule of its own, votes or thresholds"
)
LEAVES = (
    "the check wants weights to count as repeated samples do; a leaf of the default tree needs two "
    "samples, whatever they weigh, and what is drawn at random is drawn from samples"
)
WITH_WEIGHTS = (
    "BinaryRelevance",
    "LabelPowerset",
    "EnsembleOfClassifierChains",
    "CalibratedLabelRanking",
    "RAkEL",
    "COCOA",
    "ECCRU3",
    "ThresholdedClassifier",
    "ResampledClassifier",
    "SamplingEnsemble",
)

EXPECTED = {
    **{
        (f"check_sample_weight_equivalence_on_{kind}_data", f"OneTarget({name})"): LEAVES
        for kind in ("dense", "sparse")
        for name in WITH_WEIGHTS
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
