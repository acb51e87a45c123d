//! Variables by their activity: a heap of those that may be decided.

/// What a bump adds grows by this factor with each conflict, so that recent ones count more.
const DECAY: f64 = 0.95;
/// All activities are scaled down beyond this.
const MAX_ACTIVITY: f64 = 1e100;

const ABSENT: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct VariableOrder {
    activities: Vec<f64>,
    bump: f64,
    heap: Vec<u32>,
    /// By variable, its place in the heap.
    places: Vec<u32>,
}

impl Default for VariableOrder {
    fn default() -> Self {
        Self { activities: Vec::new(), bump: 1.0, heap: Vec::new(), places: Vec::new() }
    }
}

impl VariableOrder {
    /// Adds the next variable.
    pub fn add(&mut self, variable: u32) {
        self.activities.push(0.0);
        self.places.push(ABSENT);
        self.insert(variable);
    }

    /// Inserts a variable, unless it is in the heap.
    pub fn insert(&mut self, variable: u32) {
        if self.places[variable as usize] == ABSENT {
            self.heap.push(variable);
            self.sift_up(self.heap.len() - 1);
        }
    }

    /// Removes the most active variable.
    pub fn pop(&mut self) -> Option<u32> {
        let last = self.heap.pop()?;
        let Some(top) = self.heap.first_mut() else {
            self.places[last as usize] = ABSENT;
            return Some(last);
        };
        let top = std::mem::replace(top, last);
        self.places[top as usize] = ABSENT;
        self.sift_down(0);
        Some(top)
    }

    pub fn bump(&mut self, variable: u32) {
        let activity = &mut self.activities[variable as usize];
        *activity += self.bump;
        if *activity > MAX_ACTIVITY {
            for activity in &mut self.activities {
                *activity /= MAX_ACTIVITY;
            }
            self.bump /= MAX_ACTIVITY;
        }
        let place = self.places[variable as usize];
        if place != ABSENT {
            self.sift_up(place as usize);
        }
    }

    /// Makes all bumps so far count less.
    pub fn decay(&mut self) {
        self.bump /= DECAY;
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        self.activities[a as usize] > self.activities[b as usize]
    }

    fn put(&mut self, place: usize, variable: u32) {
        self.heap[place] = variable;
        self.places[variable as usize] = place as u32;
    }

    fn sift_up(&mut self, mut place: usize) {
        let variable = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if !self.is_before(variable, self.heap[parent]) {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, variable);
    }

    fn sift_down(&mut self, mut place: usize) {
        let variable = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            let Some(&left) = self.heap.get(child) else { break };
            if let Some(&right) = self.heap.get(child + 1)
                && self.is_before(right, left)
            {
                child += 1;
            }
            if !self.is_before(self.heap[child], variable) {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, variable);
    }
}
