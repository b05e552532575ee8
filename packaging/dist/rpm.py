"""The RPM, which rpmbuild writes: its format has no writer in Python's standard library."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap

import release
import system
from archive import File

SPEC = """Name: taffrail
Version: {version}
Release: 1
Summary: {summary}
License: {license}
URL: {homepage}
AutoReqProv: no

%description
{description}

%install
cp -a {stage}/. %{{buildroot}}/

%files
{files}
"""


def make(it, target, program, contents, documents):
    """Writes taffrail-VERSION-1.ARCHITECTURE.rpm; returns whether rpmbuild is there to do it."""
    if not shutil.which("rpmbuild"):
        return False
    files = system.files("rpm", program, contents, documents)
    files += [File(f"usr/share/licenses/taffrail/{name}", documents[name]) for name in ("LICENSE-APACHE", "LICENSE-MIT")]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for file in files:
            path = work / "stage" / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.data)
            path.chmod(file.mode)
            os.utime(path, (it.epoch, it.epoch))
        (work / "taffrail.spec").write_text(spec(it, files, work / "stage"))
        build(it, target, work)
        for package in (work / "RPMS").rglob("*.rpm"):
            shutil.copyfile(package, it.out / package.name)
    return True


def spec(it, files, stage):
    text = textwrap.fill(release.DESCRIPTION, 78)
    # The macros of %attr, %license and %doc need the path as it is installed.
    listed = "\n".join(f"%attr({file.mode:04o}, root, root) {mark(file.path)}/{file.path}" for file in sorted(files, key=lambda one: one.path))
    own = "\n".join(f"%dir %attr(0755, root, root) /usr/share/{it}/taffrail" for it in ("doc", "licenses"))
    return SPEC.format(version=it.tilde_version, summary=release.SUMMARY, license=release.LICENSE, homepage=release.HOMEPAGE,
                       description=text, stage=stage, files=f"{own}\n{listed}")


def mark(path):
    """Documents may be left out when a package is installed; licences may not."""
    return "%license " if "/licenses/" in path else "%doc " if "/doc/" in path or "/man/" in path else ""


def build(it, target, work):
    """Runs rpmbuild without its steps that strip, compress or check the program, and with the commit's date."""
    macros = {
        "_topdir": work,
        "_rpmdir": work / "RPMS",
        "_build_id_links": "none",
        "debug_package": "%{nil}",
        "__os_install_post": "%{nil}",
        "__check_files": "%{nil}",
        "_binary_payload": "w.ufdio" if it.fast else "w10.zstdio",
        "_buildhost": "localhost",
        "use_source_date_epoch_as_buildtime": "1",
        "clamp_mtime_to_source_date_epoch": "1",
        "_docdir_fmt": "%%{NAME}",
    }
    command = ["rpmbuild", "-bb", "--quiet", "--target", f"{target.rpm}-linux"]
    for name, value in macros.items():
        command += ["--define", f"{name} {value}"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(it.epoch)}
    done = subprocess.run([*command, work / "taffrail.spec"], env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"rpmbuild failed:\n{done.stdout}{done.stderr}")
