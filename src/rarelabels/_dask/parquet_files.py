"""The Parquet files of a folder as one table, whose rows are read by the tasks that need them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from rarelabels._dask.assembly import BlockTasks, dataframe_of_blocks
from rarelabels._dask.tasks import compute, constant, delayed

# Row groups are joined until they have so many bytes, uncompressed.
PART_BYTES = 2**27
SUFFIXES = (".parquet", ".parq", ".pq")
# Where pandas keeps row labels that have no name.
_ROW_LABELS = re.compile(r"__index_level_\d+__")


class FolderError(ValueError):
    """The Parquet files of a folder are not the parts of one table."""


@dataclass(frozen=True)
class Part:
    """Consecutive rows of the table: some row groups of a file."""

    path: str
    first_group: int
    last_group: int
    start: int
    stop: int


def parquet_files_in(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the Parquet files in a folder, part 2 before part 10."""
    return sorted(
        (path for path in Path(folder).iterdir() if _is_parquet(path)),
        key=lambda path: [int(s) if s.isdecimal() else s for s in re.split(r"(\d+)", path.name)],
    )


def _is_parquet(path: Path) -> bool:
    is_hidden = path.name.startswith((".", "_"))
    return path.suffix.lower() in SUFFIXES and not is_hidden and path.is_file()


class ParquetFiles:
    """The Parquet files of a folder, in the order of their names.

    Only their metadata is read here. All files must have the same columns; integers of one file and
    numbers with a fraction of another are joined to numbers with a fraction.

    Parameters
    ----------
    folder : path-like
        The folder.

    Attributes
    ----------
    paths : list of Path
        The files.
    schema : pyarrow.Schema
        The columns, with types that hold the values of all files.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        import pyarrow
        from pyarrow import parquet

        self.folder = Path(folder)
        self.paths = parquet_files_in(folder)
        if not self.paths:
            raise FolderError(f"{self.folder}: this folder does not contain Parquet files.")
        footers, schemas = [], []
        for path in self.paths:
            try:
                with parquet.ParquetFile(path) as file:
                    footers.append(file.metadata)
                    schemas.append(_without_row_labels(file.schema_arrow))
            except (pyarrow.ArrowException, OSError) as error:
                raise FolderError(f"{path}: this is not a Parquet file ({error}).") from error
            self._check_columns(path, schemas[0].names, schemas[-1].names)
        self._footers = footers
        try:
            self.schema = pyarrow.unify_schemas(schemas, promote_options="permissive")
        except pyarrow.ArrowException as error:
            raise FolderError(
                f"{self.folder}: the columns of the files have types that do not match ({error})."
            ) from error

    def _check_columns(self, path: Path, expected: list[str], names: list[str]) -> None:
        if names == expected:
            return
        missing = [name for name in expected if name not in names]
        added = [name for name in names if name not in expected]
        problem = "its columns have another order"
        if missing:
            problem = f"column {missing[0]!r} is missing"
        elif added:
            problem = f"column {added[0]!r} is not in that file"
        raise FolderError(
            f"{path}: {problem}, and the files of a folder must have the columns of "
            f"{self.paths[0].name}."
        )

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata of the first file, as texts."""
        stored = self._footers[0].metadata or {}
        return {k.decode(errors="replace"): v.decode(errors="replace") for k, v in stored.items()}

    @cached_property
    def parts(self) -> list[Part]:
        """Files, or the row groups of large files."""
        parts: list[Part] = []
        start = 0
        for path, footer in zip(self.paths, self._footers, strict=True):
            groups = [footer.row_group(i) for i in range(footer.num_row_groups)]
            for first, last in _joined_groups([group.total_byte_size for group in groups]):
                stop = start + sum(group.num_rows for group in groups[first:last])
                parts.append(Part(str(path.resolve()), first, last, start, stop))
                start = stop
        return parts

    def dataframe(self, names: Sequence[str]) -> Any:
        """Return columns as a Dask dataframe whose row labels count the rows.

        Texts have the dtype object, and texts that are stored as a dictionary are categories.
        """
        like = self._empty_frame(names)
        columns = constant((self._fields(names), like.dtypes))
        blocks = [delayed(_frame_of_part)(part, columns) for part in self.parts]
        sizes = [part.stop - part.start for part in self.parts]
        edges = [0, *accumulate(sizes)]
        has_divisions = all(sizes)
        divisions = (*edges[:-1], edges[-1] - 1) if has_divisions else None
        return dataframe_of_blocks(BlockTasks(blocks, sizes), like, divisions)

    def tables_of_files(
        self, function: Callable[[Any, str], Any], names: Sequence[str]
    ) -> list[Any]:
        """Return what a function computes from columns of each file and the path of the file.

        Columns are given as a table of pyarrow.
        """
        schema, called = constant(self._fields(names)), constant(function)
        return compute(
            [delayed(_called_with_table)(called, str(p.resolve()), schema) for p in self.paths]
        )

    def _fields(self, names: Sequence[str]) -> Any:
        import pyarrow

        return pyarrow.schema([self.schema.field(name) for name in names])

    def _empty_frame(self, names: Sequence[str]) -> Any:
        fields = self._fields(names)
        frame = fields.empty_table().to_pandas(ignore_metadata=True)
        for field in fields:
            if self._has_gaps(field):
                frame[field.name] = frame[field.name].astype("float64")
        return frame

    def _has_gaps(self, field: Any) -> bool:
        """Return whether a column needs a dtype with missing values that its type lacks."""
        import pyarrow

        if pyarrow.types.is_null(field.type):
            return True
        if not (pyarrow.types.is_integer(field.type) or pyarrow.types.is_boolean(field.type)):
            return False
        place = self.schema.get_field_index(field.name)
        for footer in self._footers:
            for i in range(footer.num_row_groups):
                statistics = footer.row_group(i).column(place).statistics
                if statistics is None or not statistics.has_null_count or statistics.null_count:
                    return True
        return False


def _without_row_labels(schema: Any) -> Any:
    for name in schema.names:
        if _ROW_LABELS.fullmatch(name):
            schema = schema.remove(schema.get_field_index(name))
    return schema.remove_metadata()


def _joined_groups(sizes: list[int]) -> list[tuple[int, int]]:
    """Return the first and the last row group, exclusive, of each part of a file.

    >>> _joined_groups([2**26, 2**26, 10]), _joined_groups([])
    ([(0, 2), (2, 3)], [(0, 0)])
    """
    ends, n_bytes = [0], 0
    for number, size in enumerate(sizes):
        if n_bytes and n_bytes + size > PART_BYTES:
            ends.append(number)
            n_bytes = 0
        n_bytes += size
    return list(pairwise([*ends, len(sizes)]))


def _frame_of_part(part: Part, columns: tuple[Any, Any]) -> Any:
    import pandas as pd
    from pyarrow import parquet

    schema, dtypes = columns
    with parquet.ParquetFile(part.path) as file:
        groups = range(part.first_group, part.last_group)
        table = file.read_row_groups([*groups], columns=schema.names)
    frame = _with_schema(table, schema).to_pandas(ignore_metadata=True)
    # The categories of each part are its own.
    plain = {name: dtype for name, dtype in dtypes.items() if str(dtype) != "category"}
    return frame.astype(plain).set_axis(pd.RangeIndex(part.start, part.stop), axis=0)


def _called_with_table(function: Callable[[Any, str], Any], path: str, schema: Any) -> Any:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        table = file.read(columns=schema.names)
    return function(_with_schema(table, schema), path)


def _with_schema(table: Any, schema: Any) -> Any:
    """Return a table of one file with the types of all files."""
    return table.select(schema.names).cast(schema)


def write_parts(frame: Any, added: Any, folder: Path, key: str, metadata: str) -> None:
    """Write each block of a Dask dataframe as a Parquet file.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        The table; its row labels are not written.
    added : pandas.DataFrame
        More columns, with the same row labels in any order.
    folder : Path
        An empty folder, which all workers can write to.
    key, metadata : str
        What is added to the metadata of each file.
    """
    columns, stored = constant(added), constant({key: metadata})
    tasks = [
        delayed(_write_block)(block, columns, part_path(folder, number), stored)
        for number, block in enumerate(frame.to_delayed())
    ]
    compute(tasks)


def part_path(folder: Path, number: int) -> str:
    """Return the path of a part, so that the parts are sorted by their names."""
    return str(folder / f"part.{number:06d}.parquet")


def _write_block(block: Any, added: Any, path: str, metadata: dict[str, str]) -> None:
    write_table(block.join(added), path, metadata)


def write_table(frame: Any, path: str, metadata: dict[str, str]) -> None:
    """Write a dataframe as a Parquet file without its row labels."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    stored = {**(table.schema.metadata or {}), **metadata}
    parquet.write_table(table.replace_schema_metadata(stored), path)
