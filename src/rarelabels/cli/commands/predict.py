"""rarelabels predict: scores and decisions of a saved model on new samples."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rarelabels.cli._data import check_data, names_in
from rarelabels.cli._errors import as_misuse, ends_with_message, say
from rarelabels.cli._files import STDOUT, check_free, write_text
from rarelabels.cli._options import DataOrFolder, Drop, Force, Scheduler, Sheet
from rarelabels.cli._parquet_folders import (
    check_for_files_only,
    check_out,
    is_folder_of_files,
    predict_folder,
)


@ends_with_message
def predict_command(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL.skops", help="A model that compare --save has written."),
    ],
    data: DataOrFolder,
    out: Annotated[
        str,
        typer.Option(
            metavar="OUT",
            help="The CSV file to write, - for standard output; for a folder, the folder to write.",
        ),
    ] = STDOUT,
    drop: Drop = None,
    sheet: Sheet = None,
    trust: Annotated[
        list[str] | None,
        typer.Option("--trust", metavar="TYPE", help="Also allow this type in the model's file."),
    ] = None,
    force: Force = False,
    scheduler: Scheduler = None,
) -> None:
    """Predict the labels of new samples with a saved model.

    The output has a row for each sample: for each label 0 or 1, and its score. Columns of the data
    that the model does not know are refused; --drop leaves them out. For a folder of Parquet files,
    the output is a folder with a file for each of them.
    """
    from rarelabels.advisor import load_model
    from rarelabels.advisor.columns import ColumnError, features_for, known_columns

    is_folder = is_folder_of_files(data, scheduler)
    if is_folder:
        check_for_files_only(sheet=sheet)
        check_out(out, force=force)
    else:
        check_free(out, force=force)
        check_data(data)
    with as_misuse(ValueError):
        fitted = load_model(model, trusted=trust or ())
    columns = known_columns(fitted)
    if is_folder:
        from rarelabels._dask.connection import connected

        with connected(scheduler), as_misuse(ColumnError, ValueError):
            notes = predict_folder(data, out, fitted, columns, names_in(drop))
        for note in notes:
            say(f"note: {note}")
        say(f"written: {out}")
        return
    with as_misuse(ColumnError, ValueError):
        X, notes = features_for(columns, _read(data, columns, drop, sheet))
    for note in notes:
        say(f"note: {note}")
    write_text(out, predictions_text(fitted, X, columns["labels"]))
    if out != STDOUT:
        say(f"written: {out}")


def _read(data: str, columns: dict[str, Any], drop: str | None, sheet: str | None) -> Any:
    """Read the samples; columns that held categories hold them here, too."""
    from rarelabels.datasets import load_features

    categorical = list(columns["categories"])
    return load_features(data, categorical_features=categorical, drop=names_in(drop), sheet=sheet)


def predictions_text(model: Any, X: Any, labels: list[str]) -> str:
    """Return decisions and scores as comma-separated values, names in the first line."""
    import csv
    import io

    from rarelabels.advisor.columns import SCORE
    from rarelabels.datasets.formulas import escape_formula
    from rarelabels.learners.scores import scores_and_decisions

    scores, decisions = scores_and_decisions(model, X, len(labels))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(escape_formula, [*labels, *(f"{name}{SCORE}" for name in labels)]))
    for decided, scored in zip(decisions.astype(int).tolist(), scores.tolist(), strict=True):
        writer.writerow([*decided, *(f"{score:.6g}" for score in scored)])
    return text.getvalue()
