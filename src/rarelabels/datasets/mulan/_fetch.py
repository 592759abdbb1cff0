"""Download the data sets of the Mulan project, and read them from a cache."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rarelabels._mulan_sources import (
    LOCAL_ONLY,
    MULAN_URL,
    REGISTRY,
    File,
    Source,
    known_names,
)
from rarelabels._registry import did_you_mean
from rarelabels.datasets._dataset import MultiLabelDataset, stacked
from rarelabels.datasets._errors import DownloadError, FilePath
from rarelabels.datasets.arff import load_mulan
from rarelabels.datasets.mulan._places import LOCAL_FOLDER, download_folder, local_file, registered


def fetch_mulan(
    name: str,
    *,
    data_home: FilePath | None = None,
    progress: bool = True,
    base_url: str = MULAN_URL,
) -> MultiLabelDataset:
    """Read a data set of the Mulan project, and download it the first time.

    The folder named by the environment variable ``RARELABELS_DATA`` is searched first, for
    ``NAME/NAME.arff`` or ``NAME.arff``, compressed or not; any name is allowed there. Otherwise the
    files are downloaded to a cache and checked against their SHA-256 sums. Later calls read them
    from the cache, without a network connection.

    Parameters
    ----------
    name : str
        ``bibtex``, ``birds``, ``cal500``, ``corel5k``, ``delicious``, ``emotions``, ``enron``,
        ``flags``, ``genbase``, ``medical``, ``scene``, ``tmc2007-500`` or ``yeast``. ``scene`` and
        ``birds`` are their training samples followed by their test samples. ``rcv1subset1``,
        ``rcv1subset2``, ``yahoo-Arts1`` and ``yahoo-Business1`` are read from the local folder
        alone.
    data_home : path-like, optional
        The cache folder; by default, that of the user.
    progress : bool, default=True
        Whether to show a progress bar while downloading.
    base_url : str, optional
        Another address that has the same files.

    Returns
    -------
    MultiLabelDataset
        The data set with all its features and labels. `select_frequent_features` and
        `drop_rare_labels` apply the preprocessing of the paper.

    Raises
    ------
    ValueError
        If the name is unknown. The error suggests similar names.
    FileNotFoundError
        If a data set can only be read from the local folder and is not there.
    DownloadError
        If the network fails, or the downloaded file has a wrong checksum.
    ImportError
        If pooch is not installed: ``pip install "rarelabels[fetch]"``.

    Examples
    --------
    >>> from rarelabels.datasets import fetch_mulan
    >>> fetch_mulan("yeast")  # doctest: +SKIP
    MultiLabelDataset('yeast': 2417 samples, 103 features, 14 labels)
    >>> fetch_mulan("yeats")
    Traceback (most recent call last):
        ...
    ValueError: no data set is called 'yeats'; did you mean 'yeast'?
    """
    local = local_file(name)
    if local is not None:
        return load_mulan(local)
    known = _known(name)
    return _read(known, REGISTRY[known], download_folder(known, data_home), progress, base_url)


def _known(name: str) -> str:
    known = registered(name)
    if known is None:
        raise ValueError(f"no data set is called {name!r}; {did_you_mean(name, known_names())}")
    if known in LOCAL_ONLY:
        raise FileNotFoundError(_local_only(known))
    return known


def _local_only(name: str) -> str:
    folder = os.environ.get(LOCAL_FOLDER)
    tried = f" (there is none in {folder})" if folder else ""
    return (
        f"{name} cannot be downloaded: put {name}/{name}.arff and {name}/{name}.xml into a folder "
        f"and name that folder in the environment variable {LOCAL_FOLDER}{tried}."
    )


def _read(
    name: str, source: Source, folder: Path, progress: bool, base_url: str
) -> MultiLabelDataset:
    address = f"{base_url.rstrip('/')}/{source.folder}/"
    xml = _cached(address, source.xml, folder, progress)
    files = [_cached(address, part, folder, progress) for part in source.parts]
    return stacked([load_mulan(file, xml) for file in files], name)


def _cached(address: str, file: File, folder: Path, progress: bool) -> Path:
    """Return a file in the cache; download it if it is missing or damaged."""
    pooch, url = _pooch(), address + file.name
    downloader = pooch.HTTPDownloader(progressbar=progress and _has_progress_bar())
    try:
        _retrieve(pooch, url, f"sha256:{file.sha256}", folder / file.name, downloader)
    except ValueError as error:
        raise DownloadError(_wrong_sum(url)) from error
    except OSError as error:
        raise DownloadError(_no_network(url, error)) from error
    return folder / file.name


def _wrong_sum(url: str) -> str:
    return (
        f"{url} has a wrong SHA-256 sum. Either the download is incomplete (try again), or the "
        "file was changed at its source (download and inspect it, and name its folder in the "
        f"environment variable {LOCAL_FOLDER})."
    )


def _no_network(url: str, error: OSError) -> str:
    return (
        f"{url} cannot be downloaded ({error}). Check the network and try again, or get the file "
        "elsewhere, put it into a folder as NAME/NAME.arff with NAME/NAME.xml, and name that "
        f"folder in the environment variable {LOCAL_FOLDER}."
    )


def _retrieve(pooch: Any, url: str, known_hash: str, file: Path, downloader: Any) -> None:
    # pooch logs where it saves each file; the progress bar is sufficient.
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel("WARNING")
    try:
        pooch.retrieve(url, known_hash, fname=file.name, path=file.parent, downloader=downloader)
    finally:
        logger.setLevel(level)


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as error:
        raise ImportError(
            'downloading needs pooch: pip install "rarelabels[fetch]". Without it, put the files '
            f"into a folder and name it in the environment variable {LOCAL_FOLDER}."
        ) from error
    return pooch


def _has_progress_bar() -> bool:
    try:
        import tqdm  # noqa: F401
    except ImportError:
        return False
    return True
