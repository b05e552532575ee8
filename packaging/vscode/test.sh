#!/usr/bin/env bash
# Builds the extension and tests it in a stub of the editor, with recorded replies of a daemon: about fifteen seconds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
npm ci --ignore-scripts --no-audit --no-fund --silent
npx tsc
node --test test/*.test.mjs
