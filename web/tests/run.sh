#!/usr/bin/env bash
# The browser's tests, with the real agent that the tests of the program keep in the user's cache:
# bash tests/run.sh, in web/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for program in "$HOME"/.cache/taffrail-agents/@anthropic-ai/*/node_modules/@anthropic-ai/claude-code-linux-*/claude; do
  if [ -x "$program" ]; then export TAFFRAIL_CLAUDE="$program"; fi
done
npx playwright test units lists book pages live safety push walking transcript screens random hostile real
