"""rarelabels datasets: the data sets that are known by name."""

from __future__ import annotations

import os
from pathlib import Path

from rarelabels.cli._errors import told


@told
def datasets() -> None:
    """List the data sets that go by a name, and where each of them is."""
    from rarelabels.cli._show import console, table
    from rarelabels.datasets._registry import known_names

    rows = [(name, place(name)) for name in known_names()]
    made = table(["name", "where"], rows)
    made.columns[1].justify = "left"
    console().print(made)


def place(name: str) -> str:
    """Say where a data set is, or how to get it."""
    from rarelabels.datasets._fetch import LOCAL_FOLDER
    from rarelabels.datasets._registry import LOCAL_ONLY, REGISTRY

    folder = os.environ.get(LOCAL_FOLDER)
    local = Path(folder or "") / name / f"{name}.arff"
    if folder and local.is_file():
        return str(local)
    if name in LOCAL_ONLY:
        return f"not to be downloaded; put it into a folder named in {LOCAL_FOLDER}"
    cached = cache() / name
    files = [file for file, _ in REGISTRY[name].parts]
    if all((cached / file).is_file() for file in files):
        return str(cached)
    return f"rarelabels fetch {name}"


def cache() -> Path:
    """Give the folder that downloads go to."""
    try:
        import pooch
    except ImportError:
        return Path.home() / ".cache" / "rarelabels" / "mulan"
    return Path(pooch.os_cache("rarelabels")) / "mulan"
