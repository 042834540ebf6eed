# The environment is installed into .venv once; .venv/installed says with which files.
# Any Python >= 3.11 whose pip is >= 22.3 will do: `make setup PYTHON=/path/to/python3.11`.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help setup run demo test check bench chaos

SUPPORTED := import sys, pip; \
	sys.exit(sys.version_info < (3, 11) or tuple(map(int, pip.__version__.split(".")[:2])) < (22, 3))
FIND_PYTHON = for name in python3 python python3.11 python3.12 python3.13 python3.14; do \
	$$name -c '$(SUPPORTED)' 2>/dev/null && { echo "$$name"; break; }; done
PYTHON ?= $(shell $(FIND_PYTHON))

VENV_PYTHON := .venv/bin/python
# pip of the base interpreter installs into .venv, so that ensurepip is not needed.
PIP_INSTALL = "$(PYTHON)" -m pip --python $(VENV_PYTHON) --disable-pip-version-check \
	install --quiet --quiet --constraint constraints.txt

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 8

setup: .venv/installed ## make the environment in .venv (done by the others when needed)
	@:

.venv/installed: pyproject.toml constraints.txt
	@"$(PYTHON)" -c '$(SUPPORTED)' 2>/dev/null || { echo "onereply needs Python 3.11 or newer with\
	 pip 22.3 or newer: make $(or $(MAKECMDGOALS),setup) PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Installing into .venv"
	@$(VENV_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| "$(PYTHON)" -m venv --clear --without-pip .venv
	@$(PIP_INSTALL) setuptools
	@$(PIP_INSTALL) --no-build-isolation --editable '.[dev]'
	@touch $@

run: setup ## start local mode: a bot with stand-ins for whatever is not set
	@$(VENV_PYTHON) -m bot local

demo: setup ## play one burst and show its timeline
	@$(VENV_PYTHON) -m bot demo

# Most tests wait more than they compute, so there may be more workers than cores. A test may run on
# any of them, unless its group is to stay together: what a module sets up is set up once.
test: setup ## run every test
	@$(VENV_PYTHON) -m pytest --numprocesses 3 --dist loadgroup --quiet

check: setup ## lint, format, types and import rules
	@$(VENV_PYTHON) -m ruff check
	@$(VENV_PYTHON) -m ruff format --check
	@$(VENV_PYTHON) -m mypy
	@$(VENV_PYTHON) -c 'from importlinter.cli import lint_imports_command as run; run()'

bench: setup ## measure throughput beside its floors
	@$(VENV_PYTHON) -m tests.bench

chaos: setup ## kill, freeze and starve three processes for some minutes, then audit
	@$(VENV_PYTHON) -m tests.chaos $(CHAOS)
