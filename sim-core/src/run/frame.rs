//! A flat view of the state for drawing: one list of 32-bit words in named sections, described once by `layout`, so that a page contains
//! no offsets. Reading it changes nothing.

use crate::describe::gpu::{NocKind, ReadOnlyLines};
use crate::describe::ids::{Cycle, KernelId, PerKernel};
use crate::describe::value::Value;
use crate::interface::stats::{KernelStats, StallCause};
use crate::machine::Machine;
use crate::machine::sm::Sm;
use crate::machine::sm::scheduler::{Outcome, Scheduler};
use crate::run::experiment::Experiment;
use crate::run::windows::Windows;
use alloc::vec::Vec;

/// What a warp is doing, for drawing.
const WARP_STATES: [(&str, &str, &str); 8] = [
    ("empty", "Empty", "No warp"),
    ("ready", "Ready", "Its next instruction can issue"),
    ("executing", "Executing", "Waits for its last arithmetic or shared-memory result"),
    ("memory", "Memory", "Waits for a load that missed L1D"),
    ("cache", "Cache", "Waits for loads that have not missed L1D"),
    ("barrier", "Barrier", "Waits for its CTA at a barrier"),
    ("lsu", "LSU", "Ready, but its memory instruction cannot enter the load-store unit"),
    ("throttled", "Throttled", "Its CTA is paused by the policy"),
];

/// The scheduler issued for the kernel in the low byte.
const ISSUED: u32 = 0x100;

/// Sizes that sections are made of.
struct Dims<'a> {
    sms: u32,
    slots: u32,
    schedulers: u32,
    warps: u32,
    kernels: u32,
    banks: u32,
    channels: u32,
    dram_banks: u32,
    /// Routers of the mesh.
    routers: u32,
    /// Flits over its links in the last complete window; none before there is one.
    links: &'a [[u32; 4]],
}

impl<'a> Dims<'a> {
    fn of(machine: &Machine, links: &'a [[u32; 4]]) -> Self {
        let gpu = machine.gpu();
        let most = |size: fn(&crate::describe::gpu::SmClass) -> u32| gpu.sms.iter().map(size).max().unwrap_or(0);
        Dims {
            sms: gpu.sm_count(),
            slots: most(|class| class.ctas),
            schedulers: most(|class| class.schedulers),
            warps: most(|class| class.warps()),
            kernels: machine.kernels() as u32,
            banks: gpu.l2.banks,
            channels: gpu.dram.channels,
            dram_banks: gpu.dram.banks,
            routers: if gpu.noc.kind == NocKind::Mesh { gpu.noc.mesh.routers() } else { 0 },
            links,
        }
    }
}

type Shape = fn(&Dims) -> Vec<u32>;
type Fill = fn(&Machine, &Dims, &mut Vec<u32>);

/// Every section in order: name, shape, meaning, and how it is filled.
const SECTIONS: [(&str, Shape, &str, Fill); 33] = [
    (
        "cycle",
        |_| alloc::vec![2],
        "Cycle, low and high word",
        |m, _, out| {
            out.extend([m.now as u32, (m.now >> 32) as u32]);
        },
    ),
    (
        "sm.slot_kernel",
        |d| alloc::vec![d.sms, d.slots],
        "Kernel + 1 of the CTA in each slot, 0 empty",
        |m, d, out| {
            slots(m, d, out, |_, cta| u32::from(cta.kernel.0) + 1);
        },
    ),
    (
        "sm.slot_cta",
        |d| alloc::vec![d.sms, d.slots],
        "Number in the grid of the CTA in each slot",
        |m, d, out| {
            slots(m, d, out, |_, cta| cta.cta);
        },
    ),
    (
        "sm.slot_age",
        |d| alloc::vec![d.sms, d.slots],
        "Cycles since the CTA in each slot was placed",
        |m, d, out| {
            slots(m, d, out, |now, cta| (now - cta.launched) as u32);
        },
    ),
    (
        "sm.slot_switch",
        |d| alloc::vec![d.sms, d.slots],
        "Context switch of the CTA in each slot: 1 it is to leave, 2 its context is on the way here, 0 none",
        |m, d, out| {
            for sm in &m.sms {
                out.extend((0..d.slots as usize).map(|slot| sm.moving(slot).map_or(0, |leaves| if leaves { 1 } else { 2 })));
            }
        },
    ),
    (
        "gpu.saved",
        |d| alloc::vec![d.kernels],
        "CTAs by kernel that have left an SM by a context switch and are on none",
        |m, d, out| out.extend(KernelId::first(d.kernels as usize).map(|kernel| m.saved(kernel))),
    ),
    (
        "sm.ctas",
        |d| alloc::vec![d.sms, d.kernels],
        "Resident CTAs by kernel",
        |m, d, out| per_kernel(m, d, out, |sm, k| sm.ctas.used(k).ctas),
    ),
    (
        "sm.drains",
        |d| alloc::vec![d.sms, d.kernels],
        "1 where a kernel holds more CTAs than its target, or any where it may hold none: they drain, or leave by a context switch",
        |m, d, out| {
            for (sm, controls) in m.sms.iter().zip(&m.controls().sms) {
                let kernels = KernelId::first(d.kernels as usize);
                out.extend(kernels.map(|k| u32::from(sm.ctas.used(k).ctas > controls.may_hold(k))));
            }
        },
    ),
    (
        "sm.threads",
        |d| alloc::vec![d.sms, d.kernels],
        "Threads in use by kernel",
        |m, d, out| per_kernel(m, d, out, |sm, k| sm.ctas.used(k).threads),
    ),
    (
        "sm.registers",
        |d| alloc::vec![d.sms, d.kernels],
        "Registers in use by kernel",
        |m, d, out| {
            per_kernel(m, d, out, |sm, k| sm.ctas.used(k).registers);
        },
    ),
    (
        "sm.shared",
        |d| alloc::vec![d.sms, d.kernels],
        "Shared memory in use by kernel, bytes",
        |m, d, out| {
            per_kernel(m, d, out, |sm, k| sm.ctas.used(k).shared_bytes);
        },
    ),
    (
        "sm.scheduler",
        |d| alloc::vec![d.sms, d.schedulers],
        "What each scheduler did last: 256 + kernel if it issued, else the index of the stall cause",
        |m, d, out| {
            for sm in &m.sms {
                for index in 0..d.schedulers as usize {
                    out.push(sm.schedulers().get(index).map_or(0, |scheduler| match scheduler.outcome {
                        Outcome::Issued(kernel) => ISSUED | u32::from(kernel.0),
                        Outcome::Stalled(cause) => cause.index() as u32,
                    }));
                }
            }
        },
    ),
    (
        "sm.issued",
        |d| alloc::vec![d.sms, d.kernels],
        "Warp instructions issued by kernel, cumulative, low word",
        |m, _, out| {
            for sm in &m.sms {
                out.extend(sm.stats().iter().map(|stats| stats.warp_instructions as u32));
            }
        },
    ),
    (
        "sm.stalls",
        |d| {
            alloc::vec![d.sms, {
                let _ = d;
                StallCause::COUNT as u32
            }]
        },
        "Scheduler-cycles by stall cause, cumulative, low word",
        |m, _, out| {
            for sm in &m.sms {
                for cause in 0..StallCause::COUNT {
                    out.push(sm.schedulers().iter().map(|scheduler| scheduler.stalls.0[cause] as u32).fold(0, u32::wrapping_add));
                }
            }
        },
    ),
    (
        "sm.lsu",
        |d| alloc::vec![d.sms, d.kernels],
        "Memory instructions in the LSU by kernel",
        |m, d, out| {
            per_kernel(m, d, out, Sm::lsu_waiting);
        },
    ),
    (
        "sm.quota",
        |d| alloc::vec![d.sms, d.kernels],
        "Instructions that a refill gives each kernel, + 1; 0 for a kernel without a quota",
        |m, d, out| {
            let kernels = || KernelId::first(d.kernels as usize);
            m.controls().sms.iter().for_each(|sm| out.extend(kernels().map(|k| sm.quota(k).map_or(0, |quota| quota + 1))));
        },
    ),
    (
        "sm.quota_left",
        |d| alloc::vec![d.sms, d.kernels],
        "What is left of each kernel's quota, signed: below zero what it has had too much",
        |m, d, out| {
            per_kernel(m, d, out, |sm, k| sm.gate().quotas.left(k).clamp(i32::MIN.into(), i32::MAX.into()) as u32);
        },
    ),
    (
        "sm.miss_queue",
        |d| alloc::vec![d.sms, d.kernels],
        "Requests in the miss queue by kernel",
        |m, d, out| {
            per_kernel(m, d, out, |sm, k| sm.l1().misses_waiting(k));
        },
    ),
    ("sm.mshr", |d| alloc::vec![d.sms], "L1D misses under way", |m, _, out| out.extend(m.sms.iter().map(|sm| sm.l1().mshrs_used()))),
    (
        "warp.kernel",
        |d| alloc::vec![d.sms, d.warps],
        "Kernel + 1 of each warp, 0 none",
        |m, d, out| {
            warps(m, d, out, |_, s, _, lane| {
                let owner = (0..d.kernels).find(|&k| s.of_kernel.0[k as usize] >> lane & 1 == 1);
                owner.map_or(0, |k| k + 1)
            });
        },
    ),
    (
        "warp.state",
        |d| alloc::vec![d.sms, d.warps],
        "Index into the warp states",
        |m, d, out| {
            warps(m, d, out, |_, s, _, lane| warp_state(s, lane));
        },
    ),
    (
        "warp.pc",
        |d| alloc::vec![d.sms, d.warps],
        "Position in its Program",
        |m, d, out| {
            warps(m, d, out, |sm, _, index, lane| sm.warp_at(index, lane).0);
        },
    ),
    (
        "warp.slot",
        |d| alloc::vec![d.sms, d.warps],
        "CTA slot",
        |m, d, out| {
            warps(m, d, out, |sm, _, index, lane| u32::from(sm.warp_at(index, lane).1));
        },
    ),
    (
        "noc.request_queue",
        |d| alloc::vec![d.sms, d.kernels],
        "Packets by kernel that wait at each SM's input of the request crossbar",
        |m, d, out| {
            (0..d.sms).for_each(|sm| each_kernel(d, out, m.memory.request_queue(sm)));
        },
    ),
    (
        "noc.request_busy",
        |d| alloc::vec![d.banks],
        "Kernel + 1 of the packet passing to each L2 bank, 0 free",
        |m, d, out| {
            out.extend((0..d.banks).map(|bank| owner(m.memory.request_passing(bank))));
        },
    ),
    (
        "noc.reply_queue",
        |d| alloc::vec![d.banks, d.kernels],
        "Packets by kernel that wait at each bank's input of the reply crossbar",
        |m, d, out| {
            (0..d.banks).for_each(|bank| each_kernel(d, out, m.memory.reply_queue(bank)));
        },
    ),
    (
        "noc.reply_busy",
        |d| alloc::vec![d.sms],
        "Kernel + 1 of the packet passing to each SM, 0 free",
        |m, d, out| {
            out.extend((0..d.sms).map(|sm| owner(m.memory.reply_passing(sm))));
        },
    ),
    (
        "noc.link_flits",
        |d| alloc::vec![d.routers, 4],
        "Flits that went over each link of the mesh in the last complete window, requests and replies together: from each router to the east, west, south and north",
        |_, d, out| out.extend((0..d.routers as usize).flat_map(|router| d.links.get(router).copied().unwrap_or([0; 4]))),
    ),
    (
        "l2.queue",
        |d| alloc::vec![d.banks, d.kernels],
        "Requests by kernel that wait at each L2 bank",
        |m, d, out| {
            (0..d.banks).for_each(|bank| each_kernel(d, out, m.memory.l2_queue(bank)));
        },
    ),
    (
        "l2.mshr",
        |d| alloc::vec![d.banks, d.kernels],
        "Misses under way in each L2 bank, by the kernel that waits longest for each",
        |m, d, out| {
            (0..d.banks).for_each(|bank| each_kernel(d, out, m.memory.l2_mshrs(bank)));
        },
    ),
    (
        "dram.queue",
        |d| alloc::vec![d.channels, d.kernels],
        "Transactions queued in each channel by kernel",
        |m, d, out| {
            for channel in 0..d.channels {
                each_kernel(d, out, m.memory.dram_queue(channel));
            }
        },
    ),
    (
        "dram.busy",
        |d| alloc::vec![d.channels],
        "Kernel + 1 whose data is on each channel's bus, 0 idle",
        |m, d, out| {
            out.extend((0..d.channels).map(|channel| owner(m.memory.dram_bus(channel))));
        },
    ),
    (
        "dram.open_row",
        |d| alloc::vec![d.channels, d.dram_banks],
        "Open row + 1 of each bank, 0 closed",
        |m, d, out| {
            for channel in 0..d.channels {
                out.extend((0..d.dram_banks).map(|bank| m.memory.dram_open_row(channel, bank).map_or(0, |row| row.wrapping_add(1))));
            }
        },
    ),
];

fn owner(kernel: Option<KernelId>) -> u32 {
    kernel.map_or(0, |kernel| u32::from(kernel.0) + 1)
}

fn slots(machine: &Machine, dims: &Dims, out: &mut Vec<u32>, value: fn(Cycle, &crate::machine::sm::ctas::Cta) -> u32) {
    for sm in &machine.sms {
        for slot in 0..dims.slots as usize {
            out.push(sm.ctas.slots().get(slot).and_then(Option::as_ref).map_or(0, |cta| value(machine.now, cta)));
        }
    }
}

fn per_kernel(machine: &Machine, dims: &Dims, out: &mut Vec<u32>, value: fn(&Sm, KernelId) -> u32) {
    for sm in &machine.sms {
        out.extend(KernelId::first(dims.kernels as usize).map(|kernel| value(sm, kernel)));
    }
}

fn each_kernel(dims: &Dims, out: &mut Vec<u32>, value: PerKernel<u32>) {
    out.extend(&value.0[..dims.kernels as usize]);
}

/// Warps in the order of their numbers: lane by lane, and within a lane scheduler by scheduler.
fn warps(machine: &Machine, dims: &Dims, out: &mut Vec<u32>, value: impl Fn(&Sm, &Scheduler, usize, u32) -> u32) {
    for sm in &machine.sms {
        let count = sm.schedulers().len() as u32;
        for warp in 0..dims.warps {
            let (index, lane) = ((warp % count) as usize, warp / count);
            let scheduler = &sm.schedulers()[index];
            let here = lane < sm.lanes() && scheduler.resident >> lane & 1 == 1;
            out.push(if here { value(sm, scheduler, index, lane) } else { 0 });
        }
    }
}

fn warp_state(scheduler: &Scheduler, lane: u32) -> u32 {
    let is = |set: u64| set >> lane & 1 == 1;
    if is(scheduler.throttled) {
        7
    } else if is(scheduler.ready) {
        let blocked = is(scheduler.global) && scheduler.outcome == Outcome::Stalled(StallCause::LsuFull);
        if blocked { 6 } else { 1 }
    } else if is(scheduler.barrier) {
        5
    } else if is(scheduler.waiting) {
        if is(scheduler.missed) { 3 } else { 4 }
    } else {
        2
    }
}

/// Fills `out` with the present state. Call `Machine::settle` first.
pub fn fill(machine: &Machine, windows: &Windows, out: &mut Vec<u32>) {
    out.clear();
    let dims = Dims::of(machine, windows.links());
    for (.., fill) in &SECTIONS {
        fill(machine, &dims, out);
    }
}

/// Names, places and meanings of the sections, and what the drawing needs to know once.
pub fn layout(machine: &Machine, experiment: &Experiment) -> Value {
    let gpu = machine.gpu();
    let dims = Dims::of(machine, &[]);
    let mut offset = 0;
    let mut sections = Vec::new();
    for (name, shape, doc, _) in &SECTIONS {
        let shape = shape(&dims);
        let length: u32 = shape.iter().product();
        sections.push(Value::object([
            ("name", Value::from(*name)),
            ("offset", offset.into()),
            ("shape", Value::array(shape)),
            ("doc", (*doc).into()),
        ]));
        offset += length;
    }
    let names = |key: &str, title: &str, doc: &str| Value::object([("key", key), ("title", title), ("doc", doc)]);
    let sms = (0..gpu.sm_count()).map(|sm| gpu.class_of(sm)).map(|class| {
        Value::object([
            ("class", Value::from(class.name.as_str())),
            ("slots", class.ctas.into()),
            ("schedulers", class.schedulers.into()),
            ("warps", class.warps().into()),
            ("threads", class.threads.into()),
            ("registers", class.registers.into()),
            ("shared_bytes", class.shared_bytes.into()),
            ("mshrs", class.l1.mshrs.into()),
            ("miss_queue", class.l1.miss_queue.into()),
            ("l1_bytes", class.l1.bytes.into()),
            ("l1_protocol", class.l1.protocol.name().into()),
            ("l1_keeps_read_only", (class.l1.protocol.owns() && class.l1.read_only == ReadOnlyLines::Kept).into()),
        ])
    });
    // Which routers SMs and channels sit at; L2 bank `i` sits at router `i`.
    let form = gpu.noc.mesh;
    let mesh = (dims.routers > 0).then(|| {
        Value::object([
            ("width", Value::from(form.width)),
            ("height", form.height.into()),
            ("sms", Value::array((0..dims.sms).map(|sm| form.router_of_sm(sm)))),
            ("channels", Value::array((0..dims.channels).map(|channel| form.router_of_channel(channel)))),
            ("mhz", gpu.noc.mhz.into()),
        ])
    });
    let grids = experiment.kernels.iter().map(|used| Value::array(used.kernel.grids().map(|grid| Value::array([grid.x, grid.y, grid.z]))));
    let arrays = (0_u32..).zip(&experiment.kernels).flat_map(|(kernel, used)| {
        used.kernel.arrays.iter().map(move |array| {
            Value::object([
                ("kernel", Value::from(kernel)),
                ("name", array.name.as_str().into()),
                ("bytes", array.bytes.into()),
                ("read_only", array.read_only.into()),
            ])
        })
    });
    let counters = KernelStats::INFO.iter().map(|info| Value::object([("key", info.key), ("unit", info.unit), ("doc", info.doc)]));
    Value::object([
        ("length", Value::from(offset)),
        ("mesh", mesh.into()),
        ("grids", Value::array(grids)),
        ("arrays", Value::array(arrays)),
        ("counters", Value::array(counters)),
        ("core_mhz", gpu.core_mhz.into()),
        ("sections", sections.into()),
        ("kernels", Value::array(experiment.labels())),
        ("stalls", Value::array(StallCause::INFO.iter().map(|info| names(info.key, info.title, info.doc)))),
        ("warp_states", Value::array(WARP_STATES.iter().map(|(key, title, doc)| names(key, title, doc)))),
        ("sms", Value::array(sms)),
        ("banks", gpu.l2.banks.into()),
        ("channels", gpu.dram.channels.into()),
        ("dram_banks", gpu.dram.banks.into()),
        (
            "capacity",
            Value::object([
                ("request_queue", gpu.noc.queue),
                ("reply_queue", gpu.noc.queue),
                ("l2_queue", gpu.l2.queue),
                ("l2_mshr", gpu.l2.mshrs),
                ("dram_queue", gpu.dram.queue),
            ]),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::simulation::{Reason, Simulation};

    /// A section of the present frame, by its place in the layout.
    fn section(simulation: &Simulation, name: &str) -> Vec<u32> {
        let layout = layout(simulation.machine(), simulation.experiment());
        let Some(Value::Array(sections)) = layout.get("sections") else { panic!("a layout has sections") };
        let section = sections.iter().find(|section| section.get("name").and_then(Value::as_str) == Some(name)).unwrap();
        let Some(Value::Array(shape)) = section.get("shape") else { panic!("a section has a shape") };
        let length: f64 = shape.iter().filter_map(Value::as_f64).product();
        let offset = section.get("offset").and_then(Value::as_f64).unwrap() as usize;
        let mut frame = Vec::new();
        fill(simulation.machine(), simulation.windows(), &mut frame);
        frame[offset..offset + length as usize].to_vec()
    }

    fn started(kernels: [&str; 2], policy: &str) -> Simulation {
        let written =
            [("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", Value::array(kernels)), ("policy", policy.into())];
        Simulation::new(&Experiment::decode(&Value::object(written)).unwrap()).unwrap()
    }

    /// A kernel that gets nothing has no entry of any queue, whichever of the two it is.
    #[test]
    fn entries_of_queues_are_counted_for_whom_they_serve() {
        for kernels in [["ccbp/CFD", "ccbp/BP"], ["ccbp/BP", "ccbp/CFD"]] {
            let mut run = started(kernels, "leftover");
            let mut seen = [0; 4];
            for _ in 0..200 {
                run.advance(50);
                run.machine_mut().settle();
                for (i, name) in ["noc.request_queue", "noc.reply_queue", "l2.queue", "l2.mshr"].into_iter().enumerate() {
                    for of in section(&run, name).chunks(2) {
                        assert_eq!(of[1], 0, "{name}");
                        seen[i] += of[0];
                    }
                }
            }
            assert!(seen.iter().all(|&entries| entries > 0), "{seen:?}");
        }
    }

    /// Every window's flits over the links are in the frames, and add up to what has gone over each.
    #[test]
    fn links_of_the_mesh_show_the_last_window() {
        let written = [("corun", Value::from(1)), ("gpu", "ikra-micro-3cu".into()), ("kernels", Value::array(["ikra/SMALL"]))];
        let mut run = Simulation::new(&Experiment::decode(&Value::object(written)).unwrap()).unwrap();
        let mut sum = [0; 16 * 4];
        for _ in 0..20 {
            run.advance(400);
            let links = section(&run, "noc.link_flits");
            sum.iter_mut().zip(&links).for_each(|(sum, flits)| *sum += u64::from(*flits));
            run.advance(7);
            assert_eq!(section(&run, "noc.link_flits"), links, "until the next window ends");
            run.advance(393);
            sum.iter_mut().zip(section(&run, "noc.link_flits")).for_each(|(sum, flits)| *sum += u64::from(flits));
        }
        assert!(sum.iter().sum::<u64>() > 1000 && sum[..] == *run.machine().memory.link_flits().as_flattened(), "{sum:?}");
        let layout = layout(run.machine(), run.experiment());
        let mesh = layout.get("mesh").unwrap();
        assert_eq!(mesh.get("sms"), Some(&Value::array([1, 2, 3])), "the CPU is at the first router");
        let Some(Value::Array(grids)) = layout.get("grids") else { panic!("a layout has grids") };
        assert_eq!(grids[0], Value::array((0..16).map(|_| Value::array([12, 1, 1]))));
    }

    /// A target below what a kernel holds makes it drain on that SM alone; so does that it may hold none; where it holds as many as it may, it does not.
    #[test]
    fn who_holds_more_ctas_than_it_may_drains() {
        let mut run = started(["ccbp/SAD", "ccbp/BP"], "even");
        run.advance(2000);
        let (held, drains) = (section(&run, "sm.ctas"), section(&run, "sm.drains"));
        assert!(held.iter().all(|&ctas| ctas > 0) && drains == [0; 4], "{held:?} {drains:?}");
        let mut controls = run.machine().controls().clone();
        controls.sms[0].cta_target[KernelId(0)] = held[0] as u16 - 1;
        controls.sms[1].allowed[KernelId(1)] = false;
        controls.sms[1].cta_target[KernelId(0)] = held[2] as u16;
        run.machine_mut().set_controls(controls);
        assert_eq!(section(&run, "sm.drains"), [1, 0, 0, 1]);
    }

    /// Everything off both SMs, and back: slots that save, CTAs that are nowhere, the sentence about them, slots that restore.
    #[test]
    fn ctas_on_the_move_are_seen_and_named() {
        let written = [("corun", Value::from(1)), ("gpu", "tiny-2sm".into()), ("kernels", Value::array(["ccbp/SAD"]))];
        let stop = Value::object([("kernels_done", true)]);
        let written = Value::object(written.into_iter().chain([("restart", false.into()), ("stop", stop)]));
        let mut run = Simulation::new(&Experiment::decode(&written).unwrap()).unwrap();
        assert_eq!(run.advance(2000), Reason::Budget);
        let resident: u32 = section(&run, "sm.ctas").iter().sum();
        let set = |run: &mut Simulation, allowed| {
            let mut controls = run.machine().controls().clone();
            controls.each_sm(|sm| (sm.allowed, sm.cta_switch) = (PerKernel::all(allowed), PerKernel::all(true)));
            run.machine_mut().set_controls(controls);
        };
        let switches = |run: &Simulation, way| section(run, "sm.slot_switch").into_iter().filter(|&what| what == way).count() as u32;
        assert_eq!((switches(&run, 1), switches(&run, 2), section(&run, "gpu.saved")), (0, 0, alloc::vec![0]));
        set(&mut run, false);
        assert_eq!((switches(&run, 1), resident > 0), (resident, true), "all are to leave");
        for _ in 0..200_000 {
            run.machine_mut().step();
        }
        assert_eq!((switches(&run, 1), section(&run, "gpu.saved")), (0, alloc::vec![resident]));
        let why = run.explain_stuck();
        let named = alloc::format!("SAD: {resident} CTAs that were switched out wait to be placed again, and ");
        assert!(why.contains(&named) && why.contains("the controls let no SM take one"), "{why}");
        set(&mut run, true);
        (0..20).for_each(|_| run.machine_mut().step());
        let back = switches(&run, 2);
        assert!(back > 0 && section(&run, "gpu.saved")[0] + back == resident, "{back} come back");
    }
}
