"""What every package shares: the release, and the names that each package format has for a target."""
import dataclasses
import pathlib
import re
import time

NAME = "taffrail"
SUMMARY = "See every coding-agent session on your machines"
DESCRIPTION = (
    "Taffrail shows every coding-agent session on your machines, whoever started it: which one waits on you, what each "
    "did, and all of its history, searchable. It is one local program with a terminal board, a command line, a daemon and "
    "a web dashboard. It reads the files that agents already write, and needs no account and no wrapper around them."
)
HOMEPAGE = "https://github.com/taffrail/taffrail"
LICENSE = "Apache-2.0 OR MIT"
MAINTAINER = "The Taffrail maintainers <taffrail@users.noreply.github.com>"


@dataclasses.dataclass(frozen=True)
class Target:
    """One target of rustc. `deb` and `rpm` are architectures of Linux distributions, and None elsewhere."""

    triple: str
    os: str
    cpu: str
    wheel: str
    deb: str | None = None
    rpm: str | None = None


# The program is static on Linux, so one wheel serves glibc and musl.
TARGETS = {
    it.triple: it
    for it in (
        Target("x86_64-unknown-linux-musl", "linux", "x64", "manylinux2014_x86_64.musllinux_1_1_x86_64", "amd64", "x86_64"),
        Target("aarch64-unknown-linux-musl", "linux", "arm64", "manylinux2014_aarch64.musllinux_1_1_aarch64", "arm64", "aarch64"),
        Target("x86_64-apple-darwin", "darwin", "x64", "macosx_10_12_x86_64"),
        Target("aarch64-apple-darwin", "darwin", "arm64", "macosx_11_0_arm64"),
    )
}


@dataclasses.dataclass(frozen=True)
class Release:
    """The version, the date of its commit in seconds, and the folders to read from and to write to."""

    root: pathlib.Path
    out: pathlib.Path
    version: str
    epoch: int
    fast: bool

    @property
    def level(self):
        """How hard gzip tries."""
        return 0 if self.fast else 9

    @property
    def tilde_version(self):
        """As Debian and RPM write it: `~` sorts before the end, so 1.0.0~rc.1 is older than 1.0.0."""
        return self.version.replace("-", "~")

    @property
    def python_version(self):
        """As Python writes it: 1.0.0-rc.1 is 1.0.0rc1."""
        return re.sub(r"-(alpha|beta|rc)\.?(\d+)$", lambda it: {"alpha": "a", "beta": "b", "rc": "rc"}[it[1]] + it[2], self.version)

    @property
    def date(self):
        """The date of the commit, in UTC."""
        return time.gmtime(self.epoch)
