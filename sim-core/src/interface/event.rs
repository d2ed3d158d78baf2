//! Events of the machine that a policy may want at once, not at its next interval.

use crate::describe::ids::{KernelId, LaunchId};

/// Something that has happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// A launch of a kernel's sequence begins, the first one of the run excepted.
    KernelLaunched {
        /// The kernel.
        kernel: KernelId,
        /// Launch of its sequence, from 0.
        launch: LaunchId,
    },
    /// The last CTA of a kernel's last launch has finished.
    KernelFinished {
        /// The kernel.
        kernel: KernelId,
    },
    /// A CTA has finished.
    CtaRetired {
        /// Where it ran.
        sm: u16,
        /// Its kernel.
        kernel: KernelId,
        /// Its number in the grid.
        cta: u32,
    },
    /// All kernels that are resident on an SM and have a warp quota there have spent it; the last one may also have left the SM.
    QuotasSpent {
        /// The SM.
        sm: u16,
    },
    /// A kernel above its CTA target on an SM has come down to the target: the CTAs have finished, or have been switched out.
    PreemptionDone {
        /// The SM.
        sm: u16,
        /// The kernel.
        kernel: KernelId,
    },
}

impl Event {
    /// What kind it is.
    pub fn kind(self) -> EventKind {
        match self {
            Event::KernelLaunched { .. } => EventKind::KernelLaunched,
            Event::KernelFinished { .. } => EventKind::KernelFinished,
            Event::CtaRetired { .. } => EventKind::CtaRetired,
            Event::QuotasSpent { .. } => EventKind::QuotasSpent,
            Event::PreemptionDone { .. } => EventKind::PreemptionDone,
        }
    }
}

/// What kind of event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    /// `Event::KernelLaunched`.
    KernelLaunched,
    /// `Event::KernelFinished`.
    KernelFinished,
    /// `Event::CtaRetired`.
    CtaRetired,
    /// `Event::QuotasSpent`.
    QuotasSpent,
    /// `Event::PreemptionDone`.
    PreemptionDone,
}

/// A set of kinds of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct EventKinds(u8);

impl EventKinds {
    /// No events.
    pub const NONE: EventKinds = EventKinds(0);

    /// These.
    pub const fn of(kinds: &[EventKind]) -> EventKinds {
        let (mut set, mut i) = (0, 0);
        while i < kinds.len() {
            set |= 1 << kinds[i] as u8;
            i += 1;
        }
        EventKinds(set)
    }

    /// These and others.
    pub const fn with(self, others: EventKinds) -> EventKinds {
        EventKinds(self.0 | others.0)
    }

    /// Whether all of them are among others.
    pub const fn are_among(self, others: EventKinds) -> bool {
        self.0 & !others.0 == 0
    }

    /// Whether a kind is among them.
    pub const fn has(self, kind: EventKind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }
}
