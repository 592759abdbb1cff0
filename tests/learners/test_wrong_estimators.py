"""What is not an estimator is refused by name, by every learner and with every argument."""

import inspect

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rarelabels import decisions, ensemble, learners
from rarelabels.experiment import PlanError, load_plan
from rarelabels.sampling import MLROS

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = (X + RNG.normal(size=X.shape) > 0).astype(int)


def takes_estimator(kind):
    return (
        inspect.isclass(kind)
        and hasattr(kind, "fit")
        and not inspect.isabstract(kind)
        and "estimator" in inspect.signature(kind).parameters
    )


KINDS = {
    name: getattr(module, name)
    for module in (learners, ensemble, decisions)
    for name in module.__all__
    if takes_estimator(getattr(module, name))
}


def test_there_are_learners_to_try():
    assert {"BinaryRelevance", "SamplingEnsemble", "ThresholdedClassifier"} <= set(KINDS)


@pytest.mark.parametrize("wrong", [5, "br", object(), [1], MLROS])
@pytest.mark.parametrize("weights", [None, np.ones(40)])
@pytest.mark.parametrize("name", KINDS)
def test_what_is_not_an_estimator(name, wrong, weights):
    kind = KINDS[name]
    more = {"sampler": MLROS()} if "sampler" in inspect.signature(kind).parameters else {}
    takes_weights = "sample_weight" in inspect.signature(kind.fit).parameters
    params = {} if weights is None or not takes_weights else {"sample_weight": weights}
    with pytest.raises(TypeError, match="estimator"):
        kind(estimator=wrong, **more).fit(X, Y, **params)


SINGLE = [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())]


@pytest.mark.parametrize("single", SINGLE, ids=["classifier", "pipeline"])
@pytest.mark.parametrize(
    "name",
    ["CalibratedClassifier", "ResampledClassifier", "SamplingEnsemble", "ThresholdedClassifier"],
)
def test_a_classifier_of_one_label_where_several_are_learned(name, single):
    more = {"sampler": MLROS()} if "sampler" in inspect.signature(KINDS[name]).parameters else {}
    kind = type(single).__name__
    with pytest.raises(ValueError, match=rf"3 labels at once .* BinaryRelevance\({kind}") as error:
        KINDS[name](single, **more).fit(X, Y)
    assert isinstance(error.value.__cause__, ValueError)


def test_other_errors_of_classifiers_of_several_labels_stay():
    trees = DecisionTreeClassifier(class_weight=[{0: 1, 1: 1}])
    with pytest.raises(ValueError) as alone:
        trees.fit(X, Y)
    with pytest.raises(ValueError) as inside:
        KINDS["ThresholdedClassifier"](trees).fit(X, Y)
    assert str(inside.value) == str(alone.value)


@pytest.mark.parametrize("wrong", [5, 1.5, True, ["sklearn.svm.SVC"]])
def test_a_plan_says_what_an_estimator_must_be(wrong):
    values = {"datasets": ["flags"], "methods": ["default"]}
    with pytest.raises(PlanError, match=r"estimator has a value of the wrong type"):
        load_plan({**values, "learners": [{"learner": "br", "estimator": wrong}]})
