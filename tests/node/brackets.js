// Compares brackets with those of brackets-manager: the same fields, seeds and winners must give the
// same matches, the same champion and the same runner-up.
//
// Usage: node brackets.js tests/golden/tournament-draws.json
//
// Compared are all matches of knock-outs of any size, and all matches of double eliminations of
// sizes that are powers of two, where brackets-manager is told the order in which losers fall.
// Of other sizes only the upper bracket, the champion and the runner-up are: the two place byes of the
// lower bracket in different ways. Not compared are tables, absent entrants and shared places, which
// brackets-manager doesn't have.
'use strict';

const fs = require('fs');
const { BracketsManager } = require('brackets-manager');
const { InMemoryDatabase } = require('brackets-memory-db');

// The order in which the losers of each level of the upper bracket fall.
const LOSERS = ['natural', 'reverse', 'half_shift', 'reverse_half_shift', 'natural', 'natural'];
const UPPER = 1;
const FINAL = 3;

function seeding(field) {
  const size = Math.max(2, 2 ** Math.ceil(Math.log2(field)));
  return Array.from({ length: size }, (_, seed) => (seed < field ? String(seed + 1) : null));
}

// Plays a bracket in which the stronger side of each match wins, and returns its matches.
async function play(type, field, strength) {
  const storage = new InMemoryDatabase();
  const manager = new BracketsManager(storage);
  const double = type === 'double_elimination';
  const levels = Math.log2(seeding(field).length);
  const seedOrdering = double ? ['inner_outer', ...LOSERS.slice(0, levels)] : ['inner_outer'];
  const settings = double ? { grandFinal: 'double', seedOrdering } : { seedOrdering };
  await manager.create.stage({
    tournamentId: 0, name: 'bracket', type, seeding: seeding(field), settings,
  });
  const names = new Map();
  for (const it of await storage.select('participant')) names.set(it.id, Number(it.name));
  const groups = new Map();
  for (const it of await storage.select('group')) groups.set(it.id, it.number);
  const matches = [];
  for (;;) {
    const ready = (await storage.select('match')).find((match) => match.status === 2);
    // It offers the second final even if the winner of the upper bracket has won the first.
    const final = matches.find((match) => match.group === FINAL);
    if (!ready || (final && final.winner === final.from_upper)) return matches;
    const [a, b] = [ready.opponent1, ready.opponent2].map((side) => names.get(side.id));
    const first = strength[a - 1] < strength[b - 1];
    const pair = [Math.min(a, b), Math.max(a, b)];
    const group = groups.get(ready.group_id);
    matches.push({ pair, group, from_upper: a, winner: first ? a : b, upper: group === UPPER });
    await manager.update.match({
      id: ready.id,
      opponent1: { score: first ? 1 : 0, result: first ? 'win' : 'loss' },
      opponent2: { score: first ? 0 : 1, result: first ? 'loss' : 'win' },
    });
  }
}

const sorted = (pairs) => pairs.map((pair) => pair.join('-')).sort().join(' ');

async function main() {
  const golden = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
  let compared = 0;
  for (const { elimination, field, strength, matches, champion, second } of golden.brackets) {
    // It has no double elimination of two.
    if (elimination === 'double' && field < 3) continue;
    const type = `${elimination}_elimination`;
    const theirs = await play(type, field, strength);
    const last = theirs[theirs.length - 1];
    const their_second = last.pair.find((side) => side !== last.winner);
    const where = `${elimination} elimination of ${field}`;
    const check = (what, ours, expected) => {
      if (ours !== expected) throw new Error(`${where}, ${what}: ${ours}, expected ${expected}`);
    };
    check('champion', champion, last.winner);
    check('runner-up', second, their_second);
    const is_power = seeding(field).length === field;
    const all = elimination === 'single' || is_power;
    const ours = matches.filter((match) => all || match.upper).map((match) => match.pair);
    const expected = theirs.filter((match) => all || match.upper).map((match) => match.pair);
    check('matches', sorted(ours), sorted(expected));
    compared += expected.length;
  }
  if (golden.brackets.length < 20) throw new Error('too few brackets to compare');
  console.log(`${golden.brackets.length} brackets, ${compared} matches: the same`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
