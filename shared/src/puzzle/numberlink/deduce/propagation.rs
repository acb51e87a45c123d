//! What follows for a cell from what is known of its own edges and of its neighbours.

use crate::puzzle::numberlink::deduce::edges::{At, Clash, Sketch, ways};
use crate::puzzle::numberlink::deduce::justification::Why;
use crate::puzzle::numberlink::deduce::touch_rule;

/// What can't be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// A cell has too many edges, or can't get enough, or closes a ring.
    DeadEnd,
    /// A link touches itself.
    Touch,
    /// A pair is kept apart.
    CutOff,
    /// Some cells are beyond the reach of every link.
    Unfillable,
}

/// When it is looked at whether links touch themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touching {
    /// They may.
    Allowed,
    /// They don't, but that is put off.
    Later,
    /// They don't.
    Never,
}

/// How the local rules are applied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Local {
    pub touching: Touching,
    /// As many edges as may be on before it stops.
    pub limit: usize,
}

impl From<Clash> for Contradiction {
    fn from(Clash: Clash) -> Self {
        Self::DeadEnd
    }
}

impl Local {
    /// Looks at the cells of the queue until nothing follows any more, or the limit is
    /// passed. Counts the cells looked at.
    pub fn follow(self, sketch: &mut Sketch, nodes: &mut u64) -> Result<(), Contradiction> {
        while self.next(sketch, nodes)? && sketch.switched <= self.limit {}
        Ok(())
    }

    /// Looks at the cells of the queue in rounds until nothing follows any more: first at
    /// those that wait, then at those that wait then. Returns the rounds in which an edge
    /// was switched on.
    pub fn rounds(self, sketch: &mut Sketch, nodes: &mut u64) -> Result<u32, Contradiction> {
        let mut rounds = 0;
        while sketch.waiting() > 0 {
            let before = sketch.switched;
            for _ in 0..sketch.waiting() {
                self.next(sketch, nodes)?;
            }
            rounds += u32::from(sketch.switched > before);
        }
        Ok(rounds)
    }

    /// Looks at the next cell of the queue; returns whether there was one.
    fn next(self, sketch: &mut Sketch, nodes: &mut u64) -> Result<bool, Contradiction> {
        let Some(at) = sketch.pop() else {
            return Ok(false);
        };
        *nodes += 1;
        self.look(sketch, at)?;
        match self.touching {
            Touching::Allowed => {}
            Touching::Later => sketch.put_off(at),
            Touching::Never => {
                touch_rule::look(sketch, at)?;
            }
        }
        Ok(true)
    }

    fn look(self, sketch: &mut Sketch, at: At) -> Result<(), Contradiction> {
        let need = u32::from(sketch.need[at]);
        let (on, open) = (sketch.on[at].count_ones(), sketch.open[at].count_ones());
        if on > need || open < need {
            return Err(Contradiction::DeadEnd);
        }
        let unknown = sketch.unknown(at);
        if on == need {
            for way in ways(unknown) {
                sketch.switch_off(at, way, Why::TAKEN);
            }
        } else if open == need {
            let why = forced(sketch, at);
            for way in ways(unknown) {
                sketch.switch_on(at, way, why)?;
            }
        } else {
            compare(sketch, at);
        }
        Ok(())
    }
}

/// Compares a cell that lacks edges with its neighbours.
fn compare(sketch: &mut Sketch, at: At) {
    for way in ways(sketch.unknown(at)) {
        let to = sketch.next(at, way);
        let (mine, its) = (sketch.label[at], sketch.label[to]);
        if mine != 0 && its != 0 && mine != its {
            sketch.switch_off(at, way, Why::TAKEN);
        } else if usize::from(sketch.mate[at]) == to {
            sketch.switch_off(at, way, Why::RING);
        }
    }
}

/// Says why the edges that are left to a cell must be on.
fn forced(sketch: &Sketch, at: At) -> Why {
    let hardest = sketch.hardest_off(at);
    if hardest > Why::TAKEN {
        hardest
    } else if sketch.on[at] != 0 || sketch.need[at] == 1 {
        Why::ONLY_WAY_OUT
    } else if hardest == Why::GIVEN {
        Why::CORNER
    } else {
        Why::PASS_THROUGH
    }
}
