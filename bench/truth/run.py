#!/usr/bin/env python3
"""Compares the documents of sessions that do real work with git, the disk and the script.

    bench/truth/run.py target/release/taffrail              # prints the figures and every difference
    bench/truth/run.py target/release/taffrail --played     # only the sessions that are played by hand
    bench/truth/run.py target/release/taffrail --write      # all, and writes docs/truth.md
"""
import os
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import played  # noqa: E402
import real  # noqa: E402
from machine import AGENTS  # noqa: E402


def main():
    binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as top:
        by_hand = played.result(binary, top)
        by_hand.show("played by hand")
        if "--played" in sys.argv:
            return
        by_agents = real.result(binary, top)
    for kind, it in by_agents.items():
        it.show(f"real {kind} {AGENTS[kind]['version']}")
    if "--write" in sys.argv:
        write(by_hand, by_agents)


def write(by_hand, by_agents):
    """Fills the tables into the page."""
    with open(f"{FOLDER}/page.md") as page:
        text = page.read()
    values = {"PLAYED_SESSIONS": by_hand.sessions, "PLAYED_TABLE": by_hand.table()}
    for kind, it in by_agents.items():
        name = {"claude-code": "CLAUDE", "codex": "CODEX"}[kind]
        values |= {f"{name}_SESSIONS": it.sessions, f"{name}_TABLE": it.table(), f"{name}_VERSION": AGENTS[kind]["version"]}
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    with open(f"{FOLDER}/../../docs/truth.md", "w") as out:
        out.write(text)


main()
