#!/usr/bin/env bash
# Packs a program twice and compares the bytes, then installs every package in an empty place, runs it there, and
# removes it without a trace:
#
#   packaging/dist/test.sh target/release/taffrail
#
# The program need not be static: this tests packages, not the build. Everything is below target/dist-test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=$(realpath "$1")
work=$PWD/target/dist-test
rm -rf "$work"
mkdir -p "$work"
target=$(uname -m)-unknown-linux-musl
checks=0

same() {
  checks=$((checks + 1))
  if [ "$2" != "$3" ]; then
    printf 'packages: %s\n  want: %s\n  have: %s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
}
skipped() { echo "packages: NOT CHECKED: $1"; }
tree() { (cd "$1" && find . -mindepth 1 ! -path './var*' | sort); }
# Every file of a folder with its hash and mode.
hashes() { (cd "$1" && find . -type f -printf '%m %P ' -exec sha256sum -b {} \; | sort); }

# An empty home with one session of an agent.
home() {
  local folder=$work/homes/$1 id=00000000-0000-4000-8000-000000000001
  mkdir -p "$folder/.claude/projects/-src"
  printf '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"%s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/src","version":"2.1.0","isSidechain":false,"message":{"role":"user","content":"fix the lamp"}}\n' \
    "$id" >"$folder/.claude/projects/-src/$id.jsonl"
  echo "$folder"
}
# The program of the package $1 is $2: it prints its version, lists the session, and exits with 2 for a mistake.
works() {
  local folder code=0
  folder=$(home "$1")
  same "$1: version" "$version" "$(env -i HOME="$folder" PATH="$PATH" "$2" --version)"
  same "$1: sessions" 1 "$(env -i HOME="$folder" PATH="$PATH" "$2" ls 2>/dev/null | grep -c 'fix the lamp')"
  env -i HOME="$folder" PATH="$PATH" "$2" nosuchcommand >/dev/null 2>&1 || code=$?
  same "$1: exit code" 2 "$code"
}

# Without symbols, which are four fifths of a release build.
strip -o "$work/taffrail" "$program"
version=$("$program" --version)

pack() { cargo xtask dist --binary "$target=$work/taffrail" --dirty --fast --out "$1"; }
pack "$work/one"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C pack "$work/two" >/dev/null)
same "two runs, the same bytes" "" "$(diff <(hashes "$work/one") <(hashes "$work/two"))"
rm -rf "$work/two"
cd "$work/one"
same "SHA256SUMS" "" "$(sha256sum --check --strict --quiet SHA256SUMS 2>&1)"

# The SBOM is one graph: names are unique, and every need is a component.
same "SBOM" "" "$(python3 - taffrail-*.cdx.json <<'PYTHON'
import json, sys
it = json.load(open(sys.argv[1]))
refs = [part["bom-ref"] for part in [it["metadata"]["component"], *it["components"]]]
needs = {ref for part in it["dependencies"] for ref in [part["ref"], *part["dependsOn"]]}
print("\n".join(sorted({ref for ref in refs if refs.count(ref) > 1} | (needs ^ set(refs)))), end="")
PYTHON
)"

# .deb
deb=$(echo taffrail_*.deb)
root=$work/deb
if ! command -v dpkg >/dev/null; then
  skipped "the Debian package: dpkg is not installed"
elif [ "$(id -u)" -ne 0 ]; then
  dpkg-deb -x "$deb" "$root"
  works deb "$root/usr/bin/taffrail"
  skipped "dpkg --install and --purge: they need root"
else
  mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
  touch "$root/var/lib/dpkg/status"
  dpkg() { command dpkg --root="$root" --log=/dev/null "$@" >/dev/null; }
  dpkg --install "$deb"
  works deb "$root/usr/bin/taffrail"
  same "deb: dpkg --verify" "" "$(command dpkg --root="$root" --verify taffrail)"
  dpkg --purge taffrail
  same "deb: nothing is left" "" "$(tree "$root")"
fi
# It takes as long as everything else, so it runs beside it. The program of this test is not static.
if command -v lintian >/dev/null; then
  lintian --allow-root --tag-display-limit 0 --suppress-tags undeclared-elf-prerequisites "$deb" >"$work/lintian" 2>&1 &
  lintian=$!
else
  lintian=
  skipped "lintian is not installed"
fi

# .rpm
if ! command -v rpm >/dev/null; then
  skipped "the RPM: rpm is not installed"
elif [ "$(id -u)" -ne 0 ]; then
  skipped "the RPM: rpm --install needs root"
else
  root=$work/rpm
  mkdir -p "$root"
  # Debian's rpm advises against itself.
  rpm --root "$root" --dbpath /var/rpm --install --nodeps ./*.rpm 2>/dev/null
  works rpm "$root/usr/bin/taffrail"
  same "rpm: it needs nothing" "" "$(rpm -qp --requires ./*.rpm | grep -v '^rpmlib(' || true)"
  rpm --root "$root" --dbpath /var/rpm --erase taffrail 2>/dev/null
  same "rpm: no file is left" "" "$(cd "$root" && find . -type f ! -path './var*')"
fi

# The tarball.
mkdir "$work/tar"
tar -xzf taffrail-*-"$target".tar.gz -C "$work/tar"
sh "$work"/tar/*/install.sh --prefix "$work/prefix" >/dev/null
works tarball "$work/prefix/bin/taffrail"
sh "$work"/tar/*/install.sh --prefix "$work/prefix" --uninstall >/dev/null
same "tarball: nothing is left" gone "$([ -e "$work/prefix" ] || echo gone)"

# The MCPB bundle.
python3 -m zipfile -e taffrail-*-"$target".mcpb "$work/mcpb"
chmod +x "$work/mcpb/server/taffrail"
works mcpb "$work/mcpb/server/taffrail"
number=${version#taffrail }
same "mcpb: version" "${number%% *}" "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["version"])' "$work/mcpb/manifest.json")"

# npm
if command -v npm >/dev/null; then
  mkdir -p "$work/npm/app" "$work/npm/home"
  echo '{"private": true}' >"$work/npm/app/package.json"
  npm() { (cd "$work/npm/app" && env HOME="$work/npm/home" npm --silent --no-audit --no-fund "$@"); }
  npm pack --pack-destination "$work/npm" "$PWD/npm/taffrail" "$PWD"/npm/linux-* >/dev/null
  npm install --offline "$work"/npm/*.tgz
  shim=$work/npm/app/node_modules/.bin/taffrail
  works npm "$shim"
  # A script plays the program: a signal reaches it, and its end is the shim's end.
  inner=$(echo "$work"/npm/app/node_modules/@taffrail/*/bin/taffrail)
  # shellcheck disable=SC2016 # The variables are those of the script.
  printf '#!/bin/sh\ntrap "exit 7" TERM\nkill -TERM $PPID\nfor _ in $(seq 100); do sleep 0.1; done\n' >"$inner"
  code=0 && "$shim" || code=$?
  same "npm: a signal is passed on" 7 "$code"
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nkill -KILL $$\n' >"$inner"
  # A shell of its own, which reports the kill to nobody.
  code=0 && bash -c '"$0"; exit $?' "$shim" 2>/dev/null || code=$?
  same "npm: a killed program" 137 "$code"
  rm "$inner"
  same "npm: a platform without a package" "taffrail: the package @taffrail/" "$("$shim" 2>&1 | head -1 | cut -c -32 || true)"
  npm uninstall taffrail "@taffrail/$(basename "$PWD"/npm/linux-*)"
  same "npm: nothing is left" "" "$(find "$work/npm/app/node_modules" ! -type d -path '*taffrail*' 2>/dev/null || true)"
else
  skipped "npm is not installed"
fi

# The wheel.
python3 -m venv "$work/venv"
before=$(tree "$work/venv" | grep -v __pycache__)
pip() { "$work/venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
pip install --no-index --no-compile ./*.whl
works wheel "$work/venv/bin/taffrail"
pip uninstall --yes taffrail
same "wheel: nothing is left" "$before" "$(tree "$work/venv" | grep -v __pycache__)"

if [ -n "$lintian" ]; then
  wait "$lintian" || true
  same "lintian" "" "$(cat "$work/lintian")"
fi

rm -rf "$work"
echo "$checks passed, 0 failed"
