"""Archives whose bytes depend on their contents only: sorted, owned by root, and dated by the commit."""
import dataclasses
import gzip
import io
import tarfile


@dataclasses.dataclass(frozen=True)
class File:
    """A file of a package, by its path below the package's root."""

    path: str
    data: bytes
    mode: int = 0o644


def folders(files):
    """Every folder that the files need, parents first."""
    out = set()
    for file in files:
        parts = file.path.split("/")[:-1]
        out.update("/".join(parts[: at + 1]) for at in range(len(parts)))
    return sorted(out)


def tar(files, epoch, prefix="", with_folders=True):
    """The bytes of a tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:

        def entry(path, mode):
            info = tarfile.TarInfo(prefix + path)
            info.mtime, info.mode, info.uname, info.gname = epoch, mode, "root", "root"
            return info

        for path in folders(files) if with_folders else []:
            info = entry(path, 0o755)
            info.type = tarfile.DIRTYPE
            archive.addfile(info)
        for file in sorted(files, key=lambda it: it.path):
            info = entry(file.path, file.mode)
            info.size = len(file.data)
            archive.addfile(info, io.BytesIO(file.data))
    return out.getvalue()


def gz(data, level=9):
    """Compressed by gzip, without a time and a name in the header."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=level, fileobj=out, mtime=0) as stream:
        stream.write(data)
    return out.getvalue()


def ar(members, epoch):
    """The bytes of an ar archive, which is what a Debian package is."""
    out = [b"!<arch>\n"]
    for name, data in members:
        out.append(f"{name:<16}{epoch:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode())
        out.append(data + b"\n" * (len(data) % 2))
    return b"".join(out)
