//! How the paper is read where its text and its equations leave something open.

use crate::describe::record::names;
use crate::describe::value::Value;

names! {
    /// What becomes of Eq. 15, or which model stands in the place of Eqs. 5 to 16.
    #[derive(Default)]
    pub enum Reading {
        /// Eq. 15 as printed.
        #[default]
        Literal = "literal",
        /// Eq. 15, and at least 1: the text before it says that a penalty cannot be lower.
        Clamped = "clamped",
        /// The text after Eq. 15: in each window the kernel that asks for the most bandwidth has the branch for penalties below 1, and every
        /// other has its penalties (Eq. 9), at least 1.
        Elected = "elected",
        /// No penalties: I(w) alone slows a window, so that nothing counts twice.
        IOnly = "i_only",
        /// Not the paper's: see [`super::fluid`].
        Fluid = "fluid",
    }
}

names! {
    /// Which latency Eq. 8 stretches.
    #[derive(Default)]
    pub enum Base {
        /// What Eq. 4 predicts.
        #[default]
        Eq4 = "eq4",
        /// What the kernel takes alone on its SMs.
        Measured = "measured",
    }
}

/// All that is open in the paper, settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Of Eq. 15.
    pub reading: Reading,
    /// Of Eq. 8.
    pub base: Base,
    /// On all SMs the latency is what was measured there. As printed, Eq. 4 halves it for a kernel that saturates memory.
    pub exact_at_n: bool,
    /// Eq. 16 adds its density to 1, so that penalties of that branch are from 1 to 2, as the text says, and not below 1.
    pub density_added: bool,
}

impl Model {
    /// This with another reading.
    pub fn with(self, reading: Reading) -> Model {
        Model { reading, ..self }
    }

    /// As answers carry it.
    pub fn to_value(self) -> Value {
        Value::object([
            ("reading", Value::from(self.reading.name())),
            ("base", self.base.name().into()),
            ("exact_at_n", self.exact_at_n.into()),
            ("density_added", self.density_added.into()),
        ])
    }
}
