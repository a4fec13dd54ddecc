# make up: Lito on this machine. make test: the whole suite. All else is for people who change it.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null \
	&& echo $$p && exit; done; echo python3)
VENV := .venv/bin/python
TESTS ?=
WORKERS ?= auto
FOUND := $(shell command -v $(PYTHON) 2>/dev/null)

.PHONY: up install install-app install-bge test lint format check messages screenshots clean
.DEFAULT_GOAL := up

up: install-app
	@exec $(VENV) -m lito.up

install-app: .python
	@$(PYTHON) lito/install.py app

install: .python
	@$(PYTHON) lito/install.py dev

install-bge: install-app
	@$(PYTHON) lito/install.py bge

test: install
	@$(VENV) -m pytest -n $(WORKERS) --maxprocesses 6 --dist loadgroup $(TESTS)

lint: install
	@$(VENV) -m ruff check .
	@$(VENV) -m ruff format --check .
	@.venv/bin/lint-imports
	@.venv/bin/biome ci --error-on-warnings --log-level=warn
	@git ls-files -z 'templates/*.html' | xargs -0 -r .venv/bin/djade --target-version 5.2 --check
	@$(VENV) -m mypy .
	@$(VENV) manage.py makemigrations --check --dry-run
	@LITO_HTTPS=true $(VENV) manage.py check --deploy --fail-level WARNING

format: install
	@$(VENV) -m ruff check --fix .
	@$(VENV) -m ruff format .
	@.venv/bin/biome check --write --log-level=warn
	@git ls-files -z 'templates/*.html' | xargs -0 -r .venv/bin/djade --target-version 5.2

check: lint test

screenshots: install
	@$(VENV) -m tests.browser.screenshots

messages: install
	@$(VENV) manage.py makemessages --all --no-location
	@$(VENV) manage.py compilemessages

clean:
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis htmlcov .coverage*
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

.PHONY: .python
.python:
	@test -n "$(FOUND)" || { echo "lito: there is no Python here: install Python 3.11, 3.12 or 3.13." >&2; exit 1; }
