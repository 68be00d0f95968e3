#!/usr/bin/env python3
"""Whether limits hold: `gen` on programs that are made to be hard on them (`programs.py`).

  time     --time T for each function: the time of the slowest function against T. The bar: 1.1 T + 1 s.
  total    --total-time T for the whole call, with an empty cache. The bar: 1.1 T + 1 s.
  ctrl-c   one SIGINT in the middle of a call; how long until it ended. The bar: 1 s.

    python3 bench/limits/run.py SYMCRETE [--time T] [--out DIR] [PROGRAM …]

Prints a table and writes one JSON line for each measurement to DIR/runs.jsonl. Never fails on a time.
"""

import argparse
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from programs import PROGRAMS  # noqa: E402


def call(symcrete, folder, name, words, interrupt_after=None):
    """Runs `gen`; exit code, seconds (after the interrupt, if there is one), the JSON report if there is one."""
    environment = os.environ | {"SYMCRETE_CACHE": str(folder / "cache"), "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory() as out:
        command = [symcrete, "gen", str(folder / f"{name}.c"), "--json", "--out", f"{out}/out", *words]
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        if interrupt_after is not None:
            time.sleep(interrupt_after)
            start = time.perf_counter()
            child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate()
        seconds = time.perf_counter() - start
    report = json.loads(stdout) if stdout.strip() else None
    return child.returncode, seconds, report, stderr


def slowest(report, complaint):
    """The time of the slowest function, and how that ended."""
    if not report:
        return 0.0, " ".join(complaint.split()).removeprefix("x ")
    functions = report["functions"]
    if not functions:
        return 0.0, "no function was explored"
    function = max(functions, key=lambda function: function["time_ms"])
    branches = function["branches"]
    return function["time_ms"] / 1e3, f"{function['ended']}, {branches['covered']} of {branches['total']} sides"


def measure(symcrete, folder, name, limit):
    """One measurement of each kind."""
    (folder / f"{name}.c").write_text(PROGRAMS[name]())
    code, seconds, report, said = call(symcrete, folder, name, ["--total-time", str(limit)])
    yield {"program": name, "kind": "total", "limit": limit, "seconds": seconds, "code": code,
           "outcome": slowest(report, said)[1]}
    # Compiled now, or as long as that takes.
    code, _, report, said = call(symcrete, folder, name, ["--time", str(limit), "--no-native"])
    seconds, outcome = slowest(report, said)
    yield {"program": name, "kind": "time", "limit": limit, "seconds": seconds, "code": code, "outcome": outcome}
    code, seconds, report, said = call(symcrete, folder, name, ["--time", "60", "--no-native"], 1.5)
    yield {"program": name, "kind": "ctrl-c", "limit": 0, "seconds": seconds, "code": code,
           "outcome": slowest(report, said)[1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete")
    parser.add_argument("--time", type=float, default=5)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    args = parser.parse_args()
    print("| program | what | limit | taken | bar | held | exit | outcome |\n|---|---|---|---|---|---|---|---|")
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.programs or PROGRAMS:
            for row in measure(args.symcrete, pathlib.Path(folder), name, args.time):
                bar = 1.1 * row["limit"] + 1
                row["bar"], row["held"] = bar, row["seconds"] <= bar
                lines.append(json.dumps(row))
                print(f"| {name} | {row['kind']} | {row['limit']:g} s | {row['seconds']:.1f} s | {bar:.1f} s | "
                      f"{'yes' if row['held'] else 'no'} | {row['code']} | {row['outcome']} |", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nPeak memory of any process: {peak:.0f} MiB.")
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "runs.jsonl").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
