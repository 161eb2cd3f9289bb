# Two commands on a fresh machine: `make demo` and `make test`. Both create .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all lint bench clean

demo: $(VENV)/demo.stamp
	$(BIN)/wordrbm demo --out demo

test: lint
	$(BIN)/python -m pytest -m "not slow"

test-all: lint
	$(BIN)/python -m pytest

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks

$(VENV)/pip.stamp:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/demo.stamp: pyproject.toml | $(VENV)/pip.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[demo]"
	touch $@

$(VENV)/dev.stamp: pyproject.toml | $(VENV)/pip.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[demo,dev]"
	touch $@

clean:
	rm -rf $(VENV) demo
