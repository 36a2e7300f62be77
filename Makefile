# One environment, .venv, filled in steps: what users run, what developers add, what
# benchmarks add. Each step leaves a stamp, so that nothing is installed twice.

PYTHON ?= python3
BIN := .venv/bin
LOCKED := pyproject.toml constraints.txt
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# As many workers as cores; each keeps the tests of a module, and what these share, as long as it can.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# Without a stack dump of tests that take minutes.
PATIENTLY := -o faulthandler_timeout=0
# Silences notices about releases newer than the locked ones.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1
# Tests start hundreds of processes: none compiles what another has compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
SWEEP ?= --hypothesis-profile=thorough -m "sweep or hypothesis"
STRATEGIES ?= threads forked
STRATEGY_TESTS := $(addprefix tests/,adapters analysis execution instruments manager passes schedule \
	$(addprefix xdsl/,test_soundness_isolation.py test_traps.py) \
	$(patsubst %,xdsl/passes/test_%.py,claims inline_sccp_mem2reg module_passes))
QUICK := $(addprefix tests/,test_public_api.py adapters analysis builder contracts execution manager passes pipeline schedule) src
XDSL_RELEASES := 0.59.0 0.66.0 0.75.0
PYTHONS ?= 3.12 3.13 3.14
PYTHON_TESTS ?=
CLIENTS ?= clients
FUZZ_SECONDS ?= 600
FUZZ_FLAGS ?=
CHROMIUM := chromium fonts-dejavu-core
APT_INSTALL := apt-get install -y -q --no-install-recommends
.PHONY: help demo test lit check format nightly sweep strategies xdsl-releases pythons clients builds package fuzz extras native-passes bench growth docs lock clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## Show passel at work, with what .venv has, or what it gets if there is none
	test -x $(BIN)/passel-opt || $(MAKE) .venv/.runtime
	sh examples/demo.sh

test: lit ## Run the lit suite, then the tests in Python and the doctests
	$(PYTEST)

test-quick: .venv/.dev ## Run the core's tests, the doctests and some of the lit suite, in two minutes
	$(PYTEST) $(QUICK)
	$(BIN)/lit -sv $(addprefix tests/lit/,pipeline failures split verify)

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

format: .venv/.dev ## Rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

nightly: sweep strategies xdsl-releases pythons clients builds package fuzz ## Run all that takes long: each of the next eight (hours)

sweep: .venv/.dev ## Go through everything there is, and run property tests on many more examples
	$(PYTEST) $(PATIENTLY) $(SWEEP)

strategies: .venv/.dev ## Test the core, and passes on xDSL, with all work shared by each of STRATEGIES="threads forked"
	for strategy in $(STRATEGIES); do \
	  $(PYTEST) --strategy=$$strategy -k "not interrupt_at_any" $(STRATEGY_TESTS) || exit 1; done

xdsl-releases: $(XDSL_RELEASES:%=.venv/xdsl-%/.complete) ## Test on the oldest xDSL that passel works on, one in the middle, and the newest
	for release in $(XDSL_RELEASES); do \
	  .venv/xdsl-$$release/bin/python -m pytest -n auto tests/xdsl tests/tool/test_compat_suite.py && \
	  .venv/xdsl-$$release/bin/lit -sv tests/lit || exit 1; done

pythons: .venv/.runtime ## Test on those of PYTHONS="3.12 3.13 3.14" that are installed
	for version in $(PYTHONS); do \
	  if ! PYENV_VERSION=$$(pyenv latest $$version 2>/dev/null) python$$version --version; then \
	    echo "Python $$version is not installed, and not tested"; continue; fi; \
	  $(MAKE) .venv/python-$$version/.complete && \
	  .venv/python-$$version/bin/python -m pytest -n auto $(PYTHON_TESTS) && \
	  .venv/python-$$version/bin/lit -sv tests/lit || exit 1; done

clients: .venv/.dev ## Run docs/clients.md beside the compilers that it is about, which are installed for it
	$(BIN)/python -m pytest $(PATIENTLY) -m "$(CLIENTS)" tests/clients

builds: .venv/.dev ## Try all builds of MLIR's bindings that passel knows; with BUILDS=--names, write their table anew
	$(BIN)/python tests/clients/builds.py $(BUILDS)

package: .venv/.dev ## Build the wheel and the source distribution into dist/, and test them where there is nothing else
	rm -rf dist .venv/package
	$(BIN)/python -m hatchling build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(PYTHON) -m venv .venv/package
	mkdir .venv/package/source
	tar -x -f dist/*.tar.gz -C .venv/package/source --strip-components=1
	rm -r .venv/package/source/src
	.venv/package/bin/python -m pip install --quiet --disable-pip-version-check \
	  -c constraints.txt "$$(echo dist/*.whl)[mlir,test]"
	cd .venv/package/source && ../bin/python -m pytest -n auto tests/pipeline tests/typing tests/record/page \
	  && ../bin/lit -sv --param installed tests/lit/information tests/lit/pipeline

fuzz: .venv/.dev ## Run random programs and inputs for FUZZ_SECONDS=600
	$(BIN)/python tests/fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_FLAGS)

extras: .venv/.declarations .venv/.browser ## Get from Debian what some tests are skipped without: MLIR's declarations, a browser (root)
	command -v chromium >/dev/null || $(APT_INSTALL) $(CHROMIUM) || \
	  { apt-get update && $(APT_INSTALL) $(CHROMIUM); }

native-passes: .venv/.dev .venv/.declarations ## Generate the typed classes of MLIR's passes anew
	$(BIN)/passel-tblgen -gen-pass-stubs -no-descriptions -I .venv/declarations/include \
	  --default affine-loop-normalize:promote-single-iter=false \
	  $$(find .venv/declarations -name Passes.td) -o src/passel/mlir/passes.py
	$(BIN)/ruff format src/passel/mlir/passes.py src/passel/mlir/passes.pyi

bench: .venv/.bench ## Run the benchmarks
	$(BIN)/python benchmarks

growth: .venv/.dev ## Measure at small sizes whether time grows faster than the input
	$(BIN)/python benchmarks/bench_growth.py --check

docs: .venv/.dev ## Build the documentation into site/
	$(BIN)/mkdocs build --strict

lock: ## Rewrite constraints.txt from the newest versions that fit
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet -e '.[bench,browser,dev,mlir]'
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

.venv/.bench: .venv/.dev
	$(PIP_INSTALL) -e '.[bench]'
	@touch $@
