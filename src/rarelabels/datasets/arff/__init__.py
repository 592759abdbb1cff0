"""ARFF, in the dialects of Mulan and MEKA.

`_read` reads a file: `_header` reads up to ``@data``, `_columns` decides how each attribute is
converted, `_rows` reads the rows, many at once if possible, and `_collectors` collects them.
"""

from rarelabels.datasets.arff._load import load_arff
from rarelabels.datasets.arff._meka import load_meka, save_meka
from rarelabels.datasets.arff._mulan import load_mulan, save_mulan

__all__ = ["load_arff", "load_meka", "load_mulan", "save_meka", "save_mulan"]
