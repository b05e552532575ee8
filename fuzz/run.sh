#!/bin/sh
# Builds a door of the program for libFuzzer and runs it, beginning with our fixtures.
#   fuzz/run.sh records -max_total_time=600
set -eu
door=$1
shift
cd "$(dirname "$0")"
case $door in
    records) seeds="../crates/adapters/src ../crates/agents/src ../crates/adapters/tests/replay" ;;
    commands) seeds="../crates/rules/tests/rules" ;;
    *) echo "no such door: $door" >&2 && exit 2 ;;
esac
# What a sanitizer's flag would say, which only nightly has.
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 --cfg fuzzing -Ccodegen-units=1"
for each in inline-8bit-counters pc-table trace-compares; do
    flags="$flags -Cllvm-args=-sanitizer-coverage-$each"
done
target=$(rustc -vV | sed -n 's/^host: //p')
out=${CARGO_TARGET_DIR:-$PWD/target}
# A target is named, so that programs that run while building are built without it.
RUSTFLAGS=$flags CARGO_TARGET_DIR=$out cargo build --release --target "$target" --bin "$door"
mkdir -p "corpus/$door" artifacts
# shellcheck disable=SC2086
exec "$out/$target/release/$door" "corpus/$door" $seeds -artifact_prefix=artifacts/ -max_len=16384 -timeout=10 "$@"
