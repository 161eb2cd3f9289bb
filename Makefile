# Two commands on a fresh machine: `make demo` and `make test`. Both create .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-all lint bench clean

demo: $(VENV)/demo.stamp
	$(BIN)/wordrbm demo --out demo

# A process for every core; a file of tests stays in one of them, with its corpora and models.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile

test: lint
	$(PYTEST) -m "not slow"

test-all: lint
	$(PYTEST)

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
