"""Mulan's format: an ARFF file, and an XML file that says which of its attributes are labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from rarelabels._formats import beside
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.arff._header import Header
from rarelabels.datasets.arff._labels_xml import NamedLabel, label_xml, read_label_names
from rarelabels.datasets.arff._read import read_arff
from rarelabels.datasets.arff._write import write_arff
from rarelabels.datasets.files import MAX_SIZE, replacing_together, stem


def load_mulan(
    arff: FilePath,
    xml: FilePath | None = None,
    *,
    unknown: str | None = None,
    max_size: int = MAX_SIZE,
) -> MultiLabelDataset:
    """Read a data set in Mulan's format.

    Dense and sparse rows, numeric and nominal attributes, missing values (``?``), quoted names,
    comments, UTF-8 and Latin-1, ``.gz``, ``.bz2`` and ``.xz`` are read; attributes of type string,
    date and relational and instance weights are refused. The file is read in small blocks, so
    memory stays close to the size of the result.

    Parameters
    ----------
    arff : path-like
        The ARFF file with features and labels; labels may stand anywhere among the attributes.
    xml : path-like, optional
        The XML file with the labels' names, nested or not. By default the one beside the ARFF
        file: ``yeast.xml`` for ``yeast.arff``.
    unknown : str, optional
        ``"?"`` reads labels without a value as unknown, NaN. By default they are an error.
    max_size : int, default=2**32
        Bytes that a file may unpack to.

    Returns
    -------
    MultiLabelDataset
        With the labels in the order of the ARFF's attributes. X and Y are arrays when the rows are
        dense, CSR arrays when they are sparse.

    Raises
    ------
    DataFormatError
        With the file, the line and the text that is wrong.

    See Also
    --------
    save_mulan : Write this format.
    load : Recognize the format of a file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_mulan
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "toy.arff").write_text('''@relation toy
    ... @attribute size numeric
    ... @attribute colour {red, green}
    ... @attribute round {0, 1}
    ... @data
    ... 1.5, green, 1
    ... ?, red, 0
    ... ''')
    >>> _ = (folder / "toy.xml").write_text('<labels><label name="round"/></labels>')
    >>> dataset = load_mulan(folder / "toy.arff")
    >>> dataset
    MultiLabelDataset('toy': 2 samples, 2 features (1 categorical), 1 labels)
    >>> dataset.X
    array([[1.5, 1. ],
           [nan, 0. ]])
    """
    xml = label_file(arff) if xml is None else Path(xml)
    if not Path(arff).is_file():
        raise FileNotFoundError(f"no file {arff}.")
    if not xml.is_file():
        raise FileNotFoundError(
            f"no file {xml}, which should name the labels of {arff}; pass its place as xml=, or "
            "read a file in MEKA's format with load_meka."
        )
    labels = read_label_names(xml)
    options = stem(arff), max_size, unknown
    return read_arff(arff, lambda header: _named(header, labels, xml), *options)


def save_mulan(dataset: MultiLabelDataset, arff: FilePath, xml: FilePath | None = None) -> None:
    """Write a data set in Mulan's format.

    What `load_mulan` reads back is the same to the last bit: X, Y, names and categories. Rows are
    written sparse when X is sparse. Both files appear whole or not at all.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set; features come first in the file, labels last.
    arff : path-like
        The file to write; ``.gz``, ``.bz2`` and ``.xz`` are compressed.
    xml : path-like, optional
        The file for the labels' names, by default beside the other.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_mulan, make_local_imbalance, save_mulan
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.arff"
    >>> dataset = make_local_imbalance(60, random_state=0)
    >>> save_mulan(dataset, path)
    >>> bool((load_mulan(path).X == dataset.X).all())
    True
    """
    xml = label_file(arff) if xml is None else Path(xml)
    with replacing_together(arff, xml) as (data, names):
        names.write(label_xml(dataset.label_names).encode())
        write_arff(data, dataset, dataset.name, labels_first=False)


def label_file(arff: FilePath) -> Path:
    """Return the place of the XML file that belongs to an ARFF file."""
    return beside(arff, ".xml")


def _named(header: Header, labels: list[NamedLabel], xml: FilePath) -> npt.NDArray[np.bool_]:
    known = {attribute.name for attribute in header.attributes}
    for name, line in labels:
        if name not in known:
            raise DataFormatError("the ARFF file has no attribute of this name", xml, line, name)
    wanted = {label.name for label in labels}
    return np.array([attribute.name in wanted for attribute in header.attributes])
