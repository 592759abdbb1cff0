"""MEKA's format: an ARFF file whose relation says how many attributes are labels."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.arff._header import Header
from rarelabels.datasets.arff._read import read_arff
from rarelabels.datasets.arff._write import write_arff
from rarelabels.datasets.files import MAX_SIZE, replacing, stem

_LABEL_COUNT = re.compile(r"(?:^|[\s:])-C[ \t]+(-?\d{1,9})(?!\d)")


def load_meka(
    path: FilePath, *, unknown: str | None = None, max_size: int = MAX_SIZE
) -> MultiLabelDataset:
    """Read a data set in MEKA's format.

    The relation's name carries the option ``-C n``: the first n attributes are labels or, for a
    negative n, the last. All else is as in `load_mulan`.

    Parameters
    ----------
    path : path-like
        The ARFF file.
    unknown : str, optional
        As in `load_mulan`.
    max_size : int, default=2**32
        Bytes that the file may unpack to.

    Returns
    -------
    MultiLabelDataset
        With the labels in the order of the attributes.

    Raises
    ------
    DataFormatError
        With the file, the line and the text that is wrong.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_meka
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "toy.arff"
    >>> _ = path.write_text('''@relation 'Toy: -C 1'
    ... @attribute round {0, 1}
    ... @attribute size numeric
    ... @data
    ... 1, 2.5
    ... ''')
    >>> load_meka(path).label_names
    ('round',)
    """
    return read_arff(path, lambda header: _counted(header, path), stem(path), max_size, unknown)


def save_meka(dataset: MultiLabelDataset, path: FilePath) -> None:
    """Write a data set in MEKA's format, labels first.

    Parameters
    ----------
    dataset : MultiLabelDataset
        The data set; rows are written sparse when X is sparse.
    path : path-like
        The file to write; ``.gz``, ``.bz2`` and ``.xz`` are compressed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_meka, make_local_imbalance, save_meka
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.arff"
    >>> save_meka(make_local_imbalance(60, random_state=0), path)
    >>> load_meka(path)
    MultiLabelDataset('made': 60 samples, 2 features, 3 labels)
    """
    # MEKA takes everything behind the first colon for options.
    relation = f"{dataset.name.replace(':', '_') or 'data'}: -C {dataset.n_labels}"
    with replacing(path) as file:
        write_arff(file, dataset, relation, labels_first=True)


def label_count(relation: str) -> int | None:
    """Return the n of ``-C n`` in a relation's name, None where there is none.

    >>> label_count("Music: -C 6"), label_count("Music -C -6"), label_count("Music")
    (6, -6, None)
    """
    name, colon, options = relation.partition(":")
    match = _LABEL_COUNT.search(options if colon else name)
    return int(match[1]) if match is not None else None


def _counted(header: Header, path: FilePath) -> npt.NDArray[np.bool_]:
    count, total = label_count(header.relation), len(header.attributes)
    if count is None:
        raise DataFormatError(
            "the relation says nothing like -C 6 about its labels: this is not MEKA's format (is "
            "there an XML file for load_mulan?)",
            path,
            header.relation_line,
            header.relation,
        )
    if not 1 <= abs(count) <= total:
        raise DataFormatError(
            f"the relation counts {abs(count)} labels among {total} attributes",
            path,
            header.relation_line,
            header.relation,
        )
    is_label = np.zeros(total, dtype=bool)
    is_label[:count] = True
    return is_label if count > 0 else ~is_label
