"""THIRD-PARTY-LICENSES: the licence of everything in the program that is not ours, each text once."""
import re

import crates
import pages

FILE = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)([-._].*)?", re.I)
# Source code may be called license.rs.
NOT_TEXT = (".rs", ".toml", ".json", ".html", ".py", ".yml", ".yaml")
# musl and the standard library of Rust are linked, too, and neither is a crate of the lock file.
MUSL = "Copyright (c) 2005-2020 Rich Felker, et al."
RUST = "Copyright (c) The Rust Project Contributors"

HEAD = """Taffrail is licensed under Apache-2.0 or MIT, as you prefer. It contains the work of others, under the licences below.
Each text appears once, after the list of packages that it belongs to.
"""


def third_party(root, target):
    """The whole document for one target."""
    owners = {}

    def add(owner, text):
        text = "\n".join(it.rstrip() for it in text.strip().splitlines())
        # Texts that differ in spaces and punctuation only are one.
        owners.setdefault(re.sub(r"\W+", " ", text).casefold(), (text, set()))[1].add(owner)

    for crate in crates.linked(root, target):
        if crate.checksum:
            for text in texts_of(crate, root):
                add(f"{crate.name} {crate.version} ({crate.license})", text)
    bundled = pages.bundled(root)
    known = pages.texts(bundled)
    for package in bundled:
        add(f"{package.name} {package.version} ({package.license}), in the web pages", known[package.name])
    add("The standard library of Rust (MIT OR Apache-2.0)", mit(root, RUST))
    if target.endswith("-musl"):
        add("musl (MIT)", mit(root, MUSL))
    parts = sorted((sorted(names), text) for text, names in owners.values())
    return "\n".join([HEAD, *(section(names, text) for names, text in parts)])


def section(names, text):
    line = "=" * 80
    return "\n".join([line, *names, line, "", text, ""])


def texts_of(crate, root):
    """The texts in the crate's folder and in that of C code it brings. Some crates come without a text: the licence
    is then the one that their Cargo.toml names, and the authors are those it names."""
    found = [it for pattern in ("*", "*/*", "*/*/*") for it in sorted(crate.folder.glob(pattern)) if is_text(it)]
    if found:
        return [it.read_text(errors="replace") for it in found]
    if "MIT" in re.findall(r"[\w.-]+", crate.license):
        return [mit(root, f"Copyright (c) {', '.join(crate.authors) or f'the authors of {crate.name}'}")]
    if "Apache-2.0" in crate.license:
        return [(root / "LICENSE-APACHE").read_text()]
    raise SystemExit(f"{crate.name} {crate.version} ({crate.license}) has no licence text.")


def is_text(path):
    return path.is_file() and FILE.fullmatch(path.name) is not None and path.suffix not in NOT_TEXT


def mit(root, copyright_line):
    """The MIT licence with another copyright line than ours."""
    return "MIT License\n\n" + copyright_line + "\n\n" + (root / "LICENSE-MIT").read_text().split("\n\n", 2)[2]
