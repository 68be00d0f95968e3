#!/usr/bin/env python3
"""The two data models side by side, in one run:

  paths    microseconds of a run with a path condition. Both models make the same number of runs, and branches passed per run say
           whether they were the same runs
  bursts   fast runs a second: their number by the time that they took, without compiling for them
  work     the same work with nothing symbolic, in each model and natively (cc -O2), for each kind of work: seconds of so many rounds
           more, once all is compiled and under way, and, with start and all, of all rounds but no others

    python3 bench/models/run.py SYMCRETE [--runs N] [--repeat N] [--only KIND] [--out DIR]

Everything takes turns, and is made once first without being counted; medians, and for ratios of models how far those of single
turns are apart (the quartiles) and that of the best. `work` is user time, and its results must be those of the native program. Writes one JSON line per
measurement to the end of DIR/runs.jsonl and prints tables. Never fails on a time.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SEARCHED = HERE / "kernels.c"
FUNCTIONS = ["arrays", "strings", "lists"]
MODELS = ["ilp32", "lp64"]
UNITS = {"paths": "branches", "bursts": "runs"}
ROUNDS = 500
# With so many the concrete form is under way.
FIRST_ROUNDS = 100
WORK = {
    SEARCHED: ["work"],
    HERE / "work.c": ["floats", "bytes", "hash", "matrix", "tree", "recursion", "sort", "structs", "stencil", "search", "vector"],
    HERE / "more.c": ["deep", "queens", "points", "distance", "bisect", "checksum", "heap", "gauss", "fractal", "chain", "machine", "sieve",
                      "picture", "callback", "words", "life"],
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


def bursts(args, function, model):
    """Microseconds of a fast run, and how many there were."""
    # A solver that gives up soon leaves time for bursts.
    record = search(args, function, model, ["--time", 4, "--solver", "random", "--steps", 1000])
    return record["burst_ms"] * 1000 / record["burst_runs"], record["burst_runs"]


def user_seconds(command):
    """User time, and the numbers that a line of its own or a `returned` shows."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    shown, errors = (stream.read().decode() for stream in (process.stdout, process.stderr))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"{command}: {errors}")
    return usage.ru_utime, [int(number) % (1 << 32) for number in re.findall(r"^(?: *returned )?(-?\d+)$", shown, re.M)]


def work(args, source, function, model):
    """Seconds of the later rounds, and of all."""
    run = lambda rounds: user_seconds(
        [args.symcrete, "run", source, "-f", function, "-D", f"ROUNDS={rounds}", "--data-model", model])
    (none, _), (some, _), (all_rounds, result) = run(0), run(FIRST_ROUNDS), run(ROUNDS)
    return all_rounds - some, all_rounds - none, result


def native(folder, source, function):
    def run(rounds):
        program = pathlib.Path(folder) / f"{source.stem}-{rounds}"
        if not program.exists():
            call(["cc", "-O2", "-fwrapv", f"-DROUNDS={rounds}", source, "-o", program])
        return user_seconds([program, function])
    (some, _), (all_rounds, result) = run(FIRST_ROUNDS), run(ROUNDS)
    return all_rounds - some, all_rounds, result


def quartiles(ratios):
    low, _, high = statistics.quantiles(ratios, n=4)
    return f"({low:.2f} to {high:.2f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", choices=["paths", "bursts", "work"])
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    args.symcrete = args.symcrete.resolve()
    lines = []

    def take_turns(kind, name, measures):
        """One of each, in turn; all values of each."""
        for measure in measures.values():
            measure()
        values = {key: [] for key in measures}
        for _ in range(args.repeat):
            for key, measure in measures.items():
                values[key].append(measure())
        lines.extend({"kind": kind, "name": name, "model": key, "values": values[key]} for key in measures)
        return values

    def of_models(measure):
        return {model: (lambda model=model: measure(model)) for model in MODELS}

    def compare_models(kind, name, measure):
        narrow, wide = take_turns(kind, name, of_models(lambda model: measure(args, name, model))).values()
        (narrow_time, narrow_n), (wide_time, wide_n) = (
            tuple(statistics.median(part) for part in zip(*values)) for values in (narrow, wide))
        print(f"{kind:7} {name:9} {narrow_time:12.2f} {wide_time:12.2f} {wide_time / narrow_time:6.2f}   "
              f"{quartiles([w / n for (n, _), (w, _) in zip(narrow, wide)])}, best {min(wide)[0] / min(narrow)[0]:.2f}   "
              f"{UNITS[kind]} {narrow_n:.0f} {wide_n:.0f}", flush=True)

    def compare_work(folder, source, name):
        measures = of_models(lambda model: work(args, source, name, model))
        measures["native"] = lambda: native(folder, source, name)
        values = take_turns("work", name, measures)
        results = {str(result) for turns in values.values() for _, _, result in turns}
        if len(results) > 1:
            sys.exit(f"{name}: results differ: {results}")
        later, everything = (
            [statistics.median(value[i] for value in turns) for turns in values.values()] for i in (0, 1))
        print(f"{'work':7} {name:9} {later[0]:12.3f} {later[1]:12.3f} {later[1] / later[0]:6.2f}   "
              f"native {later[2]:.3f} s, lp64 {later[1] / later[2]:.2f} times that; "
              f"with its start {everything[1] / everything[2]:.2f}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMCRETE_CACHE"] = str(pathlib.Path(folder) / "cache")
        print(f"{'':17} {'ilp32':>12} {'lp64':>12} {'ratio':>6}")
        for kind, measure in {"paths": paths, "bursts": bursts}.items():
            for name in FUNCTIONS if args.only in (None, kind) else []:
                compare_models(kind, name, measure)
        for source, names in WORK.items() if args.only in (None, "work") else []:
            for name in names:
                compare_work(folder, source, name)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        with (args.out / "runs.jsonl").open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
