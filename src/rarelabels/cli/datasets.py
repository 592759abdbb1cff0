"""rarelabels datasets: the data sets that are known by name."""

from __future__ import annotations

from rarelabels.cli._errors import told


@told
def datasets() -> None:
    """List the data sets that go by a name, and where each of them is."""
    from rarelabels.cli._show import console, table
    from rarelabels.datasets.mulan import known_names

    rows = [(name, place(name)) for name in known_names()]
    made = table(["name", "where"], rows)
    made.columns[1].justify = "left"
    console().print(made)


def place(name: str) -> str:
    """Say where a data set is, or how to get it."""
    from rarelabels.datasets import mulan

    local = mulan.local_file(name)
    if local is not None:
        return str(local)
    if name in mulan.LOCAL_ONLY:
        return f"not to be downloaded; put it into a folder named in {mulan.LOCAL_FOLDER}"
    return str(mulan.cached_set(name) or f"rarelabels fetch {name}")
