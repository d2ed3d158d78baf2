//! DeNovo: what is written stays in L1D, by word, until its launch ends or the store buffer is full. Then it is registered at L2, one
//! message a line, and this L1D owns it. It stays across launches, and is written back when its line leaves. A launch begins with what is
//! owned, what waits in the store buffer, and lines of arrays that are read only.

/// DeNovo for GPUs (Sinclair, Alsop, Adve, MICRO 2015).
pub type DeNovo = super::write_back::WriteBack<true>;
