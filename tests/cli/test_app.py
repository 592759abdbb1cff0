import subprocess
import sys

import pytest

COMMANDS = (
    "demo", "describe", "resample", "compare", "run", "retry", "tables", "pack", "unpack",
    "datasets", "fetch",
)  # fmt: skip
HEAVY = {"numpy", "scipy", "sklearn", "pandas", "polars", "matplotlib", "jinja2", "joblib"}


def test_help_names_every_command(script):
    done = script("--help")
    assert done.returncode == 0
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(command, name):
    code, out, _ = command(name, "--help")
    assert code == 0
    assert f"Usage: rarelabels {name}" in out


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments):
    code = (
        "import sys, rarelabels.cli; sys.argv[1:] = " + repr(arguments) + "\n"
        "try: rarelabels.cli.main()\n"
        "except SystemExit: pass\n"
        "print('modules', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("modules")[2].split())
    assert not HEAVY & loaded


def test_the_module_is_the_command_too():
    run = [sys.executable, "-m", "rarelabels.cli", "--version"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rarelabels 0")


def test_no_arguments_show_the_help(command):
    code, out, err = command()
    assert "Usage" in out + err
    assert code in (0, 2)


@pytest.mark.parametrize(
    "arguments",
    [["explain"], ["describe"], ["describe", "a.arff", "--bogus"], ["describe", "a", "--k", "0"]],
)
def test_wrong_usage_ends_with_2(command, arguments):
    code, _, err = command(*arguments)
    assert code == 2
    assert "Traceback" not in err


def test_without_typer_it_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; import rarelabels.cli; rarelabels.cli.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert 'pip install "rarelabels[cli]"' in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("des", {"describe"}),
        ("resample made.arff o.csv --sampler mls", {"mlsmote", "mlsol"}),
        ("compare made.arff --samplers none,mlu", {"none,mlul"}),
        ("compare made.arff --learner c", {"clr", "cocoa"}),
        ("describe ye", {"yeast"}),
        ("describe ma", {"made.arff", "made.xml"}),
    ],
)
def test_the_shell_completes(script, made, words, expected):
    line = {"COMP_WORDS": f"rarelabels {words}", "COMP_CWORD": str(len(words.split()))}
    done = script(_RARELABELS_COMPLETE="complete_bash", **line)
    assert set(done.stdout.split()) == expected


def test_the_names_that_the_shell_completes_are_those_there_are():
    from rarelabels.cli import _names
    from rarelabels.datasets.mulan import known_names
    from rarelabels.learners import learner_names
    from rarelabels.sampling import sampler_names

    assert list(_names.SAMPLER_NAMES) == list(sampler_names())
    assert list(_names.LEARNER_NAMES) == list(learner_names())
    assert list(_names.DATASET_NAMES) == list(known_names())
