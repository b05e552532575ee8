"""The tarball of a target, as packaging/README.md describes it."""
import hashlib

import archive
from archive import File

COMPLETIONS = {"bash": "completions/taffrail.bash", "zsh": "completions/_taffrail", "fish": "completions/taffrail.fish"}


def make(it, target, program, contents, documents):
    """Writes taffrail-VERSION-TARGET.tar.gz."""
    files = [File("taffrail", program, 0o755)]
    files += [File(COMPLETIONS[shell], script) for shell, script in contents.completions.items()]
    files += [File(f"man/{name}", page) for name, page in contents.pages.items()]
    plugin = [File(f"plugin/{path}", data) for path, data in contents.plugin.items()]
    sums = "".join(f"{hashlib.sha256(file.data).hexdigest()}  {file.path}\n" for file in sorted(files, key=lambda one: one.path))
    files += [File(name, text) for name, text in documents.items()]
    files += plugin
    files += [File("install.sh", (it.root / "packaging/install.sh").read_bytes(), 0o755), File("SHA256SUMS", sums.encode())]
    name = f"taffrail-{it.version}-{target.triple}"
    files = [File(f"{name}/{file.path}", file.data, file.mode) for file in files]
    (it.out / f"{name}.tar.gz").write_bytes(archive.gz(archive.tar(files, it.epoch), it.level))
