"""Many numbers at once must be what Python's float makes of each."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rarelabels.datasets.number_parser import (
    parse_number,
    parse_numbers,
    split_tokens,
    whole_number,
)
from rarelabels.datasets.writing import number_text

floats = st.floats(allow_nan=False, allow_infinity=False)
number_texts = st.one_of(
    floats.map(repr),
    floats.map(number_text),
    st.integers(-(10**16), 10**16).map(str),
    st.tuples(st.floats(-1e4, 1e4), st.integers(0, 9)).map(lambda pair: f"{pair[0]:.{pair[1]}f}"),
    st.sampled_from(["?", "+1", ".5", "5.", "-.5", "-0", "00012", "1e5", "999999999999999"]),
)
any_texts = st.text("0123456789.-+eE?", min_size=1, max_size=18)
separators = st.sampled_from([b" ", b",", b"\n"])


def reference(texts):
    return [math.nan if text == "?" else parse_number(text) for text in texts]


@given(st.lists(number_texts, max_size=30), separators)
def test_numbers(texts, separator):
    found = parse_numbers(
        split_tokens(b"".join(text.encode() + separator for text in texts), separator)
    )
    expected = np.array(reference(texts), dtype=float)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


@given(st.lists(any_texts, min_size=1, max_size=5))
@example(["088377..6316626"])
@example(["1-2", "-"])
@example(["1!2", "-"])
@example(["."])
def test_what_is_no_number_is_refused(texts):
    tokens = split_tokens(b"".join(text.encode() + b" " for text in texts), b" ")
    try:
        expected = reference(texts)
    except ValueError:
        with pytest.raises(ValueError):
            parse_numbers(tokens)
    else:
        np.testing.assert_array_equal(parse_numbers(tokens), expected)


@pytest.mark.parametrize(
    "text",
    ["1_0", "nan", "inf", "-infinity", "1e999", "", "x", "0x10", "3\x10", "\x1f3", "٣", "1\u00a0"],
)
def test_texts_that_python_takes_for_numbers(text):
    with pytest.raises(ValueError):
        parse_number(text)
    with pytest.raises(ValueError):
        parse_numbers(split_tokens(f"1 {text} ".encode(), b" "))


def test_whole_numbers():
    assert whole_number("12") == 12
    with pytest.raises(ValueError):
        whole_number("1.5")


@given(floats)
def test_texts_of_numbers_read_back(value):
    again = float(number_text(value))
    assert again == value
    assert math.copysign(1, again) == math.copysign(1, value)
