"""Fails if a built page loads anything from another host, or from a file that is not there: loads.py FOLDER

Links that a reader follows may lead anywhere.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

site = pathlib.Path(sys.argv[1])
SOURCES = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("embed", "src"), ("object", "data"), ("form", "action")}
# Relations of <link> that name an address and load nothing.
NAMES = {"canonical", "next", "prev", "alternate", "edit"}
faults = []


class Page(html.parser.HTMLParser):
    """The addresses that a browser loads with a page."""

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for name, value in attributes:
            if (tag, name) in SOURCES:
                check(self.path, value)
        if tag == "link" and not set((values.get("rel") or "").split()) <= NAMES:
            check(self.path, values.get("href"))


def check(page, address):
    """An address is relative, and its file is there."""
    parts = urllib.parse.urlsplit(address or "")
    if parts.scheme == "data":
        return
    if parts.scheme or parts.netloc:
        faults.append(f"{page}: loads {address}")
    elif parts.path:
        path = urllib.parse.unquote(parts.path)
        base = site if path.startswith("/") else page.parent
        # The page of errors has addresses from the root of the host.
        if page.name != "404.html" and not (base / path.lstrip("/")).exists():
            faults.append(f"{page}: {address} is not there")


for path in sorted(site.rglob("*.html")):
    parser = Page()
    parser.path = path
    parser.feed(path.read_text())
for path in sorted(site.rglob("*.css")):
    for address in re.findall(r"(?:url\(|@import\s+)[\"']?(?:https?:)?//[^\"')\s]+", path.read_text()):
        faults.append(f"{path}: loads {address}")
for fault in faults:
    print(f"site: {fault}")
sys.exit(1 if faults else 0)
