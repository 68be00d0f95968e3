#!/usr/bin/env bash
# Compares the branch sides of every generated test with llvm-cov's count of the same run, one line for each program.
# Usage: bench/claims/sides.sh SYMCRETE FILE.c…     (for example: corpus/*.c tests/cases/branches/*.c)
set -euo pipefail

symcrete=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for file in "$@"; do
    "$symcrete" gen --json --time 1 --jobs 2 --force --out "$out/suite" "$file" 2>"$out/stderr" >"$out/found.json" || true
    python3 - "$file" "$out/found.json" <<'PYTHON'
import json
import sys

file, found = sys.argv[1:]
try:
    native = json.load(open(found))["native"] or {}
except (ValueError, KeyError):
    print(f"{file}: gen failed")
    sys.exit()
tests = native.get("passed", 0) + len(native.get("failed", []))
print(
    f"{file}: {tests} tests, {len(native.get('failed', []))} gave another result, "
    f"{len(native.get('sides', []))} of {native.get('sides_compared')} sides differ, {len(native.get('refuted', []))} claims refuted"
)
for test in native.get("failed", []):
    print(f"    {test['test']}: {test['ended']} ({', '.join(test['reasons'])})")
for side in native.get("sides", []):
    print(f"    {side['file']}:{side['line']}: {side['condition']} {side['holds']}: {', '.join(side['reasons'])}")
PYTHON
done
