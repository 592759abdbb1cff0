"""rarelabels pack and unpack: a store as one small file, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rarelabels.cli._errors import Misuse, say, told
from rarelabels.cli._files import check_free

StoreFile = Annotated[Path, typer.Argument(metavar="RESULTS.sqlite", help="The store.")]
PackFile = Annotated[Path, typer.Argument(metavar="RESULTS.json.xz", help="The packed store.")]


@told
def pack(store: StoreFile, file: PackFile) -> None:
    """Pack the results of a store into a small file, to keep or to go on with elsewhere."""
    from rarelabels.experiment import pack as pack_store

    if not store.is_file():
        raise Misuse(f"there is no store {store}.")
    check_free(file, force=True)
    pack_store(store, file)


@told
def unpack(file: PackFile, store: StoreFile) -> None:
    """Add the results of a packed store to a store; the store is made where there is none."""
    from rarelabels.experiment import unpack as unpack_store

    if not file.is_file():
        raise Misuse(f"there is no packed store {file}.")
    check_free(store, force=True)
    say(str(unpack_store(file, store)))
