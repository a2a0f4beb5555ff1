# Every target does its own set-up: Python 3.11 or newer, make and git are all it takes.
#
#   make demo       grade a sample class from start to end (installs run-time packages only)
#   make test       lint, types and the whole suite with coverage
#   make bench      time the grader side by side with stock nbgrader
#   make fairness   replay every right answer over 200 seeds, two NumPys and two precisions
#   make hostile    every attack, under every sandbox that isolates here
#   make test-all   make test, then what takes longer: every sandbox, every user, more runs
#   make catalogue  write docs/exercises.md anew from the exercises
#   make lint | types | format | lock | clean

PYTHON ?= python3
JOBS ?= 2
MIN_COVERAGE ?= 90

VENV := .venv
BIN := $(VENV)/bin
SOURCES := autograder reference tests benchmarks

# nbgrader calls alembic by name, so the environment's commands come first
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The locks are complete, hashes and all: pip needs to resolve nothing and may trust nothing else.
INSTALL_LOCK := $(BIN)/python -m pip install --quiet --no-deps --require-hashes --requirement

.PHONY: demo bench fairness test hostile test-all test-extra catalogue lint types format lock clean
.DELETE_ON_ERROR:

demo: $(VENV)/run.stamp
	$(BIN)/python -m benchmarks.demo

bench: $(VENV)/run.stamp
	$(BIN)/python -m benchmarks.bench
	$(BIN)/python -m benchmarks.worker_cost

# An hour or so of two cores; FAIRNESS="--seeds 10" is a quick look
fairness: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks.fairness --jobs $(JOBS) --float32 --numpy 1.26 $(FAIRNESS)

test: lint types
	$(BIN)/python -m pytest --numprocesses=$(JOBS) --dist=worksteal -m "not extra" \
	  --cov --cov-report=term:skip-covered --cov-fail-under=$(MIN_COVERAGE)

test-all: test test-extra

# Every attack, under every backend that isolates here, as root and as an ordinary user
hostile: $(VENV)/dev.stamp
	$(BIN)/python -m pytest tests/hostile --numprocesses=$(JOBS) --dist=worksteal -m "extra or not extra"

# pytest says 5 where no test carries the mark
test-extra: $(VENV)/dev.stamp
	@status=0; $(BIN)/python -m pytest -m extra --collect-only -q > /dev/null 2>&1 || status=$$?; \
	if [ $$status -eq 5 ]; then echo "No test is marked extra: make test ran them all."; \
	else $(BIN)/python -m pytest --numprocesses=$(JOBS) --dist=worksteal -m extra; fi

# The page is tested to be current: run this after a change of an exercise, and commit it
catalogue: $(VENV)/run.stamp
	$(BIN)/python -m tests.catalogue_file

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/lint-imports

types: $(VENV)/dev.stamp
	$(BIN)/mypy --explicit-package-bases autograder reference benchmarks

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

# -- set-up --------------------------------------------------------------------------------------

# A changed lock makes the environment anew. A changed pyproject.toml only installs us again.
$(VENV)/lock.stamp: requirements/run.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, but '$(PYTHON)' is older or missing." \
	    "Run again with, say, PYTHON=python3.12." >&2; exit 1; }
	@echo "Setting up $(VENV) for the first time takes about a minute ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(INSTALL_LOCK) requirements/run.txt
	@touch $@

$(VENV)/run.stamp: pyproject.toml $(VENV)/lock.stamp
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/run.stamp
	@$(INSTALL_LOCK) requirements/dev.txt
	@touch $@

# One lock serves every Python from 3.11 on, on Linux and macOS. Pins stay as they are unless
# pyproject.toml asks for more; `make lock UPGRADE=--upgrade` takes the newest releases.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-annotate --no-emit-index-url --custom-compile-command "make lock" $(UPGRADE)

lock: $(VENV)/dev.stamp
	$(BIN)/python -c 'import tomllib; [print(r) for r in tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"]]' \
	  | $(COMPILE) pyproject.toml - --output-file requirements/run.txt
	$(COMPILE) pyproject.toml --extra dev --constraint requirements/run.txt \
	  $$(sed -n 's/^\([a-z][^=]*\)==.*/--no-emit-package=\1/p' requirements/run.txt) \
	  --output-file requirements/dev.txt

# The environment and the caches; never a course's submissions, grades or gradebook.
clean:
	rm -rf $(VENV) build dist *.egg-info .coverage .coverage.* .hypothesis \
	  .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find $(SOURCES) -name __pycache__ -prune -exec rm -rf {} +
