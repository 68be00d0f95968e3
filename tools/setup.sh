#!/usr/bin/env bash
# Makes everything present that building and testing need, and does nothing if it is.
#
# System packages come from apt (with sudo unless we are root); all else goes into .tools, which git ignores.
# What is done leaves a stamp in .tools/stamps named after what was asked for, so a second call only looks
# at stamps. On a system without apt the missing pieces are named, each with a command that installs it.
set -euo pipefail
cd "$(dirname "$0")/.."

# Commands that must exist, each with the apt package that has it.
readonly REQUIRED_COMMANDS=(
    "cc gcc"
    "python3 python3"
)
# Further apt packages, installed if dpkg does not know them: the tests compile C libraries to WebAssembly.
readonly REQUIRED_PACKAGES=(clang-19 lld-19 llvm-19 wasi-libc libclang-rt-19-dev libclang-rt-19-dev-wasm32
    libclang-rt-19-dev-wasm64 libcmocka-dev)

readonly VENV=.tools/venv
readonly STAMPS=.tools/stamps
readonly UNITY=.tools/unity

say() { printf 'tools: %s\n' "$*" >&2; }

fail() {
    say "$*"
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

have() { command -v "$1" >/dev/null 2>&1; }

# Installs system packages, or says which are missing and stops.
install_packages() {
    [ $# -gt 0 ] || return 0
    if ! have apt-get; then
        say "missing, and there is no apt here to install it: $*"
        say "install them with your system's package manager, for example:"
        say "    dnf install $*        (names may differ)"
        say "    brew install $*"
        exit 1
    fi
    say "installing with apt: $*"
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

check_rust() {
    have cargo || fail "missing: cargo; install Rust with rustup, see https://rustup.rs"
    cargo fmt --version >/dev/null 2>&1 || fail "missing: rustfmt; install it with: rustup component add rustfmt"
    cargo clippy --version >/dev/null 2>&1 || fail "missing: clippy; install it with: rustup component add clippy"
}

check_system() {
    local missing=() entry command package
    for entry in "${REQUIRED_COMMANDS[@]}"; do
        read -r command package <<<"$entry"
        have "$command" || missing+=("$package")
    done
    for package in "${REQUIRED_PACKAGES[@]}"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    install_packages ${missing[@]+"${missing[@]}"}
}

make_venv() {
    # A new system Python leaves an old environment without its interpreter.
    if "$VENV/bin/python3" -c '' 2>/dev/null; then return 0; fi
    rm -rf "$VENV" "$STAMPS"
    say "creating $VENV"
    if ! python3 -m venv "$VENV" >/dev/null 2>&1; then
        rm -rf "$VENV"
        install_packages python3-venv
        python3 -m venv "$VENV"
    fi
}

install_solvers() {
    local line requirement stamp
    mkdir -p "$STAMPS"
    while read -r line; do
        requirement=${line%%#*}
        requirement=${requirement//[[:space:]]/}
        stamp="$STAMPS/$requirement"
        if [ -z "$requirement" ] || [ -e "$stamp" ]; then continue; fi
        say "installing $requirement"
        if "$VENV/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$requirement"; then
            touch "$stamp"
        elif [[ $line == *"# optional"* ]]; then
            say "$requirement could not be installed and is left out; to try again: rm '$stamp' && make tools"
            touch "$stamp"
        else
            fail "$requirement could not be installed; with a network, try again: make tools"
        fi
    done <tools/requirements.txt
}

# Unity, the test framework, is no package of its own. Debian's source package of cJSON carries it along; it is fetched
# with lists of our own, so the system's are left alone.
install_unity() {
    local stamp="$STAMPS/unity" scratch
    if [ -e "$stamp" ]; then return 0; fi
    mkdir -p "$STAMPS"
    scratch=$(mktemp -d)
    if have apt-get && fetch_unity "$scratch" >"$scratch/log" 2>&1; then
        say "Unity is in $UNITY"
    else
        say "Unity could not be fetched: tests written for it run with a stand-in; to try again: rm '$stamp' && make tools"
    fi
    touch "$stamp"
    rm -rf "$scratch"
}

fetch_unity() {
    local scratch=$1 apt
    mkdir -p "$scratch/parts" "$scratch/lists/partial" "$scratch/source"
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb /deb-src /p' | grep debian >"$scratch/parts/source.list" || true
    for file in /etc/apt/sources.list.d/debian*.sources; do
        [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$scratch/parts/$(basename "$file")"
    done
    apt=(apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$scratch/parts"
        -o "Dir::State::lists=$scratch/lists" -o APT::Sandbox::User=root)
    "${apt[@]}" update
    (cd "$scratch/source" && "${apt[@]}" source --download-only cjson)
    tar -xf "$scratch"/source/cjson_*.orig.tar.* -C "$scratch/source"
    rm -rf "$UNITY"
    cp -r "$scratch"/source/*/tests/unity "$UNITY"
}

# The C library of 64-bit programs goes where `symcrete doctor --install` puts it, which calls the same script.
install_libc() {
    local folder=${XDG_DATA_HOME:-$HOME/.local/share}/symcrete/lp64 log
    log=$(mktemp)
    if ! crates/symcrete-program/src/frontend/c/libc/build.sh "$folder" clang-19 llvm-ar-19 >"$log" 2>&1; then
        say "the 64-bit C library could not be built, so programs have 4-byte pointers: $(tail -n 1 "$log")"
    fi
    rm -f "$log"
}

check_rust
check_system
make_venv
install_solvers
install_unity
install_libc
