//! Which way of a set was used longest ago: known without a look at each.

use alloc::boxed::Box;
use alloc::vec;

/// The ways of each set in a ring, from the oldest to the newest; a reserved way is in none.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Recency {
    /// Ways of a set, and the place between its newest and its oldest.
    places: u32,
    /// The next older and the next newer way of each.
    next: Box<[[u8; 2]]>,
}

impl Recency {
    /// Of ways without lines: the first is the oldest.
    pub fn new(sets: u32, ways: u32) -> Self {
        let mut recency = Recency { places: ways + 1, next: vec![[0; 2]; (sets * (ways + 1)) as usize].into() };
        recency.restart();
        recency
    }

    /// As of ways without lines.
    pub fn restart(&mut self) {
        for ring in self.next.chunks_mut(self.places as usize) {
            let between = ring.len() - 1;
            for (way, next) in ring.iter_mut().enumerate() {
                *next = [if way == 0 { between } else { way - 1 }, if way == between { 0 } else { way + 1 }].map(|way| way as u8);
            }
        }
    }

    /// The ring of a set, after a way has left it. A way that is in none is its own neighbour.
    #[inline]
    fn without(&mut self, set: u32, way: u32) -> &mut [[u8; 2]] {
        let first = (set * self.places) as usize;
        let ring = &mut self.next[first..first + self.places as usize];
        let [older, newer] = ring[way as usize];
        ring[older as usize][1] = newer;
        ring[newer as usize][0] = older;
        ring[way as usize] = [way as u8; 2];
        ring
    }

    /// A way becomes the newest of its set.
    #[inline]
    pub fn make_newest(&mut self, set: u32, way: u32) {
        let between = self.places as usize - 1;
        put_before(self.without(set, way), way, between);
    }

    /// A way becomes the oldest of its set.
    pub fn make_oldest(&mut self, set: u32, way: u32) {
        let between = self.places as usize - 1;
        let ring = self.without(set, way);
        put_before(ring, way, ring[between][1].into());
    }

    /// A way is in its ring no longer.
    #[inline]
    pub fn take_out(&mut self, set: u32, way: u32) {
        self.without(set, way);
    }

    /// The oldest way of a set among those of `mask`, unless each is reserved.
    #[inline]
    pub fn oldest(&self, set: u32, mask: u32) -> Option<u32> {
        let between = self.places - 1;
        let first = (set * self.places) as usize;
        let newer = |way: u32| u32::from(self.next[first + way as usize][1]);
        let mut way = newer(between);
        while way != between && mask >> way & 1 == 0 {
            way = newer(way);
        }
        (way != between).then_some(way)
    }
}

/// Puts a way into a ring, as the next older one of another.
#[inline]
fn put_before(ring: &mut [[u8; 2]], way: u32, newer: usize) {
    let older = ring[newer][0];
    ring[way as usize] = [older, newer as u8];
    ring[older as usize][1] = way as u8;
    ring[newer][0] = way as u8;
}
