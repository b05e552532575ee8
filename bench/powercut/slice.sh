#!/usr/bin/env bash
# Two power cuts of each kind, chosen by the seed; where no disk can be made in a file, it says so loudly.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
for script in run hub; do
  python3 "bench/powercut/$script.py" --cuts "${CUTS:-2}" --seed "$((${TAFFRAIL_SEED:-1} % 1000))"
  status=$?
  if [ "$status" -eq 2 ]; then
    echo "NOT RUN: power cuts need root and loop devices"
  elif [ "$status" -ne 0 ]; then
    exit "$status"
  fi
done
