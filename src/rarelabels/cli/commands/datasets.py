"""rarelabels datasets: the data sets that are known by name."""

from __future__ import annotations

from rarelabels.cli._data import known_places
from rarelabels.cli._errors import ends_with_message


@ends_with_message
def datasets_command() -> None:
    """List the data sets that go by a name, and where each of them is."""
    from rarelabels.cli._terminal import console, table

    made = table(["name", "where"], known_places().items())
    made.columns[1].justify = "left"
    console().print(made)
