"""Read, write, fetch and generate multi-label data sets.

A data set of any format is a `MultiLabelDataset`: X, Y and the names of their columns.
"""

from rarelabels.datasets._dataset import MultiLabelDataset
from rarelabels.datasets._errors import DataFormatError, DownloadError
from rarelabels.datasets._load import load, load_features, save
from rarelabels.datasets._preprocess import drop_labels, drop_rare_labels, select_frequent_features
from rarelabels.datasets.arff import load_meka, load_mulan, save_meka, save_mulan
from rarelabels.datasets.generate import make_local_imbalance, make_multilabel
from rarelabels.datasets.mulan import fetch_mulan
from rarelabels.datasets.tables import (
    load_csv,
    load_excel,
    load_feather,
    load_parquet,
    save_csv,
    save_excel,
    save_feather,
    save_parquet,
)
from rarelabels.datasets.xmc import load_xmc, save_xmc

__all__ = [
    "DataFormatError",
    "DownloadError",
    "MultiLabelDataset",
    "drop_labels",
    "drop_rare_labels",
    "fetch_mulan",
    "load",
    "load_csv",
    "load_excel",
    "load_feather",
    "load_features",
    "load_meka",
    "load_mulan",
    "load_parquet",
    "load_xmc",
    "make_local_imbalance",
    "make_multilabel",
    "save",
    "save_csv",
    "save_excel",
    "save_feather",
    "save_meka",
    "save_mulan",
    "save_parquet",
    "save_xmc",
    "select_frequent_features",
]
