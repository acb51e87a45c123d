//! Candidate strokes: a bounded list of legal next strokes.

use crate::puzzle::numberlink::{Drawing, Stroke};
use crate::util::grid::Cell;

impl Drawing {
    /// Returns a bounded list of legal strokes. For each number: strokes that extend its link by
    /// one cell (from either terminal when nothing is drawn), and the one that clears it; undo
    /// comes last. At most eight per number, all legal by [`Drawing::play`].
    pub fn candidate_strokes(&self) -> impl Iterator<Item = Stroke> {
        let numbers = (1u16..).zip(self.puzzle().pairs());
        let strokes = numbers.flat_map(|(number, &pair)| self.at_ends(number, pair));
        let strokes = strokes.chain([Stroke::Undo]);
        strokes.filter(|stroke| self.clone().play(stroke).is_ok())
    }

    fn at_ends(&self, number: u16, pair: [Cell; 2]) -> Vec<Stroke> {
        let (ends, clears) = match self.link(number) {
            [] => (pair.to_vec(), None),
            [start, .., end] => (vec![*end], Some(vec![*start])),
            [_] => (Vec::new(), None),
        };
        let on = ends.into_iter().flat_map(|end| {
            let neighbours = self.puzzle().size().neighbours(end);
            neighbours.map(move |next| vec![end, next])
        });
        on.chain(clears).map(Stroke::Draw).collect()
    }
}
