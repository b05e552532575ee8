#!/usr/bin/env python3
"""Packs programs that are already built. `cargo xtask dist` calls it:

    make.py --out FOLDER --version VERSION --epoch SECONDS --program TARGET=FILE [--program ...] [--fast]

In Python, because packages are archives, archives are bytes, and Python's standard library writes all of them but one:
tar, gzip, xz and zip. In Rust each would be a dependency more in Cargo.lock. Nothing here comes from the network, and
two runs with the same input write the same bytes."""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import shutil

import contents
import deb
import licenses
import mcpb
import npm
import rpm
import sbom
import tarball
import wheel
from release import TARGETS, Release

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENTS = ("CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md")


def arguments():
    parser = argparse.ArgumentParser(description="Packs programs that are already built.")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--epoch", type=int, required=True, help="the date of the commit, in seconds")
    parser.add_argument("--program", action="append", required=True, metavar="TARGET=FILE")
    parser.add_argument("--fast", action="store_true", help="do not compress, for tests")
    return parser.parse_args()


def pack(it, target, program, printed, documents):
    """Every package of one target, at the same time: compression is slow, and runs outside of Python's lock."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = [
            pool.submit(tarball.make, it, target, program, printed, documents),
            pool.submit(wheel.make, it, target, program, documents),
            pool.submit(mcpb.make, it, target, program, documents),
            pool.submit(npm.make_platform, it, target, program, documents),
        ]
        if target.deb:
            jobs.append(pool.submit(deb.make, it, target, program, printed, documents))
        made = target.rpm and pool.submit(rpm.make, it, target, program, printed, documents)
        for job in jobs:
            job.result()
    if made and not made.result():
        print(f"left out: the RPM for {target.rpm}; rpmbuild is not installed (Debian: apt install rpm)")


def main():
    # The modes of what is written do not depend on the caller's.
    os.umask(0o022)
    given = arguments()
    programs = dict(entry.split("=", 1) for entry in given.program)
    it = Release(ROOT, given.out.resolve(), given.version, given.epoch, given.fast)
    shutil.rmtree(it.out, ignore_errors=True)
    it.out.mkdir(parents=True)
    printed = contents.printed_by([pathlib.Path(file).resolve() for file in programs.values()])
    documents = {name: (ROOT / name).read_bytes() for name in DOCUMENTS}
    documents["taffrail.cdx.json"] = sbom.document(it)
    for triple, file in programs.items():
        documents["THIRD-PARTY-LICENSES.txt"] = licenses.third_party(ROOT, triple).encode()
        pack(it, TARGETS[triple], pathlib.Path(file).read_bytes(), printed, documents)
    npm.make_main(it, documents)
    (it.out / f"taffrail-{it.version}.cdx.json").write_bytes(documents["taffrail.cdx.json"])
    files = sorted(path for path in it.out.iterdir() if path.is_file())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (it.out / "SHA256SUMS").write_text("".join(sums))
    for path in files:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")


if __name__ == "__main__":
    main()
