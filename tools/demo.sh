#!/usr/bin/env bash
# Solves the path conditions of examples/ and shows for each: the answer, an input, who found it, how fast.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 tools/demo.py "${CARGO_TARGET_DIR:-target}/release/symcrete" examples/*.smt2
