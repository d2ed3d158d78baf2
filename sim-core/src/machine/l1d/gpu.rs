//! GPU coherence: what is written stays in L1D, by word, until its launch ends or the store buffer is full; then it is written through to L2.
//! A launch begins with an empty L1D, but for words that wait in the store buffer.

/// GPU coherence (Sinclair, Alsop, Adve, MICRO 2015).
pub type GpuCoherence = super::write_back::WriteBack<false>;
