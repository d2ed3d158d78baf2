//! Our own model, for comparison; it is not the paper's, and nothing in it is fitted.
//!
//! Memory is a pipe that carries the sustained bandwidth. While the kernels that run together ask for more, each is served in proportion
//! to what it asks for, so that all of them take S / sustained times as long. A window ends when a kernel has done the work that it does
//! alone, so windows stretch as kernels do. Because all stretch alike, kernels end in the order in which they end alone, and a window is
//! as much work as in the paper's.

/// How many times as long kernels take that together ask for `sum`.
pub fn stretch(sum: f64, bandwidth_sustained: f64) -> f64 {
    (sum / bandwidth_sustained).max(1.0)
}
