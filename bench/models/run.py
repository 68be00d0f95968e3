#!/usr/bin/env python3
"""The two data models side by side, in one run:

  paths    runs with a path condition, per second without the solvers' time
  bursts   fast runs per second
  work     the same work with nothing symbolic: seconds in each model and natively (cc -O2)

    python3 bench/models/run.py SYMCRETE [--seconds N] [--repeat N] [--out DIR]

Models take turns; medians. Writes one JSON line per measurement to DIR/runs.jsonl and prints tables. Never fails on a time.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "kernels.c"
FUNCTIONS = ["arrays", "strings", "lists"]
MODELS = ["ilp32", "lp64"]
ROUNDS = 200


def call(command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode not in (0, 1):
        sys.exit(f"{command}: {done.stderr}")
    return done.stdout


def search(args, function, model, left_out):
    """`gen` on one function and one core: its record."""
    words = [args.symcrete, "gen", SOURCE, "-f", function, "-D", f"ROUNDS={ROUNDS}", "--data-model", model, "--json", "--jobs", 1,
             "--no-out", "--no-backward", "--all", "--time", args.seconds, "--max-length", 8, *left_out]
    return json.loads(call(words))["functions"][0]


def paths(args, function, model):
    record = search(args, function, model, ["--without", "bursts"])
    return record["executions"] / (record["time_ms"] - record["solver_ms"]) * 1000


def bursts(args, function, model):
    record = search(args, function, model, [])
    return record["burst_runs"] / record["time_ms"] * 1000


def seconds_of(command):
    start = time.perf_counter()
    call(command)
    return time.perf_counter() - start


def work(args, model):
    """Seconds of the work alone: a run of it less a run that does none."""
    run = lambda rounds: seconds_of([args.symcrete, "run", SOURCE, "-f", "work", "-D", f"ROUNDS={rounds}", "--data-model", model])
    for rounds in (0, ROUNDS):
        run(rounds)
    return run(ROUNDS) - run(0)


def native(folder):
    program = pathlib.Path(folder) / "native"
    call(["cc", "-O2", "-fwrapv", f"-DROUNDS={ROUNDS}", SOURCE, "-o", program])
    return seconds_of([program])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    args.symcrete = args.symcrete.resolve()
    lines = []

    def median(kind, name, measure):
        values = {model: [] for model in MODELS}
        for _ in range(args.repeat):
            for model in MODELS:
                values[model].append(measure(model))
        lines.extend({"kind": kind, "name": name, "model": model, "values": values[model]} for model in MODELS)
        narrow, wide = (statistics.median(values[model]) for model in MODELS)
        ratio = f"{wide / narrow:6.2f}" if narrow else "     -"
        print(f"{kind:7} {name:9} {narrow:12.3f} {wide:12.3f} {ratio}", flush=True)
        return wide

    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMCRETE_CACHE"] = str(pathlib.Path(folder) / "cache")
        print(f"{'':17} {'ilp32':>12} {'lp64':>12} {'ratio':>6}")
        for name in FUNCTIONS:
            median("paths", name, lambda model: paths(args, name, model))
        for name in FUNCTIONS:
            median("bursts", name, lambda model: bursts(args, name, model))
        wide = median("work", "seconds", lambda model: work(args, model))
        here = statistics.median(native(folder) for _ in range(args.repeat))
        lines.append({"kind": "work", "name": "native", "values": [here]})
        print(f"natively {here:.3f} s: lp64 takes {wide / here:.2f} times as long")
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "runs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
