# Two commands on a fresh machine: `make demo` and `make test`. Both create .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Python compiles a module when it is first imported; of these packages most never are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

.PHONY: demo test test-all lint docs notebooks bench clean

demo: $(VENV)/demo.stamp
	$(BIN)/wordrbm demo --out demo

# A process for every core; a file of tests stays in one of them, with its corpora and models.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile

test: lint $(VENV)/torch.stamp $(VENV)/chromium.stamp $(VENV)/spacy.stamp
	$(PYTEST) -m "not slow"

test-all: lint docs $(VENV)/torch.stamp $(VENV)/chromium.stamp $(VENV)/notebooks.stamp $(VENV)/spacy.stamp \
  $(VENV)/sentence-transformers.stamp $(VENV)/slurm.stamp
	$(PYTEST)

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Warnings and broken references are errors; nothing is downloaded.
docs: $(VENV)/dev.stamp
	$(BIN)/python -m sphinx -q -W --keep-going -n -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Run them and store them with their plots, for the site.
notebooks: $(VENV)/notebooks.stamp
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python docs/notebooks/execute.py

bench: $(VENV)/dev.stamp
	$(BIN)/python -m benchmarks

$(VENV)/pip.stamp:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/demo.stamp: pyproject.toml | $(VENV)/pip.stamp
	$(PIP) --editable ".[demo,explore]"
	touch $@

$(VENV)/dev.stamp: pyproject.toml | $(VENV)/pip.stamp
	$(PIP) --editable ".[demo,dev]"
	touch $@

$(VENV)/notebooks.stamp: pyproject.toml | $(VENV)/dev.stamp
	$(PIP) --editable ".[notebooks]"
	touch $@

# Tests of several processes need torch; without it they are skipped, with the reason.
$(VENV)/torch.stamp: | $(VENV)/dev.stamp
	@timeout 300 $(PIP) --retries 1 torch==2.13.0 \
	  && touch $@ || echo "torch==2.13.0 could not be installed: tests of several processes are skipped"

# Exports are read by the libraries they are for: spaCy is 57 MB to download. sentence-transformers is 15 MB beside
# torch, without which it would take a build of torch of gigabytes, and 10 s to import: only `make test-all` has it.
EXPORT := timeout 300 $(PIP) --retries 1 --prefer-binary

$(VENV)/spacy.stamp: | $(VENV)/dev.stamp
	@$(EXPORT) --only-binary spacy,thinc,blis "spacy>=3.8" \
	  && touch $@ || echo "spaCy could not be installed: its export is not tried"

$(VENV)/sentence-transformers.stamp: | $(VENV)/torch.stamp
	@test -e $(VENV)/torch.stamp && $(EXPORT) sentence-transformers \
	  && touch $@ || echo "sentence-transformers could not be installed: its export is not tried"

# Tests of the page need chromium, of the system: it is installed where apt and the user may do so.
$(VENV)/chromium.stamp: | $(VENV)/dev.stamp
	@if command -v chromium || command -v chromium-browser || { test "$$(id -u)" = 0 \
	  && timeout 300 sh -c 'apt-get update && apt-get install --yes chromium'; }; then touch $@; else \
	  echo "chromium is not installed: tests in a browser are skipped; try: sudo apt install chromium"; fi \
	  > $(VENV)/chromium.log 2>&1; test -e $@ || tail -n 1 $(VENV)/chromium.log

# The batch file of docs/many-machines.md is run by Slurm.
$(VENV)/slurm.stamp: | $(VENV)/dev.stamp
	@if command -v slurmctld || { test "$$(id -u)" = 0 \
	  && timeout 300 sh -c 'apt-get update && apt-get install --yes slurm-wlm munge'; }; then touch $@; else \
	  echo "Slurm is not installed: its example is not tried; try: sudo apt install slurm-wlm"; fi \
	  > $(VENV)/slurm.log 2>&1; test -e $@ || tail -n 1 $(VENV)/slurm.log

clean:
	rm -rf $(VENV) demo docs/_build docs/_generated
