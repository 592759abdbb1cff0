"""Mutate plans, packed results and model files, and see that no code runs and Python survives.

Run as ``python tests/fuzz/untrusted.py 10000`` for that many of each kind, with a seed as second
argument. Each case is determined by the seed, its kind and its number. Worker processes do them, so
that a crash of the interpreter is seen. An audit hook reports what a plan or a model must not do:
start processes, open connections, write outside of its folder, import a module that is not on the
list.
"""

from __future__ import annotations

import faulthandler
import io
import json
import lzma
import os
import random
import signal
import subprocess
import sys
import tempfile
import tomllib
import warnings
import zipfile
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

KINDS = ("plans", "packs", "models")
SECONDS, PATIENCE = 5, 60  # that a case may take, and after which a process counts as hanging
# What Python reports before it is done: processes, connections, native libraries.
FORBIDDEN = (
    "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "pty.spawn",
    "subprocess.Popen", "socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request",
    "webbrowser.open", "ctypes.dlopen", "pickle.find_class",
)  # fmt: skip
CHANGING = ("os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "shutil.rmtree")
TEXTS = (
    "", "none", "dask", "tcp://127.0.0.1:1", "tls://h:1", "cache", "/etc/passwd", "~/x", "..", "\0",
    "os.system", "builtins.eval", "hostile.Hostile", "hostile", "rarelabels.cli.__main__.main",
    "rarelabels.cli.__main__", "sklearn.pipeline.Pipeline", "sklearn.cluster.FeatureAgglomeration",
    "sklearn.preprocessing.FunctionTransformer", "sklearn.datasets.fetch_openml",
    "rarelabels.learners.learner",
    "sklearn.svm.SVC", "sklearn.naive_bayes.GaussianNB", "sklearn.conftest.x", "joblib.Memory",
    "subprocess.Popen",
    "rbf", "precomputed", "approximate", "mlsol", "br", "é\udcff", "'; DROP TABLE jobs; --",
    "{0}", "%s",
)  # fmt: skip
NAMES = (
    "memory", "func", "estimator__memory", "a__b__func", "scheduler", "engine", "trusted", "steps",
    "cachedir", "path", "callback", "estimator", "estimator_params", "learner_params", "params",
    "kernel", "metric", "n_jobs", "neighbors", "vary", "n_estimators", "name", "__class__", "self",
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 3, 2**31 - 1, -(2**31), 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, 5e-324)
HOSTILE = "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"


def main(n_cases: int, seed: int) -> int:
    """Try `n_cases` of each kind; print what was seen, and return the number of faults."""
    faults = 0
    for kind in KINDS:
        seen, found = tried(kind, n_cases, seed)
        print(
            f"{kind}: {sum(seen.values())} tried,",
            dict(seen.most_common()),
            f"faults: {len(found)}",
        )
        print(*found, sep="\n")
        faults += len(found)
    return faults


def tried(kind: str, n_cases: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how often each outcome was seen, and the faults."""
    seen: Counter[str] = Counter()
    faults: list[str] = []
    start = 0
    while start < n_cases:
        command = [sys.executable, __file__, "--serve", kind, str(seed), str(start), str(n_cases)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        seen.update(line["outcome"] for line in lines)
        faults += [
            f"{kind} {seed} {line['case']}: {line['fault']}" for line in lines if line["fault"]
        ]
        last = lines[-1]["case"] if lines else start - 1
        if not lines and start == 0:
            raise RuntimeError(f"the valid {kind} do not work: {done.stderr[-2000:]}")
        if last + 1 < n_cases:
            faults.append(
                f"{kind} {seed} {last + 1}: exit code {done.returncode}: {done.stderr[-2000:]}"
            )
            seen["ended the process"] += 1
        start = last + 2 if last + 1 < n_cases else n_cases
    return seen, faults


def serve(kind: str, seed: int, start: int, end: int) -> None:
    """Do some cases, and write a line about each."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "hostile.py").write_text(HOSTILE)
        sys.path.append(name)
        os.chdir(name)
        limit_memory()
        case_of = {"plans": PlanCases, "packs": PackCases, "models": ModelCases}[kind](folder)
        events = Events(folder)
        for case in range(start, end):
            rng = random.Random(f"{kind} {seed} {case}")
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            outcome, fault = "accepted", ""
            try:
                with events.watched(), at_most(SECONDS):
                    outcome = case_of.once(rng)
            except TooLong:
                outcome = "took long"
            except case_of.expected:
                outcome = "refused"
            except (MemoryError, RecursionError):
                outcome = "no memory"
            except BaseException as error:
                outcome, fault = "fault", f"{type(error).__name__}: {error}"
            faulthandler.cancel_dump_traceback_later()
            fault = fault or "; ".join(events.seen)
            if (folder / "ran").exists():
                fault = f"{fault}; a hostile module was imported"
                (folder / "ran").unlink()
            events.seen.clear()
            print(json.dumps({"case": case, "outcome": outcome, "fault": fault}), flush=True)


class TooLong(BaseException):
    """The case takes too long; a plan may ask for much."""


@contextmanager
def at_most(seconds: float):
    def end(*_: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def limit_memory() -> None:
    with suppress(ImportError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, resource.RLIM_INFINITY))


class Events:
    """What Python reports while a case runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.seen, self.is_on = str(folder), [], False
        sys.addaudithook(self.hook)

    @contextmanager
    def watched(self):
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        first = str(arguments[0]) if arguments else ""
        is_hostile = event == "import" and first.startswith("hostile")
        is_outside = event in CHANGING and not first.startswith(self.folder)
        if event in FORBIDDEN or is_hostile or is_outside:
            self.note(f"{event} {arguments!r}")
        elif event == "open" and isinstance(arguments[0], (str, bytes)):
            place, mode = os.path.abspath(os.fsdecode(arguments[0])), str(arguments[1])
            writes = any(sign in mode for sign in "wax+")
            if writes and not place.startswith((self.folder, "/dev/null", "/proc/self")):
                self.note(f"open {place} {mode}")

    def note(self, text: str) -> None:
        self.seen.append(text[:300])


def nasty(rng: random.Random, depth: int = 0) -> Any:
    """Return a value that a plan or a file should not hold."""
    kind = rng.randrange(8)
    if kind < 4:
        return rng.choice(TEXTS)
    if kind < 6 or depth > 2:
        return rng.choice(NUMBERS)
    if kind == 6:
        return [nasty(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice(NAMES): nasty(rng, depth + 1) for _ in range(rng.randrange(4))}


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return all containers and keys in a tree of dicts and lists."""
    found, waiting = [], [value]
    while waiting:
        one = waiting.pop()
        keys = (
            list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        )
        found += [(one, key) for key in keys]
        waiting += [one[key] for key in keys]
    return found


def mutated(value: Any, rng: random.Random) -> Any:
    """Return a tree of values with one to three changes."""
    value = json.loads(json.dumps(value))
    for _ in range(rng.randint(1, 3)):
        container, key = rng.choice(places(value) or [({"": value}, "")])
        change = rng.randrange(5)
        if change == 0 and isinstance(container, dict):
            container[rng.choice(NAMES)] = nasty(rng)
        elif change == 1:
            container[key] = json.loads(json.dumps(rng.choice(places(value))[0]))
        elif change == 2 and isinstance(container, dict):
            container.pop(key)
        elif change == 3 and isinstance(
            container.get(key) if isinstance(container, dict) else container[key], dict
        ):
            (container[key])[rng.choice(NAMES)] = nasty(rng)
        else:
            container[key] = nasty(rng)
    return value


def flipped(content: bytes, rng: random.Random) -> bytes:
    """Return bytes with some changed, left out or repeated."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(changed) or 1)
        change = rng.randrange(4)
        if change == 0 and changed:
            changed[place % len(changed)] = rng.randrange(256)
        elif change == 1:
            del changed[place : place + rng.randint(1, 20)]
        elif change == 2:
            changed[place:place] = changed[place : place + rng.randint(1, 20)]
        else:
            changed[place:place] = rng.choice(TEXTS).encode("utf-8", "replace")
    return bytes(changed)


class PlanCases:
    """Plans as values and as TOML; what is accepted is run for a moment."""

    def __init__(self, folder: Path) -> None:
        from rarelabels.datasets import make_local_imbalance, save_csv
        from rarelabels.experiment import PlanError, Store, load_plan, run

        self.expected, self.load_plan, self.run, self.Store = PlanError, load_plan, run, Store
        save_csv(make_local_imbalance(40, difficulty=0.3, random_state=0), folder / "made.csv")
        self.folder = folder
        self.values = {
            "name": "fuzz",
            "datasets": [{"path": "made.csv", "labels": "label_", "min_positive": 2, "drop": []}],
            "learners": [
                "br",
                {"name": "Bayes", "learner": "br", "estimator": "sklearn.naive_bayes.GaussianNB",
                 "estimator_params": {"var_smoothing": 1e-9}, "params": {"random_state": 0}},
                {"learner": "mlknn", "params": {"n_neighbors": 3}, "name": "3NN"},
            ],
            "methods": [
                "default",
                {"sampler": "mlsol", "params": {"n_neighbors": 3, "sampling_ratio": 0.1}},
                {"name": "E", "sampler": "mlros", "n_estimators": 2,
                 "vary": {"sampling_ratio": [0.1, 0.2]}},
                {"name": "W", "sampler": "mlros", "params": {"sampling_ratio": 0.3},
                 "learner_params": {"n_jobs": 1}},
            ],
            "folds": {"n_splits": 2, "n_repeats": 1},
            "seed": 0, "per_label": True, "timeout": 5.0, "memory": 1.0, "engine": "inline",
        }  # fmt: skip
        self.text = (folder / "valid.toml", toml_text(self.values))
        self.once(random.Random(0), changes=False)

    def once(self, rng: random.Random, *, changes: bool = True) -> str:
        if changes and rng.random() < 0.3:
            place = self.folder / "plan.toml"
            place.write_bytes(flipped(self.text[1].encode(), rng))
            plan = self.load_plan(place)
        else:
            plan = self.load_plan(mutated(self.values, rng) if changes else self.values)
        if plan.n_repeats * plan.n_splits > 50:
            return "accepted, too long to run"
        if rng.random() < 0.2 or not changes:
            with self.Store(":memory:") as store:
                self.run(plan, store, engine="inline", max_minutes=SECONDS / 60, progress=False)
            return "accepted and run"
        return "accepted"


def toml_text(values: dict[str, Any]) -> str:
    """Write a plan as TOML: JSON's values are, apart from null and the tables."""

    def value(one: Any) -> str:
        if isinstance(one, dict):
            return "{" + ", ".join(f"{key} = {value(item)}" for key, item in one.items()) + "}"
        if isinstance(one, list):
            return "[" + ", ".join(map(value, one)) + "]"
        return json.dumps(one)

    text = "\n".join(f"{key} = {value(one)}" for key, one in values.items())
    tomllib.loads(text)
    return text


class PackCases:
    """Packed results: the document is mutated, or its compressed bytes are; jobs are run."""

    def __init__(self, folder: Path) -> None:
        from rarelabels.experiment import Plan, Store, StoreError, load_plan, pack, run, unpack

        plans = PlanCases(folder)
        self.expected, self.unpack, self.Store = StoreError, unpack, Store
        self.run, self.Plan, self.folder = run, Plan, folder
        with Store(":memory:") as store:
            run(load_plan(plans.values), store, engine="inline", progress=False)
            pack(store, folder / "valid.xz")
        self.content = (folder / "valid.xz").read_bytes()
        self.document = json.loads(lzma.decompress(self.content))

    def once(self, rng: random.Random) -> str:
        place = self.folder / "pack.xz"
        if rng.random() < 0.2:
            place.write_bytes(flipped(self.content, rng))
        else:
            text = json.dumps(mutated(self.document, rng))
            place.write_bytes(lzma.compress(text.encode("utf-8", "surrogatepass"), preset=0))
        with self.Store(":memory:") as store:
            self.unpack(place, store)
            for name in store.plans():
                store.rows(name)
                jobs = store.jobs(name)
                if rng.random() < 0.2 and jobs and max(job.fold for job in jobs) < 50:
                    plan = self.Plan.of_jobs(name, jobs[:2])
                    limit = SECONDS / 60
                    self.run(
                        plan, store, engine="inline", max_minutes=limit, retry=True, progress=False
                    )
                    return "accepted and run"
        return "accepted"


class ModelCases:
    """Model files: arrays, their headers, the schema or the archive are mutated; they predict."""

    expected = ValueError

    def __init__(self, folder: Path) -> None:
        from scipy import sparse
        from sklearn.ensemble import (
            GradientBoostingClassifier,
            HistGradientBoostingClassifier,
            RandomForestClassifier,
        )  # fmt: skip
        from sklearn.linear_model import LogisticRegression
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC

        from rarelabels.advisor import load_model, save_model
        from rarelabels.ensemble import SamplingEnsemble
        from rarelabels.learners import (
            COCOA,
            BinaryRelevance,
            EnsembleOfClassifierChains,
            KernelRidgeClassifier,
            MLkNN,
            MultiLabelForest,
            RAkEL,
        )
        from rarelabels.sampling import MLROS
        from rarelabels.trees import C45Classifier, EntropyTreeClassifier

        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(40, 3)).round(1)
        self.X[:, 0] = rng.integers(0, 3, 40)
        Y = (self.X + rng.normal(size=self.X.shape) > 0.3).astype(int)
        self.load_model, self.folder = load_model, folder
        c45 = C45Classifier(categorical_features=[0])
        models = (
            BinaryRelevance(), BinaryRelevance(c45), BinaryRelevance(EntropyTreeClassifier()),
            EnsembleOfClassifierChains(c45, n_chains=2), RAkEL(c45), COCOA(c45, n_couples=1),
            EnsembleOfClassifierChains(n_chains=2), MLkNN(n_neighbors=3),
            MultiLabelForest(n_estimators=3), KernelRidgeClassifier(),
            BinaryRelevance(LogisticRegression()),
            BinaryRelevance(HistGradientBoostingClassifier(max_iter=2, categorical_features=[0])),
            BinaryRelevance(GradientBoostingClassifier(n_estimators=2)),
            BinaryRelevance(make_pipeline(StandardScaler(), SVC())),
            BinaryRelevance(KNeighborsClassifier(algorithm="brute")),
            RandomForestClassifier(3),
            SamplingEnsemble(BinaryRelevance(c45), MLROS(), n_estimators=2),
        )  # fmt: skip
        self.contents = []
        for place, model in enumerate(models):
            if hasattr(model, "random_state"):
                model.set_params(random_state=0)
            is_sparse = place % 2 and not isinstance(model, RandomForestClassifier)
            y = sparse.csr_array(Y) if is_sparse else Y
            save_model(model.fit(self.X, y), folder / "model.skops")
            with zipfile.ZipFile(folder / "model.skops") as archive:
                self.contents.append({name: archive.read(name) for name in archive.namelist()})
            self.predict(load_model(folder / "model.skops"))

    def once(self, rng: random.Random) -> str:
        members = dict(rng.choice(self.contents))
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.35:
                schema = json.loads(members["schema.json"])
                members["schema.json"] = json.dumps(mutated_schema(schema, rng)).encode()
            else:
                arrays = [name for name in members if name.endswith((".npy", ".npz"))]
                name = rng.choice(arrays or ["schema.json"])
                members[name] = mutated_array(members[name], rng)
        place = self.folder / "model.skops"
        written = io.BytesIO()
        with zipfile.ZipFile(written, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        content = written.getvalue()
        place.write_bytes(flipped(content, rng) if rng.random() < 0.1 else content)
        model = self.load_model(place)
        try:
            self.predict(model)
        except (TooLong, MemoryError):
            raise
        except Exception:
            return "accepted, cannot predict"
        return "accepted, predicts"

    def predict(self, model: Any) -> None:
        model.predict(self.X)
        with_gaps = self.X.copy()
        with_gaps[::5, 1] = np.nan
        with_gaps[::7, 0] = 9
        for X in (self.X, with_gaps):
            with suppress(ValueError, AttributeError):
                model.predict_proba(X)


LOADERS = (
    "ObjectNode", "TreeNode", "ReduceNode", "FunctionNode", "MethodNode", "PartialNode", "TypeNode",
    "OperatorFuncNode", "JsonNode", "DictNode", "ListNode", "TupleNode", "NdArrayNode", "SliceNode",
    "SparseMatrixNode", "RandomStateNode", "CachedNode", "BytesNode", "DtypeNode", "SGDNode",
)  # fmt: skip


def mutated_schema(schema: Any, rng: random.Random) -> Any:
    """Change what a file says of its content: numbers, types, how they are made, which file."""
    nodes = [(one, key) for one, key in places(schema) if isinstance(one, dict)]
    container, key = rng.choice(nodes)
    change = rng.randrange(4)
    if change == 0:
        named = [(one, key) for one, key in nodes if key in ("__class__", "__module__")]
        one, key = rng.choice(named)
        module, _, name = rng.choice([text for text in TEXTS if "." in text]).rpartition(".")
        one["__module__"], one["__class__"] = module, name
    elif change == 1:
        one, key = rng.choice([(one, key) for one, key in nodes if key == "__loader__"])
        one[key] = rng.choice(LOADERS)
    elif change == 2:
        plain = [(one, key) for one, key in nodes if key == "content" and isinstance(one[key], str)]
        one, key = rng.choice(plain)
        one[key] = json.dumps(nasty(rng))
    elif isinstance(container[key], str) and key == "file":
        files = [one[name] for one, name in nodes if name == "file"]
        container[key] = rng.choice(files)
    else:
        return mutated(schema, rng)
    return schema


def mutated_array(content: bytes, rng: random.Random) -> bytes:
    """Change values of an array, or its shape and type."""
    try:
        array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    except Exception:
        return flipped(content, rng)
    change = rng.randrange(6)
    if change == 0:
        return flipped(content, rng)
    if change == 1:
        array = (
            array.astype(rng.choice(["f4", "f8", "i4", "i8", "u1", "?"]), casting="unsafe")
            if not array.dtype.names
            else array
        )
    elif change == 2:
        array = np.concatenate([array] * rng.randrange(3) or [array[:0]]) if array.ndim else array
    elif change == 3 and array.ndim:
        array = array[: rng.randrange(len(array) + 1)]
    elif change == 4 and array.size:
        array = array.reshape(rng.choice([(-1,), (1, -1), (-1, 1)]))
    elif array.size:
        array = array.copy()
        values = (
            array.ravel()
            if array.dtype.names is None
            else array.ravel()[rng.choice(array.dtype.names)]
        )
        for _ in range(rng.randint(1, 3)):
            with suppress(OverflowError, ValueError):
                values[rng.randrange(values.size)] = rng.choice(
                    (*NUMBERS[:8], values.size, float("nan"))
                )
    written = io.BytesIO()
    np.lib.format.write_array(written, array, allow_pickle=False)
    return written.getvalue()


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        serve(sys.argv[2], *map(int, sys.argv[3:6]))
    else:
        number = int(sys.argv[1])
        sys.exit(main(number, int(sys.argv[2]) if len(sys.argv) > 2 else 0) > 0)
