from dataclasses import replace

import pytest

from rarelabels.datasets import make_local_imbalance
from rarelabels.measures import describe


def test_the_pair_differs_in_limb_alone():
    from rarelabels.cli.commands.demo import easy_and_hard

    easy, hard = (describe(*one).summary for one in easy_and_hard())
    differing = [name for name in easy if easy[name] != pytest.approx(hard[name])]
    assert differing == ["limb"]
    assert hard["limb"] > easy["limb"] + 0.3


def test_the_demo_ends_with_the_path_of_its_page(command, tmp_path, monkeypatch):
    """On smaller data: `make demo` runs it on its own."""
    from rarelabels.cli.commands import demo

    settings = {"n_samples": 200, "random_state": 0}
    pair = [
        replace(make_local_imbalance(difficulty=difficulty, **settings), name=name)
        for name, difficulty in (("easy", 0.1), ("hard", 0.6))
    ]
    monkeypatch.setattr(demo, "easy_and_hard", lambda: pair)
    code, out, err = command("demo", "--jobs", 1)
    assert code == 0, err
    assert out.splitlines()[-1] == str(tmp_path / "demo-report.html")
    # Line breaks are printed, not written out.
    assert "\\n" not in out
    page = (tmp_path / "demo-report.html").read_text(encoding="utf-8")
    assert 'id="methods"' in page
    for name in (
        "model alone",
        "thresholds alone",
        "MLROS",
        "MLSMOTE",
        "MLSOL",
        "MLUL",
        "EMLSOL",
        "EMLUL",
    ):
        assert name in out
        assert name in page
    assert [path.name for path in tmp_path.iterdir()] == ["demo-report.html"]


def test_the_demo_overwrites_nothing(command, tmp_path):
    (tmp_path / "demo-report.html").write_text("mine")
    code, _, err = command("demo")
    assert code == 1
    assert "--force" in err
