"""Samplers published since 2019 beside MLSOL: CPU seconds on one thread, and peak memory.

Run with ``python -m benchmarks.bench_newer_samplers``. Ratios to MLSOL with the same samples to
add (30 %) in the same run, on bibtex with the tenth of its features that is most often non-zero
(7,395 × 183, 159 labels) and on 20,000 × 100 random numbers with 50 labels. Memory is what a fresh
process takes beyond its input.

Claims: MLONC at most 1.2 times as long as MLSOL; LSDMLO at most 10 times; nothing of n × n: at most
1 GB more than the input. MLRkNNOS fits a classifier for each label, which is what it costs; without
a cap it would make over a million samples on bibtex, and refuses with their number.
"""

from threadpoolctl import threadpool_limits

from benchmarks._measure import absent, in_fresh_process, scaled, seconds, show
from benchmarks.bench_local_samplers import random_data
from benchmarks.bench_samplers import read
from rarelabels.sampling import sampler

AMOUNT = 0.3
CLAIMS = {"mlsol": None, "mlonc": 1.2, "lsdmlo": 10.0, "mlrknnos": None}
MULAN = {"sampling_ratio": AMOUNT, "mulan_compatible": True}

MEMORY = """
import warnings
warnings.simplefilter("ignore")
from benchmarks._measure import peak_megabytes, scaled
from benchmarks.bench_local_samplers import random_data
from rarelabels.sampling import sampler
X, y = random_data(scaled(20_000), 100, 50)
made = sampler({name!r}, sampling_ratio={amount}, random_state=0)
made.fit_resample(X[:200], y[:200])
before = peak_megabytes()
made.fit_resample(X, y)
print(before, peak_megabytes())
"""


def measured(name, X, y, **params):
    made = sampler(name, random_state=0, **params)
    cpu, _ = seconds(lambda: made.fit_resample(X, y), repeats=2)
    return cpu, int(made.is_synthetic_.sum())


def cost(title, X, y):
    rows = [("sampler", "samples made", "CPU s", "of MLSOL", "claim")]
    base, _ = measured("mlsol", X, y, sampling_ratio=AMOUNT)
    settings = {name: (name, {"sampling_ratio": AMOUNT}, claim) for name, claim in CLAIMS.items()}
    settings["mlsmote, as in Mulan"] = ("mlsmote", MULAN, None)
    for said, (name, params, claim) in settings.items():
        cpu, n_new = measured(name, X, y, **params)
        said_claim = f"≤ {claim}" if claim else "none"
        rows.append((said, n_new, f"{cpu:.2f}", f"{cpu / base:.2f}", said_claim))
    show(title, rows)


def refusal(X, y):
    try:
        sampler("mlrknnos").fit_resample(X, y)
    except ValueError as error:
        print(f"\nMLRkNNOS without a cap: {error}")


def memory():
    rows = [("20,000 × 100, 50 labels", "MB with the input", "MB more", "claim")]
    for name in CLAIMS:
        printed = in_fresh_process(MEMORY.format(name=name, amount=AMOUNT))
        before, after = map(float, printed.split())
        rows.append((name, f"{before:.0f}", f"{after - before:.0f}", "≤ 1024"))
    show("Peak memory", rows)


def main():
    with threadpool_limits(1):
        if not absent("newer samplers on bibtex", ["bibtex"]):
            X, y = read()
            cost(f"bibtex, {X.shape[0]:,} × {X.shape[1]}, {y.shape[1]} labels", X, y)
            refusal(X, y)
        cost("20,000 × 100, 50 labels", *random_data(scaled(20_000), 100, 50))
    memory()


if __name__ == "__main__":
    main()
