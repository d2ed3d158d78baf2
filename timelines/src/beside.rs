//! What fits beside what, under which scheme.
//!
//! CTAs stay where they are until they end, so the second kernel gets what the first one leaves. That is room beside it where it does not fill the
//! GPU, in its last wave, or when its CTAs end.

use crate::residency::{Described, Need, Resident};
use crate::timeline::Shape;
use sim_core::describe::gpu::occupancy::{Limiter, Resources};

/// A kernel on a GPU.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct On {
    /// Where its CTAs are.
    pub resident: Resident,
    /// What one of them takes.
    pub need: Need,
}

impl On {
    /// One of a shape.
    pub fn of(shape: &Shape, gpu: &Described) -> On {
        On { resident: Resident::of(shape, gpu), need: Need::of(shape, gpu) }
    }
}

/// What of an SM keeps another kernel's CTAs out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Holds {
    /// So much of a resource, in percent.
    Part(Limiter, f64),
    /// The division between L1D and shared memory: the KB of shared memory that the SM has, and those that the other wants.
    Division(u32, u32),
}

impl Holds {
    /// Behind "it".
    pub fn words(self) -> String {
        match self {
            Holds::Part(limiter, percent) => {
                let what = match limiter {
                    Limiter::Slots => "CTA slots",
                    Limiter::Threads => "threads",
                    Limiter::Registers => "registers",
                    Limiter::SharedMemory => "shared memory",
                };
                let the = if percent >= 99.5 { "all".into() } else { format!("{percent:.0} % of the") };
                format!("holds {the} {what}")
            }
            Holds::Division(has, wants) => format!("leaves {has} KB of an SM to shared memory, where {wants} are wanted"),
        }
    }
}

/// CTAs of the second kernel on an SM with so many of the first; if none, what keeps them out.
fn on_sm(first: &On, ctas: u32, second: &On, gpu: &Described) -> (u32, Option<Holds>) {
    if ctas == 0 || second.resident.ctas_per_sm == 0 {
        return (second.resident.ctas_per_sm, None);
    }
    let (needs, has) = (&second.need, first.need.division);
    let divided = (needs.least > has).then_some(Holds::Division(has >> 10, needs.least >> 10));
    let whole = Resources { shared_bytes: has, ..Resources::of_class(&gpu.sm) };
    let of = |limiter, whole: u32, one: u32, more: u32| {
        let taken = one.saturating_mul(ctas).min(whole);
        let fit = (whole - taken).checked_div(more).unwrap_or(u32::MAX);
        (fit, Holds::Part(limiter, 100.0 * f64::from(taken) / f64::from(whole.max(1))), taken as f64 / f64::from(whole.max(1)))
    };
    let (a, b) = (first.need.cta, needs.cta);
    let each = [
        of(Limiter::Registers, whole.registers, a.registers, b.registers),
        of(Limiter::Threads, whole.threads, a.threads, b.threads),
        of(Limiter::SharedMemory, whole.shared_bytes, a.shared_bytes, b.shared_bytes),
        of(Limiter::Slots, whole.ctas, a.ctas, b.ctas),
    ];
    // Of several that keep it out, the one of which least is left: what the SM is divided for comes last, as it changes with the SM's first CTA.
    let keeps = |of: &(u32, Holds, f64)| of.0 == 0 && (divided.is_none() || !matches!(of.1, Holds::Part(Limiter::SharedMemory, _)));
    let most = each.iter().filter(|of| keeps(of)).reduce(|most, of| if of.2 > most.2 { of } else { most });
    let fit = each.iter().map(|of| of.0).min().filter(|_| divided.is_none()).unwrap_or(0).min(second.resident.ctas_per_sm);
    (fit, most.map(|of| of.1).or(divided))
}

/// What a kernel leaves to a second one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    /// Whether the first fills the GPU before its last wave.
    pub fills: bool,
    /// CTAs of the second on each SM that the first fills.
    pub full: u32,
    /// CTAs of the second on the whole GPU beside the first's last wave, spread evenly: of a grid below one wave, beside all of it.
    pub tail: u64,
    /// CTAs of the first that have to leave an SM at once for one of the second; none where it fits no empty SM.
    pub leave: Option<u32>,
    /// What keeps the second out of an SM that the first fills.
    pub holds: Option<Holds>,
}

impl Room {
    /// Beside the first.
    pub fn of(first: &On, second: &On, gpu: &Described) -> Room {
        let (most, grid) = (first.resident.ctas_per_sm, second.resident.ctas);
        let (full, holds) = on_sm(first, most, second, gpu);
        let last = first.resident.last_wave();
        let sms = u64::from(gpu.sms.max(1));
        // A first kernel that fits no SM leaves all of them, but never runs.
        let (each, one_more) = ((last / sms) as u32, last % sms);
        let beside = |ctas| u64::from(on_sm(first, ctas, second, gpu).0);
        let tail = if last == first.resident.places {
            sms * u64::from(full)
        } else {
            one_more * beside(each + 1) + (sms - one_more) * beside(each)
        };
        let leave = (0..=most).find(|leave| beside(most - leave) > 0);
        Room { fills: first.resident.fills(), full, tail: tail.min(grid), leave, holds }
    }

    /// Whether the second can run beside the first before its last CTAs end.
    pub fn any(&self) -> bool {
        self.tail > 0 || (self.fills && self.full > 0)
    }

    /// Whether the second has to wait for CTAs of the first to end.
    pub fn waits(&self) -> bool {
        if self.fills { self.full == 0 } else { self.tail == 0 }
    }
}

/// How two kernels share a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Streams: the second gets what the first leaves.
    Streams,
    /// Streams, the second's of higher priority.
    Priority,
    /// MPS with so many percent for the second, and the rest for the first.
    Mps(u32),
    /// Two equal instances of MIG.
    Mig,
    /// Two equal green contexts.
    GreenContexts,
}

/// Where a second kernel's CTAs run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// So many beside the first from its start.
    Beside(u64),
    /// So many in the first one's last wave.
    Tail(u64),
    /// One wherever so many CTAs of the first on an SM have ended.
    AsCtasEnd(u32),
    /// When the first one's last CTAs end.
    End,
    /// On so many SMs of their own, so many.
    Own(u32, u64),
    /// Nowhere: a CTA fits no SM.
    Never,
    /// The GPU has no such thing, or it is not known.
    Absent,
}

impl Scheme {
    /// All of them.
    pub const ALL: [Scheme; 7] =
        [Scheme::Streams, Scheme::Priority, Scheme::Mps(25), Scheme::Mps(50), Scheme::Mps(75), Scheme::Mig, Scheme::GreenContexts];

    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Scheme::Streams => "streams",
            Scheme::Priority => "priority",
            Scheme::Mps(..=25) => "mps_25",
            Scheme::Mps(..=50) => "mps_50",
            Scheme::Mps(_) => "mps_75",
            Scheme::Mig => "mig",
            Scheme::GreenContexts => "green_contexts",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Scheme::Streams => "streams",
            Scheme::Priority => "priority",
            Scheme::Mps(..=25) => "MPS 75 % and 25 %",
            Scheme::Mps(..=50) => "MPS 50 % each",
            Scheme::Mps(_) => "MPS 25 % and 75 %",
            Scheme::Mig => "MIG halves",
            Scheme::GreenContexts => "green contexts",
        }
    }

    /// SMs that the second kernel has to itself: of MPS, where 100 % are given, as policy `mps` has it.
    pub fn own(self, gpu: &Described) -> Option<u32> {
        let sms = match self {
            Scheme::Streams | Scheme::Priority => return None,
            Scheme::Mps(percent) => (u64::from(gpu.sms) * u64::from(percent) / 100) as u32,
            Scheme::Mig => gpu.vendor.and_then(|vendor| Some(vendor.part(vendor.alike(2)?.sms, gpu.sms)))?,
            Scheme::GreenContexts => {
                let (least, step) = gpu.vendor?.steps(gpu.sms);
                Some(gpu.sms / 2 / step * step).filter(|sms| *sms >= least)?
            }
        };
        (sms > 0).then_some(sms)
    }

    /// Where the second kernel's CTAs run while the first one does.
    pub fn place(self, second: &On, room: &Room, gpu: &Described) -> Place {
        let Resident { ctas, ctas_per_sm, .. } = second.resident;
        let Some(leave) = room.leave.filter(|_| ctas_per_sm > 0) else { return Place::Never };
        if !matches!(self, Scheme::Streams | Scheme::Priority) {
            return match self.own(gpu) {
                Some(sms) => Place::Own(sms, (u64::from(sms) * u64::from(ctas_per_sm)).min(ctas)),
                None => Place::Absent,
            };
        }
        match *room {
            Room { fills: true, full, .. } if full > 0 => Place::Beside((u64::from(gpu.sms) * u64::from(full)).min(ctas)),
            Room { fills: false, tail, .. } if tail > 0 => Place::Beside(tail),
            _ if self == Scheme::Priority => Place::AsCtasEnd(leave),
            Room { fills: true, tail, .. } if tail > 0 => Place::Tail(tail),
            _ => Place::End,
        }
    }
}

impl Place {
    /// Its name in results.
    pub fn key(self) -> &'static str {
        match self {
            Place::Beside(_) => "beside",
            Place::Tail(_) => "tail",
            Place::AsCtasEnd(_) => "as_ctas_end",
            Place::End => "end",
            Place::Own(..) => "own",
            Place::Never => "never",
            Place::Absent => "absent",
        }
    }

    /// For people.
    pub fn words(self) -> String {
        let some = |ctas: u64| if ctas == 1 { "1 CTA".into() } else { format!("{ctas} CTAs") };
        match self {
            Place::Beside(ctas) => format!("{} beside it", some(ctas)),
            Place::Tail(ctas) => format!("{} in its last wave", some(ctas)),
            Place::AsCtasEnd(1) => "with each CTA that ends".into(),
            Place::AsCtasEnd(leave) => format!("where {leave} CTAs of an SM end"),
            Place::End => "when it ends".into(),
            Place::Own(sms, ctas) => format!("{} on {sms} SMs", some(ctas)),
            Place::Never => "never: no SM holds one".into(),
            Place::Absent => "–".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Device;

    fn gpu(name: &str) -> Described {
        Described::device(&Device { name: name.into(), ..Device::default() }).unwrap()
    }

    /// On an A100, kernels of these CTAs, threads, registers, shared bytes.
    fn room(first: (u32, u32, u32, u32), second: (u32, u32, u32, u32)) -> (Room, [Place; 7]) {
        let gpu = gpu("NVIDIA A100");
        let [first, second] = [first, second].map(|(ctas, threads, registers, shared_bytes)| {
            On::of(&Shape { grid: [ctas, 1, 1], block: [threads, 1, 1], registers, shared_bytes }, &gpu)
        });
        let room = Room::of(&first, &second, &gpu);
        (room, Scheme::ALL.map(|scheme| scheme.place(&second, &room, &gpu)))
    }

    /// By hand, for an A100 of 108 SMs with 65,536 registers, 2,048 threads, 32 CTAs.
    #[test]
    fn what_a_kernel_leaves_to_another_is_counted_in_ctas() {
        // 512 × 64 registers are half of an SM, so 216 are a wave. Of 768, 120 are in the last: 12 SMs with two, 96 with room for one.
        let (found, places) = room((768, 512, 64, 0), (512, 512, 64, 0));
        assert_eq!((found.fills, found.full, found.tail, found.leave), (true, 0, 96, Some(1)));
        assert_eq!(found.holds.map(Holds::words), Some("holds all registers".into()));
        assert_eq!(places[..2], [Place::Tail(96), Place::AsCtasEnd(1)]);
        assert_eq!(places[2..5], [Place::Own(27, 54), Place::Own(54, 108), Place::Own(81, 162)]);
        assert_eq!(places[5..], [Place::Own(42, 84), Place::Own(54, 108)]);
        // 432 are two whole waves: nothing is left before the end.
        assert_eq!(room((432, 512, 64, 0), (512, 512, 64, 0)).1[..2], [Place::End, Place::AsCtasEnd(1)]);
        // 1,024 × 32 registers twice take all threads and registers.
        assert_eq!(room((2160, 1024, 32, 0), (9, 32, 16, 0)).0.holds.map(Holds::words), Some("holds all registers".into()));
        // 8 CTAs of an all-reduce lie on 8 SMs: 100 have all their places, and those 8 one more of 256 × 32 registers.
        let (found, places) = room((8, 544, 96, 60_000), (5000, 256, 32, 0));
        assert_eq!((found.fills, found.tail, places[0]), (false, 100 * 8 + 8, Place::Beside(808)));
        // 6 CTAs of 256 × 40 registers leave 4,096, which are one of 256 × 16.
        let (found, places) = room((648, 256, 40, 0), (4000, 256, 16, 0));
        assert_eq!((found.fills, found.full, found.tail, found.holds), (true, 1, 108, None));
        assert_eq!(places[..2], [Place::Beside(108), Place::Beside(108)]);
    }

    /// An SM that is divided for kernels with little shared memory takes no CTA of one with much, as on an H100.
    #[test]
    fn the_division_of_an_sm_keeps_a_kernel_out() {
        let (found, places) = room((864, 256, 40, 0), (108, 128, 32, 60_000));
        assert_eq!((found.full, found.leave, found.holds), (0, Some(6), Some(Holds::Division(8, 164))));
        assert_eq!(places[..2], [Place::End, Place::AsCtasEnd(6)]);
    }

    /// What does not fit an empty SM is never resident, and a GPU without MIG has no halves.
    #[test]
    fn nothing_is_promised_that_a_gpu_cannot_have() {
        assert_eq!(room((100, 64, 32, 0), (9, 64, 32, 166 << 10)).1, [Place::Never; 7]);
        let halves = Scheme::ALL.map(|scheme| scheme.own(&gpu("NVIDIA GeForce RTX 5090")));
        assert_eq!(halves, [None, None, Some(42), Some(85), Some(127), None, Some(80)], "170 SMs, green contexts in steps of 8");
    }
}
