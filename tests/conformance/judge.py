"""Prints what the suite found, and fails unless every case is passed."""

import collections
import json
import sys

# The last is for what conforms, if not at the soonest: text that turns bad within a frame that
# comes in pieces may be refused at once or with the frame's last piece.
PASSED = {"OK", "INFORMATIONAL", "NON-STRICT"}


def main(path):
    with open(path) as file:
        (cases,) = json.load(file).values()
    tally = collections.defaultdict(collections.Counter)
    failed = []
    for name, case in cases.items():
        verdicts = case["behavior"], case["behaviorClose"]
        tally[name.split(".")[0]][case["behavior"]] += 1
        if not PASSED.issuperset(verdicts):
            failed.append((name, *verdicts))
    for group in sorted(tally, key=int):
        counts = ", ".join(f"{count} {verdict}" for verdict, count in tally[group].items())
        print(f"cases {group}.*: {counts}")
    for name, behavior, close in sorted(failed):
        print(f"case {name}: {behavior}, closed: {close}", file=sys.stderr)
    print(f"{len(cases) - len(failed)} of {len(cases)} passed")
    # A suite that ran no case has shown nothing.
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
