#!/usr/bin/env python3
"""Fills the recipes of package managers with the version and the hashes of a release.

    fill.py VERSION target/dist/SHA256SUMS FOLDER    write the filled recipes into FOLDER
    fill.py --self-test                              fill them with made-up hashes and check the result
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECIPES = ["homebrew/taffrail.rb", "aur/PKGBUILD", "aur/.SRCINFO"]
PLACEHOLDER = re.compile(r"@([A-Z0-9]+)(?::([a-z0-9_-]+))?@")


def hashes(sums):
    """The hash of each file that SHA256SUMS lists."""
    out = {}
    for line in sums.splitlines():
        digest, name = re.fullmatch(r"([0-9a-f]{64}) [ *](?:\./)?(.+)", line).groups()
        out[name] = digest
    return out


def filled(text, version, sums):
    """The recipe with every placeholder replaced."""

    def value(match):
        name, target = match.groups()
        if name == "SHA256":
            return sums[f"taffrail-{version}-{target}.tar.gz"]
        # A version of Arch Linux has no hyphen.
        return {"VERSION": version, "PKGVER": version.replace("-", "_")}[name]

    return PLACEHOLDER.sub(value, text)


def write(version, sums, folder):
    """Writes every recipe below the folder."""
    for recipe in RECIPES:
        path = folder / recipe
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(filled((HERE / recipe).read_text(), version, sums))


# What makepkg --printsrcinfo prints, for the fields that we use.
SRCINFO = r"""
source "$1"
printf 'pkgbase = %s\n' "$pkgname"
for field in pkgdesc pkgver pkgrel url arch license optdepends provides conflicts options \
  source_x86_64 sha256sums_x86_64 source_aarch64 sha256sums_aarch64; do
  declare -n values=$field
  for value in "${values[@]}"; do printf '\t%s = %s\n' "$field" "$value"; done
done
printf '\npkgname = %s\n' "$pkgname"
"""

PACKAGE = r"""
set -eu
source "$1"
srcdir=$2 pkgdir=$3 CARCH=x86_64
package
"""


def self_test():
    """Fills the recipes, compares .SRCINFO with PKGBUILD, and packs a made-up release with PKGBUILD."""
    version = "1.2.3-rc.1"
    targets = [f"{cpu}-{os}" for cpu in ("x86_64", "aarch64") for os in ("unknown-linux-musl", "apple-darwin")]
    names = [f"taffrail-{version}-{target}.tar.gz" for target in targets]
    lines = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}" for name in names]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        write(version, hashes("\n".join(lines)), work)
        for recipe in RECIPES:
            text = (work / recipe).read_text()
            assert not PLACEHOLDER.search(text), f"{recipe}: a placeholder is left"
            wanted = targets if recipe.endswith(".rb") else [it for it in targets if "linux" in it]
            for target in wanted:
                name = f"taffrail-{version}-{target}.tar.gz"
                assert hashlib.sha256(name.encode()).hexdigest() in text and f"/v{version}/{name}" in text, (recipe, target)
        pkgbuild = work / "aur/PKGBUILD"
        printed = subprocess.run(["bash", "-c", SRCINFO, "-", pkgbuild], capture_output=True, text=True, check=True).stdout
        assert printed == (work / "aur/.SRCINFO").read_text(), f".SRCINFO differs from PKGBUILD:\n{printed}"

        release = work / f"src/taffrail-{version}-x86_64-unknown-linux-musl"
        files = ["taffrail", "completions/taffrail.bash", "completions/_taffrail", "completions/taffrail.fish"]
        for name in files + ["man/taffrail.1", "LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES.txt", "README.md"]:
            (release / name).parent.mkdir(parents=True, exist_ok=True)
            (release / name).write_text(name)
        subprocess.run(["bash", "-c", PACKAGE, "-", pkgbuild, work / "src", work / "pkg"], check=True)
        packed = sorted(str(it.relative_to(work / "pkg/usr")) for it in (work / "pkg").rglob("*") if it.is_file())
        assert packed == [
            "bin/taffrail",
            "share/bash-completion/completions/taffrail",
            "share/doc/taffrail/README.md",
            "share/fish/vendor_completions.d/taffrail.fish",
            "share/licenses/taffrail-bin/LICENSE-APACHE",
            "share/licenses/taffrail-bin/LICENSE-MIT",
            "share/licenses/taffrail-bin/THIRD-PARTY-LICENSES.txt",
            "share/man/man1/taffrail.1",
            "share/zsh/site-functions/_taffrail",
        ], packed

        # Their own parsers, where they are installed.
        parsers = {"ruby": ["-c", work / "homebrew/taffrail.rb"], "nix-instantiate": ["--parse", HERE.parent / "flake.nix"]}
        for parser, arguments in parsers.items():
            if shutil.which(parser):
                subprocess.run([parser, *arguments], check=True, stdout=subprocess.DEVNULL)
    print("packaging: fill.py passes its test")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif len(sys.argv) == 4:
        write(sys.argv[1], hashes(pathlib.Path(sys.argv[2]).read_text()), pathlib.Path(sys.argv[3]))
    else:
        sys.exit(__doc__)
