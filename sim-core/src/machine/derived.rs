//! Facts kept for speed.

use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

/// A fact that follows from the rest of the state and from the time of its last computation: never compared, never hashed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Derived<T>(pub T);

impl<T> PartialEq for Derived<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Derived<T> {}

impl<T> Hash for Derived<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl<T> Deref for Derived<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Derived<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
