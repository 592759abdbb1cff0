"""One file or folder for each file format; `rarelabels._formats` lists them."""

from rarelabels.datasets.formats._csv import load_csv, save_csv
from rarelabels.datasets.formats._excel import load_excel, save_excel
from rarelabels.datasets.formats._feather import load_feather, save_feather
from rarelabels.datasets.formats._label_choice import Labels
from rarelabels.datasets.formats._parquet import load_parquet, save_parquet
from rarelabels.datasets.formats._xmc import load_xmc, save_xmc
from rarelabels.datasets.formats.arff import (
    load_arff,
    load_meka,
    load_mulan,
    save_meka,
    save_mulan,
)

__all__ = [
    "Labels",
    "load_arff",
    "load_csv",
    "load_excel",
    "load_feather",
    "load_meka",
    "load_mulan",
    "load_parquet",
    "load_xmc",
    "save_csv",
    "save_excel",
    "save_feather",
    "save_meka",
    "save_mulan",
    "save_parquet",
    "save_xmc",
]
