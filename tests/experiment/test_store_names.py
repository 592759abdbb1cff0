"""Names in a store are values, whatever is in them."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from rarelabels.experiment import Record, Store, load_plan

# What SQL would read as its own; lone surrogates cannot be stored.
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(
    lambda text: f"{text}'; DROP TABLE jobs; --\""
)


@given(NAMES, NAMES, NAMES)
def test_names_are_values_and_never_sql(plan_name, learner, method):
    plan = load_plan({"datasets": ["flags"], "learners": ["BR"], "methods": ["MLSOL"]})
    jobs = [
        replace(
            job,
            learner=replace(job.learner, name=learner),
            method=replace(job.method, name=method),
        )
        for job in plan.jobs()
    ]
    with Store(":memory:") as store:
        store.register(plan_name, jobs)
        for job in jobs:
            store.write(Record(job.key, "done", scores={"macro_f1": 0.5, method: 0.25}))
        assert store.plans() == [plan_name]
        assert len(store.rows(plan_name)) == 2 * len(jobs)
        assert store.jobs(plan_name) == jobs
        table = store.scores("macro_f1", learner=learner, plan=plan_name)
        assert table.methods == (method,)
        assert not store.rows(plan_name + "' OR '1' = '1")
