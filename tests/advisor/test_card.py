"""The card of a model: names are text, never markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarelabels.advisor import does_sampling_help
from rarelabels.advisor._card import _cell
from rarelabels.datasets import make_local_imbalance

HOSTILE = "a<script>alert(1)</script>\n# [b](javascript:c) `d` | *e*"
MARKUP = re.compile(r"(?<!\\)(?:\\\\)*[|`*_<>\[\]#&~!]")


@given(st.text())
def test_a_name_is_one_line_without_markup(name):
    text = _cell(name)
    assert len(text.splitlines()) <= 1
    assert MARKUP.search(text) is None


@pytest.mark.filterwarnings("ignore")
def test_names_of_data_and_methods_are_escaped():
    X, y = make_local_imbalance(60, difficulty=0.3, random_state=0)
    answer = does_sampling_help(X, y, samplers={HOSTILE: "mlros"}, cv="1x2", random_state=0)
    object.__setattr__(answer.data, "name", HOSTILE)
    card = answer.card(answer.fit_best(HOSTILE), HOSTILE)
    assert "<script>" not in card
    assert "[b](" not in card
    title = card.splitlines()[0]
    assert title.startswith("# a\\<script")
    assert MARKUP.search(title[2:]) is None
