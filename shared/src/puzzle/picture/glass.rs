//! Stained glass: panes nearest to scattered points (Voronoi cells), with lead between them.

use super::motif::Motif;
use super::palette::{Palette, Rgb, WHOLE, lighten, mix};
use crate::util::seed::PortableRng;

/// The distance of two points on average, in pixels.
const PITCH: i32 = 88;
/// Columns and rows of points: some lie outside the picture, so that it has no seam.
const SIDE: i32 = 9;
const LEAD: Rgb = [24, 22, 28];

#[derive(Debug)]
pub(super) struct Glass {
    panes: Vec<Pane>,
}

#[derive(Debug)]
struct Pane {
    x: i32,
    y: i32,
    color: Rgb,
}

impl Glass {
    pub fn drawn(rng: &mut PortableRng, palette: Palette) -> Self {
        // Lightness grows along one axis and a tint along the other, so that no two regions are
        // alike.
        let is_turned = rng.below(2) == 1;
        let is_reversed = rng.below(2) == 1;
        let panes = (0..SIDE * SIDE).map(|index| {
            let mut draw = |n: i32| i32::try_from(rng.below(n.unsigned_abs())).unwrap_or(0);
            let x = (index % SIDE - 1) * PITCH + draw(PITCH);
            let y = (index / SIDE - 1) * PITCH + draw(PITCH);
            let (along, across) = if is_turned { (x, y) } else { (y, x) };
            let along = if is_reversed { 512 - along } else { along };
            let share = along * 2 + draw(240) - 120;
            let tint = (across - 256) * 3 / 4 + draw(100) - 50;
            Pane { x, y, color: lighten(palette.at(share), tint) }
        });
        Self { panes: panes.collect() }
    }
}

impl Motif for Glass {
    fn color(&self, x: i32, y: i32) -> Rgb {
        // The nearest points lie in the lattice's cells around.
        let (column, row) = (x / PITCH + 1, y / PITCH + 1);
        let around = (row - 2..=row + 2).flat_map(|row| {
            (column - 2..=column + 2)
                .filter(move |column| (0..SIDE).contains(column) && (0..SIDE).contains(&row))
                .filter_map(move |column| usize::try_from(row * SIDE + column).ok())
        });
        let distance = |pane: &Pane| (pane.x - x).pow(2) + (pane.y - y).pow(2);
        let mut nearest: Option<(i32, &Pane)> = None;
        for pane in around.clone().map(|index| &self.panes[index]) {
            let distance = distance(pane);
            if nearest.is_none_or(|(least, _)| distance < least) {
                nearest = Some((distance, pane));
            }
        }
        let Some((least, own)) = nearest else { return LEAD };
        // The distance to the line half-way to each neighbour, in sixteenths of a pixel.
        let edges = around.map(|index| &self.panes[index]).filter(|pane| !std::ptr::eq(*pane, own));
        let edge = edges.map(|pane| {
            let apart = ((pane.x - own.x).pow(2) + (pane.y - own.y).pow(2)).isqrt().max(1);
            8 * (distance(pane) - least) / apart
        });
        let edge = edge.min().unwrap_or(0);
        // Lighter to the middle, as thick glass is.
        let pane = lighten(own.color, (edge / 4).min(110));
        mix(LEAD, pane, (edge - 28) * WHOLE / 24)
    }
}
