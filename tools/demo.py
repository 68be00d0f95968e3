"""Runs `symcrete solve --json` on scripts and prints a table. Usage: demo.py SYMCRETE FILE…"""
import json
import subprocess
import sys


def title(file):
    """The first line of a script is a comment that says what it is about."""
    with open(file) as script:
        return script.readline().lstrip("; ").rstrip()


def inputs(check):
    """A model in one line."""
    entries = check["model"] or []
    return ", ".join(f"{entry['name']} = {entry.get('decimal', entry['value'])}" for entry in entries)


def main(symcrete, files):
    n_checks = 0
    for file in files:
        print(f"\n{file}: {title(file)}")
        run = subprocess.run([symcrete, "solve", "--json", file], stdout=subprocess.PIPE, text=True)
        if run.returncode != 0:
            sys.exit(f"symcrete solve {file}: exit code {run.returncode}")
        for line in run.stdout.splitlines():
            check = json.loads(line)
            n_checks += 1
            what = inputs(check) if check["verdict"] == "sat" else check["why"] or "no input does this"
            print(f"  {check['verdict']:8} {check['solver']:10} {check['time_ms']:8.1f} ms   {what}")
    print(f"\n{n_checks} questions in {len(files)} files. Ask your own: {symcrete} solve FILE")


main(sys.argv[1], sys.argv[2:])
