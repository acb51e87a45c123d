#!/usr/bin/env bash
# Runs each fuzz target for some seconds, and prints how often each was executed.
#
#   tests/fuzz/run.sh [SECONDS] [TARGET...]
#
# Default: 60 seconds and all targets. RUNS=1000000 stops a target after that number of executions.
# New inputs go into a scratch folder, so that the corpus stays small; an input that breaks a
# target is stored in tests/fuzz/artifacts. Needs a nightly toolchain and cargo-fuzz.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
    for file in tests/fuzz/fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
fi

missing=
if ! cargo +nightly --version >/dev/null 2>&1; then
    missing+="  a nightly toolchain: rustup toolchain install nightly"$'\n'
fi
if ! cargo fuzz --version >/dev/null 2>&1; then
    missing+="  cargo-fuzz: cargo install cargo-fuzz --locked"$'\n'
fi
if [ -n "$missing" ]; then
    printf 'missing:\n%s' "$missing" >&2
    echo "without it, cargo test -p gridrace-tests fuzz runs the corpus and mutations of it" >&2
    exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fuzz=(cargo +nightly fuzz)
"${fuzz[@]}" build --fuzz-dir tests/fuzz
broken=()
printf '%-14s %12s %12s  %s\n' target executions 'a second' outcome
for target in "${targets[@]}"; do
    mkdir -p "$scratch/$target"
    outcome=sound
    "${fuzz[@]}" run --fuzz-dir tests/fuzz "$target" "$scratch/$target" "tests/fuzz/corpus/$target" -- \
        -max_len=8192 -max_total_time="$seconds" -runs="${RUNS:--1}" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 >"$scratch/log" 2>&1 || outcome=BROKEN
    figure() { sed -n "s/^stat::$1: *//p" "$scratch/log" | tail -n 1; }
    printf '%-14s %12s %12s  %s\n' "$target" "$(figure number_of_executed_units)" \
        "$(figure average_exec_per_sec)" "$outcome"
    if [ "$outcome" != sound ]; then
        broken+=("$target")
        tail -n 40 "$scratch/log" >&2
    fi
done
if [ ${#broken[@]} -gt 0 ]; then
    echo "broken: ${broken[*]}" >&2
    exit 1
fi
