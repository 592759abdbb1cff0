"""numba: not loaded before it is needed, named where it is missing, and checked by Python."""

import ast
import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from rarelabels._compiling import COMPILES_PARTS, Compiler, SeldomCollecting
from rarelabels.trees import C45Classifier
from rarelabels.trees._forest import used_parts
from rarelabels.trees._kernels import compilation
from rarelabels.trees._kernels.grow.chain_links import decide_link
from rarelabels.trees._kernels.grow.sparse import grow_sparse
from rarelabels.trees._kernels.grow.weighted import grow_weighted
from rarelabels.trees._kernels.prune.pruning import collapse, prune_counted
from rarelabels.trees._kernels.split.link_features import try_links

GROW = """
import numpy as np
from rarelabels.trees import C45Classifier

found = []
for zeros, missing in ((0, 0), (0, 0.1), (0.85, 0), (0.85, 0.1)):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).round(1)
    X[:, 0] = rng.integers(0, 3, 60)
    y = (X[:, 1] > 0).astype(int) ^ (rng.random(60) < 0.2)
    X[rng.random(X.shape) < zeros] = 0
    X[rng.random(X.shape) < missing] = np.nan
    tree = C45Classifier(categorical_features=[0]).fit(X, y)
    assert tree.code(X).codes.is_sparse == (zeros > 0)
    found.append(tree.predict_proba(X)[:, 1].tolist())
"""
# All kinds of batches: forests, votes, links that see decisions or true labels, balanced parts.
LEARN = """
from scipy import sparse
from rarelabels.learners import (
    COCOA, ECCRU3, BinaryRelevance, CalibratedLabelRanking, EnsembleOfClassifierChains,
    MultiLabelForest, RAkEL,
)
from rarelabels.trees import EntropyTreeClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(70, 5)).round(1)
X[:, 0] = rng.integers(0, 3, 70)
Y = (X[:, [1, 2, 3, 1]] + rng.normal(size=(70, 4)) > 0.5).astype(int)
thin = np.where(rng.random(X.shape) < 0.8, 0, X)
gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
c45, entropy = C45Classifier(categorical_features=[0]), EntropyTreeClassifier()
pairs = [(c45, X), (c45, sparse.csr_array(thin)), (c45, gaps), (entropy, X), (entropy, thin)]
for tree, data in pairs:
    for learner in (
        BinaryRelevance(tree), RAkEL(tree), CalibratedLabelRanking(tree), COCOA(tree, n_couples=1),
        EnsembleOfClassifierChains(tree, n_chains=2), ECCRU3(tree, n_chains=2),
    ):
        learner.set_params(random_state=0, n_jobs=1).fit(data, Y)
        found.append(learner.predict_proba(data).ravel().tolist())
for splitter, data in (("random", gaps), ("random", thin), ("best", gaps), ("best", thin)):
    forest = MultiLabelForest(
        3, splitter=splitter, categorical_features=[0], random_state=0
    ).fit(data, Y)
    found.append(forest.oob_scores_.ravel().tolist())
print(found)
"""


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )


def test_the_package_does_not_load_numba():
    done = run("import sys, rarelabels, rarelabels.learners; print('numba' in sys.modules)")
    assert done.stdout.strip() == "False"


COUNT = """
import numpy as np
from numba.core import event

class Names(event.Listener):
    names = []

    def on_start(self, event):
        self.names.append(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event):
        pass

from numba.core.codegen import CPUCodeLibrary
optimize, optimized = CPUCodeLibrary._optimize_final_module, []

def spy(self):
    optimized.append(type(self).__name__)
    optimize(self)

CPUCodeLibrary._optimize_final_module = spy
event.register("numba:compile", Names())
from rarelabels.trees import EntropyTreeClassifier
X = np.random.default_rng(0).normal(size=(60, 4))
EntropyTreeClassifier().fit(X, X[:, 0] > 0)
print((Names.names, optimized))
"""


def test_only_what_the_data_needs_is_compiled_and_optimized_once(tmp_path):
    done = run(COUNT, NUMBA_CACHE_DIR=str(tmp_path))
    compiled, optimized = ast.literal_eval(done.stdout)
    assert {"grow_dense_trees", "grow_dense", "append_tree"} <= set(compiled)
    others = {
        kernel.__name__
        for kernel in (
            prune_counted, collapse, decide_link, try_links, grow_sparse, grow_weighted,
        )
    }  # fmt: skip
    assert not others & set(compiled)
    # The parts of a kernel are optimized with it, and not each by itself before, with the versions
    # of numba that this was tried with.
    assert optimized.count("WholeLibrary") == int(COMPILES_PARTS)
    assert "PartLibrary" not in optimized


@pytest.mark.parametrize(
    ("X", "chain", "expected"),
    [
        (sparse.csr_array(np.eye(6)), None, set()),
        (sparse.csr_array(np.eye(6)), 1, {"chain"}),
        (sparse.csr_array(np.vstack([np.eye(6), 2 * np.eye(6)])), None, {"with_lists"}),
        (np.arange(18.0).reshape(6, 3), None, set()),
        (np.arange(18.0).reshape(6, 3), 2, {"chain"}),
    ],
)
def test_which_parts_are_used(X, chain, expected):
    tree = C45Classifier(categorical_features=None)
    parts = used_parts(tree.code(X), tree._rules(), chain)
    assert {name for name, used in parts._asdict().items() if used} == {"pruning", *expected}


@pytest.mark.parametrize("n_categories", [2, 3])
def test_parts_for_many_categories_are_used_only_if_a_feature_has_them(n_categories):
    tree = C45Classifier(categorical_features=[0])
    coding = tree.code(np.column_stack([np.arange(12) % n_categories, np.arange(12.0)]))
    assert used_parts(coding, tree._rules()).many_categories == (1 if n_categories > 2 else None)


def test_without_numba_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['numba'] = None\n"
        "try:\n    from rarelabels.trees import C45Classifier\n"
        "except ImportError as error:\n    print(error)"
    )
    assert 'pip install "rarelabels[fast]"' in run(code).stdout


def test_python_gives_what_the_compiled_code_gives():
    # Python refuses an index beyond the end of an array, which compiled code does not.
    plain, compiled = (run(GROW + LEARN, NUMBA_DISABLE_JIT=disabled) for disabled in ("1", "0"))
    values = [ast.literal_eval(done.stdout) for done in (plain, compiled)]
    assert [len(one) for one in values[0]] == 4 * [60] + 34 * [4 * 70]
    for one, other in zip(*values, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_each_state_of_the_sources_has_a_cache_of_its_own(tmp_path):
    before = compilation.compiler.digest()
    (tmp_path / "one.py").write_text("a = 1")
    compiler = Compiler(tmp_path, "some")
    first = compiler.digest()
    (tmp_path / "one.py").write_text("a = 2")
    assert len({before, first, compiler.digest()}) == 3


def test_garbage_is_collected_as_often_as_before_once_all_is_compiled():
    usual, listener = gc.get_threshold(), SeldomCollecting()
    listener.on_start(None)
    listener.on_start(None)
    listener.on_end(None)
    assert gc.get_threshold() == listener.SELDOM
    listener.on_end(None)
    assert gc.get_threshold() == usual


def test_the_first_call_says_that_it_compiles_once(tmp_path, monkeypatch, capsys):
    kernel = compilation.compiled(lambda x: x)
    monkeypatch.setattr(compilation.compiler, "folder", tmp_path)
    monkeypatch.setitem(compilation._notice, "due", True)
    compilation.say_if_compiling(kernel)
    compilation.say_if_compiling(kernel)
    assert capsys.readouterr().err.count("compiling its trees") == 1


def test_a_tree_knows_its_class():
    tree = C45Classifier().fit([[0.0], [1.0]], [3, 3])
    assert tree.predict([[5.0]]).tolist() == [3]
