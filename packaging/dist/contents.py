"""What packages carry besides the program. The program itself prints the completions, manual pages and unit, so that
they agree with it."""
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import tempfile

# zsh runs a file of its function path when it completes a command for the first time. The script then only registers
# its function, and the first Tab would find nothing.
FIRST_TAB = b'[ "$funcstack[1]" != _taffrail ] || _clap_dynamic_completer_taffrail "$@"\n'


@dataclasses.dataclass(frozen=True)
class Contents:
    """Completions by shell, manual pages by file name, the unit for /usr/bin/taffrail, and the plugin folder by path."""

    completions: dict
    pages: dict
    unit: bytes
    plugin: dict


def printed_by(programs):
    """Asks the first program that runs here; another architecture's does not."""
    for program in programs:
        try:
            if run(program, "--version"):
                break
        except (OSError, subprocess.CalledProcessError):
            continue
    else:
        raise SystemExit("None of these programs runs on this machine, so nothing prints completions and manual pages.")
    with tempfile.TemporaryDirectory() as folder:
        run(program, "man", "--out", folder)
        pages = {it.name: it.read_bytes() for it in sorted(pathlib.Path(folder).glob("*.1"))}
    completions = {shell: run(program, "completions", shell) for shell in ("bash", "zsh", "fish")}
    completions["zsh"] += FIRST_TAB
    # launchd has its own file, which `taffrail service install` writes.
    document = json.loads(run(program, "service", "install", "--dry-run", "--json"))
    unit = packaged_unit(document["text"]) if document["file"].endswith(".service") else b""
    return Contents(completions, pages, unit, plugin())


def plugin():
    """The plugin folder for agents; a test of `taffrail-hooks` keeps it the one that `taffrail hooks plugin` writes."""
    folder = pathlib.Path(__file__).resolve().parent.parent / "plugin"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def packaged_unit(text):
    """The unit that `taffrail service install` writes, with the path of a package and without the mark by which
    `taffrail service uninstall` knows its own file."""
    text = re.sub(r"^# Written by .*\n", "", text)
    text, count = re.subn(r'^ExecStart=".*" ', "ExecStart=/usr/bin/taffrail ", text, flags=re.M)
    if count != 1 or "Written by" in text:
        raise SystemExit("`taffrail service install` prints another unit than packaging/dist/contents.py expects.")
    return text.encode()


def run(program, *arguments):
    """Called by its bare name, as from a PATH: completions repeat the name they were asked by."""
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        command = ["taffrail", *arguments]
        done = subprocess.run(command, executable=program, env=environment, cwd=home, capture_output=True, check=True, timeout=60)
    return done.stdout
