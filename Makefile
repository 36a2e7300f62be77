# One environment, .venv, filled in steps: what users run, what developers add, what
# benchmarks add. Each step leaves a stamp, so that nothing is installed twice.

PYTHON ?= python3
BIN := .venv/bin
LOCKED := pyproject.toml constraints.txt
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# As many workers as cores.
PYTEST := $(BIN)/python -m pytest -n auto
# Without a stack dump of tests that take minutes.
PATIENTLY := -o faulthandler_timeout=0
# Silences notices about releases newer than the locked ones.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1
# Tests start hundreds of processes: none shall compile what another has compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
FUZZ_SECONDS ?= 60
CLIENTS ?= clients
STRATEGIES ?= threads forked pool
STRATEGY_TESTS ?= $(addprefix tests/,adapters analysis execution instruments manager passes schedule \
	$(addprefix xdsl/,test_soundness_isolation.py test_traps.py) \
	$(patsubst %,xdsl/passes/test_%.py,claims inline_sccp_mem2reg module_passes print_op_stats))
XDSL_RELEASES := 0.59.0 0.66.0 0.75.0
PYTHONS ?= 3.12 3.13 3.14
PYTHON_TESTS ?=
DEBIAN ?= sid
SHELLS := fish groff mandoc zsh
CHROMIUM := chromium fonts-dejavu-core
APT_INSTALL := apt-get install -y -q --no-install-recommends
.PHONY: help demo test look sweep properties strategies clients xdsl-releases pythons pythons-of-debian shells browser storage distributions package fuzz declarations native-passes lit check format compat bench docs lock clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: .venv/.runtime ## Show passel at work
	sh examples/demo.sh

test: lit ## Run the lit suite, then the tests in Python and the doctests
	$(PYTEST)

sweep: .venv/.dev ## Run the tests that go through everything there is; each fault FAULT_ROUNDS=50 times, one of SWEEP_STEP=1 cases of the longest (minutes)
	$(PYTEST) $(PATIENTLY) --dist worksteal -m sweep

properties: .venv/.dev ## Run property tests on many more examples (minutes)
	$(PYTEST) $(PATIENTLY) --hypothesis-profile=thorough -m 'hypothesis and not sweep'

strategies: .venv/.dev ## Run tests of the core, and of passes on xDSL, under each of STRATEGIES="threads forked pool", which shares all work (minutes)
	for strategy in $(STRATEGIES); do \
	  $(PYTEST) --strategy=$$strategy -k "not interrupt_at_any" $(STRATEGY_TESTS) || exit 1; done

clients: .venv/.dev ## Run docs/clients.md beside the compilers that it is about, which it installs (minutes)
	$(BIN)/python -m pytest $(PATIENTLY) -m "$(CLIENTS)" tests/clients

xdsl-releases: $(XDSL_RELEASES:%=.venv/xdsl-%/.complete) ## Run the tests over xDSL on its oldest release that passel works on, one in the middle, and the newest
	for release in $(XDSL_RELEASES); do \
	  .venv/xdsl-$$release/bin/python -m pytest -n auto tests/xdsl tests/tool/test_compat_suite.py && \
	  .venv/xdsl-$$release/bin/lit -sv tests/lit || exit 1; done

pythons: .venv/.runtime ## Run the suite on those of PYTHONS="3.12 3.13 3.14" that are installed (minutes)
	for version in $(PYTHONS); do \
	  if ! PYENV_VERSION=$$(pyenv latest $$version 2>/dev/null) python$$version --version; then \
	    echo "Python $$version is not installed, and not tested"; continue; fi; \
	  $(MAKE) .venv/python-$$version/.complete && \
	  .venv/python-$$version/bin/python -m pytest -n auto $(PYTHON_TESTS) && \
	  .venv/python-$$version/bin/lit -sv tests/lit || exit 1; done

pythons-of-debian: ## The same in a fresh Debian, DEBIAN=sid, for others than are installed (debootstrap, root; minutes)
	sh tests/release/in_debian.sh $(DEBIAN) $(PYTHONS)

shells: ## Install the shells and formatters that completion and the manual page are tested with (Debian, root)
	if [ "$$(id -u)" != 0 ]; then echo "Not root: tests with what is missing are skipped"; \
	else $(APT_INSTALL) $(SHELLS) || { apt-get update && $(APT_INSTALL) $(SHELLS); }; fi

browser: .venv/.browser ## Install the browser that reports are tested in (Debian, root); tests in it are skipped without
	if command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" != 0 ]; then echo "Not root: tests of reports in a browser are skipped"; \
	else $(APT_INSTALL) $(CHROMIUM) || { apt-get update && $(APT_INSTALL) $(CHROMIUM); }; fi

storage: .venv/.storage ## Install the server of S3's protocol that stores are tested on; tests with it are skipped without, but for CI

distributions: .venv/.dev ## Build the wheel and the source distribution into dist/, and check them
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

package: distributions ## Install the wheel where there is nothing else, and run the source distribution's tests on it (minutes)
	rm -rf .venv/package
	$(PYTHON) -m venv .venv/package
	mkdir .venv/package/source
	tar -x -f dist/*.tar.gz -C .venv/package/source --strip-components=1
	rm -r .venv/package/source/src
	.venv/package/bin/python -m pip install --quiet --disable-pip-version-check \
	  -c constraints.txt "$$(echo dist/*.whl)[mlir,test]"
	cd .venv/package/source && ../bin/python -m pytest -n auto tests/pipeline tests/typing \
	  tests/examples tests/record/page && ../bin/lit -sv --param installed tests/lit/information tests/lit/pipeline

look: docs .venv/.browser ## Look at the site in Chromium, at the width of a desktop and of a phone; dead links as well
	$(BIN)/python tests/release/look_at_site.py site

fuzz: .venv/.dev ## Run random programs for FUZZ_SECONDS=60, then random inputs for half of it
	$(BIN)/python tests/fuzz/programs.py --seconds $(FUZZ_SECONDS) $(FUZZ_FLAGS)
	$(BIN)/python tests/fuzz/inputs.py --seconds $$(($(FUZZ_SECONDS) / 2)) $(FUZZ_FLAGS)

declarations: .venv/.declarations ## Get MLIR's declarations of its passes, which some tests compare with (Debian)

native-passes: .venv/.dev .venv/.declarations ## Generate the typed classes of MLIR's passes anew
	$(BIN)/passel-tblgen -gen-pass-stubs -no-descriptions -I .venv/declarations/include \
	  --default affine-loop-normalize:promote-single-iter=false \
	  $$(find .venv/declarations -name Passes.td) -o src/passel/mlir/passes.py
	$(BIN)/ruff format src/passel/mlir/passes.py src/passel/mlir/passes.pyi

lit: .venv/.dev ## Run the tool's lit suite alone
	$(BIN)/lit -sv tests/lit

check: .venv/.dev ## Check weight, format, lint, types, layers and documentation
	$(BIN)/python .ci/weigh.py
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pyright --verifytypes passel --ignoreexternal
	$(BIN)/lint-imports --no-logo
	$(BIN)/mkdocs build --strict
	$(MAKE) distributions

format: .venv/.dev ## Rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

compat: .venv/.dev ## Run xDSL's own suite of its tool with passel-opt in its place
	$(PYTEST) $(PATIENTLY) -m 'sweep or not sweep' tests/tool/test_compat_suite.py

bench: .venv/.bench ## Run the benchmarks
	$(BIN)/python benchmarks

docs: .venv/.dev ## Build the documentation into site/
	$(BIN)/mkdocs build --strict

lock: ## Rewrite constraints.txt from the newest versions that fit
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet -e '.[bench,browser,dev,mlir,storage]'
	{ sed '/^[^#]/,$$d' constraints.txt; \
	  .venv-lock/bin/python -m pip freeze --exclude-editable; } > .venv-lock/constraints.txt
	mv .venv-lock/constraints.txt constraints.txt
	rm -rf .venv-lock

clean: ## Remove everything that the targets made
	rm -rf .venv .venv-lock dist .hypothesis .pytest_cache .ruff_cache .import_linter_cache site
	find . '(' -name __pycache__ -o -name .lit_test_times.txt -o -path './tests/lit/*Output' ')' \
	  -prune -exec rm -rf {} +

.venv/.runtime: $(LOCKED)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP_INSTALL) -e .
	@touch $@

.venv/.dev: .venv/.runtime
	$(PIP_INSTALL) -e '.[dev,mlir]'
	@touch $@

.venv/python-%/.complete: .venv/.runtime
	PYENV_VERSION=$$(pyenv latest $* 2>/dev/null) python$* -m venv .venv/python-$*
	.venv/python-$*/bin/python -m pip install --quiet --disable-pip-version-check \
	  -c constraints.txt -e '.[mlir,test]'
	@touch $@

# Without the locked versions, some of which are too new for old releases.
.venv/xdsl-%/.complete: .venv/.runtime
	$(PYTHON) -m venv .venv/xdsl-$*
	.venv/xdsl-$*/bin/python -m pip install --quiet --disable-pip-version-check \
	  -e '.[mlir,test]' PyYAML xdsl==$*
	@touch $@

# No package on PyPI has the .td files; Debian's is not installed, only unpacked.
.venv/.declarations: Makefile
	mkdir -p .venv/declarations
	cd .venv/declarations && { apt-get download libmlir-22-dev || \
	  { apt-get update && apt-get download libmlir-22-dev; } }
	dpkg-deb --fsys-tarfile .venv/declarations/*.deb | \
	  tar -x -C .venv/declarations --wildcards '*.td' --strip-components=4
	rm .venv/declarations/*.deb
	@touch $@

.venv/.browser: .venv/.dev
	$(PIP_INSTALL) -e '.[browser]'
	@touch $@

.venv/.storage: .venv/.dev
	$(PIP_INSTALL) -e '.[storage]'
	@touch $@

.venv/.bench: .venv/.dev
	$(PIP_INSTALL) -e '.[bench]'
	@touch $@
