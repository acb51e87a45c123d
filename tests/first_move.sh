#!/usr/bin/env bash
# Measures the time from the start of the built program to the first move, in two keys: Enter on the
# home screen, and the move. Needs tmux. The countdown of 3 s is a part of it.
#
#     bash tests/first_move.sh [PROGRAM]
set -euo pipefail
program=${1:-target/release/gridrace}
[ -x "$program" ] || { echo "no program at $program: cargo build --release" >&2; exit 1; }
folder=$(mktemp -d)
terminal() { tmux -L "gridrace-first-move-$$" "$@"; }
trap 'terminal kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT

# Waits until the screen shows a text, and prints the milliseconds since the start.
see() {
    until terminal capture-pane -p | grep -qE "$1"; do
        if (($(date +%s%3N) - start > 20000)); then
            echo "the screen doesn't show: $1" >&2
            terminal capture-pane -p >&2
            exit 1
        fi
        sleep 0.02
    done
    echo "$(($(date +%s%3N) - start)) ms: $2"
}

start=$(date +%s%3N)
terminal new-session -d -x 80 -y 24 "HOME=$folder XDG_DATA_HOME=$folder GRIDRACE_CONFIG= $program"
see 'Play now' 'the home screen'
terminal send-keys Enter
see '0 moves 0\.0/s' 'the board'
# The blank is somewhere: one of two opposite directions moves a tile, and the other does nothing or
# is the second move.
terminal send-keys Up
sleep 0.05
terminal capture-pane -p | grep -qE '^.*[1-9] moves? ' || terminal send-keys Down
see '[1-9] moves? [0-9.]+/s' 'the first move'
