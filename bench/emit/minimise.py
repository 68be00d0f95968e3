#!/usr/bin/env python3
"""How small minimised suites are, beside greedy set cover on the same paths.

    python3 bench/emit/minimise.py SYMCRETE [--iterations N] [--seconds N] [--out FILE] [FUNCTION …]

For every unit of the corpus, `gen --all` keeps every path that the search ran, and `gen` with the same seed keeps
few. Greedy set cover (here, independent of the program) chooses from all paths the one that adds most branch sides
and failures, until nothing is missing. The bar is 1.2 times its size. Runs that ended by the clock may differ in
their paths and are marked. Writes one JSON line per unit.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
BAR = 1.2


def units(names):
    lines = (CORPUS / "units.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines if line]
    return [(row[0], row[1]) for row in rows if not names or row[1] in names]


def elements(unit):
    """What each test of a unit contributes: goals it takes, and the failure it shows."""
    goals = {(goal["offset"], goal["case"], goal["taken"]) for goal in unit["search"]["goals"]}
    for test in unit["tests"]:
        taken = {(edge["offset"], edge["case"], edge["taken"]) for edge in test["coverage"]} & goals
        outcome = test["outcome"]
        if outcome["ended"] == "trapped":
            taken.add((outcome["kind"], outcome.get("detail"), str(outcome.get("site"))))
        yield taken


def greedy(sets):
    """The size of a greedy set cover; one test stays where there is nothing to cover."""
    missing = set().union(*sets) if sets else set()
    n = 0
    while missing:
        best = max(sets, key=lambda candidate: len(candidate & missing))
        missing -= best
        n += 1
    return max(n, min(len(sets), 1))


def explore(symcrete, file, function, arguments, out, *options):
    command = [symcrete, "gen", CORPUS / file, "--function", function, "--no-native", "--force", "--jobs", "1",
               "--iterations", arguments.iterations, "--time", arguments.seconds, "--out", out, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{function}: {done.stderr}")
    return json.loads((out / "suite.json").read_text())["units"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    records = []
    print(f"{'function':22}  {'paths':>5}  {'greedy':>6}  {'ours':>4}  {'ratio':>5}  missing")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for file, function in units(arguments.functions):
            everything = explore(arguments.symcrete, file, function, arguments, folder / "all", "--all")
            few = explore(arguments.symcrete, file, function, arguments, folder / "few")
            paths, ours = list(elements(everything)), list(elements(few))
            n_greedy = greedy(paths)
            is_timed = "time" in (everything["search"]["ended"], few["search"]["ended"])
            n_missing = len(set().union(*paths, set()) - set().union(*ours, set()))
            record = {"function": function, "paths": len(paths), "greedy": n_greedy, "ours": len(ours), "missing": n_missing,
                      "ended_by_the_clock": is_timed}
            records.append(record)
            ratio = len(ours) / max(n_greedy, 1)
            print(f"{function:22}  {len(paths):5}  {n_greedy:6}  {len(ours):4}  {ratio:5.2f}  {n_missing}"
                  f"{'  by the clock' if is_timed else ''}{'  above the bar' if ratio > BAR else ''}", flush=True)
    n_greedy, n_ours = sum(r["greedy"] for r in records), sum(r["ours"] for r in records)
    worst = max(r["ours"] / max(r["greedy"], 1) for r in records)
    print(f"\n{len(records)} units: {n_ours} tests, greedy {n_greedy}: {n_ours / max(n_greedy, 1):.2f}; worst unit {worst:.2f}; "
          f"bar {BAR}")
    if arguments.out:
        arguments.out.write_text("".join(json.dumps(record) + "\n" for record in records))
    return worst > BAR or any(r["missing"] and not r["ended_by_the_clock"] for r in records)


if __name__ == "__main__":
    sys.exit(main())
