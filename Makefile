# Two commands do everything on a fresh machine with Python 3.11 and make:
#   make serve   a running service with demo data
#   make test    the whole test suite
# The rest is for those who work on the code; `make help` lists it.

PYTHON ?= python3
PORT ?= 6543
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Neighbours stay together, with the servers that they share, as long as there is enough to do.
WORKERS := --numprocesses auto --dist worksteal

# The tests start hundreds of processes; each would compile all modules for itself.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help serve test coverage nightly check lint types format screenshots mcpb bench bench-imports bench-micro bench-pages requirements clean

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

serve: $(VENV)/.installed ## Run the service with demo data on http://127.0.0.1:6543 (PORT=…)
	@$(BIN)/finance-api -c development.ini serve --demo --port $(PORT)

test: $(VENV)/.installed-for-tests ## Run the whole test suite (ARGS=… for pytest)
	@$(BIN)/python -m pytest $(WORKERS) $(ARGS)

coverage: $(VENV)/.installed-for-tests ## Run the whole test suite, and hold its branch coverage
	@$(BIN)/python -m pytest $(WORKERS) --cov --cov-report=term:skip-covered $(ARGS)

nightly: $(VENV)/.installed-for-tests ## Run the tests of faults with large counts, and print what they measured
	@FINANCE_TEST_NIGHTLY=1 $(BIN)/python -m pytest -m nightly $(ARGS)
	@$(BIN)/python scripts/citus run --if-installed \
	  $(BIN)/python -m pytest -k postgresql tests/storage tests/functional

check: format lint types test ## Format, lint, check types and test

lint: $(VENV)/.installed-for-tests ## Check style
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.installed-for-tests ## Check types
	@$(BIN)/mypy

format: $(VENV)/.installed-for-tests ## Format the code
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .

screenshots: $(VENV)/.installed-for-tests ## Picture every page in screenshots/, and the README's
	@$(BIN)/python scripts/screenshots.py

mcpb: $(VENV)/.installed-for-tests ## Build dist/finance-api.mcpb, which gives an agent's program the tools
	@$(BIN)/python scripts/bundle.py dist/finance-api.mcpb

bench: $(VENV)/.installed-for-bench ## Measure the service and its competitors (QUICK=1: in 3 minutes)
	@$(BIN)/python -m bench $(if $(QUICK),--quick) $(if $(BULK),--bulk-records $(BULK))

bench-imports: $(VENV)/.installed-for-bench ## Measure imports of one file (RECORDS=2000000; AGAINST=checkout)
	@$(BIN)/python -m bench.imports $(if $(RECORDS),--records $(RECORDS)) $(if $(AGAINST),--against $(AGAINST))

bench-pages: $(VENV)/.installed-for-bench ## Measure pages of one user's 346,656 records
	@$(BIN)/python -m bench.pages

bench-micro: $(VENV)/.installed-for-bench ## Measure each layer by itself
	@$(BIN)/python -m bench.micro

requirements: $(VENV)/bin/python ## Renew the locked versions in requirements/, from PyPI
	@$(PIP) install uv
	@for part in base mcp postgresql redis; do \
	  test $$part = base && only= || only="--extra $$part --constraint requirements/base.txt"; \
	  $(BIN)/uv pip compile setup.py $$only --quiet --upgrade --universal --python-version 3.11 \
	    --generate-hashes --no-config --default-index https://pypi.org/simple \
	    --custom-compile-command "make requirements" --output-file requirements/$$part.txt; \
	done

clean: ## Remove the environment; data under var/ stays
	rm -rf $(VENV) screenshots *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv module is missing: on Debian, apt-get install python3-venv" >&2; exit 1; }
	@echo "Making the environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python setup.py pyproject.toml
	@echo "Installing finance-api …"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-for-tests: $(VENV)/bin/python setup.py pyproject.toml
	@echo "Installing finance-api and what its tests need …"
	@$(PIP) install --editable '.[test,lint]'
	@touch $@

$(VENV)/.installed-for-bench: $(VENV)/bin/python setup.py pyproject.toml
	@echo "Installing finance-api and what it is measured beside …"
	@$(PIP) install --editable '.[bench]'
	@touch $@
