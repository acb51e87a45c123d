//! What a look ahead from the board as it is drawn shows.
//!
//! Nothing that could be deduced elsewhere is taken for granted: a way is tried, and fails at
//! once or within a few steps that follow from it.

use crate::puzzle::numberlink::deduce::edges::{At, Sketch, ways};
use crate::puzzle::numberlink::deduce::justification::Why;
use crate::puzzle::numberlink::deduce::propagation::{Contradiction, Local, Touching};
use crate::puzzle::numberlink::deduce::regions::Regions;

/// How many further steps a person follows.
const FURTHER_STEPS: usize = 4;

/// A drawing on which ways are tried.
#[derive(Debug)]
pub(super) struct Ahead {
    sketch: Sketch,
    apart: bool,
    regions: Regions,
    /// The cells looked at so far.
    pub nodes: u64,
}

impl Ahead {
    /// Takes a sketch on which nothing stands but what is drawn; `apart` says that links are
    /// known not to touch themselves.
    pub fn new(sketch: &Sketch, apart: bool) -> Self {
        let mut sketch = sketch.clone();
        for at in sketch.places() {
            for way in ways(sketch.unknown(at)) {
                let to = sketch.next(at, way);
                let (mine, its) = (sketch.label[at], sketch.label[to]);
                let is_other = mine != 0 && its != 0 && mine != its;
                if sketch.is_full(at) || sketch.is_full(to) || is_other {
                    sketch.switch_off(at, way, Why::TAKEN);
                }
            }
        }
        while sketch.pop().is_some() {}
        Self { sketch, apart, regions: Regions::default(), nodes: 0 }
    }

    /// Returns the only way from the end of a link that doesn't fail at once, or else within a
    /// few steps, and why all others do; nothing where two ways are left.
    pub fn only_way(&mut self, end: At, further: bool) -> Option<(usize, Why)> {
        let (mut left, mut hardest) = (None, None);
        for way in ways(self.sketch.unknown(end)) {
            match self.fails(end, way, further) {
                None if left.is_some() => return None,
                None => left = Some(way),
                Some(why) => hardest = Some(hardest.map_or(why, |other| both(why, other))),
            }
        }
        left.zip(hardest)
    }

    /// Says why a way fails, if it does.
    fn fails(&mut self, end: At, way: usize, further: bool) -> Option<Why> {
        let mark = self.sketch.mark();
        let failed = match self.at_once(end, way) {
            Err(why) => Some(why),
            Ok(touched) if further => self.further(&touched),
            Ok(_) => None,
        };
        self.sketch.back_to(mark);
        failed
    }

    /// Takes a way; returns the cells that have fewer ways since, or why it fails at once.
    fn at_once(&mut self, end: At, way: usize) -> Result<Vec<At>, Why> {
        let sketch = &mut self.sketch;
        let to = sketch.next(end, way);
        let is_joined = sketch.switch_on(end, way, Why::GIVEN);
        is_joined.map_err(|_| Why::DEAD_END)?;
        if self.apart && touches(sketch, to) {
            return Err(Why::TOUCH);
        }
        for at in [end, to] {
            for way in ways(sketch.unknown(at)) {
                let beside = sketch.label[sketch.next(at, way)];
                if sketch.is_full(at) || beside != 0 && beside != sketch.label[at] {
                    sketch.switch_off(at, way, Why::TAKEN);
                }
            }
        }
        let touched: Vec<At> = std::iter::from_fn(|| sketch.pop()).collect();
        self.nodes += touched.len() as u64;
        let lacks = |&at: &At| sketch.open[at].count_ones() < u32::from(sketch.need[at]);
        if touched.iter().any(lacks) {
            return Err(Why::DEAD_END);
        }
        match self.regions.examine(sketch, &mut self.nodes) {
            Ok(()) => Ok(touched),
            Err(Contradiction::Unfillable) => Err(Why::UNFILLABLE),
            Err(Contradiction::CutOff | Contradiction::DeadEnd | Contradiction::Touch) => {
                Err(Why::CUT_OFF)
            }
        }
    }

    /// Follows what a way forces, from cell to cell, and says after how many steps it fails.
    fn further(&mut self, touched: &[At]) -> Option<Why> {
        let begun = self.sketch.switched;
        for &at in touched {
            self.sketch.look_at(at);
        }
        let local = Local {
            touching: match self.apart {
                true => Touching::Never,
                false => Touching::Allowed,
            },
            limit: begun + FURTHER_STEPS,
        };
        let followed = local.follow(&mut self.sketch, &mut self.nodes);
        let failed = followed.and_then(|()| self.regions.examine(&self.sketch, &mut self.nodes));
        let depth = self.sketch.switched - begun;
        // A cell may force two steps at once, and the last of them be one too many.
        let failed = failed.is_err() && depth <= FURTHER_STEPS;
        let depth = u8::try_from(depth).unwrap_or(u8::MAX);
        failed.then_some(Why::trial(depth))
    }
}

/// Says why two ways fail.
fn both(one: Why, other: Why) -> Why {
    if one == other { one } else { one.max(other).max(Why::SEVERAL) }
}

/// Says whether the last cell of a link lies beside a cell of it that the link has left.
fn touches(sketch: &Sketch, at: At) -> bool {
    let apart = ways(!sketch.on[at] & 0b1111);
    apart.into_iter().any(|way| {
        let beside = sketch.next(at, way);
        sketch.label[beside] == sketch.label[at] && sketch.is_full(beside)
    })
}
