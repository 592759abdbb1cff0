"""What holds for any job, and for results that come in any order."""

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from rarelabels.experiment import DatasetSpec, Job, LearnerSpec, MethodSpec, Record, Store
from rarelabels.experiment.plan._frozen import frozen_pairs
from rarelabels.experiment.store import failure

scalars = st.one_of(
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.none(),
)
params = st.dictionaries(st.text(min_size=1), st.one_of(scalars, st.lists(scalars, max_size=3)))


@st.composite
def jobs(draw):
    pairs = frozen_pairs(draw(params))
    return Job(
        DatasetSpec(draw(st.text()), features=draw(st.sampled_from([None, 0.1]))),
        LearnerSpec(draw(st.text()), "br", params=pairs),
        MethodSpec(draw(st.text()), "mlsol", params=pairs, n_estimators=draw(st.integers(1, 9))),
        fold=draw(st.integers(0, 9)),
        seed=draw(st.integers(0, 2**62)),
        per_label=draw(st.booleans()),
    )


@given(jobs())
def test_a_job_comes_back_from_json_with_its_key(job):
    back = Job.from_dict(json.loads(json.dumps(job.to_dict())))
    assert back == job
    assert back.key == job.key
    assert hash(back) == hash(job)


@given(params, st.randoms(use_true_random=False))
def test_the_order_of_parameters_means_nothing(values, chance):
    shuffled = list(values.items())
    chance.shuffle(shuffled)
    first, second = (
        Job(DatasetSpec("a"), LearnerSpec("b", "br", frozen_pairs(found)), MethodSpec("c"), 0)
        for found in (values, dict(shuffled))
    )
    assert first == second
    assert first.key == second.key


@settings(max_examples=25)
@given(st.integers(0, 2**31))
def test_results_in_any_order_and_more_than_once_give_the_same_rows(seed):
    chance = random.Random(seed)
    planned = [
        Job(DatasetSpec(name), LearnerSpec("BR", "br"), MethodSpec("Default"), fold)
        for name in ("a", "b")
        for fold in range(3)
    ]
    done = [
        Record(job.key, "done", scores={"macro_f1": i / 10}, started="now")
        for i, job in enumerate(planned)
    ]
    arriving = [*done, *chance.choices(done, k=4), *(failure(job.key, "no") for job in planned[:2])]
    chance.shuffle(arriving)
    with Store(":memory:") as store, Store(":memory:") as in_order:
        for filled, records in ((store, arriving), (in_order, done)):
            filled.register("plan", planned)
            for record in records:
                filled.write(record)
        assert store.rows() == in_order.rows()
        assert store.pending(planned, retry=True) == []
