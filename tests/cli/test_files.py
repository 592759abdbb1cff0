"""What is written where: links are followed, devices refused, names cannot steer the terminal."""

import json
import os
import stat
import subprocess
import sys

import numpy as np
import pytest

from rarelabels.cli._files import json_text
from rarelabels.datasets import MultiLabelDataset, load, save, save_csv


@pytest.fixture
def device(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_what_is_no_regular_file_is_refused(command, made, device, force):
    code, _, err = command("describe", made, "--report", device, *force)
    assert code == 1
    assert "not a regular file" in err
    assert stat.S_ISFIFO(device.stat().st_mode)


def test_the_null_device_stays_one(command, made):
    code, _, err = command("describe", made, "--report", "/dev/null", "--force")
    assert code == 1
    assert "not a regular file" in err
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_the_library_refuses_devices_too(made, device):
    with pytest.raises(OSError, match="not a regular file"):
        save_csv(load(made), device)


def test_a_link_is_followed(command, made, tmp_path):
    (tmp_path / "real.html").write_text("mine")
    link = tmp_path / "link.html"
    link.symlink_to("real.html")
    assert command("describe", made, "--report", link)[0] == 1
    assert (tmp_path / "real.html").read_text() == "mine"
    assert command("describe", made, "--report", link, "--force")[0] == 0
    assert link.is_symlink()
    assert (tmp_path / "real.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_link_that_leads_nowhere_is_followed_or_refused(command, made, tmp_path):
    link, lost = tmp_path / "link.html", tmp_path / "lost.html"
    link.symlink_to("new.html")
    lost.symlink_to(tmp_path / "no" / "where.html")
    assert command("describe", made, "--report", link)[0] == 0
    assert link.is_symlink()
    assert (tmp_path / "new.html").is_file()
    code, _, err = command("describe", made, "--report", lost)
    assert code == 1
    assert "no does not exist" in err
    assert lost.is_symlink()


def test_names_of_files_and_labels_never_reach_the_terminal_raw(command, made, tmp_path):
    dataset = load(made)
    names = ("a\x1b[31m", "b\x9b31m", "c\x07")
    hostile = MultiLabelDataset(dataset.X, dataset.Y, label_names=names)
    path = tmp_path / "evil\x1b]0;title\x07.csv"
    save_csv(hostile, path)
    runs = [
        ("describe", path, "--labels", -3),
        ("describe", path, "--labels", -3, "--json"),
        ("describe", tmp_path / "absent\x1b[2J.csv"),
        ("describe", path, "--labels", -3, "--report", tmp_path / "p\x1b[2J.html"),
        ("compare", path, "--labels", -3, "--samplers", "mlros", "--cv", "2", "--jobs", 1),
        ("resample", path, tmp_path / "out\x1b[2J.csv", "--labels", -3),
    ]
    for arguments in runs:
        _, out, err = command(*arguments)
        assert out + err
        assert not set("\x1b\x07\x9b") & set(out + err), arguments


def test_json_comes_back_as_it_was():
    import json

    value = {"names": ["a\x1b", "b\x9b", "\x7f", "ß ∞", "\u2028", "\U0001f980"]}
    assert json.loads(json_text(value)) == value
    assert json_text(value).replace("\n", "").isprintable()


def write_patients(folder):
    lines = ["age;ward;note;tags"]
    for i in range(60):
        tags = [name for k, name in enumerate(("flu", "cold", "gout"), 2) if i % k == 0]
        lines.append(f"{i * i % 37};{'nsw'[i % 3]};patient {i} says {i * i};{', '.join(tags)}")
    path = folder / "patients.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_table_with_tags_and_a_note(command, tmp_path):
    path = write_patients(tmp_path)
    named = ("--labels", "tags", "--separator", ",")
    code, _, errors = command("describe", path, *named)
    assert code != 0
    assert "'note' is text, but not categorical" in errors
    assert "--drop" in errors
    code, out, _ = command("describe", path, *named, "--drop", "note", "--json")
    assert code == 0
    assert [row["label"] for row in json.loads(out)["labels"]] == ["cold", "flu", "gout"]
    code, _, _ = command("resample", path, "more.csv", *named, "--drop", "note")
    assert code == 0
    # The result remembers which columns are labels.
    code, out, _ = command("describe", tmp_path / "more.csv", "--json")
    assert code == 0
    assert json.loads(out)["summary"]["n_labels"] == 3


def test_a_comparison_of_a_table_with_tags(command, tmp_path):
    path = write_patients(tmp_path)
    options = ("--labels", "tags", "--separator", ",", "--drop", "note", "--samplers", "mlros")
    code, out, _ = command("compare", path, *options, "--cv", "1x2", "--jobs", "1", "--json")
    assert code == 0
    assert "mlros" in out.lower()


def test_a_plan_with_tags(tmp_path):
    from rarelabels.experiment import load_plan, run_job

    path = write_patients(tmp_path)
    entry = {"path": str(path), "labels": "tags", "separator": ",", "drop": ["note"]}
    plan = load_plan({"datasets": [entry], "learners": ["br"], "methods": ["mlros"]})
    record = run_job(plan.jobs()[0])
    assert record.status == "done", record.error
    other = load_plan(
        {"datasets": [entry | {"separator": ";"}], "learners": ["br"], "methods": ["mlros"]}
    )
    assert other.jobs()[0].key != plan.jobs()[0].key


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather", "xlsx"])
def test_a_resampled_table_has_whole_counts_and_dates(tmp_path, command, suffix):
    pytest.importorskip("openpyxl")
    rng, day = np.random.default_rng(0), 86_400e6
    X = np.column_stack([rng.poisson(2, 60), rng.integers(0, 366, 60) * day, rng.random(60)])
    types = {0: "integer", 1: "date"}
    save(MultiLabelDataset(X, rng.integers(0, 2, (60, 2)), types=types), tmp_path / f"a.{suffix}")
    code, _, errors = command("resample", f"a.{suffix}", f"b.{suffix}")
    assert code == 0, errors
    found = load(tmp_path / f"b.{suffix}")
    assert (found.n_samples, dict(found.types)) == (78, types)
    assert not (found.X[:, 1] % day).any()


def test_a_sheet(tmp_path, command):
    openpyxl = pytest.importorskip("openpyxl")
    from rarelabels.experiment import load_plan

    book = openpyxl.Workbook()
    book.active.append(["About"])
    sheet = book.create_sheet("Data")
    for row in (["x", "l_a"], *([i, i % 2] for i in range(20))):
        sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    code, _, errors = command("describe", "a.xlsx", "--labels", "l_")
    assert (code != 0, "sheet 'Sheet', row 1: no column name begins" in errors) == (True, True)
    code, out, _ = command("describe", "a.xlsx", "--labels", "l_", "--sheet", "Data", "--json")
    assert (code, json.loads(out)["summary"]["n_samples"]) == (0, 20)
    entry = {"path": str(tmp_path / "a.xlsx"), "labels": "l_", "sheet": "Data"}
    plan = load_plan({"datasets": [entry], "learners": ["br"], "methods": ["mlros"]})
    assert plan.datasets[0].load().n_samples == 20


def test_a_column_without_values_is_named(tmp_path, command):
    lines = ["x,nothing,l_a", *(f"{i},,{i % 2}" for i in range(20))]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    for arguments in (("describe", "a.csv"), ("resample", "a.csv", "b.csv")):
        code, _, errors = command(*arguments, "--labels", "l_")
        assert (code, errors.count("no known value")) == (0, 1)
        assert "'nothing' has no known value: left out of distances" in errors


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
sys.argv = ["rarelabels", *sys.argv[1:]]
from rarelabels.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
@pytest.mark.parametrize("name", ["out.arff", "out.csv", "out.csv.gz", "out.parquet", "out.xlsx"])
def test_a_full_disk_is_reported_with_the_file_and_nothing_else(tmp_path, made, name):
    """A limit of the size of files stands for the disk, which gives another number."""
    before = set(tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", FULL, "resample", str(made), name],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "TMPDIR": str(tmp_path / "..")},
    )  # fmt: skip
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: File too large: ")
    # openpyxl writes into the folder for temporary files first.
    assert line.endswith(name) or name == "out.xlsx"
    assert set(tmp_path.iterdir()) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_standard_output_is_reported_once(tmp_path, made, more):
    command = [sys.executable, "-m", "rarelabels.cli", "describe", str(made), *more]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*command],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "error: No space left on device: standard output\n"
