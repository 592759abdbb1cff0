PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The paper's data sets, where they lie beside the repository; tests that need them are skipped else.
ifneq ($(wildcard ../shared/data),)
export RARELABELS_DATA ?= $(abspath ../shared/data)
endif

.PHONY: demo test test-bounds test-browser test-lowest test-minimal coverage docs lint format bench bench-smoke fuzz fuzz-kills study study-tables study-check today leaderboard wheel clean

demo: $(VENV)/.demo-ready
	$(BIN)/python examples/demo.py

test: $(VENV)/.dev-ready
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

test-browser: $(VENV)/.dev-ready
	RARELABELS_NEEDS_BROWSER=1 $(BIN)/python -m pytest -q -m browser tests/browser

# Texts whose spelling and prose are checked.
PROSE := README.md CHANGELOG.md CODE_OF_CONDUCT.md CONTRIBUTING.md SECURITY.md docs examples src
lint: $(VENV)/.dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tools.names_once src/rarelabels
	$(BIN)/codespell $(PROSE)
	$(BIN)/python -m tools.prose $(PROSE)

format: $(VENV)/.dev-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench-ready
	$(BIN)/python -m benchmarks

# Everything that `make bench` measures, once and small: that it runs, not how fast.
bench-smoke: $(VENV)/.bench-ready
	RARELABELS_SMOKE=1 $(BIN)/python -m benchmarks

docs: $(VENV)/.docs-ready
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python -m pytest -q tests/docs/test_links.py

test-lowest: $(VENV)-lowest/.ready
	$(VENV)-lowest/bin/python -m pytest -q -n 2 --dist worksteal tests

# Compiled code that checks every index, which takes a while to compile.
test-bounds: $(VENV)/.dev-ready
	RARELABELS_BOUNDSCHECK=1 $(BIN)/python -m pytest -q -n 2 tests/trees tests/neighbors/test_sparse.py

# Longer than the tests do it: FILES mutated files, read in two ways; then UNTRUSTED mutations each
# of plans, packed results and model files, which must not run code or crash Python.
FILES ?= 100000
UNTRUSTED ?= 10000
fuzz: $(VENV)/.dev-ready
	$(BIN)/python tests/fuzz/readers.py $(FILES)
	$(BIN)/python tests/fuzz/untrusted.py $(UNTRUSTED)

# KILLS of runs in random places, of their workers and of Dask's.
KILLS ?= 100
fuzz-kills: $(VENV)/.dev-ready
	$(BIN)/python tests/fuzz/kills.py $(KILLS)
	$(BIN)/python tests/fuzz/worker_kills.py $(KILLS)

# Go on with the paper's study for MINUTES, from the packed results and into them. Its sweeps of p
# and k, and what rules change, take some minutes each and come first.
MINUTES ?= 60
STUDY := experiments/results/paper.json.xz
study: $(VENV)/.dev-ready
	@mkdir -p build experiments/results
	if [ -f $(STUDY) ]; then $(BIN)/rarelabels unpack $(STUDY) build/paper.sqlite; fi
	for plan in sweeps rules paper; do \
	  $(BIN)/rarelabels run experiments/$$plan.toml --store build/paper.sqlite --nice 10 --max-minutes $(MINUTES) || exit 1; \
	done
	$(BIN)/rarelabels pack build/paper.sqlite $(STUDY)

study-tables: $(VENV)/.dev-ready
	$(BIN)/python experiments/make_tables.py $(STUDY) build/study

# SAMPLE jobs of the study again, each alone: are their scores what was kept?
SAMPLE ?= 30
study-check: $(VENV)/.dev-ready
	$(BIN)/python experiments/repeat_sample.py $(STUDY) --jobs $(SAMPLE)

# Continue the benchmark of what helps rare labels today for MINUTES, and show its leaderboard. Folders
# with data sets are given by RARELABELS_DATA, separated by colons.
today: export RARELABELS_DATA := $(RARELABELS_DATA):$(wildcard $(abspath ../shared/more-data))
today: $(VENV)/.dev-ready
	@mkdir -p build
	cd experiments && ../$(BIN)/python -m rare_labels_today run ../build/today.jsonl --skip-packed --repetitions 5 --max-minutes $(MINUTES)
	cd experiments && ../$(BIN)/python -m rare_labels_today pack ../build/today.jsonl
	cd experiments && ../$(BIN)/python -m rare_labels_today show

leaderboard: $(VENV)/.dev-ready
	cd experiments && ../$(BIN)/python -m rare_labels_today show

# The library without any extra: what needs one must say which.
test-minimal: $(VENV)-minimal/.ready
	$(VENV)-minimal/bin/python -m pytest -q tests/minimal

coverage: $(VENV)/.dev-ready
	$(BIN)/python -m pytest -q -n 2 --dist worksteal --cov --cov-report=term:skip-covered --cov-report=html

wheel: $(VENV)-wheel/.ready
	rm -rf dist
	$(VENV)-wheel/bin/python -m build --quiet
	$(VENV)-wheel/bin/twine check --strict dist/*
	$(PYTHON) -m venv --clear $(VENV)-wheel/clean
	$(VENV)-wheel/clean/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd dist && ../$(VENV)-wheel/clean/bin/python ../tests/minimal/readme.py ../README.md

clean:
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-minimal $(VENV)-wheel build htmlcov .coverage dist docs/_build docs/api/generated docs/auto_examples
	rm -rf docs/gen_modules docs/benchmark_figures docs/study_figures .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# A stamp a kind of use: the demo needs the library alone, development needs everything.
$(VENV)/.demo-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all]'
	@touch $@

$(VENV)/.dev-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all,test]'
	@touch $@

$(VENV)/.bench-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all,test,bench]'
	@touch $@

$(VENV)/.docs-ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all,docs]'
	@touch $@

$(VENV)-minimal/.ready: pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)-minimal
	$(VENV)-minimal/bin/python -m pip install --quiet --disable-pip-version-check -e . hypothesis pytest
	@touch $@

$(VENV)-wheel/.ready: pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install --quiet --disable-pip-version-check build twine
	@touch $@

# The oldest versions of everything that the package says it works with.
$(VENV)-lowest/.ready: pyproject.toml tests/lowest.txt
	$(PYTHON) -m venv --clear $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet --disable-pip-version-check \
	  -c tests/lowest.txt -e '.[all,test]'
	@touch $@
