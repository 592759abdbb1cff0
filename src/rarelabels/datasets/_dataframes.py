"""The one door for dataframe libraries, none of which the package needs."""

from __future__ import annotations

import importlib.util
from typing import Any, Literal, TypeAlias

Library: TypeAlias = Literal["polars", "pandas", "pyarrow"]


def backend(*candidates: Library) -> Library:
    """Give the first of the dataframe libraries that is installed."""
    for name in candidates:
        if importlib.util.find_spec(name) is not None:
            return name
    raise ImportError(
        f"this needs one of {', '.join(candidates)}, and none is installed; pip install polars."
    )


def text_options(library: Library, names: list[str]) -> dict[str, Any]:
    """Give the options that make a library read every column of a CSV file as text.

    What a value means is decided in one place and not by the library, so that it does not matter
    which one is installed, and numbers are read to the last bit.
    """
    if library == "polars":
        return {"infer_schema": False}
    if library == "pandas":
        return {"dtype": str, "keep_default_na": False, "na_filter": False, "index_col": False}
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    return {
        "parse_options": pa_csv.ParseOptions(newlines_in_values=True),
        "convert_options": pa_csv.ConvertOptions(
            column_types={name: pa.string() for name in names}, strings_can_be_null=False
        ),
    }
