"""Tables: CSV, Parquet, Feather and Excel files, which are columns with names.

Parquet and Feather files have types and are read by a dataframe library (`_typed_columns`). The
cells of CSV files and sheets are texts, whose columns determine their types (`_text_columns`).
"""

from rarelabels.datasets.tables._columnar import (
    load_feather,
    load_parquet,
    save_feather,
    save_parquet,
)
from rarelabels.datasets.tables._csv import load_csv, save_csv
from rarelabels.datasets.tables._excel import load_excel, save_excel

__all__ = [
    "load_csv",
    "load_excel",
    "load_feather",
    "load_parquet",
    "save_csv",
    "save_excel",
    "save_feather",
    "save_parquet",
]
