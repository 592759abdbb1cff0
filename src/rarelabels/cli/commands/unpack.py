"""rarelabels unpack: the results of a packed store into a store."""

from __future__ import annotations

from rarelabels.cli._errors import Misuse, ends_with_message, say
from rarelabels.cli._files import check_free
from rarelabels.cli._options import PackFile, StoreFile


@ends_with_message
def unpack_command(file: PackFile, store: StoreFile) -> None:
    """Add the results of a packed store to a store, which is created if it does not exist."""
    from rarelabels.experiment import unpack

    if not file.is_file():
        raise Misuse(f"the packed store {file} does not exist.")
    check_free(store, force=True)
    say(str(unpack(file, store)))
