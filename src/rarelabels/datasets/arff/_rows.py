"""Read the rows of an ARFF file: plain rows many at once, others one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.arff._block_parser import parse_dense_block, parse_sparse_block
from rarelabels.datasets.arff._collectors import RowCollector
from rarelabels.datasets.arff._columns import Columns
from rarelabels.datasets.arff._row_parser import parse_dense_row, parse_sparse_row
from rarelabels.datasets.arff._words import WordError
from rarelabels.datasets.files import Blocks


def read_rows(blocks: Blocks, columns: Columns, path: FilePath, encoding: str) -> tuple[Any, Any]:
    """Read the rows below ``@data``; return X and Y, sparse if any row is sparse."""
    collector = RowCollector(columns)
    line = 1
    for line, block in blocks:
        if block and not _parse_at_once(block, columns, collector):
            _parse_one_by_one(line, block.decode(encoding), columns, collector, path)
    if collector.is_empty:
        raise DataFormatError("no rows follow @data: the file is incomplete", path, line)
    return collector.finish()


def _parse_at_once(block: bytes, columns: Columns, collector: RowCollector) -> bool:
    if block.startswith(b"{"):
        rows = parse_sparse_block(block, columns)
        if rows is not None:
            collector.add_sparse(*rows)
        return rows is not None
    values = parse_dense_block(block, columns)
    if values is not None:
        collector.add_dense(values)
    return values is not None


def _parse_one_by_one(
    first_line: int, text: str, columns: Columns, collector: RowCollector, path: FilePath
) -> None:
    """Read a block row by row; an error names the line."""
    for line, row in _rows(first_line, text):
        try:
            if row.startswith("{"):
                collector.add_sparse(*parse_sparse_row(row, columns))
            else:
                collector.add_dense(parse_dense_row(row, columns))
        except WordError as error:
            raise DataFormatError(str(error), path, line, error.rest) from None
        except ValueError as error:
            raise DataFormatError(str(error), path, line, row) from None


def _rows(first_line: int, text: str) -> Iterator[tuple[int, str]]:
    for line, row in enumerate(text.split("\n"), first_line):
        stripped = row.strip(" \t")
        if stripped and not stripped.startswith("%"):
            yield line, stripped
