#!/usr/bin/env python3
"""Claims about programs against what their own `main` reaches.

    own_main.py SYMCRETE FILE.c … [--time T] [--total T] [--list] [--stdin TEXT] [--draws N]

Many programs test their own functions in `main`. `gen` explores every function of a file for at most T seconds; then the same
file is compiled for this machine with coverage and run. A side in a function's own body that such a run takes must not be
called infeasible for that function, and a covered side is no claim about this run. Sides that are infeasible within bounds
may be taken by inputs beyond them: they are counted, and --list shows each with its bounds, for a person to judge.
Programs whose `main` has inputs of KLEE or CREST run N times, each with other values (`drawn/`).

Needs clang-19 and llvm-19. Files that do not compile or that `gen` refuses are listed. After Ctrl-C the table is about the files so far. Exit code 1 if a claim is wrong.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

DRAWN = pathlib.Path(__file__).resolve().parent / "drawn"
CLANG, PROFDATA, COV = "clang-19", "llvm-profdata-19", "llvm-cov-19"
SECONDS_OF_A_RUN = 10
DRAWS_INPUTS = re.compile(r"\b(CREST_|klee_)\w+\(")


def run(command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", check=False, **options)


def claims(symcrete, file, args, out):
    """By function: its goals, or None with what `gen` said."""
    words = [symcrete, "gen", file, "--time", args.time, "--total-time", args.total, "--out", out]
    done = run([*words, "--json"], cwd=file.parent)
    if not (out / "suite.json").exists():
        return None, done.stderr.strip().splitlines()[:1]
    suite = json.loads((out / "suite.json").read_text())
    return {unit["name"]: unit["search"]["goals"] for unit in suite["units"] if unit.get("search")}, []


def taken_sides(file, text, draws, folder):
    """By function: the sides of its own body that the program takes, as (line, column, holds); None if it does not compile."""
    program, raw, data = folder / "program", folder / "raw.profraw", folder / "data.profdata"
    # Otherwise `assert` of glibc has its condition a second time, never evaluated, which counts as taken.
    plain_assert = ["-D__STRICT_ANSI__", "-D_GNU_SOURCE"]
    build = run([CLANG, "-O0", "-w", "-fwrapv", "-fprofile-instr-generate", "-fcoverage-mapping", "-mllvm",
                 "-runtime-counter-relocation", *plain_assert, "-idirafter", DRAWN, file, "-lm", "-o", program],
                cwd=file.parent)
    if build.returncode != 0:
        return None
    for seed in range(draws if DRAWS_INPUTS.search(file.read_text(errors="replace")) else 1):
        # Counters are kept in the file while the program runs, so they are there however it ends.
        profile = {"LLVM_PROFILE_FILE": f"{raw}-{seed}%c", "DRAW_SEED": str(seed)}
        try:
            run([program], cwd=folder, input=text, timeout=SECONDS_OF_A_RUN, env={**os.environ, **profile})
        except subprocess.TimeoutExpired:
            pass
    raws = list(folder.glob("raw.profraw*"))
    if not raws or run([PROFDATA, "merge", "-o", data, *raws]).returncode != 0:
        return {}
    export = json.loads(run([COV, "export", "-instr-profile", data, program]).stdout)
    taken = {}
    for function in export["data"][0]["functions"]:
        sides = taken.setdefault(function["name"].rsplit(":", 1)[-1], set())
        for branch in function.get("branches", []):
            line, column, _, _, n_true, n_false = branch[:6]
            sides |= {(line, column, holds) for holds, n in ((True, n_true), (False, n_false)) if n}
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--time", type=int, default=10)
    parser.add_argument("--total", type=int, default=60)
    parser.add_argument("--stdin", default="3\n1\n2\n3\n4\n5\n")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    symcrete = pathlib.Path(args.symcrete).resolve()
    counts = {"covered": 0, "infeasible": 0, "within-bounds": 0, "open": 0}
    taken_counts = dict.fromkeys(counts, 0)
    wrong, beyond, left_out, n_files, n_functions = [], [], [], 0, 0
    try:
        for file in args.files:
            file = file.resolve()
            with tempfile.TemporaryDirectory(prefix="own-main-") as name:
                folder = pathlib.Path(name)
                units, said = claims(symcrete, file, args, folder / "out")
                taken = taken_sides(file, args.stdin, args.draws, folder) if units is not None else None
            if units is None or taken is None:
                left_out.append(f"{file.name}: {' '.join(said) or 'does not compile for this machine'}")
                continue
            n_files += 1
            for function, goals in units.items():
                n_functions += 1
                for goal in goals:
                    state = goal["state"]
                    counts[state] += 1
                    if (goal["line"], goal["column"], goal["holds"]) not in taken.get(function, ()):
                        continue
                    taken_counts[state] += 1
                    side = f"{file.name}:{goal['line']}:{goal['column']}: {function}: {goal['condition']} is {goal['holds']}"
                    if state == "infeasible":
                        wrong.append(side)
                    if state == "within-bounds":
                        beyond.append(f"{side}: {', '.join(goal['bounds'])}")
            print(f"{n_files} files, {n_functions} functions, {sum(counts.values())} sides; last: {file.name}", file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped; what follows is about the files so far")
    print(f"{n_files} files, {n_functions} functions ({len(left_out)} files left out)")
    print("state          sides  taken by main")
    for state, n in counts.items():
        print(f"{state:13}  {n:5}  {taken_counts[state]:13}")
    if args.list:
        print("\n".join([*left_out, *beyond]))
    print("\n".join(wrong) if wrong else "no wrong claim")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
