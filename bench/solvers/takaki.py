#!/usr/bin/env python3
"""Takaki et al. 2010 once more: the path conditions of nine kinds of subject, put to each of its solvers and to the portfolio.

    python3 bench/solvers/takaki.py SYMCRETE [--subjects A,B] [--queries N] [--seeds N] [--seconds S] [--every N]
        [--explorations N] [--explore-seconds S] --out DIR

1. A concolic driver (random branch of the last path, random first input) explores each subject, also from several inputs; every whole path condition that it
   asks is written down as SMT-LIB. N of them are taken, evenly spread over the larger half, those first that were not proved unsatisfiable: the
   paper's measure is about conditions that have a model, and short beginnings of a path are easy.
2. The portfolio answers each with every seed, S seconds each. The paper's solvers answer every n-th that was not refuted with the first seed; what
   the portfolio left open with any seed, all of them answer.

Precision is the paper's: the share of the conditions that somebody satisfied. BEST is the best of the paper's solvers.
Writes DIR/takaki.csv and DIR/takaki.md. Never fails on a time.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUBJECTS = {
    "BST": ("bst.c", "bst_sequence", 95.35, 1.000),
    "FileSystem": ("filesystem.c", "filesystem_sequence", 41.67, 1.000),
    "TreeMap": ("treemap.c", "treemap_sequence", 154.14, 1.000),
    "Switch": ("switch_machine.c", "switch_sequence", 106.93, 0.997),
    "RatPoly": ("ratpoly.c", "ratpoly_sequence", 60.36, 0.855),
    "RationalScalar": ("rational_scalar.c", "rational_scalar", 25.7, 0.500),
    "Newton": ("newton.c", "newton_sequence", 27.48, 0.743),
    "HashMap": ("hashmap.c", "hashmap_sequence", 78.31, 0.652),
    "Colt": ("colt.c", "colt_sequence", 16.81, 0.931),
}
PORTFOLIO = "auto"
# The driver turns a branch of the last path. In a long run keys become equal and structures small: several short explorations from
# different random inputs stay at the size that structures begin with.
RUNS_MAX = 30
# In the order of the paper's table 2; its symbolic solver is the installed SMT solvers here.
PUBLISHED = ["random-published", "genetic-published", "particle-swarm-published", "smt", "dcf-published", "ucf-published", "bvf-published",
             "dcf-genetic-published", "ucf-genetic-published", "dcf-particle-swarm-published", "ucf-particle-swarm-published"]


def log_queries(args, subject, folder):
    """Runs the driver; returns the files of N of its queries and the clauses of each query."""
    file, function, _, _ = SUBJECTS[subject]
    files = []
    for run in range(args.explorations):
        queries = pathlib.Path(folder) / str(run)
        command = [args.symcrete, "gen", ROOT / "corpus" / file, "--function", function, "--json", "--jobs", "1", "--no-out", "--time",
                   args.explore_seconds / args.explorations, "--strategy", "random", "--random-input", "--seed", run + 1, "--without",
                   "slices,bursts,batch", "--log-queries", queries]
        command += ["--iterations", RUNS_MAX] if args.explorations > 1 else []
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{subject}: {done.stderr}")
        files += sorted((queries / function).glob("*.smt2"))
    size_of = {file: n_clauses(file) for file in files}
    refuted = {file for file in files if "(set-info :status unsat)" in file.read_text()}

    def larger_half(some):
        some = sorted(some, key=lambda file: size_of[file])
        return some[min(len(some) // 2, max(0, len(some) - args.queries)):]

    chosen = spread(larger_half(file for file in files if file not in refuted), args.queries)
    return chosen + spread(larger_half(refuted), args.queries - len(chosen)), list(size_of.values())


def n_clauses(file):
    return len(re.findall(r"^\(assert ", file.read_text(), re.M))


def spread(items, n):
    n = min(n, len(items))
    return [items[(2 * i + 1) * len(items) // (2 * n)] for i in range(n)]


def answer(args, file, solver, seed):
    """One process, one condition."""
    begin = time.monotonic()
    command = [args.symcrete, "solve", file, "--solver", solver, "--seed", seed, "--timeout", args.seconds, "--json"]
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=args.seconds + 20)
        found = json.loads(done.stdout.splitlines()[0]) if done.stdout else {}
        verdict = found.get("answer", found.get("verdict", "unknown"))
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        verdict = "unknown"
    return verdict, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("symcrete")
    parser.add_argument("--subjects", default=",".join(SUBJECTS))
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--explore-seconds", type=int, default=20)
    parser.add_argument("--explorations", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, open(args.out / "takaki.csv", "w", newline="") as raw:
        rows = csv.writer(raw)
        rows.writerow(["subject", "query", "clauses", "solver", "seed", "verdict", "seconds"])
        lines = [measure(args, subject, folder, rows) for subject in args.subjects.split(",")]
    write_table(args, lines)


def measure(args, subject, folder, rows):
    files, sizes = log_queries(args, subject, folder)
    verdicts = {}

    def ask(at, solver, seed):
        verdict, seconds = answer(args, files[at], solver, seed)
        verdicts[at, solver, seed] = verdict
        rows.writerow([subject, files[at].name, n_clauses(files[at]), solver, seed, verdict, f"{seconds:.3f}"])

    for at in range(len(files)):
        for seed in range(args.seeds):
            ask(at, PORTFOLIO, seed)
    found = [{verdicts[at, PORTFOLIO, seed] for seed in range(args.seeds)} for at in range(len(files))]
    not_refuted = [at for at in range(len(files)) if "unsat" not in found[at]]
    asked = [at for i, at in enumerate(not_refuted) if i % args.every == 0 or "unknown" in found[at]]
    for at in asked:
        for solver in PUBLISHED:
            ask(at, solver, 0)
    satisfied = [at for at in range(len(files)) if any(v == "sat" for key, v in verdicts.items() if key[0] == at)]
    unsat = {at for at in range(len(files)) if any(v == "unsat" for key, v in verdicts.items() if key[0] == at)}
    for at in unsat & set(satisfied):
        sys.exit(f"{subject}: {files[at].name} is satisfied and refuted")

    def precision(solver, seed, among):
        among = [at for at in satisfied if at in among]
        return sum(verdicts[at, solver, seed] == "sat" for at in among) / len(among) if among else float("nan")

    ours = [precision(PORTFOLIO, seed, range(len(files))) for seed in range(args.seeds)]
    theirs = {solver: precision(solver, 0, asked) for solver in PUBLISHED}
    line = {"subject": subject, "clauses": statistics.mean(sizes), "queries": len(sizes), "asked": len(files), "satisfied": len(satisfied),
            "unsat": len(unsat), "asked_clauses": statistics.mean(n_clauses(file) for file in files), "portfolio": statistics.median(ours), "least": min(ours), "theirs": theirs}
    print(subject, line, file=sys.stderr, flush=True)
    return line


def write_table(args, lines):
    load = os.getloadavg()
    names = [name.removesuffix("-published") for name in PUBLISHED]
    text = ["## Takaki et al.: precision by subject and solver", "",
            f"{args.seconds:g} s a condition; portfolio: {args.seeds} seeds, median and least; the paper's solvers: one seed, every "
            f"{args.every}. condition and all that the portfolio left open. Load average at the end: {load[0]:.1f}.", "",
            "| subject | clauses a query (paper) | queries | asked | their clauses | satisfied | proved unsat | portfolio | least | BEST here | BEST in the paper | "
            + " | ".join(names) + " |", "|---" * (11 + len(names)) + "|"]
    for line in lines:
        _, _, clauses, best = SUBJECTS[line["subject"]]
        theirs = list(line["theirs"].values())
        best_here = max((value for value in theirs if value == value), default=float("nan"))
        text.append(f"| {line['subject']} | {line['clauses']:.1f} ({clauses}) | {line['queries']} | {line['asked']} | {line['asked_clauses']:.1f} | {line['satisfied']} | {line['unsat']} | "
                    f"{line['portfolio']:.3f} | {line['least']:.3f} | {best_here:.3f} | {best:.3f} | "
                    + " | ".join(f"{value:.2f}" for value in theirs) + " |")
    (args.out / "takaki.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()
