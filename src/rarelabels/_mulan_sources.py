"""Where the data sets of the Mulan project are, and the checksums of their files."""

from __future__ import annotations

from typing import NamedTuple

MULAN_URL = "https://raw.githubusercontent.com/tsoumakas/mulan/master/data/multi-label/"


class File(NamedTuple):
    """A file's name and the SHA-256 sum of its bytes."""

    name: str
    sha256: str


class Source(NamedTuple):
    """A data set's files: the ARFF files in the order of their samples, and the label file."""

    folder: str
    parts: tuple[File, ...]
    xml: File


# Sums of the bytes in the project's repository at commit 43f6389. Without that of the label file a
# label that is missing from it would silently become a feature.
REGISTRY = {
    "bibtex": Source(
        "bibtex",
        (
            File(
                "bibtex.arff",
                "a282a6d1fb3cdaf39bde3f81cd4e6079850a7a538a6bc44f8b4ed95dfe1e5014",
            ),
        ),
        File("bibtex.xml", "08fe20013c1e75dcf1888c185f5187c95e76495b8518ce289b4d3afce38d1232"),
    ),
    "birds": Source(
        "birds",
        (
            File(
                "birds-train.arff",
                "8f215db6ee163149901e753977f631ba8bea0e0e8e1abc42b234414822f8ae36",
            ),
            File(
                "birds-test.arff",
                "51ba6326d65ccdd7c755b6461280eb6d2769c7f59d8e12fd4250f91e6ca28326",
            ),
        ),
        File("birds.xml", "0f4ea547b2b3d538c8402662daf689e0d4520cc8b4f5ba113c2e7c01700f010f"),
    ),
    "cal500": Source(
        "cal500",
        (
            File(
                "cal500.arff",
                "cfe6097ba5fd6e8584e54911ab9783dcab34e898446b7c9370c71d477eae56d3",
            ),
        ),
        File("cal500.xml", "877e128531268d7661faa3e44f7bb43cbcda829c0895e49879168775b192728c"),
    ),
    "corel5k": Source(
        "corel5k",
        (
            File(
                "Corel5k-sparse.arff",
                "12c06161d2367f919f6da912089a6c9180c115cfcefa37afacfdeb903930eb7e",
            ),
        ),
        File("Corel5k.xml", "54ef6a6ccb7ca9b77524052b34b306d5d501661a5609b9d1cc7085b2b597679d"),
    ),
    "delicious": Source(
        "delicious",
        (
            File(
                "delicious.arff",
                "b944de0bca910050c11d97eed57d17b073110ea3646a587f3d15d127cf581aab",
            ),
        ),
        File("delicious.xml", "4e0c0f93c7d86a39b9fca4aaefaa00e9428f2c80277732dfbf03ca48e2c14da2"),
    ),
    "emotions": Source(
        "emotions",
        (
            File(
                "emotions.arff",
                "6f2f790047073d1293ac0872c0d55f2dc98b6177802fc96c6b66b309dfee1e4b",
            ),
        ),
        File("emotions.xml", "dbce8e6ccbbb2fcbfd9e9edbb230d7ed12692c6e13f59fdbc0161fa9b6cf2dc0"),
    ),
    "enron": Source(
        "enron",
        (
            File(
                "enron.arff",
                "d0889ef0576d4e7b5ec0df3b3e4760e476ac11a6e7d7ddeee4c4a34470dedf97",
            ),
        ),
        File("enron.xml", "ed40c92d7f613eed51714912cab10dddc4ce456262137d8fef230d44c7f4457b"),
    ),
    "flags": Source(
        "flags",
        (
            File(
                "flags.arff",
                "d3ed8b5683f1b27e68069aad2c29388bb57d4caa5041b559e646cc3854a0cd1e",
            ),
        ),
        File("flags.xml", "7c9ed21a91b716b91f811323e20ee5a260ea2da62a5edcfeb1b91ec855a48f17"),
    ),
    "genbase": Source(
        "genbase",
        (
            File(
                "genbase.arff",
                "cb23052a49191e36e9a59cd661e97d79bed2e3f2583030a206692b57bf1e3671",
            ),
        ),
        File("genbase.xml", "198e8a1d7070e9603119e02e626cedc589db7577339b307b06f5192047b69eb9"),
    ),
    "medical": Source(
        "medical",
        (
            File(
                "medical.arff",
                "ad0630a9a409ed0023c3bb56a0be7610b635c1ca185c6035e3b198b01167aac4",
            ),
        ),
        File("medical.xml", "51fa9d5c09e48caff3f0a0c75db1c9aa85944f8e35451f3ad8bd56fc422286ce"),
    ),
    "scene": Source(
        "scene",
        (
            File(
                "scene-train.arff",
                "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d",
            ),
            File(
                "scene-test.arff",
                "ea38d20296b3ff7e220f477a3b802a9bcb2d768881fe6ee163efbc97ea527a42",
            ),
        ),
        File("scene.xml", "55d8b247b949ad5c52e5a73d8c6775ec6e5469ce9682465b45b333b68ee4bcc5"),
    ),
    "tmc2007-500": Source(
        "tmc2007",
        (
            File(
                "tmc2007-500.arff",
                "3ea7e95dd80a78a3e7d521d77c3371bfef888da1d364b5a3bb71c7222ad7f013",
            ),
        ),
        File("tmc2007-500.xml", "cb6a67c8ae72fd9b47d89f77aa5b7f6cafb4ba9c20b1124c65a95a3f2caec38d"),
    ),
    "yeast": Source(
        "yeast",
        (
            File(
                "yeast.arff",
                "55c07a3b6ff885ae338fb6987a1d57f55572b29809922c2822c4885c61230dd7",
            ),
        ),
        File("yeast.xml", "c3056cc26444b5158b1588d1b73bec9c45429e10f0957ad085903423cb81f247"),
    ),
}

# Part of the experiments of the paper, but not available for download.
LOCAL_ONLY = ("rcv1subset1", "rcv1subset2", "yahoo-Arts1", "yahoo-Business1")


def known_names() -> list[str]:
    """Return the names of all data sets that are known, downloadable or not."""
    return sorted([*REGISTRY, *LOCAL_ONLY], key=str.lower)
