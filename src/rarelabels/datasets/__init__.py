"""Read, write, fetch and generate multi-label data sets.

Whatever the format, a data set is a `MultiLabelDataset`: X, Y and their columns' names.
"""

from rarelabels.datasets._csv import load_csv, save_csv
from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, DownloadError
from rarelabels.datasets._fetch import fetch_mulan
from rarelabels.datasets._load import load
from rarelabels.datasets._local_imbalance import make_local_imbalance
from rarelabels.datasets._meka import load_meka, save_meka
from rarelabels.datasets._mulan import load_mulan, save_mulan
from rarelabels.datasets._multilabel import make_multilabel
from rarelabels.datasets._parquet import load_parquet, save_parquet
from rarelabels.datasets._preprocess import drop_rare_labels, select_frequent_features
from rarelabels.datasets._xmc import load_xmc, save_xmc

__all__ = [
    "DataFormatError",
    "DownloadError",
    "MultiLabelDataset",
    "drop_rare_labels",
    "fetch_mulan",
    "load",
    "load_csv",
    "load_meka",
    "load_mulan",
    "load_parquet",
    "load_xmc",
    "make_local_imbalance",
    "make_multilabel",
    "save_csv",
    "save_meka",
    "save_mulan",
    "save_parquet",
    "save_xmc",
    "select_frequent_features",
]
