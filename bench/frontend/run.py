#!/usr/bin/env python3
"""From C files to the first result of `symcrete run`, against the compiler's commands alone.

  cold    `run` with an empty cache; the same clang, opt and wasm-ld commands, one after another; their
          difference and ratio. The bar: at most 1.5 times the commands plus 0.3 s.
  cached  `run` of what was compiled before. The bar: 0.1 s.

    python3 bench/frontend/run.py SYMCRETE [--repeat N] [--out DIR] [FILE:FUNCTION …]

The commands are those that `symcrete -v run` says it starts; they are run in a copy of its scratch folder.
Medians of N repetitions. Writes one JSON line per file to DIR/runs.jsonl. Never fails on a time.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ["corpus/gcd.c:gcd", "corpus/trityp.c:trityp", "corpus/tcas.c:tcas", "corpus/grep.c:grep",
         "corpus/sine.c:sine", "corpus/switch_machine.c:switch_machine", "examples/c/radar.c:classify"]
RATIO_MAX, EXTRA_MAX, CACHED_MAX = 1.5, 0.3, 0.1


def timed(command, cache):
    """Seconds of wall time, and what was said on stderr."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=os.environ | {"SYMCRETE_CACHE": str(cache), "NO_COLOR": "1"})
    elapsed = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: {done.stderr}")
    return elapsed, done.stderr


def commands_of(symcrete, file, function, cache):
    """What an empty cache makes the front end start, in order."""
    _, said = timed([symcrete, "-v", "run", file, "--function", function], cache)
    commands = [shlex.split(line.split("$ ", 1)[1]) for line in said.splitlines() if "$ " in line]
    if not commands:
        sys.exit(f"{file}: `symcrete -v run` named no commands")
    return commands


def restore(commands):
    """Makes the folders that the commands write to, and gives `opt` the compiler's own text: the edited one is
    gone and differs in a few lines."""
    for command in commands:
        output = pathlib.Path(command[command.index("-o") + 1])
        output.parent.mkdir(parents=True, exist_ok=True)
        if output.name.endswith(".c.ll"):
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            output.with_name(output.name.replace(".c.ll", ".ll")).write_bytes(output.read_bytes())


def measure(symcrete, file, function, repeat):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        commands = commands_of(symcrete, file, function, folder / "named")
        restore(commands)
        run = [symcrete, "run", file, "--function", function]
        cold, alone, cached = [], [], []
        for i in range(repeat):
            cold.append(timed(run, folder / str(i))[0])
            cached.append(timed(run, folder / str(i))[0])
            alone.append(sum(timed(command, folder)[0] for command in commands))
    return {"file": file, "function": function, "commands": len(commands), "cold": statistics.median(cold),
            "alone": statistics.median(alone), "cached": statistics.median(cached),
            "all": {"cold": cold, "alone": alone, "cached": cached}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete")
    parser.add_argument("units", nargs="*", default=UNITS, metavar="FILE:FUNCTION")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_intermixed_args()
    symcrete = str(pathlib.Path(args.symcrete).resolve())
    os.chdir(ROOT)
    row = "{:<32}{:>9}{:>9}{:>9}{:>11}{:>7}{:>9}{:>7}"
    print(row.format("seconds, medians", "commands", "cold", "ratio", "difference", "bar", "cached", "bar"))
    records = []
    for unit in args.units:
        file, function = unit.rsplit(":", 1)
        record = measure(symcrete, file, function, args.repeat)
        records.append(record)
        cold, alone, cached = record["cold"], record["alone"], record["cached"]
        print(row.format(unit.rsplit("/", 1)[-1], f"{alone:.3f}", f"{cold:.3f}", f"{cold / alone:.2f}",
                         f"{cold - alone:+.3f}", "met" if cold <= RATIO_MAX * alone + EXTRA_MAX else "MISSED",
                         f"{cached:.3f}", "met" if cached <= CACHED_MAX else "MISSED"), flush=True)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "runs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


if __name__ == "__main__":
    main()
