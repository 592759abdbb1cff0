"""Mulan's format: an ARFF file, and an XML file that names the labels among its attributes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from rarelabels._formats import companion_path
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

    The reader supports dense and sparse rows, numeric and nominal attributes, missing values
    (``?``), quoted names, comments, UTF-8 and Latin-1, and files compressed as ``.gz``, ``.bz2`` or
    ``.xz``. Attributes of type string, date and relational and instance weights raise an error. The
    file is read in small blocks, so little more memory is needed than for the result.

    Parameters
    ----------
    arff : path-like
        The ARFF file with features and labels, which may be in any order.
    xml : path-like, optional
        The XML file with the names of the labels, nested or not. By default, the one next to the
        ARFF file: ``yeast.xml`` for ``yeast.arff``.
    unknown : str, optional
        ``"?"`` reads labels without a value as unknown (NaN). By default, they are an error.
    max_size : int, default=2**32
        Maximum size of a decompressed file in bytes.

    Returns
    -------
    MultiLabelDataset
        The data set, with the labels in the order of the attributes. X and Y are arrays if the rows
        are dense, and CSR arrays if they are sparse.

    Raises
    ------
    DataFormatError
        If the content is not valid. The error names the file, the line and the wrong text.

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
    ... @attribute color {red, green}
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
        raise FileNotFoundError(f"the file {arff} does not exist.")
    if not xml.is_file():
        raise FileNotFoundError(
            f"the file {xml}, which should name the labels of {arff}, does not exist; pass its "
            "path as xml=, or read a file in MEKA's format with load_meka."
        )
    labels = read_label_names(xml)
    options = stem(arff), max_size, unknown
    return read_arff(arff, lambda header: _named(header, labels, xml), *options)


def save_mulan(dataset: MultiLabelDataset, arff: FilePath, xml: FilePath | None = None) -> None:
    """Write a data set in Mulan's format.

    `load_mulan` reads back the same X, Y, names and categories, to the last bit. Rows are written
    in sparse format if X is sparse. If writing fails, neither file is changed.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set; features come first in the file, labels last.
    arff : path-like
        The file to write. It is compressed if it ends in ``.gz``, ``.bz2`` or ``.xz``.
    xml : path-like, optional
        The file for the names of the labels; by default, it is next to the ARFF file.

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
    """Return the path of the XML file that belongs to an ARFF file."""
    return companion_path(arff, ".xml")


def _named(header: Header, labels: list[NamedLabel], xml: FilePath) -> npt.NDArray[np.bool_]:
    attribute_names = {attribute.name for attribute in header.attributes}
    for name, line in labels:
        if name not in attribute_names:
            raise DataFormatError("the ARFF file has no attribute with this name", xml, line, name)
    label_names = {label.name for label in labels}
    return np.array([attribute.name in label_names for attribute in header.attributes])
