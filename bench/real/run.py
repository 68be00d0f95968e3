#!/usr/bin/env python3
"""`gen` on real libraries: coverage, tests on two compilers and under sanitizers, failures, output.

    run.py SYMCRETE [PROJECT …] [--time T] [--sources DIR] [--work DIR] [--out DIR]

Each project gets T seconds in all (`--total-time`, 60 by default), twice: the search is made once for the JSON and once for
the text that a person sees. Its tests are run by `replay` with clang and gcc, and once more with each of them under
AddressSanitizer and UndefinedBehaviorSanitizer. Failures of the first two ranks are listed, for a person to judge:
`bench/runs/*-real/README.md` has the judgements.

Sources are taken from Debian's source packages when the benchmark runs; --sources names a folder that has them already, one
folder for each package. --out writes `table.md` and `projects.json`. Needs clang-19, gcc and llvm-19.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from debian_sources import fetch  # noqa: E402

# By project: the source package that has it, its files, what to pass on. Some are carried along by larger packages.
PROJECTS = {
    "jsmn": ("jsmn", ["jsmn_unit.c"], []),
    "cJSON": ("cjson", ["cJSON.c"], []),
    "http-parser": ("http-parser", ["http_parser.c"], []),
    "tiny-regex-c": ("erlang", ["erts/lib_src/yielding_c_fun/lib/tiny_regex_c/re.c"], []),
    "tinyexpr": ("mmseqs2", ["lib/tinyexpr/tinyexpr.c"], []),
    "minmea": ("indi-gpsnmea", ["minmea.c"], ["-D_GNU_SOURCE"]),
    "inih": ("goxel", ["ext_src/inih/ini.c"], []),
    "libcsv": ("libcsv", ["libcsv.c"], []),
    "libavl": ("libavl", ["avl.c"], []),
    "libb64": ("libb64", ["src/cencode.c", "src/cdecode.c"], ["-Iinclude"]),
    "sds": ("hiredis", ["sds.c"], []),
}
# A header-only library needs a file that has its functions.
UNITS = {"jsmn_unit.c": '#include "jsmn.h"\n'}
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fwrapv", "-g", "-O0", "-w"]
TEST_SECONDS = 20


def generate(symcrete, files, flags, seconds, out, folder):
    """What `gen` says as JSON, what a person sees of the same search, and how long one of the two took."""
    command = [symcrete, "gen", *files, *flags, "--total-time", seconds, "--out", out, "--force"]
    text = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=folder).stdout
    began = time.monotonic()
    done = subprocess.run(list(map(str, [*command, "--json"])), capture_output=True, text=True, check=False, cwd=folder)
    wall = time.monotonic() - began
    if not done.stdout.startswith("{"):
        return None, done.stderr, wall
    return json.loads(done.stdout), text, wall


def replay(symcrete, out, compiler, folder):
    """Tests with the same result, and all that were run."""
    done = subprocess.run([str(symcrete), "replay", str(out), "--cc", compiler, "--json"], capture_output=True, text=True,
                          check=False, cwd=folder)
    if not done.stdout.startswith("{"):
        return {"same": 0, "of": 0, "failed": [done.stderr.strip()]}
    native = json.loads(done.stdout)
    failed = [f"{each['test']}: {each['ended']}" for each in native["failed"]]
    return {"same": native["passed"], "of": native["passed"] + len(failed), "failed": failed, "warnings": native["warnings"]}


def sanitized(out, compiler, folder):
    """The same under sanitizers."""
    suite = json.loads((out / "suite.json").read_text())
    root = (out / suite["root"]).resolve()
    flags = [*suite["flags"], f"-I{out / 'tests' / 'include'}"]
    failed, n_tests = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for unit in suite["units"]:
            is_kept = lambda test: test["outcome"]["ended"] in ("returned", "exited") and "set_aside" not in test  # noqa: E731
            kept = [test["name"] for test in unit["tests"] if is_kept(test)]
            if unit.get("test_file") is None or not kept:
                continue
            program = pathlib.Path(scratch) / f"{unit['name']}.exe"
            linked = [str(root / link["file"]) for link in unit["link"]]
            build = subprocess.run([compiler, *SANITIZERS, *flags, str((out / unit["test_file"]).resolve()), *linked, "-o",
                                    str(program), "-lm"], capture_output=True, text=True, check=False, cwd=root)
            n_tests += len(kept)
            if build.returncode != 0:
                failed += [f"{test}: {build.stderr.splitlines()[0]}" for test in kept]
                continue
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                failed += filter(None, pool.map(lambda test: sanitized_test(program, test, scratch), kept))
    return {"same": n_tests - len(failed), "of": n_tests, "failed": failed}


def sanitized_test(program, test, folder):
    """What is wrong with one test, if anything."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "LC_ALL": "C"}
    try:
        done = subprocess.run([str(program), test], capture_output=True, text=True, errors="replace", check=False,
                              timeout=TEST_SECONDS, env=environment, cwd=folder)
    except subprocess.TimeoutExpired:
        return f"{test}: took too long"
    if done.returncode == 0:
        return None
    lines = (done.stdout + done.stderr).splitlines()
    said = [line for line in lines if "runtime error" in line or "ERROR: AddressSanitizer" in line]
    return f"{test}: {(said or lines or ['it says nothing'])[0]}"


def measure(symcrete, name, sources, seconds, work):
    """The row of one project."""
    package, files, flags = PROJECTS[name]
    folder = (sources / package).resolve()
    for file in files:
        if not (folder / file).exists():
            (folder / file).write_text(UNITS[file])
    out = work / name
    shutil.rmtree(out, ignore_errors=True)
    found, text, wall = generate(symcrete, files, flags, seconds, out, folder)
    if found is None:
        return {"project": name, "refused": text.strip(), "wall_s": round(wall, 1)}
    branches = [function["branches"] for function in found["functions"]]
    ranks = [bug["rank"] or "none" for bug in found["bugs"]]
    return {
        "project": name,
        "functions": len(branches),
        "left_out": found["skipped"],
        **{key: sum(each[key] for each in branches) for key in ("total", "covered", "infeasible", "within_bounds", "open")},
        "tests": sum(function["tests"] for function in found["functions"]),
        "clang": replay(symcrete, out, "clang-19", folder),
        "gcc": replay(symcrete, out, "gcc", folder),
        "clang_sanitized": sanitized(out, "clang-19", folder),
        "gcc_sanitized": sanitized(out, "gcc", folder),
        "native": ranks.count("native"),
        "precondition": ranks.count("precondition"),
        "unranked": len(found["unchecked"]),
        "only_in_model": len(found["only_in_model"]),
        "failures": [{key: bug.get(key) for key in ("rank", "function", "kind", "place", "seen", "needs")}
                     for bug in found["bugs"]],
        "output_lines": len(text.splitlines()),
        "wall_s": round(wall, 1),
    }


COLUMNS = ["project", "functions", "sides", "covered", "infeasible", "within bounds", "open", "tests", "clang", "gcc",
           "clang ASan+UBSan", "gcc ASan+UBSan", "native", "precondition", "no rank", "model", "lines", "s"]


def cells(row):
    if "refused" in row:
        return [row["project"], row["refused"].splitlines()[0], *[""] * (len(COLUMNS) - 3), row["wall_s"]]
    share = lambda key: f"{row[key]['same']}/{row[key]['of']}"  # noqa: E731
    return [row["project"], row["functions"], row["total"], row["covered"], row["infeasible"], row["within_bounds"], row["open"],
            row["tests"], share("clang"), share("gcc"), share("clang_sanitized"), share("gcc_sanitized"), row["native"],
            row["precondition"], row["unranked"], row["only_in_model"], row["output_lines"], row["wall_s"]]


def table(rows):
    lines = [COLUMNS, ["---"] * len(COLUMNS), *map(cells, rows)]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete")
    parser.add_argument("projects", nargs="*", default=list(PROJECTS))
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    unknown = [name for name in args.projects if name not in PROJECTS]
    if unknown:
        sys.exit(f"unknown project {unknown[0]}; known projects: {', '.join(PROJECTS)}")
    work = (args.work or pathlib.Path(tempfile.mkdtemp(prefix="real-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    sources = args.sources
    if sources is None:
        sources = work / "sources"
        sources.mkdir(exist_ok=True)
        fetch(sorted({PROJECTS[name][0] for name in args.projects}), sources)
    symcrete = pathlib.Path(args.symcrete).resolve()
    # `gen` runs in the project's folder, where the solvers of this repository are not found by themselves.
    solvers = HERE.parent.parent / ".tools" / "venv" / "bin"
    if solvers.is_dir():
        os.environ.setdefault("SYMCRETE_SOLVERS", str(solvers))
    rows = []
    for name in args.projects:
        rows.append(measure(symcrete, name, sources, args.time, work))
        print("| " + " | ".join(map(str, cells(rows[-1]))) + " |", flush=True)
        if args.out:
            args.out.mkdir(parents=True, exist_ok=True)
            (args.out / "table.md").write_text(table(rows))
            (args.out / "projects.json").write_text(json.dumps(rows, indent=1) + "\n")
    print("\n" + table(rows))


if __name__ == "__main__":
    main()
