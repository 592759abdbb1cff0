"""Find data sets of the Mulan project in a local folder or in the cache."""

from __future__ import annotations

import os
from pathlib import Path

from rarelabels._formats import COMPRESSED
from rarelabels._mulan_sources import REGISTRY, known_names
from rarelabels.datasets._errors import FilePath

LOCAL_FOLDER = "RARELABELS_DATA"


def is_known(name: str) -> bool:
    """Return whether `fetch_mulan` can read or download a data set of this name."""
    return local_file(name) is not None or registered(name) is not None


def registered(name: str) -> str | None:
    """Return the registered spelling of a name, ignoring case."""
    return next((known for known in known_names() if known.lower() == name.lower()), None)


def local_file(name: str) -> Path | None:
    """Return the ARFF file of a data set in the local folder, or None if it is missing.

    It is ``NAME/NAME.arff`` or ``NAME.arff``, compressed or not.
    """
    folder = os.environ.get(LOCAL_FOLDER)
    if not folder or not _is_file_name(name):
        return None
    for spelling in (name, registered(name) or name):
        for place in (Path(folder) / spelling, Path(folder)):
            for compression in ("", *COMPRESSED):
                file = place / f"{spelling}.arff{compression}"
                if os.path.isfile(file):
                    return file
    return None


def _is_file_name(name: str) -> bool:
    """Return whether a name is that of a file in a folder, and not a path or the parent folder."""
    return name not in ("", ".", "..") and not {"/", "\\", "\0"} & set(name)


def download_folder(name: str, data_home: FilePath | None = None) -> Path:
    """Return the folder to which a data set is downloaded."""
    return Path(data_home if data_home is not None else _user_cache()) / "mulan" / name


def cached_set(name: str) -> Path | None:
    """Return the folder of a completely downloaded data set, or None."""
    folder = download_folder(name)
    source = REGISTRY[name]
    files = (source.xml, *source.parts)
    return folder if all((folder / file.name).is_file() for file in files) else None


def _user_cache() -> Path:
    try:
        import pooch
    except ImportError:
        return Path.home() / ".cache" / "rarelabels"
    return Path(pooch.os_cache("rarelabels"))
