#!/usr/bin/env bash
# Installs a made-up release with install.sh, and removes it again. A shell script plays the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checks=0

same() {
  checks=$((checks + 1))
  if [ "$2" != "$3" ]; then
    printf 'packaging: %s\n  want: %s\n  have: %s\n' "$1" "$2" "$3" >&2
    exit 1
  fi
}
says() {
  checks=$((checks + 1))
  case $3 in *"$2"*) ;; *)
    printf 'packaging: %s\n  want: ...%s...\n  have: %s\n' "$1" "$2" "$3" >&2
    exit 1
    ;;
  esac
}
sums() { (cd "$1" && sha256sum taffrail completions/* man/* >SHA256SUMS); }
# A release in the folder $1 whose program prints $2.
release() {
  mkdir -p "$1/completions" "$1/man"
  cp install.sh "$1/"
  printf '#!/bin/sh\necho %s\n' "$2" >"$1/taffrail"
  chmod 755 "$1/taffrail"
  echo bash >"$1/completions/taffrail.bash"
  echo zsh >"$1/completions/_taffrail"
  echo fish >"$1/completions/taffrail.fish"
  echo manual >"$1/man/taffrail.1"
  echo manual >"$1/man/taffrail-ls.1"
  sums "$1"
}
tree() { (cd "$1" && find . -mindepth 1 | sort | tr '\n' ' '); }
# The script, in the shell that is strictest about POSIX here.
run() { "${SHELL_UNDER_TEST:-sh}" "$@" 2>&1; }

one="$work/taffrail-1" two="$work/taffrail-2" prefix="$work/a home/.local"
release "$one" one
release "$two" two
rm "$two/man/taffrail-ls.1"
sums "$two"

# It installs, and says what comes next.
out=$(run "$one/install.sh" --prefix "$prefix")
says "counts files" "Installed 6 files" "$out"
says "names the PATH" "export PATH=\"$prefix/bin:" "$out"
same "the program runs" one "$("$prefix/bin/taffrail")"
same "modes" "755 644" "$(stat -c %a "$prefix/bin/taffrail" "$prefix/share/man/man1/taffrail.1" | tr '\n' ' ' | sed 's/ $//')"
for file in share/bash-completion/completions/taffrail share/zsh/site-functions/_taffrail \
  share/fish/vendor_completions.d/taffrail.fish share/man/man1/taffrail-ls.1; do
  same "$file" there "$([ -f "$prefix/$file" ] && echo there)"
done
says "a folder in PATH needs no advice" "Next: run" "$(PATH="$prefix/bin:$PATH" run "$one/install.sh" --prefix "$prefix")"

# A newer version takes its place, and what it no longer has goes.
run "$two/install.sh" --prefix "$prefix" >/dev/null
same "the newer program runs" two "$("$prefix/bin/taffrail")"
same "a page of the older version" gone "$([ -e "$prefix/share/man/man1/taffrail-ls.1" ] || echo gone)"

# It removes what it brought and keeps the rest.
echo mine >"$prefix/share/man/man1/mine.1"
mkdir "$prefix/lib"
out=$(run "$one/install.sh" --prefix "$prefix" --uninstall)
says "says what stays" "Your data is still there." "$out"
same "only other files are left" "./lib ./share ./share/man ./share/man/man1 ./share/man/man1/mine.1 " "$(tree "$prefix")"
says "twice" "nothing was installed" "$(run "$one/install.sh" --prefix "$prefix" --uninstall || true)"

# Into an empty folder and out of it again.
run "$one/install.sh" --prefix="$work/empty" >/dev/null
run "$one/install.sh" --prefix="$work/empty" --uninstall >/dev/null
same "nothing is left" gone "$([ -e "$work/empty" ] || echo gone)"
mkdir "$work/there"
run "$one/install.sh" --prefix="$work/there" >/dev/null
run "$one/install.sh" --prefix="$work/there" --uninstall >/dev/null
same "a folder that was there stays" "" "$(tree "$work/there")"

# By default below the home.
mkdir "$work/home"
HOME="$work/home" run "$one/install.sh" >/dev/null
same "below the home" one "$("$work/home/.local/bin/taffrail")"

# It refuses what differs, is missing or is not listed, and installs nothing.
refused() {
  local name=$1 message=$2 release="$work/bad"
  shift 2
  rm -rf "$release" "$work/none"
  release "$release" bad
  (cd "$release" && "$@")
  out=$(run "$release/install.sh" --prefix "$work/none") && same "$name is refused" failure success
  says "$name" "$message" "$out"
  same "$name leaves nothing" "" "$(tree "$work/none" 2>/dev/null || true)"
}
refused "a changed program" "taffrail differs from SHA256SUMS" sh -c 'echo "#" >>taffrail'
refused "a changed page" "man/taffrail.1 differs" sh -c 'echo x >>man/taffrail.1'
refused "a missing completion" "completions/_taffrail is missing" rm completions/_taffrail
refused "a file that is not listed" "does not list taffrail" sed -i '/ taffrail$/d' SHA256SUMS
refused "no checksums" "SHA256SUMS is missing" rm SHA256SUMS
says "an unknown option" "unknown option: --nonsense" "$(run "$one/install.sh" --nonsense || true)"
says "help" "--uninstall" "$(run "$one/install.sh" --help)"

echo "packaging: install.sh passes $checks checks"
