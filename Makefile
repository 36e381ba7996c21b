# run: start the gateway with its demo · test: every check and test but the next · release-tests: packages, machines, the tools · quick: the fast tests that your change can reach · quick-all: every fast test · minutes: where the minutes of the tests go · bench: figures · check: without the tests
#
# Needs Python >= 3.11, make and pip. Everything is installed into .venv, pinned by hash, and again only when a lock changes.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8080
DATA_DIR ?= .hundi
# Test processes: two for each core, because tests wait as much as they work.
JOBS ?= $(shell echo $$((2 * $$(nproc 2>/dev/null || echo 2))))

SUPPORTED = import sys; sys.exit(sys.version_info < (3, 11))
# A Python built with optimisation takes a tenth less of the processor (docs/performance.md, "The interpreter"). Those of
# distributions are, though Debian's does not say so; without ensurepip it can make no complete environment.
OPTIMISED = import ensurepip, sys, sysconfig; told = sysconfig.get_config_var("CONFIG_ARGS") or ""; \
	optimised = sys.base_prefix == "/usr" or "--enable-optimizations" in told; \
	sys.exit(sys.version_info < (3, 11) or not optimised)
ifndef PYTHON
PYTHON := $(shell for fit in '$(OPTIMISED)' '$(SUPPORTED)'; do \
	for name in python3 /usr/bin/python3 python3.14 python3.13 python3.12 python3.11; do \
	if command -v $$name >/dev/null && $$name -c "$$fit" 2>/dev/null; then echo $$name; exit; fi; done; done)
endif
export PYTHON

# Compiled files are half of the start; whoever keeps Python from writing them means other trees.
unexport PYTHONDONTWRITEBYTECODE

PYTEST := $(BIN)/python -m pytest
DISTRIBUTION = -n $(JOBS) --dist loadfile --no-loadscope-reorder

.PHONY: help docs run test all-tests release-tests quick quick-all quick-tests minutes bench check lint types imports texts schema clients tables lock sbom vulnerabilities browser operations generators sdks sdks-written sdks-here sdks-all shops-here storefronts storefronts-here release containers clean

help:
	@sed -n '1s/^# /make /; 1s/ · /\nmake /g; 1p' Makefile

# The site of the documentation is built beside the gateway's start, and is served once it is there.
run: $(VENV)/run.stamp
	@nice $(MAKE) --silent docs >/dev/null 2>&1 & \
	HUNDI_DOCS_DIR="$(CURDIR)/build/docs" exec $(BIN)/hundi serve --demo --history 35 --port $(PORT) --data-dir $(DATA_DIR)

# The type checker keeps one core busy while tests wait: it runs beside them. What the tests need is
# installed and built beside what fails at once.
test: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory --jobs=2 lint imports browser operations docs generators sdks $(VENV)/release/bin/twine
	@$(MAKE) --no-print-directory $(if $(CI),sdks-all,sdks-here)
	@$(MAKE) --no-print-directory shops-here
	@$(MAKE) --no-print-directory storefronts-here
	@$(MAKE) --no-print-directory --jobs=2 all-tests types

all-tests: $(VENV)/test.stamp
	$(PYTEST) $(DISTRIBUTION)

# The tests that build a release, make machines and walk the operator's pages on them (tests/places.py).
release-tests: operations docs $(VENV)/release/bin/twine $(VENV)/test.stamp
	$(PYTEST) $(DISTRIBUTION) $$($(BIN)/python -c 'from tests.places import RELEASE; print(*(f"tests/{place}" for place in RELEASE))')

# What differs from the main branch decides which tests are run; the type checker has the other core.
quick: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory --jobs=2 quick-tests check

quick-all:
	@$(MAKE) --no-print-directory quick REACH=--all

quick-tests: $(VENV)/test.stamp
	@$(BIN)/python -m tools.quick $(REACH)

# Every test, measured, and the table of docs/checks.md written from it.
minutes: browser operations generators sdks $(VENV)/release/bin/twine $(VENV)/test.stamp
	@mkdir -p build
	HUNDI_TEST_MINUTES=build/minutes.json $(PYTEST) $(DISTRIBUTION)
	$(BIN)/python -m tools.write_minutes build/minutes.json

bench: $(VENV)/test.stamp
	$(BIN)/python -m hundi_testbed.bench

check: lint types imports

lint: $(VENV)/test.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check --quiet

types: $(VENV)/test.stamp
	$(BIN)/basedpyright

imports: $(VENV)/test.stamp
	$(BIN)/lint-imports

# Brings every translation in step with the English texts of the pages, and compiles the catalogues.
texts: $(VENV)/test.stamp
	$(BIN)/python tools/write_texts.py
	$(BIN)/python tools/write_dates.py

# Writes the schema that the migrations come to on one page.
schema: $(VENV)/test.stamp
	$(BIN)/python tools/write_schema.py

# Writes the methods of the SDK's clients from the table of operations.
clients: $(VENV)/test.stamp
	$(BIN)/python -m tools.write_clients

# Writes what is generated in the SDKs of other languages from the table of operations, and their vectors.
sdks-written: $(VENV)/test.stamp
	$(BIN)/python -m tools.sdks.write
	$(BIN)/python -m tools.sdks.vectors

# Tests those of them whose language is installed, and names the others.
sdks-here: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -C sdks here

# Tests all of them, and installs what a language needs. CI leaves none out.
sdks-all: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -C sdks test

# Tests the plugins for shops where PHP, MariaDB and WordPress are, or says what is missing.
shops-here: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -C shops here

# Installs the shops whose software a registry serves (shops/storefronts.mk), and buys from each.
storefronts: $(VENV)/test.stamp browser
	@$(MAKE) --no-print-directory -C shops --file storefronts.mk install
	@$(MAKE) --no-print-directory storefronts-here

# Buys from those of them that are installed, and names the others.
storefronts-here: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory -C shops --file storefronts.mk here

# Writes the documentation's tables of codes, settings and fields from what is declared.
tables: $(VENV)/test.stamp
	$(BIN)/python -m tools.write_tables

# Builds the documentation's site, which the gateway serves at /docs/; a link that leads nowhere ends it.
docs: build/docs.stamp

build/docs.stamp: zensical.toml src/hundi/infra/look/tokens.css $(VENV)/docs/bin/zensical \
		$(shell find docs -name '*.md' -o -name '*.png'; find tools/site -type f -not -name '*.pyc')
	@$(VENV)/docs/bin/python -m tools.site
	@touch $@

# In an environment of its own: nothing of it runs beside the gateway.
$(VENV)/docs/bin/zensical: requirements/docs.txt | $(VENV)/bin/python
	@echo Installing requirements/docs.txt
	@$(PYTHON) -m venv $(VENV)/docs >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV)/docs
	@$(PYTHON) -m pip --python $(VENV)/docs/bin/python install --quiet --disable-pip-version-check --no-input --require-hashes --no-deps -r $<
	@touch $@

# What makes clients in Python and TypeScript from our OpenAPI documents; the tests run what it makes. Never beside the gateway.
generators: $(VENV)/generators/stamp

$(VENV)/generators/stamp: requirements/generators.txt tests/generated/package-lock.json | $(VENV)/bin/python
	@command -v npm >/dev/null || { echo "The tests of generated clients need Node.js 20 or newer with npm; install it with your system's package manager" >&2; exit 2; }
	@echo Installing requirements/generators.txt and tests/generated/package-lock.json
	@$(PYTHON) -m venv $(VENV)/generators >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV)/generators
	@$(PYTHON) -m pip --python $(VENV)/generators/bin/python install --quiet --disable-pip-version-check --no-input --require-hashes --no-deps -r $<
	@cp tests/generated/package.json tests/generated/package-lock.json $(VENV)/generators/
	@cd $(VENV)/generators && npm ci --silent --no-audit --no-fund --ignore-scripts
	@touch $@

# What acquirers give their merchants as clients; the tests run them against our stand-ins. Never beside the gateway: two
# environments, as one of them wants a library older than the others do.
sdks: $(VENV)/sdks/stamp $(VENV)/sdks-older/stamp

$(VENV)/%/stamp: requirements/%.txt | $(VENV)/bin/python
	@echo Installing $<
	@$(PYTHON) -m venv $(VENV)/$* >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV)/$*
	@$(PYTHON) -m pip --python $(VENV)/$*/bin/python install --quiet --disable-pip-version-check --no-input --require-hashes --no-deps -r $<
	@touch $@

# What shops in frameworks run on (tests/languages/test_frameworks.py): the SDK, its helpers and the frameworks.
$(VENV)/frameworks/installed: $(VENV)/frameworks/stamp pyproject.toml sdks/python/pyproject.toml
	@$(PYTHON) -m pip --python $(VENV)/frameworks/bin/python install --quiet --disable-pip-version-check --no-input --no-deps \
		--no-build-isolation --editable . --editable sdks/python
	@touch $@

# Builds a release from the last commit into build/release and proves it; KEY=FILE signs it with a key of SSH (docs/versions.md).
release: docs $(VENV)/test.stamp $(VENV)/release/bin/twine
	@$(BIN)/python -m tools.release $(if $(KEY),--key $(KEY))

# What checks the files of a release as the index would; in an environment of its own.
$(VENV)/release/bin/twine: requirements/release.txt | $(VENV)/bin/python
	@echo Installing requirements/release.txt
	@$(PYTHON) -m venv $(VENV)/release >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV)/release
	@$(PYTHON) -m pip --python $(VENV)/release/bin/python install --quiet --disable-pip-version-check --no-input --require-hashes --no-deps -r $<
	@touch $@

# Writes what the gateway runs on: every package with its version, files and licence (CycloneDX).
sbom: $(VENV)/test.stamp
	$(BIN)/python tools/write_sbom.py hundi.cdx.json

# Asks the advisories of the package index about every package of the lock; fails where they cannot be asked.
vulnerabilities: $(VENV)/bin/python
	@$(PYTHON) -m venv $(VENV)/audit && $(VENV)/audit/bin/pip install --quiet --disable-pip-version-check pip-audit
	$(VENV)/audit/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off -r requirements/run.txt

# Builds the image from build/release, and lints and renders the chart; the tests of tests/deploy need none of it.
containers:
	@tools/containers

# Browser tests use the system's Chromium.
browser:
	@tools/browser

# Tests of deploy run the programs that operators put around the gateway (proxies, Prometheus, PostgreSQL
# 15 with pgBackRest and Patroni, systemd), and those that make and check a package (debootstrap, lintian,
# ssh-keygen).
operations:
	@tools/operations

# --- installing ---

$(VENV)/bin/python:
	@[ -n "$(PYTHON)" ] || { echo "Hundi needs Python 3.11 or newer, and found none. Install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 2; }
	@$(PYTHON) -c '$(SUPPORTED)' || { echo "Hundi needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version)" >&2; exit 2; }
	@# Debian ships venv without ensurepip; pip can install into another environment, so that is enough.
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || $(PYTHON) -m venv --clear --without-pip $(VENV)

# The newest lock decides; a test environment runs the gateway, too.
$(VENV)/run.stamp: requirements/run.txt pyproject.toml testbed/pyproject.toml | $(VENV)/bin/python
	@tools/install $(BIN)/python $(if $(wildcard $(VENV)/test.stamp),requirements/test.txt,requirements/run.txt)
	@touch $@

$(VENV)/test.stamp: requirements/test.txt pyproject.toml testbed/pyproject.toml | $(VENV)/bin/python
	@tools/install $(BIN)/python requirements/test.txt
	@touch $@ $(VENV)/run.stamp

# Locks hold versions and hashes for every platform and no index address, so they install from any mirror.
COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command 'make lock' pyproject.toml requirements/build.in

lock: $(VENV)/bin/python
	@command -v uv >/dev/null || { echo "make lock needs uv: pip install uv" >&2; exit 2; }
	$(COMPILE) --extra test --output-file requirements/test.txt
	$(COMPILE) --extra server --extra traces --extra mcp --constraint requirements/test.txt --output-file requirements/run.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command 'make lock' requirements/docs.in --output-file requirements/docs.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command 'make lock' requirements/generators.in --output-file requirements/generators.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command 'make lock' requirements/release.in --output-file requirements/release.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command 'make lock' requirements/sdks.in --output-file requirements/sdks.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command 'make lock' requirements/sdks-older.in --output-file requirements/sdks-older.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command 'make lock' requirements/frameworks.in --output-file requirements/frameworks.txt
	for shop in django-oscar django-payments; do uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --custom-compile-command 'make lock' shops/$$shop/requirements.in --output-file shops/$$shop/requirements.txt; done

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
