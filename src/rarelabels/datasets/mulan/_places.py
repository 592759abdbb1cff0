"""Where a data set of the Mulan project is: in a local folder, in the cache, or nowhere yet."""

from __future__ import annotations

import os
from pathlib import Path

from rarelabels._formats import COMPRESSED
from rarelabels.datasets._errors import FilePath
from rarelabels.datasets.mulan._sources import REGISTRY, known_names

LOCAL_FOLDER = "RARELABELS_DATA"


def is_known(name: str) -> bool:
    """Whether `fetch_mulan` has a data set of this name, in the local folder or to download."""
    return local_file(name) is not None or registered(name) is not None


def registered(name: str) -> str | None:
    """Return the name as it is registered, whatever its case."""
    return next((known for known in known_names() if known.lower() == name.lower()), None)


def local_file(name: str) -> Path | None:
    """Return the data set's ARFF file in the local folder, None where there is none.

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
    """Whether a name is that of a file in a folder: not a path, and not the folder above."""
    return name not in ("", ".", "..") and not {"/", "\\", "\0"} & set(name)


def download_folder(name: str, data_home: FilePath | None = None) -> Path:
    """Return the folder that a data set is downloaded into."""
    return Path(data_home if data_home is not None else _user_cache()) / "mulan" / name


def cached_set(name: str) -> Path | None:
    """Return the folder of a data set that was downloaded whole, None where it was not."""
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
