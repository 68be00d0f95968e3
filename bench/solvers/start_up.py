#!/usr/bin/env python3
"""What it costs to ask a solver that is a Python module: a new process for each query, or a new worker of one process.

start_up.py PYTHON [--queries 30]: PYTHON has the modules bitwuzla and cvc5 (`.tools/venv/bin/python3`). Prints processor
and wall time of one small query, both ways, measured in turns in one run.
"""
import argparse
import os
import pathlib
import resource
import signal
import statistics
import subprocess
import time

SHIMS = pathlib.Path(__file__).resolve().parents[2] / "crates/symcrete-solve/src/smt/shim"
QUERY = '(declare-const x (_ BitVec 32))\n(assert (= (bvmul x x) #x00000031))\n(check-sat)\n(echo "end")\n'
BLOCK = 1024  # Bitwuzla reads whole blocks.


class Shim:
    def __init__(self, python, name):
        self.name = name
        text = (SHIMS / "workers.py").read_text() + (SHIMS / f"{name}.py").read_text()
        self.cell = os.memfd_create("steps")
        os.ftruncate(self.cell, 24)
        preamble = "(set-option :produce-models true)\n(set-logic QF_BV)\n"
        command = [python, "-I", "-c", text, str(self.cell), "1", preamble]
        self.process = subprocess.Popen(command, pass_fds=[self.cell], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.worker = 0

    def ask(self):
        self.wait_for(f"worker {self.worker}")
        text = QUERY.encode()
        if self.name == "bitwuzla":
            text += b" " * (-len(text) % BLOCK)
        self.process.stdin.write(text)
        self.process.stdin.flush()
        self.wait_for("end")

    def wait_for(self, word):
        while self.process.stdout.readline().decode().strip().strip('"') != word:
            assert self.process.poll() is None, f"{self.name} has ended"

    def renew(self):
        self.process.send_signal(signal.SIGUSR1)
        self.worker += 1

    def end(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.cell)


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python")
    parser.add_argument("--queries", type=int, default=30)
    arguments = parser.parse_args()
    print(f"{'solver':<10} {'way':<12} {'processor':>10} {'wall, median':>13}")
    for name in ["bitwuzla", "cvc5"]:
        walls, before = [], processor()
        for _ in range(arguments.queries):
            start = time.monotonic()
            shim = Shim(arguments.python, name)
            shim.ask()
            walls.append(time.monotonic() - start)
            shim.end()
        report(name, "new process", processor() - before, walls)
        walls, before = [], processor()
        shim = Shim(arguments.python, name)
        shim.ask()
        for _ in range(arguments.queries):
            start = time.monotonic()
            shim.renew()
            shim.ask()
            walls.append(time.monotonic() - start)
        shim.end()
        report(name, "new worker", processor() - before, walls)


def report(name, way, used, walls):
    per_query, wall = 1e3 * used / len(walls), 1e3 * statistics.median(walls)
    print(f"{name:<10} {way:<12} {per_query:>7.1f} ms {wall:>10.1f} ms")


if __name__ == "__main__":
    main()
