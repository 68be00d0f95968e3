#!/usr/bin/env bash
# What CI runs: format, lints, documentation, tests. Stops at the first failure and says which it was.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
summary=()

# A build that nobody goes on with is quicker without the files that a next one or a debugger would use.
if [ "${CI:-}" = true ]; then export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0; fi

# Lints and documentation are checked while the tests are built: each on its own would check all dependencies again.
# clippy-driver reads its options from here, as `cargo clippy` passes them on.
export RUSTC_WORKSPACE_WRAPPER=$PWD/tools/rustc.sh CLIPPY_ARGS='-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__'

# step NAME COMMAND…: runs the command and remembers how long it took.
step() {
    local name=$1 start=$SECONDS
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    if ! "$@" 2>&1 | tee "$log"; then
        printf '\nmake test: FAILED in step "%s"\n' "$name"
        exit 1
    fi
    summary+=("$(printf '%-8s ok  %4d s' "$name" $((SECONDS - start)))")
}

# Adds up the closing lines of all test binaries in the last step's output.
count_tests() {
    grep -E '^test result: ok' "$log" | sed -E 's/.* ([0-9]+) passed.*/\1/' | awk '{ n += $1 } END { print n + 0 }'
}

# Tests of the command wait for compilers and test programs much of the time: those of the other crates run beside them.
run_tests() {
    local others status=0
    others=$(mktemp)
    cargo test --workspace --exclude symcrete --locked >"$others" 2>&1 &
    cargo test --package symcrete --locked || status=$?
    wait $! || status=$?
    cat "$others"
    rm "$others"
    return $status
}

step format cargo fmt --all --check
step build cargo test --workspace --locked --no-run
# They are linted, not run.
step benches cargo test --workspace --locked --no-run --benches
step tests run_tests
n_tests=$(count_tests)

printf '\n'
printf '%s\n' "${summary[@]}"
printf 'make test: all passed, %d tests\n' "$n_tests"
