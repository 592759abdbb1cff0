"""What each sampler does to the imbalance of the paper's data.

Run with ``python -m benchmarks.sampler_effects``. MeanIR, SCUMBLE and LImb before and after each
sampler, with its default parameters and one seed, on yeast, scene, medical and bibtex with the
paper's preprocessing: the tenth of the features that is most often non-zero for medical and
bibtex, labels with a single positive dropped. LImb is that of the data that came out.

Expected: MLROS, MLRUS and LPROS lower MeanIR, REMEDIAL lowers SCUMBLE.
"""

from benchmarks._measure import DATA, show
from rarelabels.datasets import drop_rare_labels, load_mulan, select_frequent_features
from rarelabels.measures import limb, mean_ir, scumble
from rarelabels.sampling import sampler

FEATURES = {"yeast": 1.0, "scene": 1.0, "medical": 0.1, "bibtex": 0.1}
SAMPLERS = (
    "mlros",
    "mlrus",
    "lpros",
    "lprus",
    "mlsmote",
    "mlenn",
    "mltl",
    "remedial",
    "rhwrsmt",
    "mlsol",
    "mlul",
)


def read(name):
    dataset = load_mulan(DATA / name / f"{name}.arff")
    X, _ = select_frequent_features(dataset.X, FEATURES[name])
    Y, _ = drop_rare_labels(dataset.Y)
    # The searches are faster on a dense table of so few features.
    return X.toarray() if hasattr(X, "toarray") else X, Y


def measures(X, Y):
    return f"{mean_ir(Y):.3f}", f"{scumble(Y):.4f}", f"{limb(X, Y):.4f}"


def main():
    for name, fraction in FEATURES.items():
        if not (DATA / name).is_dir():
            print(f"sampler effects: skipped {name}, which was not found (set RARELABELS_DATA)")
            continue
        X, Y = read(name)
        rows = [("sampler", "samples", "MeanIR", "SCUMBLE", "LImb")]
        rows.append(("none", X.shape[0], *measures(X, Y)))
        for chosen in SAMPLERS:
            X_new, Y_new = sampler(chosen, random_state=0).fit_resample(X, Y)
            rows.append((chosen, X_new.shape[0], *measures(X_new, Y_new)))
        show(f"{name}, {fraction:.0%} of the features", rows)


if __name__ == "__main__":
    main()
