#!/usr/bin/env bash
# Runs Autobahn's cases for WebSocket servers against the race server's WebSocket.
#
#   tests/conformance/run.sh [CASES...]
#
# By default all cases except compression (12 and 13), which the server doesn't offer; cases are
# named like `1.*` or `6.4.2`. The suite needs Python 2.7: $PYTHON2, or an installed one. It is
# installed into a scratch folder, which is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."

cases=("$@")
if [ ${#cases[@]} -eq 0 ]; then cases=('1.*' '2.*' '3.*' '4.*' '5.*' '6.*' '7.*' '9.*' '10.*'); fi

find_python() {
    local candidate
    for candidate in "${PYTHON2:-}" python2.7 python2 pypy ~/.pyenv/versions/2.7.*/bin/python; do
        if [ -n "$candidate" ] && "$candidate" -m pip --version >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    echo "the suite needs Python 2.7 with pip, named by PYTHON2: pyenv install 2.7.18" >&2
    return 1
}
python=$(find_python)

scratch=$(mktemp -d)
server=
finish() {
    code=$?
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
    rm -rf "$scratch"
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

echo "installing the suite"
"$python" -m pip install --quiet --disable-pip-version-check --target "$scratch/suite" \
    'autobahntestsuite==0.8.2' >"$scratch/log" 2>&1 || { tail "$scratch/log" >&2; exit 1; }
# pip's --target leaves out this namespace file.
touch "$scratch/suite/zope/__init__.py"

cargo build --release -p gridrace-tests --bin gridrace-echo
"${CARGO_TARGET_DIR:-target}/release/gridrace-echo" >"$scratch/address" &
server=$!
address=
for _ in $(seq 100); do
    address=$(sed -n 's/^listening on //p' "$scratch/address")
    if [ -n "$address" ]; then break; fi
    sleep 0.1
done
[ -n "$address" ] || { echo "the echo server printed no address" >&2; exit 1; }

quoted=$(printf '"%s",' "${cases[@]}")
cat >"$scratch/spec.json" <<SPEC
{
    "outdir": "$scratch/report",
    "servers": [{"agent": "gridrace", "url": "ws://$address"}],
    "cases": [${quoted%,}],
    "exclude-cases": [],
    "exclude-agent-cases": {}
}
SPEC
PYTHONPATH=$scratch/suite "$python" -W ignore "$scratch/suite/bin/wstest" \
    -m fuzzingclient -s "$scratch/spec.json" >"$scratch/log" 2>&1 || { tail "$scratch/log" >&2; exit 1; }
python3 tests/conformance/check_report.py "$scratch/report/index.json"
