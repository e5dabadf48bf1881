# `make run` builds the sample and serves it; `make test` checks the sources and runs the quick tests; `make test-all` runs
# those with servers, a browser, Spark and real records, too. All install what they need into .venv; the machine must have
# python3 (3.11 or later), python3-venv and make.

PYTHON ?= python3
PORT ?= 8000
SERVE ?= 1
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-all check bench mutants clean additions kernels docs

run: $(VENV)/installed
	@$(MAKE) --no-print-directory --jobs 2 additions kernels
	$(BIN)/bibld run sample_data/bibld.toml
	@echo "What the libraries are to mend:"
	$(BIN)/bibld worklist sample_data/bibld.toml --limit 3
	@echo "Precision and recall on labelled pairs:"
	@$(BIN)/bibld evaluate sample_data/bibld.toml --pairs sample_data/gold_pairs.csv --quiet | sed -n '1,5p'
	@echo "The same for the baseline, the method of Kosolapov, Serebryakov, Teymurazov and Shorin:"
	@$(BIN)/bibld evaluate sample_data/bibld.toml --pairs sample_data/gold_pairs.csv --quiet --block paper --score jaccard \
	  | sed -n '2,5p'
ifneq ($(SERVE),0)
	$(BIN)/bibld serve sample_data/bibld.toml --port $(PORT)
endif

PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
LONG := browser or server or slow or spark

test: check
	$(PYTEST) -m "not ($(LONG))"

test-all: test
	$(PYTEST) -m "$(LONG)"

check: $(VENV)/installed-dev additions
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# The documentation with its long tables, in build/docs.
docs: $(VENV)/installed
	$(BIN)/python docs/generate.py --out build/docs

bench: $(VENV)/installed-dev
	for script in $(filter-out benchmarks/mutants.py,$(wildcard benchmarks/[a-z]*.py)); do $(BIN)/python $$script || exit 1; done

# Do the tests notice faults? Takes about an hour; continues where it was stopped.
mutants: $(VENV)/installed-dev
	$(BIN)/python benchmarks/mutants.py

# The editor of the query page, the towns and outlines of maps, and the numbers of subject headings: hatch_build.py makes what
# is missing from packages of npm and PyPI.
additions: $(VENV)/installed
	@$(BIN)/python hatch_build.py

# What compares records, compiled for this machine while additions are downloaded.
kernels: $(VENV)/installed
	@$(BIN)/python -m bibld.dedup.warm_up

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf build $(VENV)
