"""
Texts: tf-idf, sparse labels, a pipeline
========================================

Documents with many rare tags. Words and labels stay sparse, and the sampler is a step of a
pipeline, so that it is applied only to training samples.
"""

# %%
# Synthetic documents
# -------------------
# `make_multilabel` returns word counts. We turn them into texts, to begin with raw documents.

import matplotlib.pyplot as plt
import numpy as np
from imblearn.pipeline import make_pipeline
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.multiclass import OneVsRestClassifier

from rarelabels.datasets import make_multilabel
from rarelabels.metrics import multilabel_report
from rarelabels.model_selection import iterative_train_test_split
from rarelabels.sampling import MLROS, MLSMOTE, MLSOL

counts, Y = make_multilabel(2000, 400, 12, tail=1.2, signal=0.5, random_state=0)
documents = []
for sample in range(counts.shape[0]):
    words = counts[[sample]]
    documents.append(" ".join(np.repeat([f"w{j}" for j in words.indices], words.data.astype(int))))
print(documents[0])
print("samples per label:", np.sort(np.asarray(Y.sum(axis=0)).ravel()))

# %%
# Three samplers in a pipeline
# ----------------------------
# `Y` is a SciPy matrix here; samplers return the type that they are given.

samples = np.arange(len(documents)).reshape(-1, 1)
train, test, Y_train, Y_test = iterative_train_test_split(samples, Y, random_state=0)
texts = {
    "train": [documents[i] for i in train.ravel()],
    "test": [documents[i] for i in test.ravel()],
}


def pipeline(*samplers):
    """Words to weights, then perhaps a sampler, then one linear model for each label."""
    learner = OneVsRestClassifier(SGDClassifier(loss="log_loss", alpha=1e-4, random_state=0))
    return make_pipeline(TfidfVectorizer(), *samplers, learner)


found = {}
for name, samplers in {
    "none": [],
    "MLROS": [MLROS(sampling_ratio=0.3, random_state=0)],
    "MLSMOTE": [MLSMOTE(random_state=0)],
    "MLSOL": [MLSOL(random_state=0, scale_features=False)],
}.items():
    model = pipeline(*samplers).fit(texts["train"], Y_train)
    found[name] = multilabel_report(
        Y_test, model.predict(texts["test"]), model.predict_proba(texts["test"])
    )
    print(f"{name:>9}", {k: round(v["f1"], 3) for k, v in found[name].averages.items()})

# %%
# The rarest labels first
# -----------------------
# tf-idf has already scaled the samples, so MLSOL does not rescale the features.

figure, ax = plt.subplots(figsize=(6.4, 4.5), layout="constrained")
width = 0.2
for place, (name, report) in enumerate(found.items()):
    ax.bar(np.arange(12) + width * (place - 1.5), report.labels["f1"], width, label=name)
ax.set(xlabel="label, rarest first", ylabel="F on the test samples", xticks=range(12))
ax.set_xticklabels(report.labels["positive"])
ax.set_xlabel("labels by their positive test samples, rarest first")
ax.legend(ncols=4, loc="upper left", handlelength=1, columnspacing=1)
ax.set_ylim(0, 1.1)
plt.show()
