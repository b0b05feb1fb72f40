# elegans: `make` lists what can be made. Python 3.11 to 3.13 and make are all that a machine needs.
PYTHON ?= python3
SCALE ?= laptop
PYTEST ?=
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format types layers ledger fresh smoke atlas docs-test bench lock upgrade clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)$$/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

demo: .venv/.run  ## set up, then train and draw figure 5.1 (left) of Hidden Progress
	$(BIN)/elegans run hidden-progress/fig-5.1-left --scale $(SCALE)

test: .venv/.dev  ## set up, then run the tests on all cores (PYTEST="-k parity" selects)
	$(BIN)/python -m pytest -n auto --dist worksteal $(PYTEST)

setup: .venv/.dev  ## set up everything that the other targets need

# ------------------------------------------------------------------ checks

lint: .venv/.dev  ## format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

format: .venv/.dev  ## put format and style right where a tool can
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

types: .venv/.dev  ## types, with pyright
	$(BIN)/pyright

layers: .venv/.dev  ## which room may import which
	$(BIN)/lint-imports

# ------------------------------------------------------------------ results

ledger: .venv/.dev  ## the verdicts follow from the committed evidence
	$(BIN)/elegans ledger --check

fresh: .venv/.dev  ## whether the code of today made the committed evidence (but for condense)
	$(BIN)/elegans ledger --fresh

smoke: .venv/.dev  ## every experiment of every paper, in seconds each
	$(BIN)/elegans run --all --scale smoke

atlas: .venv/.dev  ## ledger and figures as pages, served on this machine
	$(BIN)/elegans atlas --serve

docs-test: .venv/.dev  ## run the code that stands in the README and in the documentation
	$(BIN)/python .ci/docs_code.py README.md docs

bench: .venv-bench/.bench  ## speed, also against PyTorch and plain JAX (own environment; leave the machine alone)
	.venv-bench/bin/python -m benchmarks.run

# ------------------------------------------------------------------ environments
# A stamp says which lock is installed. dev.txt contains run.txt at the same versions, so installing it sets both.

INSTALL = -m pip install --quiet
PACKAGE = $(INSTALL) --no-deps --no-build-isolation --editable .

.venv/bin/python .venv-bench/bin/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(not (3, 11) <= v < (3, 14) and "elegans needs Python 3.11, 3.12 or 3.13, and $(PYTHON) is %d.%d: say make PYTHON=python3.12, for example" % v)'
	$(PYTHON) -m venv $(@:/bin/python=)

.venv/.run: requirements/run.txt pyproject.toml | .venv/bin/python
	$(BIN)/python $(INSTALL) --require-hashes -r requirements/run.txt
	$(BIN)/python $(PACKAGE)
	@touch $@

.venv/.dev: requirements/dev.txt requirements/run.txt pyproject.toml | .venv/bin/python
	$(BIN)/python $(INSTALL) --require-hashes -r requirements/dev.txt
	$(BIN)/python $(PACKAGE)
	@touch .venv/.run $@

.venv-bench/.bench: requirements/dev.txt requirements/bench.txt pyproject.toml | .venv-bench/bin/python
	.venv-bench/bin/python $(INSTALL) --require-hashes -r requirements/dev.txt
	.venv-bench/bin/python $(INSTALL) -r requirements/bench.txt
	.venv-bench/bin/python $(PACKAGE)
	@touch $@

.venv-lock/bin/uv:
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python $(INSTALL) 'uv>=0.13,<0.14'

lock: .venv-lock/bin/uv  ## write requirements/*.txt anew after a change of pyproject.toml
	.venv-lock/bin/python .ci/lock.py

upgrade: .venv-lock/bin/uv  ## the same, at the newest versions that pyproject.toml admits
	.venv-lock/bin/python .ci/lock.py --upgrade

clean:  ## remove environments, caches and builds (never the store)
	rm -rf .venv .venv-bench .venv-lock build dist docs/_build .pytest_cache .ruff_cache .hypothesis .benchmarks .import_linter_cache
	find src tests benchmarks docs .ci -name __pycache__ -type d -prune -exec rm -rf {} +
