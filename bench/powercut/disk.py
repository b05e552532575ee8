"""A disk in a file, and what is left of it when the power goes."""

import os
import subprocess
import time
from pathlib import Path

# A copy is a moment only if nothing was written meanwhile.
COPIES = 50


def run(*command, **more):
    """A command that must not fail."""
    done = subprocess.run([str(it) for it in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def make(image: Path, megabytes: int) -> None:
    """An empty file system in a new file."""
    with image.open("wb") as out:
        out.truncate(megabytes * 1024 * 1024)
    run("mkfs.ext4", "-q", "-F", image)


class Mounted:
    """An image on a loop device of its own, mounted; always taken down again."""

    def __init__(self, image: Path, folder: Path):
        self.image, self.folder = image, folder
        self.device = None
        self.is_mounted = False

    def __enter__(self):
        self.device = run("losetup", "--find", "--show", self.image).strip()
        try:
            run("mount", "-t", "ext4", self.device, self.folder)
        except RuntimeError:
            self.__exit__()
            raise
        self.is_mounted = True
        return self

    def __exit__(self, *_):
        if self.is_mounted:
            for _ in range(50):
                if subprocess.run(["umount", self.folder], capture_output=True).returncode == 0:
                    self.is_mounted = False
                    break
                time.sleep(0.1)
        if self.device:
            subprocess.run(["losetup", "-d", self.device], capture_output=True)
            self.device = None

    def cut(self, copy: Path) -> int:
        """What the disk holds now: everything it was given, and nothing that waits in memory.
        Gives how many copies it took until none was disturbed by a write."""
        for number in range(1, COPIES + 1):
            before = self._writes()
            run("cp", "--sparse=always", self.image, copy)
            if self._writes() == before and before[1] == 0:
                return number
        raise RuntimeError("the disk never rests")

    def _writes(self):
        """Sectors written so far, and requests under way."""
        stat = Path(f"/sys/block/{os.path.basename(self.device)}/stat").read_text().split()
        return int(stat[6]), int(stat[8])


def loses_what_is_not_synced(work: Path) -> bool:
    """The premise: what was written and not synced is not in a copy of the image; the rest is."""
    image, copy, folder = work / "premise.img", work / "premise-copy.img", work / "premise"
    folder.mkdir()
    make(image, 64)
    with Mounted(image, folder) as disk:
        synced, waiting = folder / "synced", folder / "waiting"
        with synced.open("wb") as out:
            out.write(b"x" * 100_000)
            out.flush()
            os.fsync(out.fileno())
        waiting.write_bytes(b"y" * 100_000)
        disk.cut(copy)
    with Mounted(copy, folder):
        kept = synced.read_bytes() == b"x" * 100_000
        lost = not waiting.exists() or waiting.read_bytes() != b"y" * 100_000
    image.unlink()
    copy.unlink()
    return kept and lost
