# `make run` builds the bundled sample; `make test` runs the tests; both set up what they need first.
PYTHON ?= python3.11
VENV ?= .venv
HOME_DIR ?= .servicebench
BIN := $(VENV)/bin
BENCHMARKS := attacks coding customer_faults duplicates extraction filter gate grounding models patience rebuild report simulation styles topics
# Where Python may not keep what it compiled, every process compiles the libraries anew: 14 s for the embedding model's alone.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help install run test lint types dev docs sample bench clean

help:  ## Show what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(VENV)/.installed: pyproject.toml constraints.txt .ci/install
	$(PYTHON) -m venv $(VENV)
	.ci/install $(VENV)
	@touch $@

$(VENV)/.warmed: $(VENV)/.installed
	$(BIN)/servicebench warm --home $(HOME_DIR)
	@touch $@

install: $(VENV)/.warmed  ## Create the environment

run: install  ## Build scenarios from the bundled fictional posts and play 60 of them, with no key and no network
	$(BIN)/servicebench run experiments/sample.yaml --sample --home $(HOME_DIR)

test: install  ## Run the tests, in as many processes as there are cores
	TEST_HOME=$(abspath $(HOME_DIR)) $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.installed  ## Style, floors, formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/.installed  ## Types: strict on schemas and servicebench_data
	$(BIN)/pyright --pythonpath $(BIN)/python

dev: install  ## Start the Dagster UI on the home, schedule and sensor on
	$(BIN)/servicebench dev --home $(HOME_DIR)

docs: install  ## Write the generated pages
	$(BIN)/servicebench docs docs

sample: install  ## Make the sample's posts from the dialogues that people wrote
	$(BIN)/python sample/assemble.py

bench: install  ## Smoke form of every benchmark
	for name in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$name --smoke || exit 1; done
	$(BIN)/python -m benchmarks.offers
	$(BIN)/python -m benchmarks.ingest --posts 30000 --runs 1

clean:  ## Remove the environment; the home stays
	rm -rf $(VENV)
