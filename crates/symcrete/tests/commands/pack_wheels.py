"""Packs the solvers of the environment that runs this as wheels again: pack_wheels.py FOLDER

A wheel is a zip file with the files that a package's RECORD lists; programs are in `NAME.data/scripts`.
"""

import importlib.metadata
import pathlib
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
folder.mkdir()
for name in ["z3-solver", "bitwuzla", "cvc5"]:
    package = importlib.metadata.distribution(name)
    stem = f"{name.replace('-', '_')}-{package.version}"
    tag = next(line[5:] for line in package.read_text("WHEEL").splitlines() if line.startswith("Tag: "))
    with zipfile.ZipFile(folder / f"{stem}-{tag}.whl", "w", zipfile.ZIP_STORED) as wheel:
        for file in package.files:
            place = pathlib.PurePosixPath(file)
            if "__pycache__" in place.parts or place.name in ("INSTALLER", "REQUESTED"):
                continue
            inside = f"{stem}.data/scripts/{place.name}" if ".." in place.parts else str(place)
            wheel.write(file.locate(), inside)
