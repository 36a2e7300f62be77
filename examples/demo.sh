#!/bin/sh
# Run from the project's root, by `make demo`.
set -eu
exec .venv/bin/passel-opt --version
