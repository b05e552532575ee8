"""The Debian package: an ar archive of a version, a control tarball and a data tarball. It has no scripts."""
import hashlib
import lzma
import textwrap
import time

import archive
import release
import system
from archive import File

COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: taffrail
Source: {homepage}
Comment: THIRD-PARTY-LICENSES.gz has the licences of the crates and npm packages in the program.

Files: *
Copyright: {owner}
License: Apache-2.0 or Expat

License: Apache-2.0
 On Debian systems, /usr/share/common-licenses/Apache-2.0 has the full text.

License: Expat
{expat}
"""

# The program is static on purpose, so that one package fits every release of Debian and Ubuntu. `taffrail upgrade`
# looks into dpkg's folder to learn whether a package brought the program.
OVERRIDES = """taffrail: statically-linked-binary [usr/bin/taffrail]
taffrail: uses-dpkg-database-directly [usr/bin/taffrail]
"""


def make(it, target, program, contents, documents):
    """Writes taffrail_VERSION_ARCHITECTURE.deb."""
    files = system.files("deb", program, contents, documents)
    files += [
        File("usr/share/doc/taffrail/copyright", copyright_of(documents["LICENSE-MIT"].decode())),
        File("usr/share/doc/taffrail/changelog.gz", archive.gz(changelog(it))),
        File("usr/share/lintian/overrides/taffrail", OVERRIDES.encode()),
    ]
    sums = "".join(f"{hashlib.md5(file.data).hexdigest()}  {file.path}\n" for file in sorted(files, key=lambda one: one.path))
    about = [File("control", control(it, target, files)), File("md5sums", sums.encode())]
    data = archive.tar(files, it.epoch, prefix="./")
    packed = ("data.tar.gz", archive.gz(data, it.level)) if it.fast else ("data.tar.xz", lzma.compress(data, preset=6))
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", archive.gz(archive.tar(about, it.epoch, prefix="./"))),
        packed,
    ]
    (it.out / f"taffrail_{it.tilde_version}_{target.deb}.deb").write_bytes(archive.ar(members, it.epoch))


def control(it, target, files):
    """The fields of the package. It depends on nothing: the program is static."""
    size = sum(-(-len(file.data) // 1024) for file in files) + len(archive.folders(files))
    fields = {
        "Package": release.NAME,
        "Version": it.tilde_version,
        "Architecture": target.deb,
        "Maintainer": release.MAINTAINER,
        "Installed-Size": size,
        "Suggests": "libnotify-bin, tmux",
        "Section": "devel",
        "Priority": "optional",
        "Homepage": release.HOMEPAGE,
        "Description": release.SUMMARY[0].lower() + release.SUMMARY[1:] + "\n" + textwrap.indent(textwrap.fill(release.DESCRIPTION, 78), " "),
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items()).encode()


def copyright_of(mit):
    """The copyright file, which holds our MIT licence in Debian's form."""
    _, owner, text = mit.split("\n\n", 2)
    expat = textwrap.indent(text.strip().replace("\n\n", "\n.\n"), " ", lambda _: True)
    return COPYRIGHT.format(homepage=release.HOMEPAGE, owner=owner.removeprefix("Copyright (c) "), expat=expat).encode()


def changelog(it):
    """Debian's own form, which names the version and points to the real one."""
    day = time.strftime("%a, %d %b %Y %H:%M:%S +0000", it.date)
    return (
        f"taffrail ({it.tilde_version}) unstable; urgency=medium\n\n"
        f"  * Release {it.version}. CHANGELOG.md.gz lists the changes.\n\n -- {release.MAINTAINER}  {day}\n"
    ).encode()
