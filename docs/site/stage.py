"""Brings the pages of the site together: stage.py REPOSITORY FOLDER

Copies docs/ and the pages of the root, changes links that lead out of them to the forge, and writes the page of HTTP
operations, the conformance kit as one archive, and llms.txt, an index of the pages with one line each.
"""
import gzip
import io
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import tarfile

root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FORGE = "https://github.com/taffrail/taffrail"
# A page of the repository, and where it is in the site.
PAGES = {"README.md": "index.md"}
for name in ("ARCHITECTURE", "CHANGELOG", "CODE_OF_CONDUCT", "CONTRIBUTING", "GLOSSARY", "GOVERNANCE", "ROADMAP", "SECURITY", "STYLE"):
    PAGES[f"{name}.md"] = f"project/{name.lower()}.md"
for page in sorted((root / "docs").glob("*.md")):
    PAGES[f"docs/{page.name}"] = page.name
PAGES["docs/conformance/README.md"] = "conformance/README.md"
FILES = {"web/openapi.json": "openapi.json"}
for file in sorted((root / "docs").rglob("*")):
    if file.suffix in (".svg", ".png", ".cast"):
        FILES[file.relative_to(root).as_posix()] = file.relative_to(root / "docs").as_posix()
PLACES = PAGES | FILES

LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?((?:\s[^)]*)?\))")


def relinked(source, text):
    """The page with links that work at its new place."""
    here = posixpath.dirname(PAGES[source])

    def change(match):
        opening, target, anchor, closing = match.groups()
        if ":" in target:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if path in PLACES:
            new = posixpath.relpath(PLACES[path], here or ".")
        elif (root / path).exists():
            new = f"{FORGE}/{'tree' if (root / path).is_dir() else 'blob'}/main/{path}"
        else:
            sys.exit(f"site: {source} links to {target}, which is not there")
        return f"{opening}{new}{anchor or ''}{closing}"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else LINK.sub(change, part) for part in parts)


def kit(folder):
    """The conformance kit as one archive, the same bytes from the same files."""
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        for path in sorted(it for it in folder.rglob("*") if it.is_file()):
            entry = tarfile.TarInfo(f"conformance/{path.relative_to(folder).as_posix()}")
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)
    return gzip.compress(tarred.getvalue(), mtime=0)


def navigation():
    """The groups of mkdocs.yml: their titles, and the title and path of each page."""
    text = (root / "mkdocs.yml").read_text()
    groups = []
    for line in text[text.index("\nnav:") :].splitlines():
        if one := re.fullmatch(r"  - ([^:]+):", line):
            groups.append([one[1], []])
        elif one := re.fullmatch(r"      - ([^:]+): (\S+\.md)", line):
            groups[-1][1].append((one[1], one[2]))
    return groups


def first_sentence(text):
    """The first sentence of a page's prose."""
    paragraphs = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S).split("\n\n")
    prose = [it for it in paragraphs if re.match(r"\s*(?:\*\*)?[A-Z`\[]", it)]
    if not prose:
        return ""
    flat = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(prose[0].split())).replace("**", "")
    return re.split(r"(?<=[.:?])\s+(?=[A-Z`]|$)", flat)[0].rstrip(":")


def described():
    """What the table at the end of README.md says of a page."""
    out = {}
    for row in re.findall(r"^\| (\[.*) \| ([^|]+) \|$", (root / "README.md").read_text(), re.M):
        for target in re.findall(r"\]\(([^)]+)\)", row[0]):
            out[PLACES.get(target)] = row[1]
    return out


def index(pages):
    """llms.txt: what Taffrail is, then each page with what README.md says of it, or with its first sentence."""
    site = re.search(r"^site_url: (\S+)$", (root / "mkdocs.yml").read_text(), re.M)[1]
    lines = ["# Taffrail", "", f"> {first_sentence(pages['index.md'])}"]
    known = described()
    for title, entries in navigation():
        lines += ["", f"## {title}", ""]
        for name, path in entries:
            address = site + re.sub(r"(?:(^|/)(?:index|README))?\.md$", r"\1", path)
            address += "" if address.endswith("/") else "/"
            says = known.get(path) or first_sentence(pages[path])
            lines.append(f"- [{name}]({address})" + (f": {says}" if says else ""))
    return "\n".join(lines) + "\n"


shutil.rmtree(out, ignore_errors=True)
pages = {place: relinked(source, (root / source).read_text()) for source, place in PAGES.items()}
pages["conformance/README.md"] += "\nAll documents in one archive: [conformance.tar.gz](conformance.tar.gz).\n"
command = [sys.executable, root / "docs/site/openapi.py", root / "web/openapi.json"]
pages["http.md"] = subprocess.run(command, capture_output=True, text=True, check=True).stdout
for place, text in pages.items():
    (out / place).parent.mkdir(parents=True, exist_ok=True)
    (out / place).write_text(text)
for source, place in FILES.items():
    (out / place).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / source, out / place)
(out / "conformance/conformance.tar.gz").write_bytes(kit(root / "docs/conformance"))
(out / "llms.txt").write_text(index(pages))
