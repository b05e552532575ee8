"""The files below /usr that a Debian package and an RPM share."""
from archive import File, gz

# Where each distribution's zsh looks.
ZSH = {"deb": "usr/share/zsh/vendor-completions/_taffrail", "rpm": "usr/share/zsh/site-functions/_taffrail"}


def files(kind, program, contents, documents):
    """Program, completions, manual pages, user unit, plugin folder, licences of others and the SBOM."""
    shells = contents.completions
    out = [
        File("usr/bin/taffrail", program, 0o755),
        File("usr/share/bash-completion/completions/taffrail", shells["bash"]),
        File(ZSH[kind], shells["zsh"]),
        File("usr/share/fish/vendor_completions.d/taffrail.fish", shells["fish"]),
        File("usr/lib/systemd/user/taffrail.service", contents.unit),
        File("usr/share/doc/taffrail/README.md", documents["README.md"]),
        File("usr/share/doc/taffrail/CHANGELOG.md.gz", gz(documents["CHANGELOG.md"])),
        File("usr/share/doc/taffrail/THIRD-PARTY-LICENSES.gz", gz(documents["THIRD-PARTY-LICENSES.txt"])),
        File("usr/share/doc/taffrail/taffrail.cdx.json.gz", gz(documents["taffrail.cdx.json"])),
    ]
    out += [File(f"usr/share/taffrail/plugin/{path}", data) for path, data in contents.plugin.items()]
    return out + [File(f"usr/share/man/man1/{name}.gz", gz(page)) for name, page in contents.pages.items()]
