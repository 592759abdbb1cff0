"""rarelabels compare: which sampler helps my data."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rarelabels.cli._comparing import (
    BASELINE,
    DEFAULT_SAMPLERS,
    check_metric,
    failed,
    make_plan,
    report_failures,
    run_into,
    store_place,
)
from rarelabels.cli._data import as_misuse_about_labels, check_data, plan_entry
from rarelabels.cli._errors import ends_with_message, say
from rarelabels.cli._files import STDOUT, check_free, check_one_output, write_json, write_text
from rarelabels.cli._names import LEARNERS, SAMPLERS, complete, complete_list
from rarelabels.cli._options import Data, Force, Jobs, Json, Labels, MetricName, Report
from rarelabels.metrics import METRICS


@ends_with_message
def compare_command(
    data: Data,
    labels: Labels = None,
    samplers: Annotated[
        str,
        typer.Option(
            help="Names with commas; none, the data as it is, is always there.",
            autocompletion=complete_list(("none", *SAMPLERS)),
        ),
    ] = DEFAULT_SAMPLERS,
    learner: Annotated[
        str, typer.Option(help=f"{', '.join(LEARNERS)}.", autocompletion=complete(LEARNERS))
    ] = "br",
    ensemble: Annotated[
        int, typer.Option(min=0, help="Also ensembles of that many members over each sampler.")
    ] = 0,
    cv: Annotated[
        str, typer.Option(help="5x2: five repetitions of two folds; 10: ten folds, once.")
    ] = "5x2",
    metric: MetricName = METRICS[0].name,
    k: Annotated[int, typer.Option("--k", min=1, help="Neighbours, for the page’s measures.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Of splits and models.")] = 0,
    jobs: Jobs = -1,
    report: Report = None,
    store: Annotated[
        str | None, typer.Option(help="Where results are kept; else beside the page, or here.")
    ] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Tell which sampler helps a data set, if any does.

    Results are kept as they come: interrupt it, and the same command goes on from there.
    """
    from rarelabels.experiment import Store
    from rarelabels.report import stored_comparison

    check_metric(metric)
    check_one_output(report, as_json=as_json)
    check_free(report, force=force)
    chosen = [name.strip() for name in samplers.split(",") if name.strip()]
    place = store_place(data, report, store)
    check_free(place, force=True)
    check_data(data)
    entry = plan_entry(data, labels)
    plan = make_plan(entry, chosen, learner=learner, ensemble=ensemble, cv=cv, seed=seed)
    with as_misuse_about_labels():
        # Held to the end: jobs in this process find it there instead of reading it again.
        dataset = plan.datasets[0].load()
    say(f"{len(plan.jobs())} fits; results are kept in {place}")
    with Store(place) as results:
        say(str(run_into(plan, results, jobs)))
        n_failed = report_failures(results, plan.name)
        found = stored_comparison(
            results,
            plan.name,
            metric=metric,
            baseline=BASELINE,
            n_splits=plan.n_splits,
            labels=dataset.label_names,
        )
    _show(found, dataset, k, tuple(chosen), report, as_json)
    if n_failed:
        raise failed(n_failed, place, "fits")


def _show(
    found: dict[str, Any],
    dataset: Any,
    k: int,
    samplers: tuple[str, ...],
    report: str | None,
    as_json: bool,
) -> None:
    if report is not None:
        from rarelabels.report import data_summary, render_page

        drawn = tuple(name.lower() for name in samplers if name.lower() != BASELINE)
        page = render_page(data_summary(dataset, n_neighbors=k, samplers=drawn), found)
        write_text(report, page)
    if as_json:
        write_json(found)
    else:
        from rarelabels.cli._views import show_comparison

        show_comparison(found, error=report == STDOUT)
    if report not in (None, STDOUT):
        say(f"page: {report}")
