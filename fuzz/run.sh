#!/bin/sh
# Builds and runs a fuzz target on the stable toolchain: coverage for libFuzzer, no sanitizer.
#
#   fuzz/run.sh TARGET [libFuzzer options]      for example: fuzz/run.sh smtlib -max_total_time=60
#
# `cargo +nightly fuzz run TARGET` does the same with AddressSanitizer.
set -eu
cd "$(dirname "$0")"
target=$1
shift
triple=$(rustc -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares"
mkdir -p "corpus/$target" "artifacts/$target"
case $target in
# A module is made of thousands of bytes.
engine) set -- -len_control=0 -max_len=8192 "$@" "corpus/$target" ;;
smtlib) set -- "$@" "corpus/$target" ../tests/queries ;;
*) set -- "$@" "corpus/$target" ;;
esac
exec cargo run --release --target "$triple" --bin "$target" -- \
    -artifact_prefix="artifacts/$target/" "$@"
