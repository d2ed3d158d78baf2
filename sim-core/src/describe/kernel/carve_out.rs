//! The shared memory that a launch prefers an SM to have, where SMs can be divided.

use crate::describe::record::Datum;
use crate::describe::value::Value;

/// As CUDA's `cudaFuncAttributePreferredSharedMemoryCarveout` has it. Where L1D and shared memory are arrays of their own it does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum CarveOut {
    /// As much as the CTAs need that registers, threads and CTA slots allow.
    #[default]
    Default,
    /// So many bytes: a size that the GPU has.
    Bytes(u32),
    /// A part of the most that the GPU has, rounded up to a size that it has.
    Percent(u32),
}

impl Datum for CarveOut {
    fn read(value: &Value) -> Self {
        match value {
            Value::Null => CarveOut::Default,
            Value::Object(pairs) => CarveOut::Percent(pairs.first().map_or(0, |(_, percent)| u32::read(percent))),
            bytes => CarveOut::Bytes(u32::read(bytes)),
        }
    }

    fn write(&self) -> Value {
        match *self {
            CarveOut::Default => Value::Null,
            CarveOut::Bytes(bytes) => bytes.into(),
            CarveOut::Percent(percent) => Value::object([("percent", percent)]),
        }
    }
}
