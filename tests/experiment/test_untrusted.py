"""Mutated plans, packs and model files: no code runs, and Python survives.

`make fuzz` tries many more.
"""

import json
import lzma
import os

import pytest

from fuzz.untrusted import KINDS, tried
from rarelabels.experiment import PlanError, Store, StoreError, load_plan, pack, run, unpack

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="needs timers and limits of POSIX"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_mutations_are_refused_or_harmless(kind):
    if kind == "models":
        pytest.importorskip("skops")
        pytest.importorskip("numba")
    seen, faults = tried(kind, 60, seed=0)
    assert not faults
    assert sum(seen.values()) == 60
    assert seen["refused"] > 10


@pytest.mark.parametrize(
    "change",
    [{"folds": 5}, {"stages": 5}, {"stages": [[["x"]]]}, {"folds": [{}]}, {"engine": ["dask"]}],
    ids=str,
)
def test_a_field_of_another_type_is_an_error_of_the_plan(change):
    values = {"datasets": ["flags"], "learners": ["br"], "methods": ["default"]}
    with pytest.raises(PlanError):
        load_plan({**values, **change})


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a = [" + b"[" * 100_000], ids=["text", "deep"])
def test_a_plan_that_is_no_text_is_an_error_of_the_plan(tmp_path, content):
    (tmp_path / "plan.toml").write_bytes(content)
    with pytest.raises(PlanError, match="is not TOML"):
        load_plan(tmp_path / "plan.toml")


RESULT = {
    "scores": "text",
    "label_scores": [1],
    "versions": {},
    "seconds": "long",
    "status": "maybe",
    "key": 5,
    "megabytes": 2**70,
    "error": "\udcff",
}


@pytest.mark.parametrize("name", RESULT)
def test_a_result_of_another_type_is_an_error_of_the_pack(tmp_path, plan_values, name):
    with Store(":memory:") as store:
        values = plan_values(learners=["br"], methods=["default"])
        run(values, store, engine="inline", progress=False)
        pack(store, tmp_path / "valid.xz")
    document = json.loads(lzma.decompress((tmp_path / "valid.xz").read_bytes()))
    column = document["results"][name]
    document["results"][name] = [RESULT[name]] * document["results"]["rows"]
    assert column != document["results"][name]
    (tmp_path / "changed.xz").write_bytes(lzma.compress(json.dumps(document).encode()))
    if name == "error":  # what cannot be encoded is written out
        with Store(":memory:") as store:
            unpack(tmp_path / "changed.xz", store)
            assert store.records()[0].error == r"\udcff"
        return
    with Store(":memory:") as store, pytest.raises(StoreError):
        unpack(tmp_path / "changed.xz", store)


def test_a_pack_that_promises_many_rows_is_refused_at_once(tmp_path):
    document = {"format": "rarelabels results", "version": 1, "specs": {}, "plans": {}}
    document |= {"jobs": {"rows": 10**12}, "results": {"rows": 10**12}}
    (tmp_path / "many.xz").write_bytes(lzma.compress(json.dumps(document).encode()))
    with Store(":memory:") as store, pytest.raises(StoreError, match="is not a packed store"):
        unpack(tmp_path / "many.xz", store)
