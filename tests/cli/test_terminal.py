"""Every command on a real pseudo-terminal of several widths, with and without color."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len

from rarelabels.advisor import save_model
from rarelabels.cli._layout import TableColumn, laid_out
from rarelabels.cli.commands import COMMANDS
from rarelabels.datasets import make_local_imbalance, save_mulan
from rarelabels.learners import BinaryRelevance

pty = pytest.importorskip("pty", reason="pseudo-terminals exist on POSIX systems only")

WIDTHS = (60, 80, 120, 200)
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLORS = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
QUICK = ["--samplers", "mlsol", "--ensemble", "2", "--cv", "2x2", "--jobs", "1"]
LONG = "RareLabelClassifier with weights"

PLAN = """
name = "small"
learners = ["br"]
datasets = [{path = "one.arff"}, {path = "two.arff"}, {path = "three.arff"}]
methods = ["default", "mlros", "mlrus", "mlsmote", "mlsol", "mlul", "remedial_hwr_ros", "lpros"]
folds = {n_splits = 2, n_repeats = 1}
"""

# What each command is called with; the order matters, later ones read what earlier ones write.
ARGUMENTS = {
    "describe": ["one.arff"],
    "resample": ["one.arff", "out.csv", "--force"],
    "compare": ["one.arff", *QUICK],
    "predict": ["model.skops", "new.csv", "--out", "predicted.csv", "--force"],
    "run": ["plan.toml", "--store", "s.sqlite", "--jobs", "1"],
    "retry": ["plan.toml", "--store", "s.sqlite", "--jobs", "1"],
    "tables": ["--store", "s.sqlite"],
    "pack": ["s.sqlite", "s.json.xz"],
    "unpack": ["s.json.xz", "s.sqlite"],
    "datasets": [],
    "fetch": ["flags"],
    "demo": ["--force"],
}
HELP = {f"{name} --help": [name, "--help"] for name in COMMANDS}
CALLS = {"": ["--help"], **HELP, **{name: [name, *rest] for name, rest in ARGUMENTS.items()}}

# Commands run in one process: starting Python costs more than most of them do. The demo's data and
# its folds are fewer; what it prints is what counts here.
DRIVER = """
import functools, sys
import rarelabels.advisor, rarelabels.datasets
from rarelabels.cli import main
made = rarelabels.datasets.make_local_imbalance
def small(n_samples, **rest): return made(200, **rest)
rarelabels.datasets.make_local_imbalance = small
ask = rarelabels.advisor.does_sampling_help
def quick(*args, **rest): return ask(*args, **{{**rest, "cv": "1x2", "n_jobs": None}})
rarelabels.advisor.does_sampling_help = quick
for call in {calls!r}:
    print(end="\\x1e", flush=True)
    sys.argv = ["rarelabels", *call]
    try:
        main()
    except SystemExit as ended:
        print(end=f"\\x1f{{ended.code or 0}}", flush=True)
"""


def on_terminal(arguments, folder, width, environment):
    """Run a program on a pseudo-terminal and return everything that it wrote there."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    process = subprocess.Popen(
        arguments, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how Linux reports that nobody writes any longer
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    process.wait()
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("terminal")
    for seed, name in enumerate(("one", "two", "three")):
        save_mulan(
            make_local_imbalance(120, difficulty=0.5, random_state=seed), place / f"{name}.arff"
        )
    (place / "plan.toml").write_text(PLAN)
    X, y = (pd.DataFrame(part).add_prefix("column_") for part in (np.eye(9, 2), np.eye(9, 3)))
    save_model(BinaryRelevance().fit(X, y.astype(int)), place / "model.skops")
    X.to_csv(place / "new.csv", index=False)
    return place


@pytest.fixture(scope="module", params=[(w, c) for w in WIDTHS for c in (True, False)], ids=str)
def screens(request, folder, environment, shared_data):
    """Return the width, whether there is color, and what each call shows."""
    width, color = request.param
    chosen = {k: v for k, v in environment.items() if k not in ("NO_COLOR", "TERM")}
    chosen |= {"TERM": "xterm-256color", "RARELABELS_DATA": str(shared_data)}
    chosen |= {} if color else {"NO_COLOR": "1"}
    program = DRIVER.format(calls=list(CALLS.values()))
    shown = on_terminal([sys.executable, "-c", program], folder, width, chosen)
    parts = [part.rpartition("\x1f") for part in shown.split("\x1e")[1:]]
    assert [int(code) for _, _, code in parts] == [0] * len(CALLS), shown
    return width, color, {name: text for name, (text, _, _) in zip(CALLS, parts, strict=True)}


def lines_of(text):
    """Return the lines as they are left on the screen: a bar overwrites itself."""
    plain = ESCAPES.sub("", text)
    return [line.rpartition("\r")[2].rstrip() for line in plain.split("\n")]


def test_every_command_is_shown():
    assert set(ARGUMENTS) == set(COMMANDS)


def test_nothing_is_wider_than_the_terminal_or_cut(screens):
    width, _, shown = screens
    for name, text in shown.items():
        for line in lines_of(text):
            # A path has no place to break at.
            assert cell_len(line) <= width or " " not in line.strip(), (name, line)
            assert "…" not in line.replace("… and", "").replace(" hard one …", ""), (name, line)


def test_colors_are_there_if_wanted(screens):
    _, color, shown = screens
    for name in ("describe", "demo"):
        assert bool(COLORS.search(shown[name])) == color, name


def test_the_help_is_complete(screens):
    _, _, shown = screens
    assert all(name in shown[""] for name in COMMANDS)
    assert "..." not in shown[""].replace("[ARGS]...", "")
    for name in COMMANDS:
        assert f"Usage: rarelabels {name}" in shown[f"{name} --help"]


NUMBER = r"[+−]\d\.\d{3}"


@pytest.mark.parametrize("name", ["compare", "demo"])
def test_a_comparison_shows_method_score_gain_interval_and_verdict(screens, name):
    width, _, shown = screens
    lines = lines_of(shown[name])
    if width == 60:
        # The longest name leaves no room for a table: a paragraph for each method.
        first = lines.index("MLSOL")
        assert re.fullmatch(r"  macro-F1: 0\.\d{3}", lines[first + 1])
        assert re.fullmatch(rf"  gain: {NUMBER}", lines[first + 2])
        assert re.fullmatch(rf"  95 % interval: {NUMBER} to {NUMBER}", lines[first + 3])
        assert lines[first + 4].startswith("  verdict: ")
        names = {
            "model alone",
            "class weights",
            "thresholds alone",
            "RareLabelClassifier",
            "EMLSOL",
        }
        assert names <= {*lines}
        return
    # A run that is not complete in the store yet first shows provisional tables.
    first = max(place for place, line in enumerate(lines) if re.match(r"method  +", line))
    head, rows = lines[first], lines[first + 2 : lines.index("", first)]
    for word in ("macro-F1", "gain", "95 % interval", "verdict"):
        assert word in head
    assert ("s/fold" in head) == (width >= 120)
    table = " ".join(" ".join(rows).split())
    assert "cannot tell" in table or "no relevant difference" in table
    sampler = next(row for row in rows if row.startswith("MLSOL"))
    assert re.match(rf"MLSOL +0\.\d{{3}} .*{NUMBER} +{NUMBER} to {NUMBER} ", sampler)
    first_words = {row.split(" ")[0] for row in rows}
    assert {"model", "class", "thresholds", "RareLabelClassifier", "EMLSOL"} <= first_words


def test_a_table_continues_below(screens):
    width, _, shown = screens
    lines = lines_of(shown["tables"])
    heads = [line for line in lines if line.startswith("data set")]
    methods = [name for head in heads for name in head.split()[2:]]
    names = ["Default", "mlros", "mlrus", "mlsmote", "mlsol", "mlul", "remedial_hwr_ros", "lpros"]
    assert methods == names
    assert len(heads) == (2 if width < 120 else 1)
    assert sum(line.startswith("two") for line in lines) == len(heads)


def test_wide_shows_every_column_on_a_narrow_terminal(folder, environment):
    script = str(Path(sys.executable).with_name("rarelabels"))
    arguments = [script, "compare", "one.arff", *QUICK, "--wide"]
    shown = on_terminal(arguments, folder, 60, {**environment, "TERM": "xterm"})
    *_, heads = (line for line in lines_of(shown) if re.match(r"method  +", line))
    words = ("macro-F1", "±", "gain", "95 % interval", "p", "P(>0.01)", "could show", "rank")
    assert all(word in heads for word in (*words, "s/fold", "verdict"))


def test_where_a_table_has_no_room_there_are_paragraphs():
    columns = [
        TableColumn("method", [LONG, "MLSOL"], is_text=True),
        TableColumn("gain", ["+0.001", "−0.123"]),
        TableColumn("p", ["1", "0.04"], rank=1),
    ]
    (text,) = laid_out(columns, 20)
    assert text.plain == f"method:\n\n{LONG}\n  gain: +0.001\n\nMLSOL\n  gain: −0.123"


def test_text_is_wrapped_where_that_makes_the_table_shortest():
    from rarelabels.cli._layout import widths

    columns = [
        TableColumn("method", ["class weights", "MLSOL", "MLUL"], is_text=True),
        TableColumn("verdict", ["cannot tell"] * 3, is_text=True),
    ]
    # With "class weights" on two lines, the verdicts need one line each: four lines, not six.
    assert widths(columns, 20) == [7, 11]
