#!/usr/bin/env python3
"""Random formulas, put to `symcrete solve` and to each installed SMT solver by itself: do they agree, and who does not answer?

    .tools/venv/bin/python bench/solvers/differential.py SYMCRETE [--families A,B] [--count N] [--seed N] [--seconds S] --out DIR

Families: `division` (words, with quotients and remainders), `hash` (xor, shifts, products, equated with the hash of hidden
inputs), `float` (double and single precision), `refuted` (floats within bounds that contradict), `mixed` (words and floats
converted into each other), `small` (half precision and formats that no machine has), `wide` (65 to 256 bits), `calls` (library
functions, which no SMT solver answers). Where a formula has a hidden model, `sat` is the only right answer.

Prints every wrong answer, every disagreement, and every `unknown` of ours where somebody else answers or a model is known; keeps those
files and a table in DIR. Exit code 1 if an answer is wrong.
"""

import argparse
import csv
import pathlib
import random
import subprocess
import sys
import time

from formulas import FAMILIES

REFERENCE = {
    "z3": "import os, sys; os.execv(os.path.join(os.path.dirname(sys.executable), 'z3'), ['z3', sys.argv[1]])",
    "bitwuzla": "import sys, bitwuzla as b; t = b.TermManager(); p = b.Parser(t, b.Options()); p.parse(sys.argv[1])",
    "cvc5": """import sys, cvc5
solver = cvc5.Solver()
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
manager = parser.getSymbolManager()
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, manager), end='')""",
}


def ask(command, seconds):
    """The first verdict that a program prints, and how long it took."""
    begin = time.monotonic()
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=seconds)
        words = [line for line in done.stdout.split() if line in ("sat", "unsat", "unknown")]
        verdict = words[0] if words else "fault"
    except subprocess.TimeoutExpired:
        verdict = "unknown"
    return verdict, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("symcrete")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    n_wrong = 0
    with open(args.out / "differential.csv", "w", newline="") as raw:
        rows = csv.writer(raw)
        rows.writerow(["family", "number", "known", "ours", "seconds", *REFERENCE])
        for family in args.families.split(","):
            found = [examine(args, family, number, rows) for number in range(args.count)]
            n_wrong += sum(kind == "wrong" for kind in found)
            raw.flush()
            counts = {kind: found.count(kind) for kind in sorted(set(found))}
            print(f"{family}: {counts}", flush=True)
    sys.exit(1 if n_wrong else 0)


def examine(args, family, number, rows):
    """One formula: `agreed`, `wrong`, `missed` (somebody knows, we do not), or `open`."""
    draw = random.Random(f"{args.seed}/{family}/{number}")
    text, known = FAMILIES[family](draw)
    file = args.out / f"{family}-{args.seed}-{number}.smt2"
    file.write_text(text)
    ours, seconds = ask([args.symcrete, "solve", file, "--solver", args.solver, "--timeout", args.seconds], args.seconds + 30)
    theirs = {}
    if "symcrete-opaque" not in text:
        # Nobody else is asked where a hidden model already tells that we are right.
        for name, program in REFERENCE.items() if ours != known else []:
            theirs[name], _ = ask([sys.executable, "-c", program, file], args.seconds)
    answers = {answer for answer in [ours, known, *theirs.values()] if answer in ("sat", "unsat")}
    if len(answers) > 1 or ours == "fault":
        kind = "wrong"
    elif ours == "unknown":
        kind = "missed" if answers else "open"
    else:
        kind = "agreed"
    rows.writerow([family, number, known, ours, f"{seconds:.2f}", *[theirs.get(name, "") for name in REFERENCE]])
    if kind == "agreed" and seconds < args.seconds / 2:
        file.unlink()
    else:
        print(f"{kind}: {file.name}: known {known}, ours {ours} in {seconds:.1f} s, {theirs}", flush=True)
    return kind


if __name__ == "__main__":
    main()
