#!/usr/bin/env python3
"""Claims about real libraries against what libFuzzer and written calls reach.

    real.py SYMCRETE [PROJECT …] [--time T] [--fuzz T] [--sources DIR] [--work DIR] [--list]

For each project `gen` explores every function for T seconds; libFuzzer runs a harness of `harness/` for T seconds; its corpus
is replayed with one coverage profile for each function that the harness enters. A side that such a run takes must not be
called infeasible. Sides that are infeasible within bounds may be taken by larger inputs: they are counted, and --list
shows each with its bounds, for a person to judge.

Sources are taken from Debian's source packages when the benchmark runs; --sources names a folder that has them already,
one folder for each project. Projects that are no Debian package are run with --sources only. Needs clang-19 with its fuzzer
runtime and llvm-19. Exit code 1 if a claim is wrong.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from debian_sources import fetch, run  # noqa: E402

HARNESS = HERE / "harness"
CLANG, PROFDATA, COV = "clang-19", "llvm-profdata-19", "llvm-cov-19"
# Files to test, by package. What a package lacks is in `harness/` and copied beside its headers.
PROJECTS = {
    "cjson": ["cJSON.c"],
    "jsmn": ["jsmn_unit.c"],
    "http-parser": ["http_parser.c"],
    "libcsv": ["libcsv.c"],
    "tinyexpr": ["tinyexpr.c"],
    "tiny-regex-c": ["re.c"],
    "minmea": ["minmea.c"],
}
NOT_IN_DEBIAN = {"tinyexpr", "tiny-regex-c", "minmea"}
# The replay calls the harness on each file of the corpus. A crash ends one file, so each has a process.
REPLAY_MAIN = r"""
#include <stdint.h>
#include <stdio.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int main(int argc, char **argv) {
    static uint8_t data[1 << 16];
    for (int i = 1; i < argc; i++) {
        FILE *input = fopen(argv[i], "rb");
        size_t size = input ? fread(data, 1, sizeof data, input) : 0;
        if (!input) return 2;
        fclose(input);
        LLVMFuzzerTestOneInput(data, size);
    }
    return 0;
}
"""


def claims(symcrete, files, include, seconds, out):
    """By function: branch sides as (line, column, holds) with their state, for the project's own files."""
    run([symcrete, "gen", *files, "-I", include, "--time", seconds, "--out", out])
    suite = json.loads((out / "suite.json").read_text())
    units = {}
    for unit in suite["units"]:
        sides = {}
        for goal in unit["search"]["goals"]:
            place = (pathlib.Path(goal["file"]).name, goal["line"], goal["column"], goal["holds"])
            sides.setdefault(place, []).append(goal)
        units[unit["name"]] = sides
    return units


def fuzz(name, files, include, seconds, work):
    """A corpus for the harness."""
    corpus = work / "corpus"
    corpus.mkdir()
    program = work / "fuzzer"
    run([CLANG, "-O1", "-g", "-w", "-fwrapv", "-fsanitize=fuzzer", "-I", include, "-I", HARNESS, HARNESS / f"{name}.c", *files,
         "-lm", "-o", program])
    options = [f"-max_total_time={seconds}", "-max_len=256", "-use_value_profile=1", "-seed=1", "-verbosity=0"]
    subprocess.run([program, corpus, *options], capture_output=True, check=False, cwd=work)
    return sorted(corpus.iterdir())


def replay(name, files, include, corpus, work):
    """By function that the harness enters: the sides that were taken, as (file, line, column, holds)."""
    profiles = work / "profiles"
    profiles.mkdir()
    main, program = work / "main.c", work / "replay"
    main.write_text(REPLAY_MAIN)
    run([CLANG, "-O0", "-g", "-w", "-fwrapv", "-DREPLAY", "-fprofile-instr-generate", "-fcoverage-mapping", "-I", include, "-I",
         HARNESS, main, HARNESS / f"{name}.c", *files, "-lm", "-o", program])
    environment = {**os.environ, "ENTRY_PROFILES": str(profiles), "LLVM_PROFILE_FILE": str(work / "rest.profraw")}
    for file in corpus:
        subprocess.run([program, file], env=environment, capture_output=True, check=False)
    taken = {}
    for profile in profiles.glob("*.profraw"):
        entry = profile.name.rsplit("-", 1)[0]
        data = profile.with_suffix(".profdata")
        run([PROFDATA, "merge", "-o", data, profile])
        export = json.loads(run([COV, "export", "-instr-profile", data, program]))
        sides = taken.setdefault(entry, set())
        for function in export["data"][0]["functions"]:
            for branch in function.get("branches", []):
                line, column, _, _, n_true, n_false, file = branch[:7]
                place = (pathlib.Path(function["filenames"][file]).name, line, column)
                sides |= {(*place, holds) for holds, n in ((True, n_true), (False, n_false)) if n}
    return taken


def compare(project, units, taken, lists):
    """Prints a row for the project; the wrong claims."""
    wrong, beyond, counts = [], [], {"covered": 0, "infeasible": 0, "within-bounds": 0, "open": 0}
    n_sides = n_checked = n_open_taken = 0
    for name, sides in units.items():
        for place, goals in sides.items():
            for goal in goals:
                n_sides += 1
                counts[goal["state"]] += 1
                if name not in taken:
                    continue
                n_checked += 1
                if place not in taken[name]:
                    continue
                side = f"{project}: {name}: {place[0]}:{place[1]}:{place[2]}: {goal['condition']} is {goal['holds']}"
                if goal["state"] == "infeasible":
                    wrong.append(side)
                if goal["state"] == "within-bounds":
                    beyond.append(f"  {side}: {', '.join(goal['bounds'])}")
                n_open_taken += goal["state"] == "open"
    print(f"{project:12}  {len(units):9}  {n_sides:6}  {counts['covered']:7}  {counts['infeasible']:10}  "
          f"{counts['within-bounds']:13}  {counts['open']:5}  {len(taken):8}  {n_checked:7}  {len(beyond):13}  {n_open_taken:10}  "
          f"{len(wrong):5}", flush=True)
    if lists:
        print("\n".join(beyond), flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete")
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--time", type=int, default=10)
    parser.add_argument("--fuzz", type=int, default=60)
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    work = args.work or pathlib.Path(tempfile.mkdtemp(prefix="claims-"))
    sources = args.sources
    if not args.projects:
        args.projects = [name for name in PROJECTS if sources or name not in NOT_IN_DEBIAN]
    if sources is None:
        sources = work / "sources"
        sources.mkdir(parents=True)
        fetch(args.projects, sources)
    print("project       functions   sides  covered  infeasible  within bounds   open  entered  checked  beyond bounds  "
          "open, taken  wrong")
    wrong = []
    for project in args.projects:
        include = (sources / project).resolve()
        files = [include / file for file in PROJECTS[project]]
        for file in files:
            if not file.exists():
                shutil.copy(HARNESS / file.name, file)
        folder = work / project
        folder.mkdir(parents=True, exist_ok=True)
        units = claims(pathlib.Path(args.symcrete).resolve(), files, include, args.time, folder / "out")
        corpus = fuzz(project, files, include, args.fuzz, folder)
        wrong += compare(project, units, replay(project, files, include, corpus, folder), args.list)
    print("\n".join(wrong) if wrong else "no wrong claim")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
