"""The npm packages that the web pages are built from: the dependencies, not the devDependencies, of web/package.json.

    pages.py    writes web-licenses.json from web/node_modules, after `npm install` in web/

The texts are in the repository, because packaging must not depend on what npm downloads."""
import base64
import dataclasses
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
TEXTS = HERE / "web-licenses.json"


@dataclasses.dataclass(frozen=True)
class Package:
    """One npm package."""

    name: str
    version: str
    license: str
    sha512: str
    needs: tuple
    purl: str
    path: str


def bundled(root):
    """Every package that the lock file does not mark as one for development."""
    entries = json.loads((root / "web/package-lock.json").read_text())["packages"]
    entries = {path: it for path, it in entries.items() if path and not it.get("dev")}

    def purl(path):
        name = path.rpartition("node_modules/")[2]
        return f"pkg:npm/{name.replace('@', '%40')}@{entries[path]['version']}"

    def need(path, name):
        """Where node finds a package: in the nearest node_modules, from the inside out."""
        while path and f"{path}/node_modules/{name}" not in entries:
            path = path.rpartition("node_modules/")[0].rstrip("/")
        return f"{path}/node_modules/{name}".lstrip("/")

    def package(path):
        entry = entries[path]
        digest = base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
        needs = tuple(sorted(purl(need(path, it)) for it in entry.get("dependencies", {})))
        return Package(path.rpartition("node_modules/")[2], entry["version"], entry["license"], digest, needs, purl(path), path)

    return sorted((package(path) for path in entries), key=lambda it: (it.name, it.version))


def texts(packages):
    """The licence of each package, from the repository."""
    known = json.loads(TEXTS.read_text())
    missing = [it.name for it in packages if it.name not in known]
    if missing:
        raise SystemExit(f"web-licenses.json lacks {', '.join(missing)}. Run: npm install in web/, then packaging/dist/pages.py")
    return {it.name: known[it.name] for it in packages}


def collect(root):
    """The licences of the installed packages. A package without a file gets the text that its package.json names."""
    mit = (root / "LICENSE-MIT").read_text().split("\n\n", 2)[2]
    out = {}
    for package in bundled(root):
        folder = root / "web" / package.path
        files = sorted(it for it in folder.iterdir() if re.match(r"licen[cs]e", it.name, re.I))
        if files:
            out[package.name] = files[0].read_text().strip() + "\n"
        else:
            assert package.license == "MIT", package
            author = json.loads((folder / "package.json").read_text())["author"]
            author = author if isinstance(author, str) else author["name"]
            out[package.name] = f"MIT License\n\nCopyright (c) {re.sub(r' *<.*', '', author)}\n\n{mit}"
    return out


if __name__ == "__main__":
    TEXTS.write_text(json.dumps(collect(HERE.parent.parent), indent=1, ensure_ascii=False) + "\n")
