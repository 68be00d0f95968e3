#!/usr/bin/env python3
"""Kills `gen` at random moments and looks at what is left.

    python3 bench/emit/kills.py SYMCRETE [--kills N] [--seed N] [FILE.c …]

After each kill -9 the folder must be valid: `suite.json` can be read, every file it names is there and whole, every
test of it is in its C file, every test that was announced (`--verbose`) is there, and the C files compile. Then
`--resume` must end with the coverage of a run that nobody disturbed. Moments are drawn from the time that run took,
every second one from the time after its first announcement; a kill that came too late does not count.
Ends with exit code 1 if anything is not so.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ["tests/cases/commands/branches.c", "corpus/trityp.c", "corpus/hash.c", "corpus/switch_machine.c", "corpus/dart.c"]
ANNOUNCED = re.compile(r"(\S+) has (\d+) tests")


def generate(symcrete, file, out, *options, stop=None, waits=False):
    """Runs `gen`, or kills it after so many seconds, counted from its first announcement if it `waits`. Returns the exit
    code, stdout, stderr, and when it ended."""
    command = [symcrete, "gen", file, "--length", "3", "--no-native", "--verbose", "--json", "--out", out, *options]
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        child = subprocess.Popen(list(map(str, command)), cwd=ROOT, stdout=stdout, stderr=stderr)
        started = time.monotonic()
        if waits:
            while os.fstat(stderr.fileno()).st_size == 0 and child.poll() is None:
                time.sleep(0.001)
            started = time.monotonic()
        if stop is not None:
            time.sleep(stop)
            child.send_signal(signal.SIGKILL)
        child.wait()
        seconds = time.monotonic() - started
        stdout.seek(0)
        stderr.seek(0)
        return child.returncode, stdout.read(), stderr.read(), seconds


def coverage(stdout):
    return {f["name"]: (f["branches"]["covered"], f["branches"]["infeasible"]) for f in json.loads(stdout)["functions"]}


def side(edge):
    return edge["offset"], edge["case"], edge["taken"]


def check(out, announced, undisturbed):
    """What is wrong with a folder, and how many tests it has."""
    wrong = []
    suite = json.loads((out / "suite.json").read_text())
    if suite["format"] != 1:
        wrong.append("format")
    for unit in suite["units"]:
        for name in unit["reproducers"]:
            if not (out / name).read_text().endswith("}\n"):
                wrong.append(f"{name} is not whole")
        if unit.get("test_file"):
            text = (out / unit["test_file"]).read_text()
            if not text.endswith("}\n"):
                wrong.append(f"{unit['test_file']} is not whole")
            for test in unit["tests"]:
                if f"static void {test['name']}(" not in text and f"{test['name']} is left out" not in text:
                    wrong.append(f"{test['name']} is not in its file")
    for file, n in announced.items():
        name = file.removeprefix("tests/test_").removesuffix(".c")
        unit = next((unit for unit in suite["units"] if unit["name"] == name), None)
        if unit is None:
            wrong.append(f"{file} was announced and is not there")
        elif unit["search"]["ended"] == "running":
            if len(unit["tests"]) < n:
                wrong.append(f"{file} was announced with {n} tests and has {len(unit['tests'])}")
        else:
            taken = {side(edge) for test in unit["tests"] for edge in test["coverage"]}
            covered = [goal for goal in unit["search"]["goals"] if goal["state"] == "covered"]
            if any(side(goal) not in taken for goal in covered) or len(covered) != undisturbed[name][0]:
                wrong.append(f"{file} is done and does not cover what it did")
    for file in sorted(out.glob("tests/*.c")):
        done = subprocess.run(["cc", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", file.name], cwd=file.parent,
                              capture_output=True, text=True)
        if done.returncode:
            wrong.append(f"{file.name} does not compile: {done.stderr}")
    return wrong, sum(len(unit["tests"]) for unit in suite["units"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=6)
    arguments = parser.parse_args()
    symcrete, generator, n_wrong, i = arguments.symcrete.resolve(), random.Random(arguments.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        known = {}
        while i < arguments.kills:
            file = arguments.files[i % len(arguments.files)]
            if file not in known:
                generate(symcrete, file, folder / "first", "--force")  # Compiles the program.
                code, stdout, stderr, seconds = generate(symcrete, file, folder / "whole", "--force")
                if code:
                    sys.exit(f"{file}: {stderr}")
                if any(f["ended"] not in ("covered", "nothing-left") for f in json.loads(stdout)["functions"]):
                    sys.exit(f"{file}: its search ends by a limit, so its coverage depends on the clock")
                after = generate(symcrete, file, folder / "whole", "--force", waits=True)[3]
                known[file] = (coverage(stdout), [seconds, after])
            undisturbed, times = known[file]
            out, waits = folder / str(i), i // len(arguments.files) % 2
            seconds = times[waits]
            moment = generator.uniform(0, seconds)
            code, _, stderr, _ = generate(symcrete, file, out, "--force", stop=moment, waits=waits)
            if code != -signal.SIGKILL:
                times[waits] = moment  # It was faster this time.
                continue
            announced = {name: int(n) for name, n in ANNOUNCED.findall(stderr)}
            wrong, n_tests = [], 0
            if (out / "suite.json").exists():
                wrong, n_tests = check(out, announced, undisturbed)
            elif announced:
                wrong = ["no suite.json"]
            resumed, stdout, stderr, _ = generate(symcrete, file, out, "--resume")
            if resumed or coverage(stdout) != undisturbed:
                wrong.append(f"resume ended with {resumed}: {stderr or coverage(stdout)}")
            elif left := check(out, {}, undisturbed)[0]:
                wrong += left
            n_wrong += bool(wrong)
            i += 1
            print(f"{i:3}  {file:34}  {moment:6.3f} of {seconds:6.3f} s{' after the first test' if waits else '':21}  {len(announced):2} files announced  {n_tests:3} tests  "
                  f"{'; '.join(wrong) or 'valid'}", flush=True)
    print(f"\n{arguments.kills} kills: {n_wrong} folders not as they should be")
    return n_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
