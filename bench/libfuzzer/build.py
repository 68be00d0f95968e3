#!/usr/bin/env python3
"""Runs libFuzzer on one C function and says how many of its branch sides it reached, and when the last one.

    build.py FILE.c FUNCTION [--seconds T] [--seed N] [--runs N] [--work DIR] [--curve] [--sanitize] [--no-value-profile]

Prints one line of JSON. Needs clang-19 with its fuzzer runtime (libclang-rt-19-dev) and llvm-19; standard library only.

How it works:
1.  Clang's syntax tree gives the parameters. From them comes a harness as a careful user would write it: each parameter has its
    fixed place in the input, missing bytes are zero. A string is 8 characters, cut at its first NUL; an array is 8
    elements, and an int that follows it and is named like a length is kept within it. If there are pointers, the first byte
    can make one of them null.
2.  The fuzzer is built with -O1 -fsanitize=fuzzer and starts from one input of zeros of full size, with value profile.
3.  It keeps every input that showed it something new; a file's time is when that was. Time is CPU time of the fuzzer's
    main thread: the kernel's account of it is sampled, and a file's time is looked up in the samples.
4.  A second build counts branch sides the way llvm-cov does, in the functions that the entry can call. Coverage of
    the first k inputs only grows with k, so the input that added the last side is found by bisection.
"""

import argparse
import bisect
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLANG = "clang-19"
PROFDATA = "llvm-profdata-19"
COV = "llvm-cov-19"

ELEMENTS = 8  # of an array, and characters of a string
LENGTH_NAMES = {"n", "len", "length", "size", "count"}
SAMPLE_SECONDS = 0.01
SIZES = {
    "char": 1, "signed char": 1, "unsigned char": 1, "_Bool": 1, "short": 2, "unsigned short": 2, "int": 4,
    "unsigned int": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "float": 4, "double": 8,
}
# What the entry under test is linked with to replay inputs.
REPLAY_MAIN = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int main(int argc, char **argv) {
    static char path[4096];
    static uint8_t data[65536];
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (list == NULL) return 2;
    while (fgets(path, sizeof path, list) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        FILE *input = fopen(path, "rb");
        if (input == NULL) return 2;
        size_t size = fread(data, 1, sizeof data, input);
        fclose(input);
        LLVMFuzzerTestOneInput(data, size);
    }
    fclose(list);
    return 0;
}
"""


def fail(message):
    print(f"build.py: {message}", file=sys.stderr)
    sys.exit(2)


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


# The function under test.


def parameters_of(source, function):
    """Names and types of the parameters, and the type of the result."""
    for node in syntax_trees(source, function):
        if node.get("kind") == "FunctionDecl" and node.get("name") == function:
            parameters = [(child.get("name") or f"p{i}", child["type"].get("desugaredQualType", child["type"]["qualType"]))
                          for i, child in enumerate(node.get("inner", [])) if child["kind"] == "ParmVarDecl"]
            return parameters, node["type"]["qualType"].split("(")[0].strip()
    return fail(f"{source} has no function {function}")


def syntax_trees(source, function):
    """The declarations whose names contain the function's, from clang's dump of several JSON values."""
    text = run([CLANG, "-std=c11", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang",
                f"-ast-dump-filter={function}", source])
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        node, end = decoder.raw_decode(text, at)
        yield node
        at = text.find("{", end)


def reachable_functions(source, function):
    """The functions of the file that the entry can call: those named in the bodies of those it can call."""
    code = run([CLANG, "-std=c11", "-O0", "-S", "-emit-llvm", "-o", "-", source])
    bodies = dict(re.findall(r"^define [^\n]*?@([\w.]+)\([^\n]*\{\n(.*?)^\}", code, re.M | re.S))
    found, todo = set(), [function]
    while todo:
        name = todo.pop()
        if name not in found and name in bodies:
            found.add(name)
            todo += re.findall(r"@([\w.]+)", bodies[name])
    return found


# The harness.


def plain(kind):
    return kind.replace("const ", "").replace("volatile ", "").strip()


def decode(name, kind, previous_array, pointer_index):
    """Lines that fill a parameter, and how many bytes they take."""
    target = plain(kind[:-1]) if kind.endswith("*") else None
    if target is not None:
        if target not in SIZES:
            fail(f"parameter {name}: cannot decode {kind}")
        if target == "char":
            lines = [f"char {name}_data[{ELEMENTS + 1}] = {{0}};", f"take(&fuzz_input, {name}_data, {ELEMENTS});"]
            size = ELEMENTS
        else:
            lines = [f"{target} {name}_data[{ELEMENTS}];", f"take(&fuzz_input, {name}_data, sizeof {name}_data);"]
            size = ELEMENTS * SIZES[target]
        return lines + [f"{target} *{name} = fuzz_null == {pointer_index + 1} ? NULL : {name}_data;"], size
    base = plain(kind)
    if base.startswith("enum "):
        lines = [f"int {name}_value;", f"take(&fuzz_input, &{name}_value, 4);", f"{base} {name} = ({base}){name}_value;"]
        return lines, 4
    if base not in SIZES:
        fail(f"parameter {name}: cannot decode {kind}")
    if base == "_Bool":
        return [f"uint8_t {name}_byte;", f"take(&fuzz_input, &{name}_byte, 1);", f"_Bool {name} = {name}_byte & 1;"], 1
    if previous_array and name in LENGTH_NAMES:
        return [f"uint8_t {name}_byte;", f"take(&fuzz_input, &{name}_byte, 1);",
                f"{base} {name} = {name}_byte % {ELEMENTS + 1};"], 1
    return [f"{base} {name};", f"take(&fuzz_input, &{name}, sizeof {name});"], SIZES[base]


def harness(function, parameters, result):
    """The text of the harness, and the size of a full input."""
    lines, size, pointers, previous_array = [], 0, 0, False
    for name, kind in parameters:
        more, bytes_taken = decode(name, kind, previous_array, pointers)
        lines += more
        size += bytes_taken
        previous_array = kind.endswith("*") and plain(kind[:-1]) != "char"
        pointers += kind.endswith("*")
    if pointers > 0:
        lines = ["uint8_t fuzz_null;", "take(&fuzz_input, &fuzz_null, 1);"] + lines
        size += 1
    declared = ", ".join(f"{kind} {name}" for name, kind in parameters) or "void"
    called = ", ".join(name for name, _ in parameters)
    body = "\n    ".join(lines)
    return f"""#include <stddef.h>
#include <stdint.h>
#include <string.h>

{result} {function}({declared});

struct input {{
    const uint8_t *data;
    size_t left;
}};

static inline void take(struct input *input, void *to, size_t size) {{
    size_t have = size < input->left ? size : input->left;
    memset(to, 0, size);
    if (have > 0) memcpy(to, input->data, have);
    input->data += have;
    input->left -= have;
}}

int LLVMFuzzerTestOneInput(const uint8_t *fuzz_data, size_t fuzz_size) {{
    struct input fuzz_input = {{fuzz_data, fuzz_size}};
    {body}
    volatile {result} fuzz_result = {function}({called});
    (void)fuzz_result;
    return 0;
}}
""", size


def build(source, work, text, sanitize):
    (work / "harness.c").write_text(text)
    (work / "replay.c").write_text(REPLAY_MAIN)
    kinds = "fuzzer,address,undefined" if sanitize else "fuzzer"
    more = ["-fno-sanitize-recover=all"] if sanitize else []
    run([CLANG, "-std=c11", "-O1", "-g", f"-fsanitize={kinds}", *more, "-o", work / "fuzzer", source,
         work / "harness.c", "-lm"])
    run([CLANG, "-std=c11", "-O1", "-fprofile-instr-generate", "-fcoverage-mapping", "-c", "-o", work / "unit.o", source])
    run([CLANG, "-std=c11", "-O1", "-fprofile-instr-generate", "-o", work / "replay", work / "unit.o",
         work / "harness.c", work / "replay.c", "-lm"])


# A run of the fuzzer.


def cpu_seconds(pid):
    """CPU time of a process's main thread, or None when it is gone."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def fuzz(work, size, options):
    """Runs the fuzzer for its CPU time. Returns samples of (wall clock, CPU time), and its own report."""
    corpus = work / "corpus"
    corpus.mkdir()
    (corpus / "zeros").write_bytes(bytes(size))
    command = [work / "fuzzer", f"-seed={options.seed}", f"-runs={options.runs}", f"-max_len={size}", "-len_control=0",
               f"-use_value_profile={int(options.value_profile)}", "-reduce_inputs=0", "-print_final_stats=1",
               "-detect_leaks=0", "-timeout=10", f"-max_total_time={int(options.seconds * 20) + 5}",
               f"-artifact_prefix={work}/", corpus]
    samples = [(time.time(), 0.0)]
    with open(work / "log", "w", encoding="utf-8") as log:
        child = subprocess.Popen(command, stdout=log, stderr=log)
        while child.poll() is None:
            used = cpu_seconds(child.pid)
            if used is not None and used > samples[-1][1]:
                samples.append((time.time(), used))
                if used >= options.seconds:
                    child.send_signal(signal.SIGINT)
                    child.wait()
                    break
            time.sleep(SAMPLE_SECONDS)
    return samples, (work / "log").read_text(encoding="utf-8", errors="replace")


def cpu_at(samples, moment):
    """The CPU time at a moment of the wall clock, on the line between two samples."""
    at = bisect.bisect_right(samples, (moment, float("inf")))
    if at == 0:
        return 0.0
    if at == len(samples):
        return samples[-1][1]
    (wall0, cpu0), (wall1, cpu1) = samples[at - 1], samples[at]
    return cpu0 + (cpu1 - cpu0) * (moment - wall0) / (wall1 - wall0)


# Branch sides.


class Replay:
    """Coverage of prefixes of a list of inputs."""

    def __init__(self, work, inputs, functions):
        self.work, self.inputs, self.functions, self.known = work, inputs, functions, {}

    def sides(self, count):
        """All branch sides, each with whether the first inputs reach it."""
        if count not in self.known:
            self.known[count] = self.measure(count)
        return self.known[count]

    def covered(self, count):
        return sum(self.sides(count).values())

    def measure(self, count):
        raw, merged, listing = self.work / "raw", self.work / "merged", self.work / "list"
        listing.write_text("".join(f"{path}\n" for path in self.inputs[:count]))
        run([self.work / "replay", listing], env={**os.environ, "LLVM_PROFILE_FILE": str(raw)})
        run([PROFDATA, "merge", "-o", merged, raw])
        report = json.loads(run([COV, "export", self.work / "replay", f"-instr-profile={merged}"]))
        result = {}
        for function in report["data"][0]["functions"]:
            name = function["name"].split(":")[-1]
            if name in self.functions:
                for branch in function["branches"]:
                    where = f"{branch[0]}:{branch[1]}"
                    result[where, "true"] = result.get((where, "true"), False) or branch[4] > 0
                    result[where, "false"] = result.get((where, "false"), False) or branch[5] > 0
        return result

    def growth(self, low, high):
        """The counts of inputs in (low, high] whose last input added a side."""
        if self.covered(low) == self.covered(high):
            return []
        if high - low == 1:
            return [high]
        middle = (low + high) // 2
        return self.growth(low, middle) + self.growth(middle, high)

    def last_growth(self):
        """How many inputs it takes to cover all that all of them cover."""
        low, high = 0, len(self.inputs)
        while low < high:
            middle = (low + high) // 2
            if self.covered(middle) == self.covered(len(self.inputs)):
                high = middle
            else:
                low = middle + 1
        return low


def measure(options, work):
    source = Path(options.file).resolve()
    parameters, result = parameters_of(source, options.function)
    text, size = harness(options.function, parameters, result)
    build(source, work, text, options.sanitize)
    samples, log = fuzz(work, size, options)
    units = [path for path in (work / "corpus").iterdir()]
    units.sort(key=lambda path: (path.stat().st_mtime_ns, path.name != "zeros", path.name))
    replay = Replay(work, units, reachable_functions(source, options.function))

    def seconds(count):
        return round(cpu_at(samples, units[count - 1].stat().st_mtime), 3) if count > 0 else 0.0

    all_sides = replay.sides(len(units))
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", log)
    crash = re.search(r"^(SUMMARY|.*ERROR: libFuzzer).*", log, re.M)
    answer = {
        "file": source.name,
        "function": options.function,
        "seed": options.seed,
        "seconds": options.seconds,
        "cpu_seconds": round(samples[-1][1], 3),
        "executions": int(executions.group(1)) if executions else None,
        "inputs": len(units),
        "sides_total": len(all_sides),
        "sides_covered": sum(all_sides.values()),
        "last_new_side_seconds": seconds(replay.last_growth()),
        "uncovered": [f"{where} {side}" for (where, side), hit in sorted(all_sides.items(), key=place) if not hit],
        "crash": crash.group(0) if crash and "interrupt" not in crash.group(0) else None,
    }
    if options.curve:
        points = [0] + replay.growth(0, len(units))
        answer["curve"] = [[seconds(count), replay.covered(count)] for count in points]
    return answer


def place(entry):
    (where, side), _ = entry
    line, column = where.split(":")
    return int(line), int(column), side


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("function")
    parser.add_argument("--seconds", type=float, default=10.0, help="CPU time of the fuzzer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=-1, help="executions; -1 is no limit")
    parser.add_argument("--work", help="keep the work in this directory, which must not exist")
    parser.add_argument("--curve", action="store_true", help="also say when each side was reached (slow)")
    parser.add_argument("--sanitize", action="store_true", help="fuzz with address and undefined behaviour sanitizers")
    parser.add_argument("--no-value-profile", dest="value_profile", action="store_false")
    return parser.parse_args()


def main():
    options = arguments()
    work = Path(options.work).resolve() if options.work else Path(tempfile.mkdtemp(prefix="libfuzzer-"))
    if options.work:
        work.mkdir(parents=True)
    try:
        print(json.dumps(measure(options, work)), flush=True)
    finally:
        if not options.work:
            shutil.rmtree(work)


if __name__ == "__main__":
    main()
