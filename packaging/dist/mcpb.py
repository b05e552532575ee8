"""The MCPB bundle: a zip archive with the program and a manifest, which desktop clients of MCP install."""
import json

from archive import File
from wheel import zipped


def make(it, target, program, documents):
    """Writes taffrail-VERSION-TARGET.mcpb."""
    manifest = json.loads((it.root / "packaging/mcpb.json").read_text())
    manifest["version"] = it.version
    manifest["compatibility"] = {"platforms": [target.os]}
    files = [File("manifest.json", (json.dumps(manifest, indent=2) + "\n").encode())]
    files.append(File("server/taffrail", program, 0o755))
    files += [File(name, documents[name]) for name in ("LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt")]
    (it.out / f"taffrail-{it.version}-{target.triple}.mcpb").write_bytes(zipped(it, files))
