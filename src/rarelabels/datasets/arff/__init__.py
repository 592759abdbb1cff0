"""ARFF, in the dialects of Mulan and MEKA.

A file goes through `_read`: `_header` reads down to ``@data``, `_columns` decides what each
attribute becomes, `_rows` reads the rows, many at once where it can, `_collectors` gathers them.
"""

from rarelabels.datasets.arff._load import load_arff
from rarelabels.datasets.arff._meka import load_meka, save_meka
from rarelabels.datasets.arff._mulan import load_mulan, save_mulan

__all__ = ["load_arff", "load_meka", "load_mulan", "save_meka", "save_mulan"]
