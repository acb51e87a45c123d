//! Numberlink.

mod cell_glyphs;
mod face;
pub mod input;
mod marks;
mod text;

use super::face::Face;
use super::family_ui::FamilyUi;
use super::input::{BoardKey, InputAction, MouseAction};
use super::text::{Advice, Help, KeyHints};
use crate::display::theme::Look;
use face::LinkFace;
use gridrace_shared::puzzle::numberlink::deduce::LinkHint;
use gridrace_shared::puzzle::numberlink::{Drawing, LinkSpec, Stroke};
use gridrace_shared::util::grid::Cell;
use gridrace_shared::util::time::Millis;
use input::LinkPen;
use marks::Marks;

#[derive(Debug)]
pub struct Numberlink;

impl FamilyUi for Numberlink {
    type Spec = LinkSpec;
    type Board = Drawing;
    type Move = Stroke;
    type Hint = LinkHint;
    type Input = LinkPen;

    const COUNTS: &'static str = "moves/drawn";
    const BEST: &'static str = "A perfect race has";
    const PACE: &'static str = "cells/s";
    const LEGEND: [&'static str; 2] = ["[12]", " is linked"];
    const REVERSIBLE: bool = false;

    fn title(spec: &LinkSpec) -> String {
        format!("Numberlink {}, {}", spec.size(), spec.mode())
    }

    fn help(_: bool) -> Vec<Help> {
        text::HELP.to_vec()
    }

    fn keys(pen: &LinkPen, drawing: &Drawing) -> KeyHints {
        text::keys(pen.holds(drawing).is_some())
    }

    fn moves(moves: u32, _: Millis, drawing: &Drawing, wordy: bool) -> String {
        text::moves(moves, drawing, wordy)
    }

    fn status(pen: &LinkPen, drawing: &Drawing) -> Option<(String, Look)> {
        text::status(pen, drawing)
    }

    fn advice(drawing: &Drawing, hint: &LinkHint, _: Option<i32>) -> Advice {
        text::advice(drawing, hint)
    }

    fn narrate(drawing: &Drawing, stroke: &Stroke) -> String {
        text::narrate(drawing, stroke)
    }

    fn input(drawing: &Drawing) -> LinkPen {
        LinkPen::new(drawing)
    }

    fn key(pen: &mut LinkPen, drawing: &Drawing, key: BoardKey, _: bool) -> InputAction {
        pen.key(drawing, key)
    }

    fn mouse(
        pen: &mut LinkPen,
        drawing: &Drawing,
        action: MouseAction,
        at: Option<Cell>,
    ) -> InputAction {
        pen.mouse(drawing, action, at)
    }

    fn cancel(pen: &mut LinkPen) -> bool {
        pen.cancel()
    }

    fn focus_hint(pen: &mut LinkPen, drawing: &Drawing, hint: &LinkHint) {
        pen.focus_hint(drawing, hint);
    }

    fn sync(pen: &mut LinkPen, drawing: &Drawing) {
        pen.sync(drawing);
    }

    fn face(drawing: &Drawing, focus: Option<Cell>) -> Box<dyn Face + '_> {
        Box::new(LinkFace::new(drawing, Marks { focus, ..Marks::default() }))
    }

    fn own_face<'a>(
        drawing: &'a Drawing,
        pen: &'a LinkPen,
        hint: Option<&'a LinkHint>,
        active: bool,
    ) -> Box<dyn Face + 'a> {
        Box::new(LinkFace::own(drawing, active.then_some(pen), hint))
    }
}
