#!/usr/bin/env python3
"""Programs with known verdicts: what does `gen` find in the tests of memcheck, and what does it report that is none?

    run.py SYMCRETE [PROGRAM …] [--time T] [--sources DIR] [--out DIR]

Valgrind's memcheck has small programs, each with what memcheck prints for it. A program fails if that is an invalid access or
free, a value that nobody has written, or, where the test asks for it, a definite leak; it holds if no error is printed. Left out are
programs that talk to valgrind itself, that need threads, other processes, assembly or arguments, and those whose error is of another
kind (arguments of system calls, overlapping copies).

A failing program is found if `main` has a failure of rank `native`; a report in the `main` of one that holds is a false alarm unless
a person finds that it is none: `bench/runs/*-verdicts*/README.md` has the judgements. T is `--time`, 10 seconds by default.

Sources are taken from Debian's source packages when the benchmark runs; --sources names a folder that has them already, one folder
for each package. --out writes `table.md` and `programs.json`. Debian 12 has no package of CBMC, ESBMC or KLEE.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from debian_sources import fetch  # noqa: E402

PACKAGE, TESTS = "valgrind", "memcheck/tests"
FAILS = re.compile(r"Invalid (read|write|free)|Conditional jump|Use of uninitialised")
LEAKS = re.compile(r"are definitely lost in loss record")
# Errors that we do not look for, and what cannot be told from the output.
OTHER = re.compile(r"Syscall param|Source and destination|Argument '|Jump to|Mismatched|Process terminating|points to un")
LEFT_OUT = re.compile(
    r"valgrind\.h|memcheck\.h|VALGRIND|pthread|fork\s*\(|\basm\b|__asm|vki_|sigaction|mmap\s*\(|sbrk\s*\("
    r"|include \"(\.\./|tests/|pub_)"
)


def programs(folder):
    """By name: the source, whether it fails, and the checks that the test asks for."""
    found = {}
    for test in sorted(folder.glob("*.vgtest")):
        text, expected = test.read_text(), test.with_suffix(".stderr.exp")
        name = re.search(r"^prog:\s*(\S+)", text, re.MULTILINE)
        source = folder / f"{name[1]}.c" if name and "/" not in name[1] else None
        if not source or not source.exists() or not expected.exists() or name[1] in found:
            continue
        printed = expected.read_text()
        if LEFT_OUT.search(source.read_text(errors="replace")) or OTHER.search(printed) or re.search(r"^args:", text, re.MULTILINE):
            continue
        leaks = bool(re.search(r"--leak-check=(yes|full)", text))
        fails = bool(FAILS.search(printed)) or leaks and bool(LEAKS.search(printed))
        # What is suppressed or not printed is an error all the same.
        is_silent = re.search(r"suppressions|--error|show-|undef-value-errors=no|-q.*ERROR|partial-loads", text)
        if fails or not is_silent:
            found[name[1]] = (source, fails, ["uninitialized", *(["leaks"] if leaks else [])])
    return found


def generate(symcrete, source, checks, seconds):
    """What `gen` says as JSON; `None` if it refuses."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [symcrete, "gen", "--json", "--time", seconds, "--total-time", 4 * seconds, "--out", f"{scratch}/out", source]
        command += ["--check", ",".join(checks)]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", check=False, cwd=scratch)
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def judged(shown, fails):
    """The verdict, and the failures of `main` that this machine has shown."""
    if shown is None:
        return "refused", []
    reported = [bug for bug in shown["bugs"] if bug["function"] == "main" and bug["rank"] == "native"]
    seen = [f"{bug['kind']} (line {bug['place'].rsplit(':', 1)[-1]})" for bug in reported]
    match fails, bool(reported):
        case True, found:
            return "found" if found else "missed", seen
        case False, found:
            return "false alarm?" if found else "held", seen


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--time", type=int, default=10)
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        sources = args.sources or pathlib.Path(scratch)
        if not args.sources:
            fetch([PACKAGE], sources)
        known = programs(sources / PACKAGE / TESTS)
        rows = []
        for name in args.programs or known:
            source, fails, checks = known[name]
            verdict, seen = judged(generate(args.symcrete.resolve(), source.resolve(), checks, args.time), fails)
            rows.append({"program": name, "fails": fails, "verdict": verdict, "seen": seen})
            print(f"{name}: {verdict} {'; '.join(seen)}", flush=True)
    verdicts = ["found", "missed", "held", "false alarm?", "refused"]
    counts = [str(sum(row["verdict"] == verdict for row in rows)) for verdict in verdicts]
    table = f"| programs | {' | '.join(verdicts)} |\n|{' --- |' * 6}\n| {len(rows)} | {' | '.join(counts)} |\n"
    print(table)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "table.md").write_text(table)
        (args.out / "programs.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
