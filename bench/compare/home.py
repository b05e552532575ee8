#!/usr/bin/env python3
"""home.py OUT: makes one home of the recorded agents.

Copies every `home` of crates/daemon/tests/recordings into OUT. A database is kept there as its SQL
statements, in `<path>.sql`; here it becomes a database again."""
import shutil
import sqlite3
import sys
from pathlib import Path

RECORDINGS = Path(__file__).resolve().parents[2] / "crates/daemon/tests/recordings"


def put(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix != ".sql":
        shutil.copyfile(source, target)
        return
    with sqlite3.connect(target.with_suffix("")) as database:
        database.executescript(source.read_text())


def make(out):
    for home in sorted(RECORDINGS.glob("*/home")):
        for source in sorted(it for it in home.rglob("*") if it.is_file()):
            put(source, out / source.relative_to(home))


if __name__ == "__main__":
    make(Path(sys.argv[1]))
