# install: every shop whose software a registry serves, in .venv/shops · here: buy from those that are installed · NAME: install one
#
# make -f storefronts.mk NAME. A folder with a script `install` is such a shop; it is given the folder of its environment.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

STORES := $(patsubst %/install,%,$(wildcard */install))
PLACE := $(abspath ../.venv/shops)
PRESENT := $(strip $(foreach each,$(STORES),$(if $(wildcard $(PLACE)/$(each)/stamp),$(each))))
ABSENT := $(filter-out $(PRESENT),$(STORES))

.PHONY: help install here $(STORES)

help:
	@sed -n '1s/^# /make -f storefronts.mk /; 1s/ · /\nmake -f storefronts.mk /g; 1p' storefronts.mk

install: $(STORES)

$(STORES): %: $(PLACE)/%/stamp

# Anew when the lock, the script, the plugin's tables or what is compiled of it change.
.SECONDEXPANSION:
$(PLACE)/%/stamp: %/install $$(wildcard $$*/requirements.txt $$*/*/migrations/*.py $$*/sandbox/package-lock.json $$*/src/*.ts)
	@echo Installing shops/$*
	@mkdir -p $(PLACE)/$*
	@$*/install $(PLACE)/$*
	@touch $@

# Says which shops are not there, so that nothing is skipped in silence.
here:
	@for store in $(ABSENT); do echo "shops: $$store is not installed, so nothing was bought there (make storefronts)"; done
	@if [ -n "$(PRESENT)" ]; then \
	cd .. && HUNDI_TEST_STOREFRONTS="$(PRESENT)" .venv/bin/python -m pytest -q tests/storefronts; fi
