"""What a comparison reads and computes, it reads and computes once."""

import ast
import sys
from pathlib import Path

import pytest

import rarelabels.cli.commands
from rarelabels.datasets import load, save_csv


def counting(monkeypatch, module, name):
    calls, function = [], getattr(module, name)

    def counted(*args, **kwargs):
        calls.append(name)
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, counted)
    return calls


def test_compare_reads_once_and_computes_local_imbalance_once(command, made, tmp_path, monkeypatch):
    from rarelabels.experiment import DatasetSpec
    from rarelabels.measures import limb

    save_csv(load(made), tmp_path / "made.csv")
    reads = counting(monkeypatch, sys.modules[DatasetSpec.__module__], "load")
    local = counting(monkeypatch, sys.modules[limb.__module__], "local_imbalance_of")
    arguments = ("made.csv", "--labels", "label_", "--samplers", "mlros", "--cv", "1x2")
    code, _, err = command("compare", *arguments, "--jobs", 1, "--ensemble", 2, "--report", "-")
    assert code == 0, err
    assert reads == ["load"]
    assert local == ["local_imbalance_of"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_no_process_reads_the_file_again(command, made, tmp_path, monkeypatch, n_jobs):
    """The file is removed once the first process has read and checked it."""
    import rarelabels.experiment._run as module

    file = tmp_path / "made.csv"
    save_csv(load(made), file)
    check = module.check_datasets

    def check_and_remove(jobs):
        check(jobs)
        file.unlink()

    monkeypatch.setattr(module, "check_datasets", check_and_remove)
    arguments = ("made.csv", "--labels", "label_", "--samplers", "none", "--cv", "1x2")
    code, out, err = command("compare", *arguments, "--jobs", n_jobs)
    assert code == 0, err
    assert "failed" not in err.replace("0 failed", "")
    assert "thresholds alone" in out


def test_commands_do_not_import_each_other():
    folder = Path(rarelabels.cli.commands.__file__).parent
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("rarelabels.cli.commands"), file.name


def test_every_file_of_a_command_is_registered():
    from rarelabels.cli.commands import COMMANDS

    folder = Path(rarelabels.cli.commands.__file__).parent
    assert sorted(COMMANDS) == sorted(p.stem for p in folder.glob("*.py") if p.stem != "__init__")
