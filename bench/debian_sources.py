"""Source packages of Debian, for benchmarks: taken when a benchmark runs, never committed."""

import pathlib
import subprocess
import sys


def run(command, **options):
    """What a command prints that must succeed."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def fetch(names, folder):
    """Unpacks source packages into folders of their names, with package lists of our own: the system's are left alone."""
    parts, lists = folder / "parts", folder / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    parts.mkdir(exist_ok=True)
    for file in pathlib.Path("/etc/apt/sources.list.d").glob("debian*.sources"):
        lines = ["Types: deb-src" if line.startswith("Types:") else line for line in file.read_text().splitlines()]
        (parts / file.name).write_text("\n".join(lines) + "\n")
    plain = [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*.list")]
    lines = [line for file in plain if file.exists() for line in file.read_text().splitlines()]
    sources = ["deb-src " + line[4:] for line in lines if line.startswith("deb ") and "debian" in line]
    (parts / "source.list").write_text("\n".join(sources) + "\n")
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}", "-o",
           f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    run([*apt, "update"])
    for name in names:
        run([*apt, "source", "--download-only", "--tar-only", name], cwd=folder)
        (folder / name).mkdir()
        archive = next(file for file in sorted(folder.glob(f"{name}_*.orig.tar.*")) if file.suffix != ".asc")
        run(["tar", "-xf", archive, "-C", folder / name, "--strip-components=1"])
