//! What follows where links are known not to touch themselves.
//!
//! A link that runs through two adjacent cells without stepping from the one to the other
//! could be shortened there, and leave cells empty. So no link of a puzzle that has one
//! solution, even if cells may stay empty, ever does.

use crate::puzzle::numberlink::deduce::edges::{At, Sketch, ways};
use crate::puzzle::numberlink::deduce::justification::Why;
use crate::puzzle::numberlink::deduce::propagation::Contradiction;

/// Looks at one cell. Returns whether some edge is known by it.
pub(super) fn look(sketch: &mut Sketch, at: At) -> Result<bool, Contradiction> {
    let number = sketch.label[at];
    if number != 0 && lies_beside(sketch, at, number) {
        return Err(Contradiction::Touch);
    }
    Ok(around_corners(sketch, at)? | compare(sketch, at)?)
}

/// Of the four edges around four cells, two at most are on: three make a link touch itself.
fn around_corners(sketch: &mut Sketch, at: At) -> Result<bool, Contradiction> {
    let mut found = false;
    for way in 0..4 {
        let side = (way + 1) % 4;
        let (ahead, aside) = (sketch.next(at, way), sketch.next(at, side));
        let edges = [(at, way), (at, side), (ahead, side), (aside, way)];
        let is_on = |&&(at, way): &&(At, usize)| sketch.on[at] & 1 << way != 0;
        match edges.iter().filter(is_on).count() {
            0 | 1 => {}
            2 => {
                for (at, way) in edges {
                    if sketch.unknown(at) & 1 << way != 0 {
                        sketch.switch_off(at, way, Why::TOUCH);
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
fn compare(sketch: &mut Sketch, at: At) -> Result<bool, Contradiction> {
    let mut found = false;
    for way in ways(sketch.unknown(at)) {
        if sketch.unknown(at) & 1 << way == 0 {
            continue; // switched by what came before
        }
        let to = sketch.next(at, way);
        let (mine, its) = (sketch.label[at], sketch.label[to]);
        if usize::from(sketch.mate[at]) == to {
            return Err(Contradiction::Touch);
        }
        if mine != 0 && mine == its {
            let joined = sketch.switch_on(at, way, Why::TOUCH);
            joined.map_err(|_| Contradiction::Touch)?;
            found = true;
        } else if (mine == 0) != (its == 0) {
            let (free, number) = if mine == 0 { (at, its) } else { (to, mine) };
            if lies_beside(sketch, free, number) {
                sketch.switch_off(at, way, Why::TOUCH);
                found = true;
            }
        }
    }
    Ok(found)
}

/// Says whether a cell has a neighbour of a number, and the edge between them is off.
fn lies_beside(sketch: &Sketch, at: At, number: u16) -> bool {
    let mut off = ways(!sketch.open[at] & 0b1111);
    off.any(|way| sketch.label[sketch.next(at, way)] == number)
}
