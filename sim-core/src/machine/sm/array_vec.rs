//! A list of known length in an array that has room for the longest, so that whoever takes an element follows no pointer and asks for no length.

use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut, Index, IndexMut};

/// At most `N` elements, a power of two; hashed as a `Vec` of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayVec<T, const N: usize> {
    all: [T; N],
    count: u16,
}

impl<T: Default, const N: usize> ArrayVec<T, N> {
    /// So many elements.
    pub fn new(count: u32) -> Self {
        ArrayVec { all: core::array::from_fn(|_| T::default()), count: count as u16 }
    }
}

impl<T: Hash, const N: usize> Hash for ArrayVec<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T, const N: usize> Deref for ArrayVec<T, N> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.all[..N.min(self.count.into())]
    }
}

impl<T, const N: usize> DerefMut for ArrayVec<T, N> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all[..N.min(self.count.into())]
    }
}

impl<T, const N: usize> Index<usize> for ArrayVec<T, N> {
    type Output = T;
    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        &self.all[index % N]
    }
}

impl<T, const N: usize> IndexMut<usize> for ArrayVec<T, N> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.all[index % N]
    }
}
