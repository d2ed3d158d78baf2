//! What a kernel is promised: its goal, for policies that keep goals. The machine knows of none.

use crate::describe::kernel::Kernel;
use crate::describe::record::{Absent, Datum, Field, One, Shape};
use crate::describe::value::Value;

/// A goal of a kernel, on the mean of its whole run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// This share of its IPC alone, in (0, 1].
    OfAlone(f64),
    /// This IPC, thread instructions per core cycle over the whole GPU.
    Ipc(f64),
    /// Each run of its whole sequence within so many milliseconds.
    DeadlineMs(f64),
}

/// The least rate that a kernel can be promised, or be said to have alone: also on the part of a GPU that `scale` runs.
pub const LEAST_RATE: f64 = 0.001;

/// What a goal looks like.
const WANT: &str = "one goal: a share of the IPC alone from 0.001 to 1, {\"ipc\": N} or {\"deadline_ms\": N}";

const SHARE: Shape = Shape::Number { min: 0.001, max: 1.0 };

/// A share of the IPC alone, or an object that says one goal by name.
pub const GOAL: Shape = Shape::Forms { of: &[SHARE, Shape::One(&GOALS)], want: WANT };

const fn goal(name: &'static str, shape: Shape, unit: &'static str, doc: &'static str) -> Field {
    Field { name, shape, unit, absent: Absent::Needed, doc }
}

/// The ways to say a goal by name.
static GOALS: One = One {
    name: "Goal",
    of: &[
        goal("of_alone", SHARE, "", "Share of its IPC alone that the kernel is promised"),
        goal("ipc", Shape::Number { min: LEAST_RATE, max: 1e6 }, "thread instructions per cycle", "IPC that it is promised"),
        goal("deadline_ms", Shape::Number { min: 1e-6, max: 1e9 }, "ms", "Time within which each of its runs ends"),
    ],
    want: WANT,
    unknown: "an unknown goal",
};

impl Datum for Goal {
    fn read(value: &Value) -> Self {
        match value {
            Value::Object(pairs) => match pairs.first().map(|(key, number)| (key.as_str(), f64::read(number))) {
                Some(("ipc", ipc)) => Goal::Ipc(ipc),
                Some(("deadline_ms", ms)) => Goal::DeadlineMs(ms),
                Some((_, share)) => Goal::OfAlone(share),
                None => Goal::OfAlone(1.0),
            },
            share => Goal::OfAlone(f64::read(share)),
        }
    }

    fn write(&self) -> Value {
        match *self {
            Goal::OfAlone(share) => share.into(),
            Goal::Ipc(ipc) => Value::object([("ipc", ipc)]),
            Goal::DeadlineMs(ms) => Value::object([("deadline_ms", ms)]),
        }
    }
}

impl Goal {
    /// The goal with a deadline as the IPC that keeps it, at a core clock of so many MHz: instructions over frequency times time (Wang et
    /// al., ISCA 2017, §3.2).
    pub fn as_rate(self, kernel: &Kernel, core_mhz: u32) -> Goal {
        match self {
            Goal::DeadlineMs(ms) => Goal::Ipc(kernel.thread_instructions() / (ms * 1000.0 * f64::from(core_mhz))),
            rate => rate,
        }
    }

    /// The IPC that it asks for, of a kernel whose IPC alone is known if the goal needs it; a deadline is to be a rate before.
    pub fn ipc(self, alone: Option<f64>) -> Option<f64> {
        match self {
            Goal::OfAlone(share) => alone.map(|alone| alone * share),
            Goal::Ipc(ipc) => Some(ipc),
            Goal::DeadlineMs(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::error::Problems;
    use crate::describe::kernel::library;
    use alloc::string::String;

    fn read(value: Value) -> Result<Goal, String> {
        let mut problems = Problems::default();
        if GOAL.check(&value, "qos", &mut problems) { Ok(Goal::read(&value)) } else { Err(alloc::format!("{}", problems.0[0])) }
    }

    #[test]
    fn a_goal_is_said_in_one_of_three_ways_and_reads_back() {
        for goal in [Goal::OfAlone(0.8), Goal::Ipc(512.5), Goal::DeadlineMs(1.5)] {
            assert_eq!(read(goal.write()), Ok(goal));
        }
        assert_eq!(read(Value::object([("of_alone", 0.8)])), Ok(Goal::OfAlone(0.8)));
        let two = read(Value::object([("ipc", 5.0), ("deadline_ms", 1.0)])).unwrap_err();
        assert!(two.starts_with("qos: found ipc and deadline_ms, want one goal"), "{two}");
        assert!(read(Value::object::<&str, f64>([])).unwrap_err().starts_with("qos: found none, want one goal"));
        assert_eq!(read(1.5.into()), Err("qos: found 1.5, want a number from 0.001 to 1".into()));
        assert_eq!(read(Value::object([("of_alone", 1.01)])), Err("qos.of_alone: found 1.01, want a number from 0.001 to 1".into()));
    }

    /// A million thread instructions in a millisecond at 1000 MHz are one a cycle.
    #[test]
    fn a_deadline_is_an_ipc() {
        let kernel = library::find("VADD").unwrap();
        let instructions = kernel.thread_instructions();
        let rate = Goal::DeadlineMs(instructions / 1e6).as_rate(&kernel, 1000);
        assert_eq!(rate.ipc(None), Some(1.0));
        assert_eq!(Goal::OfAlone(0.5).as_rate(&kernel, 1000).ipc(Some(300.0)), Some(150.0));
        assert_eq!(Goal::OfAlone(0.5).ipc(None), None);
    }
}
