"""Where the data sets of the Mulan project are, and what their bytes add up to."""

from __future__ import annotations

from typing import NamedTuple

MULAN_URL = "https://raw.githubusercontent.com/tsoumakas/mulan/master/data/multi-label/"


class Source(NamedTuple):
    """A data set's files: ARFF files with their SHA-256 sums, in the order of their rows."""

    folder: str
    parts: tuple[tuple[str, str], ...]
    xml: str


def _whole(name: str, sha256: str) -> Source:
    return Source(name, ((f"{name}.arff", sha256),), f"{name}.xml")


REGISTRY = {
    "bibtex": _whole("bibtex", "a282a6d1fb3cdaf39bde3f81cd4e6079850a7a538a6bc44f8b4ed95dfe1e5014"),
    "birds": Source(
        "birds",
        (
            (
                "birds-train.arff",
                "8f215db6ee163149901e753977f631ba8bea0e0e8e1abc42b234414822f8ae36",
            ),
            (
                "birds-test.arff",
                "51ba6326d65ccdd7c755b6461280eb6d2769c7f59d8e12fd4250f91e6ca28326",
            ),
        ),
        "birds.xml",
    ),
    "cal500": _whole("cal500", "cfe6097ba5fd6e8584e54911ab9783dcab34e898446b7c9370c71d477eae56d3"),
    "corel5k": Source(
        "corel5k",
        (
            (
                "Corel5k-sparse.arff",
                "12c06161d2367f919f6da912089a6c9180c115cfcefa37afacfdeb903930eb7e",
            ),
        ),
        "Corel5k.xml",
    ),
    "emotions": _whole(
        "emotions", "6f2f790047073d1293ac0872c0d55f2dc98b6177802fc96c6b66b309dfee1e4b"
    ),
    "enron": _whole("enron", "d0889ef0576d4e7b5ec0df3b3e4760e476ac11a6e7d7ddeee4c4a34470dedf97"),
    "flags": _whole("flags", "d3ed8b5683f1b27e68069aad2c29388bb57d4caa5041b559e646cc3854a0cd1e"),
    "genbase": _whole(
        "genbase", "cb23052a49191e36e9a59cd661e97d79bed2e3f2583030a206692b57bf1e3671"
    ),
    "medical": _whole(
        "medical", "ad0630a9a409ed0023c3bb56a0be7610b635c1ca185c6035e3b198b01167aac4"
    ),
    "scene": Source(
        "scene",
        (
            (
                "scene-train.arff",
                "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d",
            ),
            (
                "scene-test.arff",
                "ea38d20296b3ff7e220f477a3b802a9bcb2d768881fe6ee163efbc97ea527a42",
            ),
        ),
        "scene.xml",
    ),
    "yeast": _whole("yeast", "55c07a3b6ff885ae338fb6987a1d57f55572b29809922c2822c4885c61230dd7"),
}

# Part of the paper's experiments, but nowhere to be downloaded.
LOCAL_ONLY = ("rcv1subset1", "rcv1subset2", "yahoo-Arts1", "yahoo-Business1")


def known_names() -> list[str]:
    """Return the names of all data sets that are known, downloadable or not."""
    return sorted([*REGISTRY, *LOCAL_ONLY], key=str.lower)
