//! What follows where links are known not to touch themselves.
//!
//! A link that runs through two adjacent cells without stepping from the one to the other
//! could be shortened there, and leave cells empty. So no link of a puzzle that has one
//! solution, even if cells may stay empty, ever does.

use crate::puzzle::numberlink::deduce::edges::{EdgeGrid, GridIndex, ways};
use crate::puzzle::numberlink::deduce::justification::Justification;
use crate::puzzle::numberlink::deduce::propagation::Contradiction;

/// Looks at one cell. Returns whether some edge is known by it.
pub(super) fn look(grid: &mut EdgeGrid, at: GridIndex) -> Result<bool, Contradiction> {
    let number = grid.label[at];
    if number != 0 && lies_beside(grid, at, number) {
        return Err(Contradiction::Touch);
    }
    Ok(around_corners(grid, at)? | compare(grid, at)?)
}

/// Of the four edges around four cells, two at most are on: three make a link touch itself.
fn around_corners(grid: &mut EdgeGrid, at: GridIndex) -> Result<bool, Contradiction> {
    let mut found = false;
    for way in 0..4 {
        let side = (way + 1) % 4;
        let (ahead, aside) = (grid.next(at, way), grid.next(at, side));
        let edges = [(at, way), (at, side), (ahead, side), (aside, way)];
        let is_on = |&&(at, way): &&(GridIndex, usize)| grid.on[at] & 1 << way != 0;
        match edges.iter().filter(is_on).count() {
            0 | 1 => {}
            2 => {
                for (at, way) in edges {
                    if grid.unknown(at) & 1 << way != 0 {
                        grid.set_off(at, way, Justification::TOUCH);
                        found = true;
                    }
                }
            }
            _ => return Err(Contradiction::Touch),
        }
    }
    Ok(found)
}

/// Compares a cell that lacks edges with its neighbours.
fn compare(grid: &mut EdgeGrid, at: GridIndex) -> Result<bool, Contradiction> {
    let mut found = false;
    for way in ways(grid.unknown(at)) {
        if grid.unknown(at) & 1 << way == 0 {
            continue; // edges_on by what came before
        }
        let to = grid.next(at, way);
        let (mine, its) = (grid.label[at], grid.label[to]);
        if usize::from(grid.mate[at]) == to {
            return Err(Contradiction::Touch);
        }
        if mine != 0 && mine == its {
            let joined = grid.set_on(at, way, Justification::TOUCH);
            joined.map_err(|_| Contradiction::Touch)?;
            found = true;
        } else if (mine == 0) != (its == 0) {
            let (free, number) = if mine == 0 { (at, its) } else { (to, mine) };
            if lies_beside(grid, free, number) {
                grid.set_off(at, way, Justification::TOUCH);
                found = true;
            }
        }
    }
    Ok(found)
}

/// Says whether a cell has a neighbour of a number, and the edge between them is off.
fn lies_beside(grid: &EdgeGrid, at: GridIndex, number: u16) -> bool {
    let mut off = ways(!grid.open[at] & 0b1111);
    off.any(|way| grid.label[grid.next(at, way)] == number)
}
