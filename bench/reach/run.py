#!/usr/bin/env python3
"""Targets of tests/cases/reach, backward and forward, beside table 2 of Dinges and Agha 2014.

    bench/reach/run.py SYMCRETE FOLDER

Writes results.csv and summary.md to FOLDER. Every target is asked of `reach` (all parts on), of `reach` without slicing,
merging and back-jumping, and of forward exploration (`gen --function --no-backward`), which reaches it if the side of the condition before the
target is covered. CBMC is asked where it is installed, with the loop bound of `reach`. All have 20 seconds, as in the paper.
"""

import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

CASES = pathlib.Path(__file__).resolve().parents[2] / "tests/cases/reach"
PAPER = {
    ("hard_loop.c", 0): "22", ("dart.c", 0): "1", ("dart.c", 1): "1", ("unreach.c", 0): "1",
    ("slicing.c", 0): "512", ("narrow.c", 0): "2", ("easy_loop.c", 0): "7",
    ("trityp.c", 0): "3", ("trityp.c", 1): "4", ("trityp.c", 2): "14",
}
FORWARD_SECONDS = 20
LOOP_BOUND = 10


def targets():
    for file in sorted(CASES.glob("*.c")) + sorted(CASES.glob("more/*.c")):
        found = [n for n, line in enumerate(file.read_text().splitlines(), 1) if "// TARGET" in line]
        for index, line in enumerate(found):
            yield file, index, line


def function_of(file, line):
    """The function that a line is in: the last line before it that starts a definition."""
    for text in reversed(file.read_text().splitlines()[:line]):
        if text and not text[0].isspace() and "(" in text and not text.startswith(("/", "#", "struct")):
            return text.split("(")[0].split()[-1].lstrip("*")
    raise SystemExit(f"{file}:{line}: no function")


def call(words):
    started = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, cwd=CASES)
    return done, time.monotonic() - started


def reach(binary, file, line, *words):
    done, _ = call([binary, "reach", f"{file}:{line}", "--json", "--time", "20", *words])
    return json.loads(done.stdout)["targets"][0]


def forward(binary, file, line):
    """Whether tests of the function pass the line: the condition above it is covered on the side that leads there."""
    name = function_of(file, line)
    words = [binary, "gen", str(file), "--function", name, "--no-out", "--json", "--no-backward"]
    words += ["--time", str(FORWARD_SECONDS)]
    done, seconds = call(words)
    found = json.loads(done.stdout)["functions"][0]
    conditions = [n for n in range(line, 0, -1) if "if (" in file.read_text().splitlines()[n - 1]]
    above = conditions[0] if conditions else line
    wanted = lambda side: f":{above}: " in side["branch"] and side["branch"].endswith("is true")
    if any(wanted(side) for side in found.get("infeasible", [])):
        return "infeasible", seconds
    if any(wanted(side) for side in found.get("within_bounds", [])):
        return "within bounds", seconds
    is_open = any(wanted(side) for side in found.get("uncovered", []))
    return ("open" if is_open else "covered"), seconds


def cbmc(file, line):
    """What CBMC says of an assertion that fails on the line: the target is reached if it does."""
    if not shutil.which("cbmc"):
        return "", ""
    lines = file.read_text().splitlines()
    code, comment = lines[line - 1].split("//")
    lines[line - 1] = f'{{ __CPROVER_assert(0, "target"); {code.strip()} }} //{comment}'
    with tempfile.TemporaryDirectory() as folder:
        marked = pathlib.Path(folder) / file.name
        marked.write_text("\n".join(lines) + "\n")
        words = ["cbmc", str(marked), "-I", str(file.parent), "--function", function_of(file, line)]
        words += ["--unwind", str(LOOP_BOUND), "--no-standard-checks"]
        started = time.monotonic()
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=FORWARD_SECONDS)
        except subprocess.TimeoutExpired:
            return "time", f"{FORWARD_SECONDS}"
    seconds = f"{time.monotonic() - started:.2f}"
    if "VERIFICATION FAILED" in done.stdout:
        return "reached", seconds
    # Without unwinding assertions a proof holds up to the loop bound.
    return ("unreachable within bounds" if "VERIFICATION SUCCESSFUL" in done.stdout else "error"), seconds


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: bench/reach/run.py SYMCRETE FOLDER")
    binary, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for file, index, line in targets():
        full = reach(binary, file, line)
        plain = reach(binary, file, line, "--without", "slicing,merging,back-jumping")
        how, seconds = forward(binary, file, line)
        bounded, bounded_seconds = cbmc(file, line)
        rows.append({
            "program": str(file.relative_to(CASES)), "target": index + 1,
            "paper segments": PAPER.get((file.name, index), ""),
            "outcome": full["outcome"] + (" within bounds" if full.get("bounds") else ""),
            "segments": full["counters"]["segments"], "smt calls": full["counters"]["smt_calls"],
            "skipped": full["counters"]["skipped_constraints"], "loop methods": full["counters"]["loop_methods"],
            "phase II": full["counters"]["phase_two_evaluations"], "seconds": f"{full['seconds']:.3f}",
            "plain outcome": plain["outcome"], "plain segments": plain["counters"]["segments"],
            "plain seconds": f"{plain['seconds']:.3f}",
            "forward": how, "forward seconds": f"{seconds:.2f}",
            "cbmc": bounded, "cbmc seconds": bounded_seconds,
        })
        print(rows[-1], flush=True)
    with open(folder / "results.csv", "w", newline="") as out:
        writer = csv.DictWriter(out, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    with open(folder / "summary.md", "w") as out:
        out.write("# `reach` beside table 2 of Dinges and Agha 2014\n\n")
        out.write("*plain* is without slicing, merging and back-jumping. Forward is `gen --function --no-backward`, its whole call, 20 s at most.\n")
        out.write(f"CBMC: {'as installed, ' + str(LOOP_BOUND) + ' passes of each loop' if shutil.which('cbmc') else 'not installed on this machine, its columns are empty'}.\n\n")
        out.write("| " + " | ".join(rows[0]) + " |\n|" + "---|" * len(rows[0]) + "\n")
        for row in rows:
            out.write("| " + " | ".join(str(value) for value in row.values()) + " |\n")


main()
