#!/usr/bin/env bash
# The whole job on the C files of examples/c: every branch, tests, native proof. Then the solver alone on examples/*.smt2.
set -euo pipefail
cd "$(dirname "$0")/.."
symcrete=${CARGO_TARGET_DIR:-target}/release/symcrete
out=${CARGO_TARGET_DIR:-target}/demo

for file in radar command average; do
    printf '\n$ symcrete gen examples/c/%s.c\n\n' "$file"
    "$symcrete" gen "examples/c/$file.c" --out "$out/$file" --force
done
printf '\nOne of the tests that were written (%s):\n\n' "$out/radar/tests/test_classify.c"
sed -n '/t->distance == 12.5 is true/,/^}/p' "$out/radar/tests/test_classify.c"
printf '\n$ symcrete run examples/c/radar.c --input ...\n\n'
"$symcrete" run examples/c/radar.c --input '{"t": {"distance": 12.5, "bearing": 1.0}, "axis": 1.0}'
printf '\nPath conditions alone, who answered and how fast:\n\n'
python3 tools/demo.py "$symcrete" examples/*.smt2
printf '\nNext: read %s, try `symcrete gen` on a file of yours, `symcrete --help`.\n' "$out/radar/tests/test_classify.c"
