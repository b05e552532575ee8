#!/usr/bin/env python3
"""Cuts the power while taffrail writes, and looks at what is left. See README.md."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import disk
from corpus import PHRASES, Corpus

TOOLS = ["mkfs.ext4", "losetup", "mount", "umount", "unshare", "zstd", "cp"]
AGENTS = [".claude", ".codex", ".gemini", "goose"]
SESSION = ["id", "agent", "runtime_session_id", "parent_id", "usage", "prompts", "tool_calls", "turns",
           "title", "project_path", "git_branch", "model", "lineage", "started_at", "last_event_at"]
EVENT = ["id", "kind", "createdAt", "turnId", "parentId", "text"]
# The image holds index, search and archive of the whole history, twice over.
IMAGE_MB = 256
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class Program:
    """taffrail with one home and one data folder."""

    def __init__(self, binary: Path, home: Path, data: Path, boot: Path | None = None):
        self.binary, self.home, self.data, self.boot = binary, home, data, boot

    def environment(self):
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "NO_COLOR": "1",
                "XDG_DATA_HOME": str(self.data), "XDG_CONFIG_HOME": str(self.home / ".config"),
                "GOOSE_PATH_ROOT": str(self.home / "goose")}

    def command(self, *arguments):
        command = [str(self.binary), *arguments]
        if self.boot is None:
            return command
        # After a power cut the machine has started anew.
        script = f'mount --bind "$0" {BOOT_ID} && exec "$@"'
        return ["unshare", "-m", "sh", "-c", script, str(self.boot), *command]

    def __call__(self, *arguments) -> str:
        done = subprocess.run(self.command(*arguments), env=self.environment(), capture_output=True,
                              text=True, cwd=self.home)
        if done.returncode != 0:
            raise Fault(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr[-500:]}")
        if arguments[0] == "index" and "not archived" in done.stderr:
            raise Fault(done.stderr[-500:])
        return done.stdout

    def sessions(self):
        return json.loads(self("ls", "--json", "--all"))["sessions"]

    def view(self):
        """The canonical view, and how many events are shown from memory."""
        out, stale = [], 0
        for session in sorted(self.sessions(), key=lambda it: it["id"]):
            out.append(json.dumps({name: session.get(name) for name in SESSION}))
            for line in self("events", session["id"], "--json").splitlines():
                event = json.loads(line)
                stale += event["data"].get("stale", False)
                chosen = {name: event.get(name) for name in EVENT}
                chosen["source_cursor"] = event["provenance"]["source_cursor"]
                out.append(json.dumps(chosen))
        return out, stale

    def found(self):
        """Ids of what is found for each phrase; every hit must show it."""
        out = []
        for phrase in PHRASES:
            reply = json.loads(self("search", f'"{phrase}"', "--json", "--limit", "10000"))
            ids = sorted(hit["event_id"] for hit in reply["hits"])
            for hit in reply["hits"]:
                if phrase.lower() not in hit["snippet"].lower() or hit["stale"]:
                    raise Fault(f"{phrase}: {hit}")
            if reply["partial"] or reply["total"] != len(ids) or len(set(ids)) != len(ids):
                raise Fault(f"{phrase}: {reply['total']} and {len(ids)} hits, {len(set(ids))} events")
            out.append(ids)
        return out


class Fault(Exception):
    """The program did not keep a promise."""


def whole_lines(path: Path) -> bytes:
    data = path.read_bytes()
    return data if path.suffix == ".json" else data[:data.rfind(b"\n") + 1]


def sources(home: Path):
    found = [*home.glob(".claude/**/*.jsonl"), *home.glob(".codex/**/*.jsonl"),
             *home.glob(".gemini/**/*.json")]
    return {str(path): whole_lines(path) for path in found}


def copies(data: Path):
    """The newest edition of every source, unpacked by zstd itself, and what could not be."""
    newest, broken = {}, []
    for path in sorted((data / "taffrail/archive").glob("*/*.tfa")):
        packed = path.read_bytes()
        done = subprocess.run(["zstd", "-dcq"], input=packed, capture_output=True)
        if done.returncode != 0 or packed[:4] != b"\x50\x2a\x4d\x18":
            broken.append(f"{path.name}: {len(packed)} bytes, {done.stderr.decode().strip()}")
            continue
        label = json.loads(packed[24:8 + int.from_bytes(packed[4:8], "little")])
        place = f"{label['home']}/{label['path']}" + ("#" + label["key"] if label["key"] else "")
        edition = int(path.name.split(".")[1])
        newest[place] = max(newest.get(place, (0, b"")), (edition, done.stdout))
    return {place: data for place, (_, data) in newest.items()}, broken


def check_same(what, got, wanted):
    if got == wanted:
        return
    at = next((at for at, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    show = lambda it: str(it[at])[:300] if at < len(it) else "(nothing)"
    raise Fault(f"{what}: {len(got)} for {len(wanted)}, from {at} on: {show(got)} for {show(wanted)}")


class Bench:
    """Everything that stays the same between two cuts."""

    def __init__(self, options, work: Path):
        self.options, self.work = options, work
        self.home, self.folder = work / "home", work / "disk"
        self.pristine, self.clean = work / "pristine", work / "clean"
        self.base, self.image, self.copy = (work / f"{it}.img" for it in ["base", "disk", "copy"])
        self.boot = work / "boot_id"
        self.program = Program(options.program, self.home, self.folder)
        self.workload = None

    def prepare(self):
        """A history, and a disk on which taffrail ran once with none."""
        for folder in [self.home, self.folder]:
            folder.mkdir()
        disk.make(self.base, IMAGE_MB)
        with disk.Mounted(self.base, self.folder):
            self.program("index")
            shutil.copytree(self.folder / "taffrail", self.work / "blank")
        Corpus(self.pristine, self.options.seed).write(self.options.megabytes)

    def restore(self):
        shutil.rmtree(self.home)
        shutil.copytree(self.pristine, self.home)
        shutil.copyfile(self.base, self.image)

    def first_index_seconds(self) -> float:
        self.restore()
        with disk.Mounted(self.image, self.folder):
            began = time.monotonic()
            self.program("index")
            return time.monotonic() - began

    def start(self, seed: int):
        """Reads everything, then appends, reads and asks without end; in a group of its own."""
        me = [sys.executable, __file__, "--workload", self.home, "--seed", str(seed),
              "--program", self.options.program]
        return subprocess.Popen([str(it) for it in me], env=self.program.environment(),
                                start_new_session=True, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)

    def stop(self):
        if self.workload is None:
            return
        try:
            os.killpg(self.workload.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.workload.wait()
        self.workload = None

    def cut(self, seed: int, delay: float) -> int:
        """Lets it work for so long, takes what the disk then holds, and ends it."""
        self.restore()
        with disk.Mounted(self.image, self.folder) as mounted:
            self.workload = self.start(seed)
            try:
                time.sleep(delay)
                os.killpg(self.workload.pid, signal.SIGSTOP)
                tries = mounted.cut(self.copy)
            finally:
                self.stop()
        self.boot.write_text(f"{random.Random(seed).getrandbits(128):032x}\n")
        return tries

    def wanted(self):
        """What a run that nobody disturbs knows of the same files."""
        shutil.rmtree(self.clean, ignore_errors=True)
        self.clean.mkdir()
        shutil.copytree(self.work / "blank", self.clean / "taffrail")
        program = Program(self.options.program, self.home, self.clean)
        program("index")
        agents = {session["agent"] for session in program.sessions()}
        if len(agents) != len(AGENTS):
            raise RuntimeError(f"only {agents} are read")
        return program.view()[0], program.found(), copies(self.clean)[0]

    def left(self) -> str:
        """What the cut left, for people to see."""
        data = self.folder / "taffrail"
        kept, broken = copies(self.folder)
        size = sum(it.stat().st_size for it in data.glob("index.db*"))
        search = "search" if (data / "search/meta.json").exists() else "no search"
        return f"index {size >> 10} KiB, {search}, {len(kept)} copies, {len(broken)} broken"

    def check(self) -> str:
        """Goes on after the cut, and compares."""
        view, found, rows = self.wanted()
        with disk.Mounted(self.copy, self.folder):
            left = self.left()
            try:
                self.compare(Program(self.options.program, self.home, self.folder, self.boot),
                             (view, found, rows))
            except Fault:
                print(f"  left by the cut: {left}")
                raise
        return left

    def compare(self, program, wanted):
        view, found, rows = wanted
        program("index")
        got, stale = program.view()
        check_same("view", got, view)
        if stale:
            raise Fault(f"{stale} events from memory")
        check_same("found", program.found(), found)
        kept, broken = copies(self.folder)
        files = sources(self.home) | {place: it for place, it in rows.items() if "#" in place}
        wrong = [place for place, it in files.items() if kept.get(place) != it]
        if wrong:
            lengths = [(place, len(kept.get(place, b"")), len(files[place])) for place in wrong]
            raise Fault(f"{len(wrong)} of {len(files)} copies are not their source: {lengths[:3]}; "
                        f"broken: {broken[:3]}")
        if json.loads(program("index", "--json"))["bytes_read"] != 0:
            raise Fault("a second run has something to read")
        for agent in AGENTS:
            shutil.rmtree(self.home / agent)
        program("index")
        got, stale = program.view()
        check_same("view from the archive", got, view)
        if stale:
            raise Fault(f"{stale} events from memory without their files")
        check_same("found in the archive", program.found(), found)


def work_on(options) -> None:
    """The workload: one read of all, then small steps until it is killed."""
    corpus = Corpus(options.workload, options.seed)
    corpus.time = 200_000
    program = [str(options.program)]
    subprocess.run([*program, "index"])
    while True:
        corpus.append()
        command = corpus.chance.choice([["index"], ["index"], ["search", "walrus"], ["rebuild", "--yes"]])
        subprocess.run([*program, *command])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this cut alone")
    parser.add_argument("--megabytes", type=float, default=8)
    root = Path(__file__).resolve().parents[2]
    parser.add_argument("--program", type=Path, default=root / "target/release/taffrail")
    parser.add_argument("--workload", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.workload:
        work_on(options)
        return 0
    if os.geteuid() != 0:
        print("this needs root: it mounts file systems on loop devices", file=sys.stderr)
        return 2
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or not options.program.exists():
        print(f"missing: {missing or options.program}", file=sys.stderr)
        return 2
    # A signal must not leave anything mounted.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work = Path(tempfile.mkdtemp(prefix="powercut-"))
    try:
        return cuts(options, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def cuts(options, work: Path) -> int:
    if not disk.loses_what_is_not_synced(work):
        print("a copy of the image is no power cut here: it holds what was not synced", file=sys.stderr)
        return 2
    bench = Bench(options, work)
    bench.prepare()
    first = bench.first_index_seconds()
    print(f"unsynced data is not in a copy; a first run takes {first:.2f} s")
    failed, numbers = 0, range(options.cuts) if options.only is None else [options.only]
    for number in numbers:
        seed = options.seed * 1_000_003 + number
        # Half of the cuts fall into the first run, the others into the small steps after it.
        reach = first if number % 2 == 0 else 9.0
        delay = random.Random(seed).uniform(0.0, reach) + (0 if number % 2 == 0 else first)
        tries = bench.cut(seed, delay)
        try:
            told = "good: " + bench.check()
        except Fault as fault:
            failed += 1
            told = f"BAD: {fault}"
        print(f"cut {number} after {delay:.2f} s ({tries} copies): {told}", flush=True)
    print(f"{len(numbers) - failed} of {len(numbers)} cuts good, seed {options.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
