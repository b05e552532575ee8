#!/bin/sh
# Installs Taffrail from an unpacked release, below one folder and without root:
#
#   ./install.sh                        into ~/.local
#   ./install.sh --prefix /usr/local
#   ./install.sh --uninstall            removes the files that it installed
#
# It compares every file with SHA256SUMS beside it before it copies the first one.
set -eu

usage() { sed -n '2,6s/^# \{0,1\}//p' "$0"; }
fail() {
    echo "install.sh: $1" >&2
    exit 1
}

here=$(cd "$(dirname "$0")" && pwd)
prefix=${HOME:+$HOME/.local}
action=install
while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -ge 2 ] || fail "--prefix needs a folder."
            prefix=$2
            shift
            ;;
        --prefix=*) prefix=${1#--prefix=} ;;
        --uninstall) action=uninstall ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            fail "unknown option: $1"
            ;;
    esac
    shift
done
[ -n "$prefix" ] || fail "HOME is not set. Name a folder with --prefix."
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

# What was installed, one entry a line: "file PATH" or "folder PATH" below the prefix, and "prefix" if that was made.
record=share/taffrail/installed

hash_of() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1"
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 <"$1"
    else
        openssl dgst -sha256 -r <"$1"
    fi | cut -d ' ' -f 1
}

# Every file to install: mode, source below the release, target below the prefix.
plan() {
    echo "755 taffrail bin/taffrail"
    echo "644 completions/taffrail.bash share/bash-completion/completions/taffrail"
    echo "644 completions/_taffrail share/zsh/site-functions/_taffrail"
    echo "644 completions/taffrail.fish share/fish/vendor_completions.d/taffrail.fish"
    for page in "$here"/man/*.1 "$here"/man/man1/*.1; do
        [ ! -f "$page" ] || echo "644 ${page#"$here"/} share/man/man1/${page##*/}"
    done
}

# Stops if a file is missing, is not listed, or differs from its hash.
verify() {
    [ -f "$here/SHA256SUMS" ] || fail "SHA256SUMS is missing beside install.sh. Unpack the release again."
    while read -r _ source _; do
        [ -f "$here/$source" ] || fail "$source is missing. Unpack the release again."
        expected=$(awk -v name="$source" '{ file = $2; sub(/^\*/, "", file); sub(/^\.\//, "", file) }
            file == name { print $1; exit }' "$here/SHA256SUMS")
        [ -n "$expected" ] || fail "SHA256SUMS does not list $source. Nothing was installed."
        [ "$(hash_of "$here/$source")" = "$expected" ] ||
            fail "$source differs from SHA256SUMS. Nothing was installed; download the release again."
    done <"$work/plan"
}

# Makes a folder below the prefix and records each one that was not there.
make_folder() {
    [ ! -d "$prefix/$1" ] || return 0
    case $1 in */*) make_folder "${1%/*}" ;; esac
    mkdir "$prefix/$1"
    echo "folder $1" >>"$work/record"
}

install_files() {
    if [ ! -d "$prefix" ]; then
        mkdir -p "$prefix"
        echo prefix >>"$work/record"
    fi
    [ ! -f "$prefix/$record" ] || grep -v '^file ' "$prefix/$record" >>"$work/record" || true
    make_folder "${record%/*}"
    while read -r mode source target; do
        make_folder "${target%/*}"
        # A new file beside the old one, then a rename: a running program keeps its file.
        cp "$here/$source" "$prefix/$target.new"
        chmod "$mode" "$prefix/$target.new"
        mv -f "$prefix/$target.new" "$prefix/$target"
        echo "file $target" >>"$work/record"
    done <"$work/plan"
    # Files of an earlier version that this one does not have.
    if [ -f "$prefix/$record" ]; then
        while read -r kind path; do
            [ "$kind" = file ] || continue
            grep -qxF "file $path" "$work/record" || remove "$path"
        done <"$prefix/$record"
    fi
    cp "$work/record" "$prefix/$record"
}

remove() {
    case /$1/ in */../* | //*) fail "$prefix/$record is damaged: $1" ;; esac
    rm -f "$prefix/$1"
}

uninstall_files() {
    [ -f "$prefix/$record" ] || fail "nothing was installed below $prefix by install.sh."
    cp "$prefix/$record" "$work/record"
    while read -r kind path; do
        if [ "$kind" = file ]; then remove "$path"; fi
    done <"$work/record"
    remove "$record"
    # Folders below others come later in the record, so they go first. One that holds other files stays.
    sed -n 's/^folder //p' "$work/record" | sort -r | while read -r path; do
        case /$path/ in */../* | //*) continue ;; esac
        rmdir "$prefix/$path" 2>/dev/null || true
    done
    ! grep -qx prefix "$work/record" || rmdir "$prefix" 2>/dev/null || true
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/record"
plan >"$work/plan"

if [ "$action" = uninstall ]; then
    uninstall_files
    echo "Removed Taffrail from $prefix."
    echo "Your data is still there. Hooks and the service are too, unless \`taffrail uninstall\` removed them before."
    exit 0
fi

verify
install_files
count=$(grep -c '^file ' "$work/record")
echo "Installed $count files below $prefix: the program, manual pages, and completions for bash, zsh and fish."
case :${PATH:-}: in
    *:"$prefix/bin":*) echo "Next: run \`taffrail\`, and \`taffrail setup\` for hooks, the service and notifications." ;;
    *)
        echo "Next: add $prefix/bin to your PATH, for example in ~/.profile:"
        echo "  export PATH=\"$prefix/bin:\$PATH\""
        echo "Then run \`taffrail\`, and \`taffrail setup\` for hooks, the service and notifications."
        ;;
esac
echo "To remove it: sh $0 --prefix $prefix --uninstall"
