"""Make the pictures of the README: what makes labels hard, and what the study found.

The first shows labels that are equally rare, not equally hard, and what MLSOL adds; the second what
MLSOL and its ensemble gained in the study, from its packed results. Run it with ``python
docs/make_picture.py`` when either has changed.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

from rarelabels.datasets import make_local_imbalance
from rarelabels.measures import LabelType, describe, label_types
from rarelabels.sampling import MLSOL

STATIC = Path(__file__).parent / "_static"
EXPERIMENTS = Path(__file__).parents[1] / "experiments"


def draw_types(ax, data, label=0):
    """Draw a label's samples, colored by their types."""
    types = label_types(*data)[:, label]
    ax.scatter(*data.X[types == LabelType.MAJORITY].T, s=5, color="0.82", label="without the label")
    for kind in sorted(LabelType)[:4]:
        ax.scatter(*data.X[types == kind].T, s=14, color=kind.color, label=kind.name.lower())
    ax.set(xticks=[], yticks=[])


def draw_labels():
    """Draw an easy and a hard label, and what MLSOL does about the hard one."""
    figure, axes = plt.subplots(1, 3, figsize=(10.5, 3.9), layout="constrained")
    easy, hard = (
        make_local_imbalance(500, difficulty=difficulty, random_state=4) for difficulty in (0, 0.6)
    )
    for ax, data in zip(axes[:2], (easy, hard), strict=True):
        draw_types(ax, data)
        row = describe(*data).labels[0]
        ax.set_title(f"{row['count']} samples, local imbalance {row['local_imbalance']:.2f}")
    sampler = MLSOL(sampling_ratio=0.3, random_state=0)
    X_new, Y_new = sampler.fit_resample(*hard)
    draw_types(axes[2], hard)
    chosen = sampler.is_synthetic_ & (Y_new[:, 0] == 1)
    axes[2].scatter(*X_new[chosen].T, s=16, marker="x", lw=0.9, color="#1d3557", label="new")
    axes[2].set_title(f"MLSOL adds {chosen.sum()} where it is hard")
    figure.legend(
        *axes[2].get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False
    )
    figure.savefig(STATIC / "local-imbalance.png", dpi=110, pil_kwargs={"optimize": True})


def draw_study():
    """Draw what was gained in the study."""
    sys.path.append(str(EXPERIMENTS))
    from paper_study.figures import draw
    from paper_study.gains import dataset_gains_table
    from paper_study.results import Results, open_results

    with open_results(EXPERIMENTS / "results" / "paper.json.xz") as store:
        draw([dataset_gains_table(Results.of(store, "paper"))], STATIC)


if __name__ == "__main__":
    draw_labels()
    draw_study()
