"""The crates that are compiled into the program, as cargo knows them."""
import dataclasses
import json
import pathlib
import re
import subprocess
import tomllib


@dataclasses.dataclass(frozen=True)
class Crate:
    """One crate; `checksum` is None for our own."""

    name: str
    version: str
    license: str
    authors: tuple
    folder: pathlib.Path
    checksum: str | None
    needs: tuple

    @property
    def purl(self):
        return f"pkg:cargo/{self.name}@{self.version}"


def linked(root, target=None):
    """The crates that package taffrail needs to build and run, on one target or on all of them."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    command += ["--filter-platform", target] if target else []
    metadata = json.loads(subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True).stdout)
    packages = {it["id"]: it for it in metadata["packages"]}
    nodes = {it["id"]: needs(it) for it in metadata["resolve"]["nodes"]}
    checksums = {(it["name"], it["version"]): it.get("checksum") for it in lock(root)}
    found, open_ids = set(), [it for it in packages if packages[it]["name"] == "taffrail"]
    while open_ids:
        one = open_ids.pop()
        if one not in found:
            found.add(one)
            open_ids += nodes[one]
    crates = [crate(packages[it], checksums, [packages[need] for need in nodes[it]]) for it in found]
    return sorted(crates, key=lambda it: (it.name, it.version))


def needs(node):
    """The dependencies of a crate, without those of its tests."""
    return [it["pkg"] for it in node["deps"] if any(kind["kind"] != "dev" for kind in it["dep_kinds"])]


def lock(root):
    return tomllib.loads((root / "Cargo.lock").read_text())["package"]


def crate(package, checksums, needed):
    """One crate; an old licence field separates alternatives by slashes."""
    return Crate(
        name=package["name"],
        version=package["version"],
        license=re.sub(r"\s*/\s*", " OR ", package["license"] or ""),
        authors=tuple(re.sub(r"\s*<[^>]*>", "", it) for it in package["authors"]),
        folder=pathlib.Path(package["manifest_path"]).parent,
        checksum=checksums.get((package["name"], package["version"])),
        needs=tuple(sorted({f"pkg:cargo/{it['name']}@{it['version']}" for it in needed})),
    )
