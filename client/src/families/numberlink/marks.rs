//! The marks on the player's own drawing: the cursor, the hint, and what the stroke in the
//! making does to other links.

use crate::families::numberlink::input::LinkPen;
use gridrace_shared::puzzle::numberlink::Drawing;
use gridrace_shared::puzzle::numberlink::deduce::{ForcedSegment, LinkHint, Mistake};
use gridrace_shared::util::grid::Cell;
use std::collections::BTreeSet;

#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    pub cursor: Option<Cell>,
    /// What stays in sight of a drawing that is too large.
    pub focus: Option<Cell>,
    pub hint: BTreeSet<Cell>,
    /// Where a link goes wrong, as the hint says.
    pub astray: Option<Cell>,
    /// What of the link is wrong from there on.
    pub wrong: BTreeSet<Cell>,
    /// Where the stroke in the making cuts another link.
    pub cut: BTreeSet<Cell>,
    /// What other links lose to it, apart from there.
    pub lost: BTreeSet<Cell>,
}

impl Marks {
    /// Marks the player's own drawing, and returns it as it is shown: with the stroke that the
    /// pen holds.
    pub(super) fn of(
        drawing: &Drawing,
        pen: Option<&LinkPen>,
        hint: Option<&LinkHint>,
    ) -> (Drawing, Self) {
        let mut marks = Self::default();
        let mut shown = drawing.clone();
        if let Some(pen) = pen {
            shown = pen.shown(drawing);
            marks.cursor = Some(pen.cursor());
            marks.focus = Some(pen.focus());
            marks.compare(drawing, &shown, pen.holds(drawing));
        }
        if let Some(hint) = hint {
            marks.advise(drawing, hint);
        }
        (shown, marks)
    }

    /// Marks where a hint leads, or what of a link it finds wrong.
    fn advise(&mut self, drawing: &Drawing, hint: &LinkHint) {
        match hint {
            LinkHint::Forced(ForcedSegment { cells, .. }) | LinkHint::Reveal { cells, .. } => {
                self.hint.extend(cells);
            }
            LinkHint::Wrong(Mistake { number, from }) => {
                let link = drawing.link(*number).iter();
                self.astray = Some(*from);
                self.wrong.extend(link.skip_while(|cell| *cell != from));
            }
        }
    }

    /// Marks what links other than the one that is held lose.
    fn compare(&mut self, before: &Drawing, shown: &Drawing, held: Option<u16>) {
        let size = before.puzzle().size();
        for cell in (0..size.cells()).filter_map(|cell| u16::try_from(cell).ok()).map(Cell) {
            let owner = before.owner(cell);
            if owner.is_none() || owner == held || owner == shown.owner(cell) {
                continue;
            }
            if shown.owner(cell).is_some() {
                self.cut.insert(cell);
            } else {
                self.lost.insert(cell);
            }
        }
    }
}
