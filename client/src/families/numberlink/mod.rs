//! Numberlink.

mod bands;
mod cell_glyphs;
mod face;
pub mod input;
mod lesson;
mod link_colors;
mod marks;
mod text;

use super::face::Face;
use super::family_ui::{Advice, FamilyInfo, FamilyUi, Help, Lesson};
use crate::display::format;
use face::LinkFace;
use gridrace_shared::puzzle::numberlink::deduce::LinkHint;
use gridrace_shared::puzzle::numberlink::{Drawing, Link, LinkSpec, Stroke};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
use input::LinkPen;
use marks::Marks;
use std::borrow::Cow;

impl FamilyUi for Link {
    type Input = LinkPen;

    const INFO: FamilyInfo = FamilyInfo {
        counts: "mv/drawn",
        best: "A perfect race has",
        pace: "cells/s",
        legend: ["[A]", " is linked"],
        is_reversible: false,
    };

    fn title(spec: &LinkSpec) -> String {
        format!("Numberlink {}, {}", spec.size(), spec.mode())
    }

    fn help(_: bool) -> Vec<Help> {
        text::HELP.to_vec()
    }

    fn moves(moves: u32, _: Millis, drawing: &Drawing, wordy: bool) -> String {
        let moves = format::counted(moves as usize, "move", "moves");
        let pairs = drawing.puzzle().pairs().len();
        let links = if wordy { " links" } else { "" };
        format!("{moves}  {}/{pairs}{links}", drawing.linked())
    }

    fn advice(drawing: &Drawing, hint: &LinkHint, _: Option<i32>) -> Advice {
        text::advice(drawing, hint)
    }

    fn lesson(drawing: &Drawing, pen: &LinkPen, hint: &LinkHint, _: bool) -> Lesson {
        lesson::lesson(drawing, pen, hint)
    }

    fn shown_moves(drawing: &Drawing, hint: &LinkHint) -> Vec<Stroke> {
        hint.stroke(drawing).into_iter().collect()
    }

    fn narrate(drawing: &Drawing, stroke: &Stroke) -> String {
        text::narrate(drawing, stroke)
    }

    fn face(drawing: &Drawing, focus: Option<Cell>) -> Box<dyn Face + '_> {
        let marks = Marks { focus, ..Marks::default() };
        Box::new(LinkFace { drawing: Cow::Borrowed(drawing), marks })
    }

    fn own_face<'a>(
        drawing: &'a Drawing,
        pen: &'a LinkPen,
        hint: Option<&'a LinkHint>,
        active: bool,
        _: Option<u16>,
    ) -> Box<dyn Face + 'a> {
        let (shown, marks) = Marks::of(drawing, active.then_some(pen), hint);
        Box::new(LinkFace { drawing: Cow::Owned(shown), marks })
    }
}
