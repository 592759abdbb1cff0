"""Short texts with tags, for tests of everything that takes texts."""

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

WORDS = {"animals": ["cat", "dog", "hen"], "balls": ["golf", "tennis"], "cars": ["wheel", "road"]}
COMMON = ["the", "of", "and", "cat", "golf"]


def tagged_texts(n_samples=120, seed=0):
    """Return texts and the indicator matrix of their tags; the last tag is rare."""
    rng = np.random.default_rng(seed)
    y = (rng.random((n_samples, 3)) < [0.5, 0.3, 0.15]).astype(int)
    texts = []
    for row in y:
        words = [rng.choice(WORDS[tag]) for tag, has in zip(WORDS, row, strict=True) if has]
        texts.append(" ".join([*words, *words, *rng.choice(COMMON, 3)]))
    return texts, y


def text_pipeline():
    return make_pipeline(TfidfVectorizer(), LogisticRegression())
