import pytest

from rarelabels.measures import describe


def test_the_pair_differs_in_limb_alone():
    from rarelabels.cli.commands.demo import easy_and_hard

    easy, hard = (describe(*one).summary for one in easy_and_hard())
    differing = [name for name in easy if easy[name] != pytest.approx(hard[name])]
    assert differing == ["limb"]
    assert hard["limb"] > easy["limb"] + 0.3


def test_the_demo_ends_with_the_path_of_its_page(script, tmp_path, monkeypatch):
    done = script("demo")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(tmp_path / "demo-report.html")
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
        assert name in done.stdout
        assert name in page
    assert [path.name for path in tmp_path.iterdir()] == ["demo-report.html"]


def test_the_demo_overwrites_nothing(command, tmp_path):
    (tmp_path / "demo-report.html").write_text("mine")
    code, _, err = command("demo")
    assert code == 1
    assert "--force" in err
