//! The runs behind a prediction: kernels alone on a number of SMs, which measure what its question leaves out, and the group together, which judges it.
//!
//! A kernel runs once, from cycle 0, on SMs that no other kernel may use (policy `spatial`), and SMs that it frees stay idle (Masola et al., JSSPP
//! 2023, §4, §7.1). Latencies are milliseconds of the core clock; bandwidth is that of lines between SMs and L2, GB/s; an L2 access is 32 B.

use crate::describe::error::Problems;
use crate::describe::gpu::change::decode_gpu;
use crate::describe::gpu::{Gpu, validate};
use crate::describe::ids::KernelId;
use crate::describe::kernel::library;
use crate::describe::value::Value;
use crate::interface::ratios;
use crate::predict::isolated;
use crate::predict::question::{MAX_SMS, Measured, Question, kernel_path};
use crate::run::experiment::Experiment;
use crate::run::simulation::Simulation;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Bytes of an L2 access as the paper counts them: its KAI fits sectors, not lines (Table 2).
const SECTOR_BYTES: u64 = 32;

/// The run of some of a question's kernels together, each once, on so many SMs each. They run on those SMs that the question names, if
/// some kernel has a `first` for this number of SMs; else one part after the other.
pub fn experiment(question: &Question, kernels: &[(usize, u32)]) -> Result<Experiment, Problems> {
    let mut problems = Problems::default();
    if question.gpu.is_none() {
        problems.add("gpu", "nothing", "the GPU to run on");
    }
    let name = |kernel: usize| question.kernels[kernel].name.as_str();
    for &(kernel, _) in kernels.iter().filter(|(kernel, _)| library::find(name(*kernel)).is_none()) {
        let path = format!("{}.name", kernel_path(kernel));
        problems.add(path, format!("{:?}", name(kernel)), "one of the library's kernels, which can run");
    }
    let first = firsts(question, kernels, &mut problems);
    problems.or(())?;
    let label = |&(kernel, sms): &(usize, u32)| format!("{} on {sms} SMs", name(kernel));
    let labels: Vec<String> = kernels.iter().map(label).collect();
    let mut policy = vec![("name", Value::from("spatial")), ("split", Value::array(kernels.iter().map(|&(_, sms)| sms)))];
    policy.extend(first.map(|first| ("first", Value::array(first))));
    Experiment::decode(&Value::object([
        ("corun", Value::from(1)),
        ("name", labels.join(", ").into()),
        ("gpu", question.gpu.clone().into()),
        ("seed", question.seed.unwrap_or(1).into()),
        ("kernels", Value::array(kernels.iter().map(|&(kernel, _)| name(kernel)))),
        ("policy", Value::object(policy)),
        ("stop", Value::object([("kernels_done", true)])),
        ("restart", false.into()),
    ]))
}

/// The first SM of each kernel's part, if the question says it of one: of the others it is the lowest from which enough SMs in a row are left.
fn firsts(question: &Question, kernels: &[(usize, u32)], problems: &mut Problems) -> Option<Vec<u32>> {
    let given = |&(kernel, sms): &(usize, u32)| question.kernels[kernel].first.filter(|_| question.kernels[kernel].sms == Some(sms));
    let mut taken: Vec<(u32, u32)> = kernels.iter().filter_map(|part| Some((given(part)?, part.1))).collect();
    // Alone, a kernel's place is of no account, and kernels of one name share a run.
    if taken.is_empty() || kernels.len() == 1 {
        return None;
    }
    let all = question.sms.unwrap_or(MAX_SMS);
    let place = |part: &(usize, u32)| {
        let sms = part.1;
        let free = |first: &u32| taken.iter().all(|&(other, count)| first + sms <= other || other + count <= *first);
        let first = given(part).or_else(|| (0..=all.saturating_sub(sms)).find(free));
        match first {
            Some(first) => taken.push((first, sms)),
            None => problems.add(
                format!("{}.first", kernel_path(part.0)),
                "nothing",
                format!("a place for {sms} SMs in a row beside the others"),
            ),
        }
        first
    };
    kernels.iter().map(place).collect()
}

/// The GPU of a question, if it names one. The numbers of the GPU that the question leaves out are taken from it: its SMs, its L2 banks,
/// and the peak of its DRAM data buses, GB/s. An ideal DRAM has no peak.
pub fn take_gpu(question: &mut Question) -> Result<Option<Gpu>, Problems> {
    let Some(value) = &question.gpu else { return Ok(None) };
    let mut problems = Problems::default();
    let gpu = decode_gpu(value, "gpu", &mut problems);
    if let Some(gpu) = &gpu {
        validate::check(gpu, "gpu", &mut problems);
        let sms = *question.sms.get_or_insert(gpu.sm_count());
        if sms != gpu.sm_count() {
            problems.add("predict.sms", sms, format!("the GPU's {}", gpu.sm_count()));
        }
        question.l2_banks.get_or_insert(gpu.l2.banks);
        let peak = ratios::dram_peak(gpu).map(|bytes| bytes * f64::from(gpu.core_mhz) / 1000.0);
        question.bandwidth_max = question.bandwidth_max.or(peak);
    }
    problems.or(gpu)
}

/// What a run says of one of its kernels, which must have ended; nothing if it has not.
pub fn measured(run: &mut Simulation, kernel: KernelId) -> Option<Measured> {
    let progress = *run.machine().run(kernel);
    let stats = *run.totals().get(kernel.index())?;
    let gpu = &run.experiment().gpu;
    (progress.runs > 0).then(|| {
        let cycles = progress.finished_at + 1;
        let latency = cycles as f64 / (f64::from(gpu.core_mhz) * 1000.0);
        let bytes = (stats.l2_reads + stats.l2_writes) * u64::from(gpu.l2.line_bytes);
        let accesses = (bytes / SECTOR_BYTES) as f64;
        Measured {
            latency,
            bandwidth: bytes as f64 / latency / 1e6,
            accesses,
            // A kernel that does not use L2 uses none of its bandwidth either, and Eq. 4 takes nothing from the SMs.
            kai: isolated::intensity(stats.thread_instructions as f64, accesses).unwrap_or(0.0),
        }
    })
}
