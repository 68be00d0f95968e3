#!/usr/bin/env python3
"""Exploration over the corpus, side by side in one run:

  coverage   all branches of the papers' programs within 60 s on one core
  ippc       the driver with and without partial path constraints on prime and factor
  auto       auto against dfs: final coverage, time of the last new branch side
  libfuzzer  auto against libFuzzer with value profile, equal CPU time

    python3 bench/explore/run.py SYMCRETE [PART …] [--seconds N] [--out DIR]

Writes one JSON line per run to DIR/runs.jsonl and prints tables. Never fails on a time.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "corpus"
IPPC = ["gcd", "bsort", "int_sqrt", "prime", "factor", "replace", "ptokens", "grep"]
PAPERS = ["trityp", "tcas", "dart", "power", "stat_values", "conflict", "turn_logic"]
MERGING = ["diamonds"]
FUZZED = [*IPPC, *PAPERS, "switch_machine", "ray_trace", "sine"]


def units():
    """The corpus: function name to file."""
    lines = (CORPUS / "units.tsv").read_text().splitlines()[1:]
    return {line.split("\t")[1]: CORPUS / line.split("\t")[0] for line in lines if line}


def explore(symcrete, file, function, seconds, *options):
    """One run of `gen` on one core."""
    command = [symcrete, "gen", file, "--function", function, "--json", "--jobs", "1", "--no-out", "--time", str(seconds),
               *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{function}: {done.stderr}")
    record = json.loads(done.stdout)["functions"][0]
    record["options"] = list(options)
    return record


def table(title, header, rows):
    print(f"\n{title}")
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        print("  ".join(str(cell).rjust(width) if i else str(cell).ljust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))))
    sys.stdout.flush()


def share(record):
    b = record["branches"]
    return f"{b['covered']}+{b['infeasible']}/{b['total']}"


def ms(value):
    return "-" if value is None else f"{value:.0f}"


def coverage(args, corpus, log):
    rows, n_missing = [], 0
    for name in IPPC + PAPERS + MERGING:
        record = log(explore(args.symcrete, corpus[name], name, args.seconds))
        n_missing += record["branches"]["open"]
        rows.append([name, share(record), record["branches"]["open"], ms(record["last_new_branch_ms"]),
                     ms(record["time_ms"]), record["executions"], record["burst_runs"], record["queries"]])
    table("coverage (covered + infeasible / all; times in ms)",
          ["unit", "sides", "open", "last new", "total", "paths", "burst runs", "queries"], rows)
    print(f"sides left open: {n_missing} (asked: 0)")


def ippc(args, corpus, log):
    for title, left_out in [("everything else in the chain", []),
                            ("without the memory of earlier answers", ["cache", "cores"]),
                            ("nothing but an incremental SMT session", ["slices", "cache", "cores", "intervals", "tiny", "guesses"])]:
        rows = []
        for name in ["prime", "factor"]:
            runs = []
            for without in [["partial", *left_out], left_out]:
                options = ["--strategy", "dfs", *(["--without", ",".join(without)] if without else [])]
                runs.append(log(explore(args.symcrete, corpus[name], name, args.seconds, *options)))
            plain, partial = runs
            size = plain["avg_constraint_size"] / max(partial["avg_constraint_size"], 1e-9)
            per_query = [run["solver_ms"] / max(run["queries"], 1) for run in runs]
            rows.append([name, share(plain), share(partial), *[run["queries"] for run in runs],
                         f"{plain['avg_constraint_size']:.1f}", f"{partial['avg_constraint_size']:.1f}", f"{size:.1f}",
                         *[ms(run["solver_ms"]) + ("" if run["exhaustive"] else " cut") for run in runs],
                         f"{1000 * per_query[0]:.0f}", f"{1000 * per_query[1]:.0f}", f"{per_query[0] / max(per_query[1], 1e-9):.1f}"])
        table(f"IPPC, dfs until the tree is exhausted or the time is over, {title} (asked: size 10 times, solver time 5 times smaller)",
              ["unit", "sides plain", "ippc", "queries plain", "ippc", "size plain", "ippc", "ratio", "solver ms plain", "ippc",
               "us/query plain", "ippc", "ratio"], rows)


def auto(args, corpus, log):
    rows, ratios, n_worse = [], [], 0
    for name in IPPC + PAPERS:
        best = log(explore(args.symcrete, corpus[name], name, args.seconds))
        dfs = log(explore(args.symcrete, corpus[name], name, args.seconds, "--strategy", "dfs"))
        n_worse += best["branches"]["covered"] < dfs["branches"]["covered"]
        a, d = best["last_new_branch_ms"] or 0.1, dfs["last_new_branch_ms"] or 0.1
        if best["branches"]["covered"] > dfs["branches"]["covered"]:
            d = dfs["time_ms"]
        ratios.append(d / a)
        rows.append([name, share(best), share(dfs), ms(a), ms(d), f"{d / a:.1f}"])
    table("auto against dfs (time of the last new side in ms; where dfs ends with less, its whole time)",
          ["unit", "sides auto", "sides dfs", "auto", "dfs", "ratio"], rows)
    print(f"auto worse in coverage: {n_worse} (asked: 0); median ratio {statistics.median(ratios):.1f} (asked: 3)")


def libfuzzer(args, corpus, log):
    rows, n_sooner, n_behind = [], 0, 0
    for name in FUZZED:
        ours = log(explore(args.symcrete, corpus[name], name, args.seconds))
        build = ROOT / "bench/libfuzzer/build.py"
        command = [sys.executable, build, corpus[name], name, "--seconds", str(args.fuzz_seconds), "--seed", "1"]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        theirs = log({"libfuzzer": json.loads(done.stdout.strip().splitlines()[-1])})["libfuzzer"]
        covered, total = theirs["sides_covered"], theirs["sides_total"]
        fuzz_ms = 1000 * (theirs["last_new_side_seconds"] or 0)
        missing = ours["branches"]["open"]
        is_sooner = (ours["last_new_branch_ms"] or 0) < fuzz_ms or missing < total - covered - ours["branches"]["infeasible"]
        n_sooner += is_sooner
        n_behind += missing > total - covered
        rows.append([name, share(ours), f"{covered}/{total}", ms(ours["last_new_branch_ms"]), ms(fuzz_ms),
                     "sooner" if is_sooner else "later"])
    table(f"auto against libFuzzer, {args.fuzz_seconds} s of CPU (ms to the last new side)",
          ["unit", "ours", "libFuzzer", "ours ms", "theirs ms", ""], rows)
    print(f"sooner on {n_sooner} of {len(rows)} (asked: 8 of 10); behind in coverage on {n_behind} (asked: 0)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("symcrete", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", default=["coverage", "ippc", "auto", "libfuzzer"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--fuzz-seconds", type=float, default=10)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    args.symcrete = args.symcrete.resolve()
    corpus = units()
    sink = None
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        sink = open(args.out / "runs.jsonl", "a")

    def log(record):
        if sink:
            sink.write(json.dumps(record) + "\n")
            sink.flush()
        return record

    parts = {"coverage": coverage, "ippc": ippc, "auto": auto, "libfuzzer": libfuzzer}
    for part in args.parts:
        parts[part](args, corpus, log)


if __name__ == "__main__":
    main()
