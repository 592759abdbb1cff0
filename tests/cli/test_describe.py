import json
import subprocess
import sys
from pathlib import Path

import pytest

from rarelabels import ApproximateNeighbors
from rarelabels._neighbors import approximate
from rarelabels.datasets import (
    MultiLabelDataset,
    load,
    make_local_imbalance,
    save,
    save_csv,
    save_mulan,
)
from rarelabels.measures import describe

SCRIPT = Path(sys.executable).with_name("rarelabels")


def test_a_file_is_described(script, made):
    done = script("describe", made)
    assert done.returncode == 0
    assert "LImb" in done.stdout
    lines = done.stdout.splitlines()
    places = [next(i for i, line in enumerate(lines) if f"label_{j}" in line) for j in (2, 1, 0)]
    assert places == sorted(places), "the rarest comes first"
    assert "█" in done.stdout
    assert "Traceback" not in done.stderr


def test_json_is_what_the_measure_says(command, made):
    code, out, _ = command("describe", made, "--json", "--k", 3)
    found, dataset = json.loads(out), load(made)
    assert code == 0
    assert found["summary"]["limb"] == describe(*dataset, n_neighbors=3).summary["limb"]
    assert [row["label"] for row in found["labels"]] == list(dataset.label_names)


@pytest.mark.parametrize("name", ["yeast", "flags"])
def test_a_known_name_is_described(command, monkeypatch, shared_data, name):
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    code, out, _ = command("describe", name)
    assert code == 0
    assert name in out


@pytest.mark.parametrize("labels", ["label_", "-3", "label_0,label_1,label_2"])
def test_labels_can_be_said_in_three_ways(command, made, tmp_path, labels):
    save_csv(load(made), tmp_path / "made.csv")
    code, out, _ = command("describe", "made.csv", "--labels", labels, "--json")
    assert code == 0
    assert json.loads(out)["summary"]["n_labels"] == 3


def test_the_page_is_written_once(command, made, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = command("describe", made, "--report", page)
    assert code == 0
    assert "LImb" in out
    assert str(page) in err
    first = page.read_text(encoding="utf-8")
    code, _, err = command("describe", made, "--report", page)
    assert code == 1
    assert "--force" in err
    assert command("describe", made, "--report", page, "--force")[0] == 0
    assert page.read_text(encoding="utf-8") == first
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "made.arff",
        "made.xml",
        "page.html",
    ]


def test_the_page_goes_to_standard_output(command, made):
    _, out, err = command("describe", made, "--report", "-")
    assert out.startswith("<!DOCTYPE html>")
    assert out.rstrip().endswith("</html>")
    assert "LImb" in err


def test_an_approximate_search_tells_its_recall(command, made, tmp_path, monkeypatch):
    pytest.importorskip("faiss")
    for name, value in {"APPROXIMATE_SAMPLES": 100, "MEASURED": 50, "CELL_COST": 1}.items():
        monkeypatch.setattr(approximate, name, value)
    monkeypatch.setattr(ApproximateNeighbors.__init__, "__defaults__", (0.2, None))
    summary = json.loads(command("describe", made, "--approximate", "--json")[1])["summary"]
    assert 0.2 <= summary["neighbor_recall"] < 1
    sentence = f"it finds {100 * summary['neighbor_recall']:.1f} % of them"
    assert sentence in command("describe", made, "--approximate")[1]
    assert sentence in command("resample", made, tmp_path / "more.csv", "--approximate")[1]
    assert "approximate" not in command("describe", made.name)[1]


def test_names_cannot_steer_the_terminal(command, made, tmp_path):
    dataset = load(made)
    names = ("a\x1b[31mred", "[bold]b[/bold]", "c\x07")
    hostile = MultiLabelDataset(dataset.X, dataset.Y, label_names=names)
    save_csv(hostile, tmp_path / "hostile.csv")
    code, out, _ = command("describe", "hostile.csv", "--labels", -3)
    assert code == 0
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "[bold]b[/bold]" in out


def test_a_constant_label_is_noted_in_one_line(script, made, tmp_path):
    dataset = load(made)
    Y = dataset.Y.copy()
    Y[:, 0] = 0
    save_mulan(MultiLabelDataset(dataset.X, Y), tmp_path / "constant.arff")
    done = script("describe", "constant.arff", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["labels"][0]["irlbl"] is None
    assert all(line.startswith("note: ") for line in done.stderr.splitlines())


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["absent.arff"], 2, "absent.arff does not exist"),
        (["yeats"], 2, "did you mean 'yeast'?"),
        (["."], 2, "is a folder"),
        (["table.csv"], 2, "pass --labels"),
        (["table.csv", "--labels", "y_"], 1, "no column name begins with 'y_'"),
        (["broken.arff"], 1, "broken.arff, line"),
        (["empty.arff"], 1, "empty.arff"),
        (["unknown.bin"], 1, "format cannot be recognized"),
        (["made.arff", "--report", "no/where.html"], 1, "the folder no does not exist"),
        (
            ["made.arff", "--report", "made.arff/page.html"],
            1,
            "the folder made.arff does not exist",
        ),
        (["made.arff", "--report", "."], 1, "is a folder"),
        (["made.arff", "--json", "--report", "-"], 2, "cannot both write to standard output"),
        (["made.arff", "--k", "1000"], 1, "n_neighbors"),
    ],
)
def test_mistakes_are_told_in_a_line_or_two(command, made, tmp_path, arguments, code, words):
    (tmp_path / "table.csv").write_text("a,b,c\n1,0,1\n2,1,0\n")
    (tmp_path / "broken.arff").write_text(
        "@relation 'x: -C 1'\n@attribute a {0,1}\n@data\nfoo,bar\n"
    )
    (tmp_path / "empty.arff").write_text("")
    (tmp_path / "unknown.bin").write_bytes(b"\x89PNG")
    found, out, err = command("describe", *arguments)
    assert (found, out) == (code, "")
    assert words in err
    assert err.startswith("error: ")
    assert err.count("\n") <= 2


def test_debug_shows_where_an_error_came_from(script):
    done = script("describe", "a.arff", "--debug")
    assert "Traceback" in done.stderr
    assert "a.arff does not exist" in done.stderr


def test_a_folder_that_cannot_be_written(command, made, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied", "page.html")

    monkeypatch.setattr("rarelabels.datasets.files.open", refuse, raising=False)
    code, _, err = command("describe", made, "--report", "page.html")
    assert code == 1
    assert "Permission denied" in err
    assert err.count("\n") <= 2


def test_a_reader_that_goes_away_is_no_error(environment, made):
    line = f"'{SCRIPT}' describe '{made}' --report - | head -c 10"
    # A pipe of the shell is what is tried.
    given = {"capture_output": True, "text": True, "env": environment}
    done = subprocess.run(line, shell=True, **given)  # noqa: S602
    assert done.stdout == "<!DOCTYPE "
    assert "Broken pipe" not in done.stderr
    assert "Traceback" not in done.stderr


def test_labels_can_be_left_out(command, made):
    code, out, _ = command("describe", made, "--drop-label", "label_1", "--json")
    assert code == 0
    assert [row["label"] for row in json.loads(out)["labels"]] == ["label_0", "label_2"]
    code, _, err = command("describe", made, "--drop-label", "label_9")
    assert code == 2
    assert "the label 'label_9' to leave out does not exist" in err


def test_advice_is_a_command_that_runs(command, made):
    code, out, _ = command("describe", made)
    assert code == 0
    assert f"rarelabels compare {made}" in out.replace("\n", " ")
    assert "does_sampling_help" not in out


def test_advice_reads_the_data_in_the_same_way(command, tmp_path):
    lines = [f"{i % 7},{i // 3},{i % 5 == 0:d},{-1 if i % 4 == 0 else i % 2}" for i in range(60)]
    (tmp_path / "t.csv").write_text("size,patient,flu,cold\n" + "\n".join(lines))
    options = ("--labels", "flu,cold", "--unknown", "-1", "--groups", "patient")
    code, out, _ = command("describe", "t.csv", *options)
    assert code == 0
    assert f"rarelabels compare t.csv {' '.join(options)}" in " ".join(out.split())


def test_a_column_of_tags_without_a_separator_gets_a_hint(command, tmp_path):
    (tmp_path / "t.csv").write_text("size,tags\n1,flu;cold\n2,flu\n")
    code, _, err = command("describe", "t.csv", "--labels", "tags")
    assert code != 0
    assert "if 'tags' is a column of tags, pass --separator ';'" in err


@pytest.mark.parametrize("place", ["mine/mine.arff.gz", "mine.arff", "mine.arff.xz"])
def test_the_local_folder_holds_data_sets_of_any_name(command, monkeypatch, tmp_path, place):
    path = tmp_path / "folder" / place
    path.parent.mkdir(parents=True)
    save(make_local_imbalance(60, random_state=0), path)
    monkeypatch.setenv("RARELABELS_DATA", str(tmp_path / "folder"))
    code, out, err = command("describe", "mine", "--json")
    assert code == 0, err
    assert len(json.loads(out)["labels"]) == 3
