"""The wheel: a zip archive that holds the program as a script, so that `uvx taffrail` and pip run it without Python."""
import base64
import hashlib
import io
import zipfile

import release
from archive import File

LICENSES = ("LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt")


def make(it, target, program, documents):
    """Writes taffrail-VERSION-py3-none-PLATFORM.whl."""
    name = f"taffrail-{it.python_version}"
    about = f"{name}.dist-info"
    files = [File(f"{name}.data/scripts/taffrail", program, 0o755)]
    files += [File(f"{about}/METADATA", metadata(it, documents["README.md"].decode())), File(f"{about}/WHEEL", tags(target))]
    files += [File(f"{about}/licenses/{document}", documents[document]) for document in LICENSES]
    files += [File(f"{about}/sboms/taffrail.cdx.json", documents["taffrail.cdx.json"])]
    files.append(File(f"{about}/RECORD", record(files, f"{about}/RECORD")))
    (it.out / f"{name}-py3-none-{target.wheel}.whl").write_bytes(zipped(it, files))


def metadata(it, readme):
    lines = [
        "Metadata-Version: 2.4",
        "Name: taffrail",
        f"Version: {it.python_version}",
        f"Summary: {release.SUMMARY}",
        f"License-Expression: {release.LICENSE}",
        *(f"License-File: {name}" for name in LICENSES),
        f"Project-URL: Source, {release.HOMEPAGE}",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(lines) + "\n\n" + readme).encode()


def tags(target):
    lines = ["Wheel-Version: 1.0", "Generator: taffrail-xtask", "Root-Is-Purelib: false"]
    return ("\n".join(lines + [f"Tag: py3-none-{tag}" for tag in target.wheel.split(".")]) + "\n").encode()


def record(files, own):
    """Every file with its hash and size; the record itself has neither."""

    def digest(data):
        return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

    rows = [f"{file.path},sha256={digest(file.data)},{len(file.data)}" for file in files]
    return ("\n".join([*rows, f"{own},,"]) + "\n").encode()


def zipped(it, files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for file in files:
            # Zip has a date without a zone, from 1980 on.
            info = zipfile.ZipInfo(file.path, max(it.date[:6], (1980, 1, 1, 0, 0, 0)))
            info.create_system = 3
            info.external_attr = (0o100000 | file.mode) << 16
            archive.writestr(info, file.data, zipfile.ZIP_DEFLATED, it.level)
    return out.getvalue()
