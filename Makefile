# All targets share the environment .venv, which is filled in steps: packages for users, for
# developers, and for benchmarks. A stamp file marks each step, so that no step runs twice.

PYTHON ?= python3
BIN := .venv/bin
LOCKED := pyproject.toml constraints.txt
# uv installs in seconds what takes pip a minute. It does not compile modules that nobody imports.
UV_INSTALL := $(BIN)/uv pip install --quiet --system-certs --python
INSTALL := $(UV_INSTALL) .venv -c constraints.txt
# One worker for each core. A worker keeps the tests of a module together if it can.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# Do not dump the stacks of tests that take minutes.
PATIENTLY := -o faulthandler_timeout=0
# Silence notices about releases that are newer than the locked releases.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1
export NO_MKDOCS_2_WARNING := 1
# Tests start hundreds of processes, which share compiled modules.
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

demo: ## Run the demo, after installing passel into .venv if .venv does not exist
	test -x $(BIN)/passel-opt || $(MAKE) .venv/.runtime
	sh examples/demo.sh

test: lit ## Run the lit suite, then the tests in Python and the doctests
	$(PYTEST)

test-quick: .venv/.dev ## Run the tests of the core, the doctests and some of the lit suite (two minutes)
	$(PYTEST) $(QUICK)
	$(BIN)/lit -sv $(addprefix tests/lit/,pipeline failures split verify)

lit: .venv/.dev ## Run only the lit suite
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

nightly: sweep strategies xdsl-releases pythons clients builds package fuzz ## Run the next eight targets (hours)

sweep: .venv/.dev ## Run all sweeps, and property tests with many more examples
	$(PYTEST) $(PATIENTLY) $(SWEEP)

strategies: .venv/.dev ## Test the core and passes on xDSL in parallel, with each of STRATEGIES="threads forked"
	for strategy in $(STRATEGIES); do \
	  $(PYTEST) --strategy=$$strategy -k "not interrupt_at_any" $(STRATEGY_TESTS) || exit 1; done

xdsl-releases: $(XDSL_RELEASES:%=.venv/xdsl-%/.complete) ## Test with the oldest supported, an intermediate and the newest release of xDSL
	for release in $(XDSL_RELEASES); do \
	  .venv/xdsl-$$release/bin/python -m pytest -n auto tests/xdsl tests/tool/test_compat_suite.py && \
	  .venv/xdsl-$$release/bin/lit -sv tests/lit || exit 1; done

pythons: .venv/.runtime ## Test with each installed Python in PYTHONS="3.12 3.13 3.14"
	for version in $(PYTHONS); do \
	  if ! PYENV_VERSION=$$(pyenv latest $$version 2>/dev/null) python$$version --version; then \
	    echo "Python $$version is not installed, and not tested"; continue; fi; \
	  $(MAKE) .venv/python-$$version/.complete && \
	  .venv/python-$$version/bin/python -m pytest -n auto $(PYTHON_TESTS) && \
	  .venv/python-$$version/bin/lit -sv tests/lit || exit 1; done

clients: .venv/.dev ## Install the compilers in docs/clients.md, and test the commands on that page
	$(BIN)/python -m pytest $(PATIENTLY) -m "$(CLIENTS)" tests/clients

builds: .venv/.dev ## Test all known builds of MLIR's bindings; BUILDS=--names regenerates their table
	$(BIN)/python tests/clients/builds.py $(BUILDS)

package: .venv/.dev ## Build the wheel and the source distribution into dist/, and test both in a new environment
	rm -rf dist .venv/package
	$(BIN)/python -m hatchling build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(PYTHON) -m venv --without-pip .venv/package
	mkdir .venv/package/source
	tar -x -f dist/*.tar.gz -C .venv/package/source --strip-components=1
	rm -r .venv/package/source/src
	$(UV_INSTALL) .venv/package -c constraints.txt "$$(echo dist/*.whl)[mlir,test]"
	cd .venv/package/source && ../bin/python -m pytest -n auto tests/pipeline tests/record/page \
	  && ../bin/lit -sv --param installed tests/lit/information tests/lit/pipeline

fuzz: .venv/.dev ## Run random programs and inputs for FUZZ_SECONDS=600
	$(BIN)/python tests/fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_FLAGS)

extras: .venv/.declarations .venv/.browser ## Install MLIR's declarations and a browser from Debian, which some tests need (root)
	command -v chromium >/dev/null || $(APT_INSTALL) $(CHROMIUM) || \
	  { apt-get update && $(APT_INSTALL) $(CHROMIUM); }

native-passes: .venv/.dev .venv/.declarations ## Regenerate the typed classes of MLIR's passes
	$(BIN)/passel-tblgen -gen-pass-stubs -no-descriptions -I .venv/declarations/include \
	  --default affine-loop-normalize:promote-single-iter=false \
	  $$(find .venv/declarations -name Passes.td) -o src/passel/mlir/passes.py
	$(BIN)/ruff format src/passel/mlir/passes.py src/passel/mlir/passes.pyi

bench: .venv/.bench ## Run the benchmarks
	$(BIN)/python benchmarks

growth: .venv/.dev ## Check with small inputs that the time does not grow faster than the input
	$(BIN)/python benchmarks/bench_growth.py --check

docs: .venv/.dev ## Build the documentation into site/
	$(BIN)/mkdocs build --strict

lock: .venv/.runtime ## Update constraints.txt to the newest compatible versions
	rm -rf .venv-lock
	$(PYTHON) -m venv --without-pip .venv-lock
	$(UV_INSTALL) .venv-lock -e '.[bench,browser,dev,mlir]'
	{ sed '/^[^#]/,$$d' constraints.txt; \
	  $(BIN)/uv pip freeze --exclude-editable --python .venv-lock; } > .venv-lock/constraints.txt
	mv .venv-lock/constraints.txt constraints.txt
	rm -rf .venv-lock

clean: ## Remove all files that targets create
	rm -rf .venv .venv-lock dist .hypothesis .pytest_cache .ruff_cache .import_linter_cache site
	find . '(' -name __pycache__ -o -name .lit_test_times.txt -o -path './tests/lit/*Output' ')' \
	  -prune -exec rm -rf {} +

.venv/.runtime: $(LOCKED)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt uv
	$(INSTALL) -e .
	@touch $@

.venv/.dev: .venv/.runtime
	$(INSTALL) -e '.[dev,mlir]'
	@touch $@

.venv/python-%/.complete: .venv/.runtime
	PYENV_VERSION=$$(pyenv latest $* 2>/dev/null) python$* -m venv --without-pip \
	  .venv/python-$*
	$(UV_INSTALL) .venv/python-$* -c constraints.txt -e '.[mlir,test]'
	@touch $@

# Not with the locked versions, some of which are too new for old releases.
.venv/xdsl-%/.complete: .venv/.runtime
	$(PYTHON) -m venv --without-pip .venv/xdsl-$*
	$(UV_INSTALL) .venv/xdsl-$* -e '.[mlir,test]' PyYAML xdsl==$*
	@touch $@

# No package on PyPI has the .td files. Debian's package is unpacked but not installed.
.venv/.declarations: Makefile
	mkdir -p .venv/declarations
	cd .venv/declarations && { apt-get download libmlir-22-dev || \
	  { apt-get update && apt-get download libmlir-22-dev; } }
	dpkg-deb --fsys-tarfile .venv/declarations/*.deb | \
	  tar -x -C .venv/declarations --wildcards '*.td' --strip-components=4
	rm .venv/declarations/*.deb
	@touch $@

.venv/.browser: .venv/.dev
	$(INSTALL) -e '.[browser]'
	@touch $@

.venv/.bench: .venv/.dev
	$(INSTALL) -e '.[bench]'
	@touch $@
