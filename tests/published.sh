#!/usr/bin/env bash
# Solves the published sets and prints lengths, nodes, times and memory: Korf's hundred
# 15-puzzles (1985) and Korf and Felner's fifty 24-puzzles (2002).
#
#   tests/published.sh           # with the default tables
#   tests/published.sh --large   # and Korf's with the large ones, which it builds
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1-}" in
"" | --large) ;;
*)
    echo "usage: $0 [--large]" >&2
    exit 2
    ;;
esac
cargo build --release --quiet -p gridrace-client
gridrace=${CARGO_TARGET_DIR:-target}/release/gridrace

solve() { # HEADING FILE OPTION...
    heading=$1
    file=$2
    shift 2
    printf '\n== %s\n' "$heading"
    "$gridrace" solve --summary --file "shared/tests/data/$file" "$@"
}

solve "4x4, optimal, default tables" korf100.txt --solver optimal
if [ "${1-}" = --large ]; then
    solve "4x4, optimal, large tables" korf100.txt --solver optimal --large
fi
solve "4x4, quick" korf100.txt --solver quick
solve "5x5, near-optimal, 0.1 s a board" korf24.txt --solver near --time 0.1
solve "5x5, near-optimal, 1 s a board" korf24.txt --solver near --time 1
solve "5x5, quick" korf24.txt --solver quick
