"""rarelabels datasets: the data sets that are known by name."""

from __future__ import annotations

from rarelabels.cli._data import known_places
from rarelabels.cli._errors import ends_with_message


@ends_with_message
def datasets_command() -> None:
    """List the data sets that are known by name, and where each of them is."""
    from rarelabels.cli._layout import TableColumn
    from rarelabels.cli._terminal import Page

    names, places = zip(*known_places().items(), strict=True)
    Page().table(
        TableColumn("name", names, is_text=True), TableColumn("where", places, is_text=True)
    )
