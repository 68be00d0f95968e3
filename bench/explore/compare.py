#!/usr/bin/env python3
"""Two builds of symcrete on the corpus, side by side in one run: what a large change did to coverage and speed.

    python3 bench/explore/compare.py OLD NEW [--seconds N] [--repeat N] [--data-model MODEL] [--out DIR]

Each function of `corpus/units.tsv` is explored by both builds in turn, on one core. Coverage is that of the best repeat; speed is
the median of runs with a path condition a second, without the solvers' time and with bursts and backward execution off. How fast
bursts are does not show here: how many fast runs there are is decided by limits, not by their speed. Small functions are done in milliseconds, and
their speeds are noise: a build against itself had ratios from 0.5 to 3.4 with `--seconds 0.3`. Writes one JSON line per run to
DIR/runs.jsonl and prints tables. Never fails on a time.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "corpus"
BUILDS = ["old", "new"]


def units():
    """The corpus: pairs of a file and a function."""
    lines = (CORPUS / "units.tsv").read_text().splitlines()[1:]
    return [(CORPUS / line.split("\t")[0], line.split("\t")[1]) for line in lines if line]


def explore(symcrete, file, function, seconds, *options):
    """What `gen` says of one function, or `None` if it refuses."""
    command = [symcrete, "gen", file, "--function", function, "--json", "--jobs", 1, "--no-out", "--time", seconds, *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return None
    return json.loads(done.stdout)["functions"][0]


def only_traced(symcrete):
    """The options that leave runs with a path condition alone; older builds have no backward execution."""
    usage = subprocess.run([str(symcrete), "gen", "--help"], capture_output=True, text=True, check=True).stdout
    return ["--without", "bursts", *(["--no-backward"] if "--no-backward" in usage else [])]


def runs_per_second(record):
    searching = record["time_ms"] - record["solver_ms"]
    return record["executions"] / searching * 1000 if searching > 0 else 0


def ratio(pairs):
    """The geometric mean of new / old where both have a value."""
    usable = [new / old for old, new in pairs if old > 0 and new > 0]
    return statistics.geometric_mean(usable) if usable else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--data-model", default="ilp32", help="for both; builds that know only one ignore it")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    symcrete = {"old": args.old.resolve(), "new": args.new.resolve()}
    traced_options = {build: only_traced(symcrete[build]) for build in BUILDS}
    os.environ["SYMCRETE_DATA_MODEL"] = args.data_model
    lines, runs, worse = [], [], []
    total = {build: {"covered": 0, "infeasible": 0, "open": 0} for build in BUILDS}

    print(f"{'function':22} {'sides':>5} {'covered':>13} {'open':>9} {'runs/s':>15}")
    with tempfile.TemporaryDirectory() as folder:
        for file, function in units():
            found = {build: [] for build in BUILDS}
            for _ in range(args.repeat):
                for build in BUILDS:
                    os.environ["SYMCRETE_CACHE"] = f"{folder}/{build}"
                    whole = explore(symcrete[build], file, function, args.seconds)
                    traced = explore(symcrete[build], file, function, args.seconds, *traced_options[build])
                    if whole and traced:
                        found[build].append((whole, traced))
                        lines.append({"build": build, "function": function, "whole": whole, "traced": traced})
            if not all(found.values()):
                print(f"{function:22} refused by {' and '.join(build for build in BUILDS if not found[build])}")
                continue
            row = {}
            for build in BUILDS:
                best = max((whole["branches"] for whole, _ in found[build]), key=lambda branches: branches["covered"])
                row[build] = best, statistics.median(runs_per_second(traced) for _, traced in found[build])
                total[build]["covered"] += best["covered"]
                total[build]["infeasible"] += best["infeasible"] + best.get("within_bounds", 0)
                total[build]["open"] += best["open"]
            (old, old_runs), (new, new_runs) = row["old"], row["new"]
            runs.append((old_runs, new_runs))
            if new["covered"] < old["covered"]:
                worse.append(function)
            print(f"{function:22} {new['total']:5} {old['covered']:6}{new['covered']:7} {old['open']:4}{new['open']:5} "
                  f"{old_runs:7.0f}{new_runs:8.0f}", flush=True)
    for build in BUILDS:
        print(f"{build}: " + ", ".join(f"{count} {name}" for name, count in total[build].items()))
    print(f"new / old: runs {ratio(runs):.2f} (geometric mean); covers less: {', '.join(worse) or 'none'}")
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
