"""Learners by name."""

import pytest

from rarelabels import _registry as registry
from rarelabels import learners
from rarelabels.learners import BinaryRelevance, RAkEL, learner, learner_names


def test_every_name_makes_a_learner():
    made = {name: learner(name) for name in learner_names()}
    assert isinstance(made["br"], BinaryRelevance)
    assert {type(one).__name__ for one in made.values()} <= set(learners.__all__)


def test_parameters_and_case():
    assert learner("RAkEL", labelset_size=2).labelset_size == 2
    assert isinstance(learner("rakel"), RAkEL)


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'cocoa'"):
        learner("coca")
    with pytest.raises(ValueError, match="there are br, clr"):
        learner("zzzzzz")


def test_learners_of_other_packages(monkeypatch):
    class Point:
        name = "Mine"

        def load(self):
            return BinaryRelevance

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()])
    assert "mine" in learner_names()
    assert isinstance(learner("mine", n_jobs=2), BinaryRelevance)
