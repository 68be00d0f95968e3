#!/usr/bin/env python3
"""Tests that were generated for whole files: do they compile without warnings, and are they true on this machine?

    python3 bench/emit/run.py SYMCRETE [FILE …] [--seconds N] [--framework NAME] [--all] [--out DIR]

For each file (all of corpus/ and examples/c unless some are named) `symcrete gen` writes tests, N seconds for each
function. Then, with clang and with gcc: every test file and every reproducer is compiled with -Wall -Wextra, which
must say nothing that the source alone does not cause; and `symcrete replay` compares results and branch sides with
what was recorded. Writes DIR/files.jsonl and DIR/tables.txt. Ends with 1 if a test is different without a reason.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARNING = re.compile(r"^(?P<file>[^:\n]+):\d+:\d+: (?:warning|error): (?P<text>.*)$", re.M)


def compilers():
    """A clang and a gcc, by what they are called here."""
    clang = next((name for name in ["clang", *(f"clang-{n}" for n in range(24, 13, -1))] if shutil.which(name)), None)
    found = [name for name in [clang, "gcc"] if name and shutil.which(name)]
    if len(found) < 2:
        sys.exit("this needs clang and gcc: make tools")
    return found


def run(*command, cwd=ROOT):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", cwd=cwd)


def options_of(source):
    """Flags that a file needs, from a line `// gen: …` of its own."""
    found = re.search(r"^(?://|/\*) gen: (.*?)(?:\*/)?$", source.read_text(errors="replace"), re.M)
    return found.group(1).split() if found else []


def warnings(compiler, folder, suite, unit, file):
    """What the compiler says of a generated file that the source alone does not cause."""
    flags = [*suite["flags"], f"-I{folder / 'tests/include'}", "-Wall", "-Wextra", "-fwrapv", "-c", "-o", "/dev/null"]
    root = folder / suite["root"]
    said = lambda path: WARNING.findall(run(compiler, *flags, path, cwd=root).stderr)
    texts = lambda found: collections.Counter(text for _, text in found)
    new = texts(said(file)) - texts(said(root / unit["file"]))
    return [f"{file.name}: {text}" for text in new]


def measure(symcrete, source, seconds, extra, names):
    """One file: what was written, and what each compiler makes of it."""
    with tempfile.TemporaryDirectory() as out:
        folder = pathlib.Path(out) / "out"
        done = run(symcrete, "gen", source, "--time", seconds, "--out", folder, "--json", "--no-native", *extra,
                   *options_of(source), cwd=source.parent)
        record = {"file": str(source.relative_to(ROOT) if source.is_relative_to(ROOT) else source)}
        if done.returncode != 0:
            return record | {"error": done.stderr.strip()}
        suite = json.loads((folder / "suite.json").read_text())
        written = sum(len(re.findall(r"^static void test_", path.read_text(), re.M))
                      for path in folder.glob("tests/*.c"))
        recorded = [test for unit in suite["units"] for test in unit["tests"]]
        record |= {
            "skipped": json.loads(done.stdout)["skipped"],
            "recorded": len(recorded),
            "written": written,
            "left_out": dict(collections.Counter(
                test["outcome"]["ended"] for test in recorded if test["outcome"]["ended"] not in ("returned", "exited"))),
            "bugs": len(list(folder.glob("bugs/*.c"))),
            "compilers": {},
        }
        by_file = {unit.get("test_file"): unit for unit in suite["units"]}
        for compiler in names:
            replayed = run(symcrete, "replay", folder, "--json", "--cc", compiler)
            if replayed.returncode not in (0, 1):
                return record | {"error": replayed.stderr.strip()}
            native = json.loads(replayed.stdout)
            native["warnings"] = [warning for name, unit in by_file.items() if name
                                  for warning in warnings(compiler, folder, suite, unit, folder / name)]
            for bug in sorted(folder.glob("bugs/*.c")):
                unit = next(unit for unit in suite["units"] if bug.name.startswith(unit["name"] + "_"))
                native["warnings"] += warnings(compiler, folder, suite, unit, bug)
            record["compilers"][compiler] = native
        return record


def table(title, header, rows):
    lines = ["", title]
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        lines.append("  ".join(str(cell).rjust(width) if i else str(cell).ljust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))))
    return "\n".join(lines)


def report(records, names):
    """Tables, and whether all that is different has a reason."""
    text = []
    is_fine = True
    for compiler in names:
        rows = []
        sums = collections.Counter()
        details = []
        for record in records:
            if "error" in record:
                is_fine = False
                details.append(f"{record['file']}: {record['error']}")
                continue
            native = record["compilers"][compiler]
            failed = native["failed"]
            unexplained = [one for one in failed if one["kind"] == "not-compiled" or not one["reasons"]]
            row = {
                "recorded": record["recorded"], "written": record["written"], "bugs": record["bugs"],
                "warnings": len(native["warnings"]), "same": native["passed"], "different": len(failed),
                "no reason": len(unexplained), "sides": native["sides_compared"] or 0, "differ": native["sides_differ"],
            }
            is_fine &= not unexplained and not native["warnings"] and native["passed"] + len(failed) == record["written"]
            sums.update(row)
            rows.append([record["file"], *row.values()])
            details += [f"{record['file']}: {warning}" for warning in native["warnings"]]
            details += [f"{record['file']}: {one['test']}: {one['ended']} ({'; '.join(one['reasons'])})" for one in failed]
            details += [f"{side['file']}:{side['line']}:{side['column']}: {side['condition']} is {side['holds']}: "
                        f"wasm {side['wasm']}, native {side['native']} in {', '.join(side['tests'])} "
                        f"({'; '.join(side['reasons'])})" for side in native["sides"]]
            details += [f"{record['file']}: {note}" for note in native["notes"] if native["sides_compared"]]
        header = ["file", *(rows and row.keys() or [])]
        text.append(table(compiler, header, [*rows, ["all", *sums.values()]]))
        text += ["", *details]
    return "\n".join(text), is_fine


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--framework", default="plain")
    parser.add_argument("--all", action="store_true", help="a test for every path")
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    files = args.files or sorted([*(ROOT / "corpus").glob("*.c"), *(ROOT / "examples/c").glob("*.c")])
    extra = ["--framework", args.framework, *(["--all"] if args.all else [])]
    names = compilers()
    records = []
    for file in files:
        print(file.name, file=sys.stderr, flush=True)
        records.append(measure(args.symcrete.resolve(), file.resolve(), args.seconds, extra, names))
    text, is_fine = report(records, names)
    print(text)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "files.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        (args.out / "tables.txt").write_text(text.lstrip("\n") + "\n")
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
