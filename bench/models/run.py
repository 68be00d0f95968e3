#!/usr/bin/env python3
"""The two data models side by side, in one run:

  paths    microseconds of a run with a path condition. Both models make the same number of runs, and branches passed per run say
           whether they were the same runs
  work     the same work with nothing symbolic: seconds in each model and natively (cc -O2), for each kind of work

    python3 bench/models/run.py SYMCRETE [--runs N] [--repeat N] [--only KIND] [--out DIR]

Models take turns; medians. `work` is user time, less that of a call that does no work. Writes one JSON line per measurement to
DIR/runs.jsonl and prints tables. Never fails on a time.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SEARCHED = HERE / "kernels.c"
FUNCTIONS = ["arrays", "strings", "lists"]
MODELS = ["ilp32", "lp64"]
ROUNDS = 500
WORK = {
    SEARCHED: ["work"],
    HERE / "work.c": ["floats", "bytes", "hash", "matrix", "tree", "recursion", "sort"],
}


def call(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def search(args, function, model, more):
    """`gen` on one function and one core: its record."""
    words = [args.symcrete, "gen", SEARCHED, "-f", function, "-D", f"ROUNDS={ROUNDS}", "--data-model", model, "--json", "--jobs", 1,
             "--no-out", "--no-backward", "--all", "--max-length", 8, *more]
    return json.loads(call(words))["functions"][0]


def paths(args, function, model):
    """Microseconds of a run, and how many branches it passed."""
    more = ["--without", "bursts", "--strategy", "dfs", "--iterations", args.runs, "--time", 20, "-D", "EASY"]
    record = search(args, function, model, more)
    runs = record["executions"]
    return record["run_ms"] * 1000 / runs, record["run_sites"] / runs


def user_seconds(command):
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command}: {errors}")
    return usage.ru_utime


def work(args, source, function, model):
    """Seconds of the work alone: a run of it less a run that does none."""
    run = lambda rounds: user_seconds(
        [args.symcrete, "run", source, "-f", function, "-D", f"ROUNDS={rounds}", "--data-model", model])
    return run(ROUNDS) - run(0)


def native(folder, source, function):
    program = pathlib.Path(folder) / source.stem
    if not program.exists():
        call(["cc", "-O2", "-fwrapv", f"-DROUNDS={ROUNDS}", source, "-o", program])
    return user_seconds([program, function])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=["paths", "work"])
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    args.symcrete = args.symcrete.resolve()
    lines = []

    def medians(kind, name, measures):
        """One of each, in turn; the median of each."""
        for measure in measures.values():
            measure()
        values = {key: [] for key in measures}
        for _ in range(args.repeat):
            for key, measure in measures.items():
                values[key].append(measure())
        lines.extend({"kind": kind, "name": name, "model": key, "values": values[key]} for key in measures)
        return [statistics.median(values[key]) for key in measures] if kind != "paths" else None

    def of_models(measure):
        return {model: (lambda model=model: measure(model)) for model in MODELS}

    def compare_paths(name):
        (narrow, narrow_sites), (wide, wide_sites) = (
            tuple(statistics.median(part) for part in zip(*line["values"])) for line in lines[-2:])
        print(f"{'paths':7} {name:9} {narrow:12.1f} {wide:12.1f} {wide / narrow:6.2f}   "
              f"branches {narrow_sites:.0f} {wide_sites:.0f}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMCRETE_CACHE"] = str(pathlib.Path(folder) / "cache")
        print(f"{'':17} {'ilp32':>12} {'lp64':>12} {'ratio':>6}")
        for name in FUNCTIONS if args.only in (None, "paths") else []:
            medians("paths", name, of_models(lambda model: paths(args, name, model)))
            compare_paths(name)
        for source, names in WORK.items() if args.only in (None, "work") else []:
            for name in names:
                measures = of_models(lambda model: work(args, source, name, model))
                measures["native"] = lambda: native(folder, source, name)
                narrow, wide, here = medians("work", name, measures)
                print(f"{'work':7} {name:9} {narrow:12.3f} {wide:12.3f} {wide / narrow:6.2f}   "
                      f"native {here:.3f} s, lp64 {wide / here:.2f} times that", flush=True)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
