"""Data sets of the Mulan project: their names, locations and download."""

from rarelabels._mulan_sources import LOCAL_ONLY, known_names
from rarelabels.datasets.mulan._fetch import fetch_mulan
from rarelabels.datasets.mulan._places import LOCAL_FOLDER, cached_set, is_known, local_file

__all__ = [
    "LOCAL_FOLDER",
    "LOCAL_ONLY",
    "cached_set",
    "fetch_mulan",
    "is_known",
    "known_names",
    "local_file",
]
