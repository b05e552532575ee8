#!/usr/bin/env bash
# Every figure of the pages and the board that the documentation has, one after another, with the machine's load before each:
#   AGENTSVIEW=/tmp/v/bin/agentsview TAFFRAIL=PROGRAM bash tests/figures.sh [compare|loads|speed|board]...
# in web/, on a machine that does nothing else. Without names all of them, about half an hour; SPEED_SESSIONS=20000 makes the
# largest list smaller, ROUNDS=1 asks the questions once. `compare` prints the tables of docs/compare.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "${TAFFRAIL:-../target/release/taffrail}")
export TAFFRAIL=$program
step() { printf '\n== %s; load %s\n' "$1" "$(cut -d' ' -f1-3 /proc/loadavg)"; }
wanted=("$@")
[ ${#wanted[@]} -gt 0 ] || wanted=(compare loads speed board)
for name in "${wanted[@]}"; do
  case $name in
    compare) step "the questions, ${ROUNDS:-5} rounds"; node tests/compare.mjs --rounds "${ROUNDS:-5}" ;;
    loads) step "first load, and a line to the screen"; node tests/compare.mjs --figures --rounds "${ROUNDS:-5}" ;;
    speed) step "50,000 lines, ${SPEED_SESSIONS:-100000} sessions, a week of 200, a tab at rest"; npx playwright test speed ;;
    board) step "the board at rest and at work"; python3 ../bench/board.py --bin "$program" ;;
    *) echo "compare, loads, speed or board, not $name" >&2; exit 2 ;;
  esac
done
