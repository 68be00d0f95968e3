#!/usr/bin/env bash
# Stands in for rustc when `make test` builds a crate of ours: lints it, compiles it and checks its documentation.
# `cargo clippy` and `cargo doc` would each check every dependency once more, and Cranelift and Wasmtime take minutes.
#
# Cargo calls it with the real rustc and its arguments (RUSTC_WORKSPACE_WRAPPER). clippy-driver is a rustc with more lints.
set -euo pipefail

rustc=$1
shift
is_tests=no is_crate=no
documented=()
for word in "$@"; do
    case $word in
    --test) is_tests=yes ;;
    */src/lib.rs) is_crate=yes ;;
    # Nobody but its authors reads the documentation of a program.
    */src/main.rs) is_crate=yes documented+=(--document-private-items) ;;
    esac
done
if [ $is_tests$is_crate != yesyes ]; then exec clippy-driver "$rustc" "$@"; fi

# These are the unit tests of a library or program. Optimising them takes longer than they run, but for one crate's.
level=()
if [ "$CARGO_PKG_NAME" != symcrete-solve ]; then level=(-C opt-level=0); fi
clippy-driver "$rustc" "$@" "${level[@]}"

# Every library and program has unit tests, and no other build waits for them: the place to document it.
while [ $# -gt 0 ]; do
    case $1 in
    --test | --emit=*) ;;
    --out-dir) shift ;;
    -C)
        case $2 in incremental=*) ;; *) documented+=("$1" "$2") ;; esac
        shift
        ;;
    *) documented+=("$1") ;;
    esac
    shift
done
rustdoc "${documented[@]}" --out-dir "${CARGO_TARGET_DIR:-target}/doc" -D warnings
