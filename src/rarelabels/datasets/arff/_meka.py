"""MEKA's format: an ARFF file whose relation contains the number of labels."""

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

    The name of the relation contains the option ``-C n``: the first n attributes are labels or, for
    a negative n, the last ones. Everything else is as in `load_mulan`.

    Parameters
    ----------
    path : path-like
        The ARFF file.
    unknown : str, optional
        See `load_mulan`.
    max_size : int, default=2**32
        Maximum size of the decompressed file in bytes.

    Returns
    -------
    MultiLabelDataset
        The data set, with the labels in the order of the attributes.

    Raises
    ------
    DataFormatError
        If the content is not valid. The error names the file, the line and the wrong text.

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
        The data set. Rows are written in sparse format if X is sparse.
    path : path-like
        The file to write. It is compressed if it ends in ``.gz``, ``.bz2`` or ``.xz``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rarelabels.datasets import load_meka, make_local_imbalance, save_meka
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "made.arff"
    >>> save_meka(make_local_imbalance(60, random_state=0), path)
    >>> load_meka(path)
    MultiLabelDataset('made': 60 samples, 2 features, 3 labels)
    """
    # MEKA interprets everything after the first colon as options.
    relation = f"{dataset.name.replace(':', '_') or 'data'}: -C {dataset.n_labels}"
    with replacing(path) as file:
        write_arff(file, dataset, relation, labels_first=True)


def label_count(relation: str) -> int | None:
    """Return the n of ``-C n`` in the name of a relation, or None if it is missing.

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
            "the relation has no option like -C 6 for the number of labels, so this is not MEKA's "
            "format; if there is an XML file, use load_mulan",
            path,
            header.relation_line,
            header.relation,
        )
    if not 1 <= abs(count) <= total:
        raise DataFormatError(
            f"the relation declares {abs(count)} labels, but there are {total} attributes",
            path,
            header.relation_line,
            header.relation,
        )
    is_label = np.zeros(total, dtype=bool)
    is_label[:count] = True
    return is_label if count > 0 else ~is_label
