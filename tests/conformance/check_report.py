"""Prints the suite's results, and fails unless every case passed."""

import collections
import json
import sys

# NON-STRICT conforms, but later than possible: invalid text within a fragmented message may be
# refused at once or with the last fragment.
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
    # A run without cases proves nothing.
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
