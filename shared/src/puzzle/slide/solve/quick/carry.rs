//! Brings the tiles of a line to their places one after the other, the nearer end's first, while
//! the other tiles come nearer to their homes.
//!
//! A state's score is the cost of the next tile's route plus the costs of the other tiles'
//! distances. So among the many routes the beam prefers those that push the neighbouring tiles in
//! the right direction, and makes detours that pay.

use crate::puzzle::slide::solve::quick::beam::{Aim, BeamLimits, Finder, MOVE, TileSlide};
use crate::puzzle::slide::solve::quick::position::Position;
use crate::puzzle::slide::solve::quick::route_cost::{carry_cost, route_cost};
use crate::puzzle::slide::solve::quick::tile_costs::TileCosts;
use crate::util::grid::{Cell, Size};

/// Twice the states take 3 % fewer moves.
pub(super) const CARRY_LIMITS: BeamLimits = BeamLimits { width: 60, lookahead: 24 };

/// The gain when a tile arrives, in moves: more than the way of the blank to the next one.
const ARRIVAL_GAIN: i32 = 100;

/// Tiles and the cells to which they are carried.
#[derive(Debug, Clone, Copy)]
pub(super) struct CarryAim<'a> {
    pub size: Size,
    pub homes: &'a [Cell],
    pub to: &'a [Cell],
    /// The numbers of those that are not in place.
    pub rest: [u8; 2],
    /// How many tiles are left where they are.
    pub left: u8,
    /// The weight of the route's cost; 1 is neutral.
    pub route_weight: i32,
    pub costs: &'a TileCosts,
}

/// The tiles that are not carried yet, and the next one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Carried {
    first: u8,
    /// One more than the last.
    end: u8,
    next: u8,
    /// The places of the next tile, now and finally.
    at: Position,
    to: Position,
}

impl CarryAim<'_> {
    /// Passes over the tiles that are in place at both ends, and picks the nearer end's next.
    /// Returns the cost of doing so.
    fn pick_next(&self, carried: &mut Carried, finder: Finder<'_>, arrived: Option<u8>) -> i32 {
        let mut gain = 0;
        while carried.end - carried.first > self.left {
            let place = |number: u8| {
                let to = Position::of(self.size, self.to[usize::from(number)]);
                if Some(number) == arrived {
                    return (to, to);
                }
                (finder.position_of(self.homes[usize::from(number)]), to)
            };
            let (first, last) = (place(carried.first), place(carried.end - 1));
            if first.0 == first.1 {
                carried.first += 1;
            } else if last.0 == last.1 {
                carried.end -= 1;
            } else {
                let cost = |(at, to)| carry_cost(at, to, finder.blank);
                ((carried.at, carried.to), carried.next) = if cost(first) <= cost(last) {
                    (first, carried.first)
                } else {
                    (last, carried.end - 1)
                };
                gain += route_cost(carried.at, carried.to);
                break;
            }
            gain += ARRIVAL_GAIN;
        }
        -MOVE * self.route_weight * gain
    }
}

impl Aim for CarryAim<'_> {
    type Progress = Carried;

    fn start(&self, finder: Finder<'_>) -> (Carried, i32) {
        let nowhere = finder.blank;
        let [first, end] = self.rest;
        let mut carried = Carried { first, end, next: first, at: nowhere, to: nowhere };
        let cost = self.pick_next(&mut carried, finder, None);
        (carried, cost)
    }

    fn after(&self, mut carried: Carried, slide: TileSlide, finder: Finder<'_>) -> (Carried, i32) {
        if slide.home != self.homes[usize::from(carried.next)].0 {
            return (carried, self.costs.of_move(slide));
        }
        carried.at = slide.to;
        let mut cost = 0;
        if carried.at == carried.to {
            let arrived = Some(carried.next);
            cost = self.pick_next(&mut carried, finder, arrived);
        }
        (carried, cost)
    }

    fn remaining(&self, carried: Carried, blank: Position) -> i32 {
        MOVE * self.route_weight * carry_cost(carried.at, carried.to, blank)
    }

    fn is_reached(&self, carried: Carried) -> bool {
        carried.end - carried.first <= self.left
    }

    fn finished(&self, before: Carried, after: Carried) -> impl Iterator<Item = Position> {
        let numbers = (before.first..after.first).chain(after.end..before.end);
        numbers.map(|number| Position::of(self.size, self.to[usize::from(number)]))
    }
}
