"""rarelabels compare: does sampling help my data."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rarelabels._samplers import DEFAULT_SAMPLERS
from rarelabels.cli._comparing import (
    Model,
    answer_into,
    card_place,
    check_metric,
    check_model_place,
    failed,
    loading_lines,
    make_question,
    report_failures,
    save_best,
    store_place,
)
from rarelabels.cli._data import as_misuse_about_labels, check_data, plan_entry
from rarelabels.cli._errors import as_misuse, ends_with_message, say
from rarelabels.cli._files import STDOUT, check_free, check_one_output, write_json, write_text
from rarelabels.cli._names import LEARNER_NAMES, SAMPLER_NAMES, complete, complete_list
from rarelabels.cli._options import (
    Data,
    Drop,
    DropLabel,
    Force,
    Groups,
    Jobs,
    Json,
    Labels,
    MetricName,
    Minutes,
    Report,
    Separator,
    Sheet,
    Trust,
    Unknown,
    Wide,
)
from rarelabels.metrics import METRICS


@ends_with_message
def compare_command(
    data: Data,
    labels: Labels = None,
    separator: Separator = None,
    drop: Drop = None,
    drop_label: DropLabel = None,
    sheet: Sheet = None,
    unknown: Unknown = None,
    groups: Groups = None,
    samplers: Annotated[
        str,
        typer.Option(
            help="Samplers, separated by commas. The model alone, thresholds, class weights and "
            "RareLabelClassifier are always compared; with none, nothing else is.",
            autocompletion=complete_list(("none", *SAMPLER_NAMES)),
        ),
    ] = ",".join(DEFAULT_SAMPLERS),
    learner: Annotated[
        str,
        typer.Option(
            help=f"One of {', '.join(LEARNER_NAMES)}.", autocompletion=complete(LEARNER_NAMES)
        ),
    ] = "br",
    estimator: Annotated[
        str | None,
        typer.Option(
            metavar="CLASS",
            help="The learner’s base classifier, such as sklearn.linear_model.LogisticRegression.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:OBJECT",
            help="Your own model instead of a learner; this runs the code of its module.",
        ),
    ] = None,
    ensemble: Annotated[
        int, typer.Option(min=0, help="Members of each sampler’s ensemble; 0 for no ensembles.")
    ] = 5,
    cv: Annotated[
        str,
        typer.Option(
            help="Largest number of repetitions x folds; 10 is ten folds, once. Methods whose "
            "verdict is settled end earlier. More repetitions extend an earlier run."
        ),
    ] = "5x5",
    all_folds: Annotated[
        bool, typer.Option("--all-folds", help="Run every method on all folds.")
    ] = False,
    metric: MetricName = METRICS[0].name,
    margin: Annotated[
        float, typer.Option(min=0, help="Gains up to this size are considered irrelevant.")
    ] = 0.01,
    k: Annotated[
        int, typer.Option("--k", min=1, help="Number of neighbors for the measures in the report.")
    ] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Random seed for splits and models.")] = 0,
    jobs: Jobs = -1,
    max_minutes: Minutes = None,
    max_samples: Annotated[
        int | None,
        typer.Option(min=10, help="Compare on at most this many samples, drawn at random."),
    ] = None,
    report: Report = None,
    save: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL.joblib",
            help="Fit the recommended method to all data and write the model, with a model "
            "card; a .skops file is not a pickle.",
        ),
    ] = None,
    script: Annotated[
        str | None,
        typer.Option(metavar="TRAIN.py", help="Write a program that scores and fits that model."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            help="Where results are stored; by default next to the report, or in this folder."
        ),
    ] = None,
    trust: Trust = None,
    as_json: Json = False,
    wide: Wide = False,
    force: Force = False,
) -> None:
    """Find out whether sampling helps on a data set, and by how much.

    Each result is stored when it is computed. If you interrupt the command, running it again
    continues where it stopped.
    """
    from rarelabels.experiment import Store

    check_metric(metric)
    check_one_output(report, as_json=as_json)
    place = store_place(data, report, store)
    for path in (report, script, save, card_place(save) if save else None):
        check_free(path, force=force)
    check_free(place, force=True)
    check_model_place(save)
    check_data(data)
    entry = plan_entry(data, labels, separator, drop, sheet, drop_label, unknown, groups)
    question = make_question(
        entry,
        [name.strip() for name in samplers.split(",") if name.strip()],
        model=Model(learner, estimator, model, tuple(trust or ())),
        ensemble=ensemble,
        cv=cv,
        metric=metric,
        margin=margin,
        seed=seed,
        all_folds=all_folds,
        max_samples=max_samples,
    )
    with as_misuse_about_labels():
        question = question.with_data()
        dataset = question.plan.datasets[0].load()
    say(f"{dataset.n_samples:,} samples; results are kept in {place}")
    with Store(place) as results:
        answer = answer_into(question, results, jobs, max_minutes)
        n_failed = report_failures(answer.failures)
    _show(answer, k, report, as_json=as_json, wide=wide)
    _keep(answer, save, script, loading_lines(data, entry))
    if n_failed:
        raise failed(n_failed, place, "fits")


def _show(answer: Any, k: int, report: str | None, *, as_json: bool, wide: bool) -> None:
    if report is not None:
        from rarelabels.report import comparison_page

        write_text(report, comparison_page(answer, n_neighbors=k))
    if as_json:
        write_json(answer.summary)
    else:
        from rarelabels.cli._terminal import Page
        from rarelabels.cli._views import show_comparison

        show_comparison(answer.summary, page=Page(error=report == STDOUT, wide=wide))
    if report not in (None, STDOUT):
        say(f"page: {report}")


def _keep(answer: Any, save: str | None, script: str | None, load: str) -> None:
    if script is not None:
        with as_misuse(ValueError):
            write_text(script, answer.script(load))
        say(f"program: {script} ({answer.best})")
    if save is not None:
        save_best(answer, save)
