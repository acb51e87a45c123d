"""Compares draws with those of caissify-pairings, an independent implementation.

Usage: pairings.py tests/golden/tournament-draws.json

Round robins are compared pair by pair in every round: both follow Berger's tables, so only colours are
left out. The first round of a Swiss stage one on one is compared pair by pair as well. Later rounds
aren't the same draw: caissify-pairings pairs within groups of equal points and balances colours, which
races don't have, while gridrace pairs neighbours in the standing. So what both must hold is compared,
each time from the same standing: the bye goes to one with as few points as theirs, and no more points
lie between the two of a pair, over all pairs, than in theirs if theirs seats all. A pair may meet again
only if networkx finds no perfect matching of those who haven't met. Not comparable: tables of more
than two.
"""

import json
import sys

import networkx
from caissify_pairings import generate_pairings


def player(entrant, seed, field, points, colours):
    return {
        "id": entrant,
        "rating": 3000 - seed,
        "starting_number": seed,
        "score": points,
        "color_hist": colours,
        "color_history": colours,
        "float_history": [],
        "byes": 0,
        "bye_count": 0,
        "had_bye": False,
    }


def pairs_of(pairings):
    regular, byes = set(), []
    for it in pairings:
        if it.get("bye") or it.get("black_id") is None:
            byes.append(it["white_id"])
        else:
            regular.add(frozenset((it["white_id"], it["black_id"])))
    return regular, byes


def check(holds, where, ours, theirs):
    if not holds:
        sys.exit(f"{where}: {ours} against {theirs}")


def round_robins(golden):
    compared = 0
    for field, rounds in golden.items():
        field = int(field)
        players = [player(n, n, field, 0, []) for n in range(1, field + 1)]
        for number, ours in enumerate(rounds, 1):
            theirs, byes = pairs_of(
                generate_pairings("round_robin", players, set(), number, len(rounds))
            )
            where = f"round {number} of a round robin of {field}"
            check({frozenset(pair) for pair in ours["pairs"]} == theirs, where, ours, theirs)
            check(ours["resting"] == byes, where, ours["resting"], byes)
            compared += len(theirs)
    return compared


def can_be_avoided(entrants, met):
    """Says whether all can be paired without a pair that has met."""
    graph = networkx.Graph()
    graph.add_nodes_from(entrants)
    graph.add_edges_from(
        (a, b) for a in entrants for b in entrants if a < b and frozenset((a, b)) not in met
    )
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    return 2 * len(matching) == len(entrants)


def swiss(golden):
    compared = 0
    for stage in golden:
        field = stage["field"]
        met = set()
        had_bye = {}
        for number, ours in enumerate(stage["rounds"], 1):
            standing = ours["standing"]
            points = {entrant: score for entrant, score in standing}
            players = []
            for seed, (entrant, score) in enumerate(standing, 1):
                it = player(entrant, seed, field, score, [])
                it["byes"] = it["bye_count"] = had_bye.get(entrant, 0)
                it["had_bye"] = entrant in had_bye
                it["bye_history"] = ["F"] * had_bye.get(entrant, 0)
                players.append(it)
            previous = {tuple(sorted(pair)) for pair in met}
            previous |= {(b, a) for a, b in previous}
            theirs, byes = pairs_of(
                generate_pairings("casual", players, previous, number, len(stage["rounds"]))
            )
            pairs = {frozenset(pair) for pair in ours["pairs"]}
            where = f"round {number} of a Swiss stage of {field}"
            if number == 1:
                check(pairs == theirs, where, ours, theirs)
                check(ours["byes"] == byes, where, ours["byes"], byes)
            seated = [entrant for pair in pairs for entrant in pair]
            if pairs & met:
                check(not can_be_avoided(seated, met), where, pairs & met, "no pair again")
            if len(byes) == len(ours["byes"]) == 1:
                check(points[ours["byes"][0]] <= points[byes[0]], where, ours["byes"], byes)
                check(had_bye.get(ours["byes"][0], 0) == 0, where, ours["byes"], "the first bye")

            def distance(of):
                sides = [[points[entrant] for entrant in pair] for pair in of]
                return sum(abs(a - b) for a, b in sides)

            # Theirs may leave several without an opponent, which makes the rest closer.
            if len(byes) == len(ours["byes"]):
                check(distance(pairs) <= distance(theirs), where, distance(pairs), distance(theirs))
            met |= pairs
            for entrant in ours["byes"]:
                had_bye[entrant] = had_bye.get(entrant, 0) + 1
            compared += len(pairs)
    return compared


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        golden = json.load(file)
    if len(golden["round_robin"]) < 20 or len(golden["swiss"]) < 8:
        sys.exit("too few draws to compare")
    print(f"round robins: {round_robins(golden['round_robin'])} pairs, the same")
    print(f"Swiss stages: {swiss(golden['swiss'])} pairs hold")


main()
