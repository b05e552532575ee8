"""The npm packages: `taffrail`, which holds a small script, and one package with the program for each platform. npm
installs only the one whose `os` and `cpu` fit, so nothing has to run or download during the installation."""
import json
import pathlib

import release

HERE = pathlib.Path(__file__).resolve().parent


def make_platform(it, target, program, documents):
    """Writes npm/OS-CPU."""
    name = f"{target.os}-{target.cpu}"
    package = {
        **common(it, f"@taffrail/{name}", f"The program of taffrail for {target.os} on {target.cpu}"),
        "os": [target.os],
        "cpu": [target.cpu],
        "files": ["bin", "LICENSE-*", "THIRD-PARTY-LICENSES.txt", "taffrail.cdx.json"],
        "preferUnplugged": True,
    }
    files = {key: documents[key] for key in ("LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt", "taffrail.cdx.json")}
    readme = f"# @taffrail/{name}\n\nThe program of [taffrail]({release.HOMEPAGE}). Install the package `taffrail`, which brings this one.\n"
    write(it, name, package, {**files, "README.md": readme.encode(), "bin/taffrail": program})


def make_main(it, documents):
    """Writes npm/taffrail. It names every platform, also those that another run packs."""
    platforms = sorted(f"@taffrail/{target.os}-{target.cpu}" for target in release.TARGETS.values())
    package = {
        **common(it, "taffrail", release.SUMMARY),
        "bin": {"taffrail": "bin/taffrail.js"},
        # The registry of MCP servers wants the name of packaging/server.json here.
        "mcpName": "io.github.taffrail/taffrail",
        "files": ["bin", "LICENSE-*"],
        "engines": {"node": ">=18"},
        "optionalDependencies": {name: it.version for name in platforms},
    }
    files = {key: documents[key] for key in ("LICENSE-APACHE", "LICENSE-MIT", "README.md")}
    write(it, "taffrail", package, {**files, "bin/taffrail.js": (HERE / "shim.js").read_bytes()})


def common(it, name, description):
    return {
        "name": name,
        "version": it.version,
        "description": description,
        "license": f"({release.LICENSE})",
        "homepage": release.HOMEPAGE,
        "repository": {"type": "git", "url": f"git+{release.HOMEPAGE}.git"},
        "publishConfig": {"access": "public"},
    }


def write(it, name, package, files):
    folder = it.out / "npm" / name
    (folder / "bin").mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps(package, indent=2) + "\n")
    for path, data in files.items():
        (folder / path).write_bytes(data)
        (folder / path).chmod(0o755 if path.startswith("bin/") else 0o644)
