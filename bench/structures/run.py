#!/usr/bin/env python3
"""Lists, trees and inih: how many of the branch sides that a written test takes do generated tests take?

    run.py SYMCRETE [STRUCTURE …] [--time T] [--sources DIR] [--out DIR]

`NAME_written.c` beside `NAME.c` calls it as a person would; a structure that is elsewhere is named with its folder. `gen` gets T seconds for the file (60 by default). Both are
compiled natively and run, and clang's coverage counts the sides. --out writes `table.md`. Needs clang-19 and llvm-19.

inih is taken from Debian's source packages when the benchmark runs; --sources names a folder that has them already.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from debian_sources import fetch  # noqa: E402

STRUCTURES = ["list", "avl", "red_black", "ini"]
# By structure: the source package that carries it along, and its folder there.
PACKAGED = {"ini": ("goxel", "ext_src/inih")}
COVERAGE = ["-fprofile-instr-generate", "-fcoverage-mapping", "-g", "-O0", "-w", "-fwrapv"]


def sides_taken(runs, source, scratch):
    """Sides `(line, column, holds)` of `source` that commands of `runs` (program, arguments) take."""
    taken, known = set(), set()
    for number, (program, arguments) in enumerate(runs):
        raw, merged = scratch / f"{number}.raw", scratch / f"{number}.data"
        subprocess.run([program, *arguments], env={"LLVM_PROFILE_FILE": str(raw), "PATH": "/usr/bin:/bin"}, check=True,
                       capture_output=True, timeout=60, cwd=scratch)
        subprocess.run(["llvm-profdata-19", "merge", str(raw), "-o", str(merged)], check=True)
        exported = subprocess.run(["llvm-cov-19", "export", str(program), f"-instr-profile={merged}"], check=True,
                                  capture_output=True, text=True)
        for function in json.loads(exported.stdout)["data"][0]["functions"]:
            for line, column, _, _, true, false, file, *_ in function["branches"]:
                if pathlib.Path(function["filenames"][file]).name != source.name:
                    continue
                known |= {(line, column, True), (line, column, False)}
                taken |= {(line, column, holds) for holds, count in ((True, true), (False, false)) if count}
    return taken, known


def written(source, scratch):
    program = scratch / "written"
    subprocess.run(["clang-19", *COVERAGE, source, source.with_name(f"{source.stem}_written.c"), "-o", program], check=True)
    return sides_taken([(program, [])], source, scratch)


def generated(symcrete, source, seconds, scratch):
    out = scratch / "out"
    done = subprocess.run([symcrete, "gen", source, "--total-time", str(seconds), "--out", out, "--json"],
                          capture_output=True, text=True, check=False, cwd=HERE.parent.parent)
    if not done.stdout.startswith("{"):
        sys.exit(done.stderr)
    suite = json.loads((out / "suite.json").read_text())
    runs = []
    for unit in suite["units"]:
        names = [test["name"] for test in unit["tests"]
                 if test["outcome"]["ended"] in ("returned", "exited") and not test.get("set_aside")]
        if unit.get("test_file") is None or not names:
            continue
        program = scratch / unit["name"]
        subprocess.run(["clang-19", *COVERAGE, *suite["flags"], (out / unit["test_file"]).resolve(), "-o", program], check=True,
                       cwd=(out / suite["root"]).resolve())
        runs += [(program, [name]) for name in names]
    return *sides_taken(runs, source, scratch), len(runs), json.loads(done.stdout)["bugs"]


def packaged(name, sources, scratch):
    """The file of a structure that is not ours, with the written test beside it."""
    package, folder = PACKAGED[name]
    if not (sources / package).exists():
        fetch([package], sources)
    for part in (".c", ".h"):
        shutil.copy(sources / package / folder / f"{name}{part}", scratch)
    shutil.copy(HERE / f"{name}_written.c", scratch)
    return scratch / f"{name}.c"


def row(symcrete, name, seconds, sources):
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as copies:
        source = packaged(name, sources, pathlib.Path(copies)) if name in PACKAGED else HERE / f"{name}.c"
        by_person, known = written(source, pathlib.Path(scratch))
        by_tool, _, n_tests, bugs = generated(symcrete, source, seconds, pathlib.Path(scratch))
    missed = sorted(by_person - by_tool)
    for line, column, holds in missed:
        print(f"  {source.name}:{line}:{column} {str(holds).lower()}", file=sys.stderr)
    both = len(by_person & by_tool)
    return [name, len(known), len(by_person), both, f"{100 * both / len(by_person):.1f} %", len(by_tool), n_tests,
            sum(bug["rank"] != "precondition" for bug in bugs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("structures", nargs="*", default=STRUCTURES)
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    fetched = tempfile.TemporaryDirectory()
    sources = (args.sources or pathlib.Path(fetched.name)).resolve()
    columns = ["structure", "sides", "written test", "of these generated", "share", "generated", "tests", "failures shown"]
    lines = [columns, ["---"] * len(columns)]
    for name in args.structures:
        lines.append(row(args.symcrete.resolve(), name, args.time, sources))
        print(*lines[-1], sep=" | ", flush=True)
    text = "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "table.md").write_text(text)


if __name__ == "__main__":
    main()
