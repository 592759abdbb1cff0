"""The colors of the types: one set everywhere, told apart by readers who see fewer colors."""

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

from rarelabels.measures import LabelType

# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009), severity 1, on linear RGB.
SEEN = {
    "all colors": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1, 1.089])


def linear(color):
    values = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def cielab(rgb):
    x, y, z = np.cbrt(TO_XYZ @ np.clip(rgb, 0, 1) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("matrix", SEEN.values(), ids=SEEN)
def test_types_are_told_apart(matrix):
    """A distance of 2 in CIELAB is just noticeable; ours are ten times that."""
    seen = [cielab(np.array(matrix) @ linear(kind.color)) for kind in sorted(LabelType)[:4]]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 20


def test_the_page_has_the_same_colors():
    style = files("rarelabels.report").joinpath("templates/page.css").read_text(encoding="utf-8")
    of_page = dict(re.findall(r"--t(\d): (#\w+);", style.partition("@media")[0]))
    assert of_page == {str(int(kind)): kind.color for kind in LabelType}
