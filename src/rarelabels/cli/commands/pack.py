"""rarelabels pack: a store as one small file."""

from __future__ import annotations

from rarelabels.cli._errors import Misuse, ends_with_message
from rarelabels.cli._files import check_free
from rarelabels.cli._options import PackFile, StoreFile


@ends_with_message
def pack_command(store: StoreFile, file: PackFile) -> None:
    """Pack the results of a store into one small file."""
    from rarelabels.experiment import pack

    if not store.is_file():
        raise Misuse(f"the store {store} does not exist.")
    check_free(file, force=True)
    pack(store, file)
