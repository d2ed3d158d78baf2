//! CTAs of an SM, limiter, waves and tail of each kernel, on a described GPU.
//!
//! Limits of an SM are those of its compute capability: NVIDIA, *CUDA C++ Programming Guide*, Compute Capabilities, and `cuda::arch_traits` of NVIDIA's
//! CCCL, which has the same. SMs are as many as the file says.
//! A preset gives the rest: which instances MIG has, and the steps of green contexts.

use crate::timeline::{Device, Kernel, Shape};
use sim_core::describe::error::Problem;
use sim_core::describe::gpu::carve_out::CarveOuts;
use sim_core::describe::gpu::occupancy::{self, Divisions, Limiter, Resources};
use sim_core::describe::gpu::presets::{self, PRESET_NAMES};
use sim_core::describe::gpu::vendor::{self, Vendor};
use sim_core::describe::gpu::{Gpu, SmClass};
use sim_core::describe::kernel::{Launch, WARP_SIZE};

/// What an SM of a compute capability holds.
struct Capability {
    number: (u32, u32),
    ctas: u32,
    threads: u32,
    shared_kb: u32,
    reserved: u32,
    carve_outs: CarveOuts,
    /// A preset whose SMs are of this capability.
    preset: Option<&'static str>,
}

const fn capability(
    number: (u32, u32),
    (ctas, threads): (u32, u32),
    (shared_kb, reserved): (u32, u32),
    carve_outs: CarveOuts,
    preset: Option<&'static str>,
) -> Capability {
    Capability { number, ctas, threads, shared_kb, reserved, carve_outs, preset }
}

/// In ascending order. All have 65,536 registers in four quarters.
static CAPABILITIES: &[Capability] = &[
    capability((7, 0), (32, 2048), (96, 0), CarveOuts::Cc70, None),
    capability((7, 5), (16, 1024), (64, 0), CarveOuts::Cc75, None),
    capability((8, 0), (32, 2048), (164, 1024), CarveOuts::Cc80, Some("a100-40gb")),
    capability((8, 6), (16, 1536), (100, 1024), CarveOuts::Cc86, None),
    capability((8, 7), (16, 1536), (164, 1024), CarveOuts::Cc80, None),
    capability((8, 9), (24, 1536), (100, 1024), CarveOuts::Cc86, None),
    capability((9, 0), (32, 2048), (228, 1024), CarveOuts::Cc90, Some("h100-sxm5")),
    capability((10, 0), (32, 2048), (228, 1024), CarveOuts::Cc90, None),
    capability((11, 0), (24, 1536), (228, 1024), CarveOuts::Cc90, None),
    capability((12, 0), (24, 1536), (100, 1024), CarveOuts::Cc120, Some("rtx5090")),
];

/// What words of a GPU's name say of it, where the file says no more: compute capability and SMs; the first that it has count.
static NAMES: &[(&str, (u32, u32), u32)] = &[
    ("V100", (7, 0), 80),
    ("T4", (7, 5), 40),
    ("2080 Ti", (7, 5), 68),
    ("A100", (8, 0), 108),
    ("A800", (8, 0), 108),
    ("A30", (8, 0), 56),
    ("A6000", (8, 6), 84),
    ("A40", (8, 6), 84),
    ("A10G", (8, 6), 80),
    ("A10", (8, 6), 72),
    ("3090", (8, 6), 82),
    ("3080", (8, 6), 68),
    ("4090", (8, 9), 128),
    ("L40", (8, 9), 142),
    ("L4", (8, 9), 58),
    ("H100 PCIe", (9, 0), 114),
    ("H100", (9, 0), 132),
    ("H800", (9, 0), 132),
    ("H200", (9, 0), 132),
    ("H20", (9, 0), 78),
    ("B200", (10, 0), 148),
    ("5090", (12, 0), 170),
];

/// A GPU on which residency is worked out.
#[derive(Clone, PartialEq, Debug)]
pub struct Described {
    /// Its SMs, all alike.
    pub sm: SmClass,
    /// How many it has.
    pub sms: u32,
    /// How it may be shared, where that is known.
    pub vendor: Option<&'static Vendor>,
    /// Which it is, and how it was chosen.
    pub words: String,
}

impl Described {
    fn of(gpu: &Gpu, sm: SmClass, sms: u32, words: String) -> Described {
        // Instances are known of the whole GPU alone: another number of SMs is another product, or an instance.
        Described { sm, sms, vendor: vendor::of(gpu).filter(|vendor| vendor.sms == sms), words }
    }

    /// The GPU of a preset, whatever the file says.
    pub fn preset(name: &str) -> Result<Described, Problem> {
        let gpu = presets::find(name).ok_or_else(|| Problem::new("--gpu", format!("{name:?}"), (PRESET_NAMES.want)(name)))?;
        match &gpu.sms[..] {
            [sm] => Ok(Described::of(&gpu, sm.clone(), sm.count, format!("{}, as asked for", gpu.name))),
            classes => {
                Err(Problem::new("--gpu", format!("{}, which has {} classes of SMs", gpu.name, classes.len()), "a GPU whose SMs are alike"))
            }
        }
    }

    /// The GPU that a file names: SMs of its compute capability, as many as it has.
    pub fn device(device: &Device) -> Result<Described, Problem> {
        let known = NAMES.iter().find(|(part, ..)| is_named(&device.name, part));
        let number = device.capability.or(known.map(|known| known.1));
        let sms = device.sms.or(known.map(|known| known.2)).filter(|sms| *sms > 0);
        let (Some(number), Some(sms)) = (number.filter(|_| !is_amd(device)), sms) else {
            let found = if device.name.is_empty() { "a GPU without a name" } else { &device.name };
            return Err(Problem::new(format!("GPU {}", device.id), found, "one that is described: choose it (`--gpu PRESET`)"));
        };
        // The last that is not above it: an SM of 8.8 or 10.3 is as its predecessor.
        let below = CAPABILITIES.iter().rfind(|row| row.number <= number).unwrap_or(&CAPABILITIES[0]);
        // An H200 is an H100 with another memory: the capability does not tell them apart.
        let preset = if device.name.contains("H200") { "h200-sxm" } else { below.preset.unwrap_or("a100-40gb") };
        let Some(gpu) = presets::find(preset) else {
            return Err(Problem::new(format!("GPU {}", device.id), preset, "a preset"));
        };
        let (major, minor) = number;
        if below.preset.is_some() && below.number == number {
            let count = if gpu.sm_count() == sms { String::new() } else { format!(" with {sms} SMs, as the file says") };
            return Ok(Described::of(&gpu, gpu.sms[0].clone(), sms, format!("{preset}{count}")));
        }
        let sm = SmClass {
            ctas: below.ctas,
            threads: below.threads,
            shared_bytes: below.shared_kb << 10,
            shared_reserved: below.reserved,
            carve_outs: below.carve_outs,
            ..gpu.sms[0].clone()
        };
        let like = if below.number == number { String::new() } else { format!(", taken as one of {}.{}", below.number.0, below.number.1) };
        let words = format!("{sms} SMs of compute capability {major}.{minor}{like}");
        Ok(Described { sm, sms, vendor: None, words })
    }

    /// CTAs that all SMs together hold of a kernel.
    pub fn places(&self, ctas_per_sm: u32) -> u64 {
        u64::from(self.sms) * u64::from(ctas_per_sm)
    }
}

/// Whether a name has a part as words of its own: an A4000 is no A40, nor is a 3080 Ti a 3080, nor an instance the GPU.
fn is_named(name: &str, part: &str) -> bool {
    let Some((before, behind)) = name.split_once(part) else { return false };
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    apart(before.chars().next_back())
        && apart(behind.chars().next())
        && ![" Ti", " SUPER", " Laptop"].iter().any(|more| behind.starts_with(more))
        && !behind.contains("MIG")
}

/// Its compute capability is no NVIDIA GPU's, though a profiler writes it likewise.
fn is_amd(device: &Device) -> bool {
    ["AMD", "Radeon", "Instinct", "gfx"].iter().any(|part| device.name.contains(part))
}

/// A shape as a launch of the simulator, without a program.
pub fn launch(shape: &Shape) -> Launch {
    Launch { threads: shape.threads(), registers: shape.registers, shared_bytes: shape.shared_bytes, ..Launch::default() }
}

/// Where a kernel's CTAs are while nothing else runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Resident {
    /// CTAs of its grid.
    pub ctas: u64,
    /// CTAs that an SM holds; 0 where not even one fits.
    pub ctas_per_sm: u32,
    /// What keeps the next one out.
    pub limiter: Limiter,
    /// CTAs that the GPU holds.
    pub places: u64,
    /// Warps that are resident at most, of those that SMs have room for: limits, and a grid too small for all SMs. In percent.
    pub occupancy: f64,
}

impl Resident {
    /// On a GPU.
    pub fn of(shape: &Shape, gpu: &Described) -> Resident {
        let (ctas, warps) = (shape.ctas(), shape.threads().div_ceil(WARP_SIZE));
        let found = occupancy::of(&launch(shape), &gpu.sm);
        let quarters = by_quarters(warps, shape.registers, &gpu.sm);
        let (ctas_per_sm, limiter) = if quarters < found.ctas { (quarters, Limiter::Registers) } else { (found.ctas, found.limiter) };
        let of_each = f64::from(ctas_per_sm).min(ctas as f64 / f64::from(gpu.sms.max(1)));
        let occupancy = 100.0 * of_each * f64::from(warps) / f64::from((gpu.sm.threads / WARP_SIZE).max(1));
        Resident { ctas, ctas_per_sm, limiter, places: gpu.places(ctas_per_sm), occupancy }
    }

    /// How often the GPU is filled: 3.6 is three times and part of a fourth. Infinite where not one CTA fits.
    pub fn waves(&self) -> f64 {
        self.ctas as f64 / self.places as f64
    }

    /// Whether it holds every place at first.
    pub fn fills(&self) -> bool {
        self.places > 0 && self.ctas >= self.places
    }

    /// CTAs of its last wave: all places where the grid is a multiple of them.
    pub fn last_wave(&self) -> u64 {
        match self.ctas.checked_rem(self.places) {
            Some(0) => self.places,
            rest => rest.unwrap_or(0),
        }
    }

    /// The part of all places that its last wave leaves free.
    pub fn tail_free(&self) -> f64 {
        if self.places == 0 { 0.0 } else { 1.0 - self.last_wave() as f64 / self.places as f64 }
    }
}

/// CTAs by registers as hardware has them: in a quarter of the SM for each scheduler, whose warps are whole. GPGPU-Sim has one file for all.
fn by_quarters(warps: u32, registers: u32, sm: &SmClass) -> u32 {
    let of_warp = occupancy::registers_of_cta(WARP_SIZE, registers, sm.register_granularity);
    let hardware = sm.register_granularity == 256 && sm.schedulers == 4;
    let of_quarter = (sm.registers / 4).checked_div(of_warp).filter(|_| hardware);
    of_quarter.and_then(|of_quarter| (4 * of_quarter).checked_div(warps)).unwrap_or(u32::MAX)
}

/// What a CTA takes of an SM that is divided between L1D and shared memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Need {
    /// Slots, threads, registers, shared memory.
    pub cta: Resources,
    /// Shared memory of an SM that is divided for it.
    pub division: u32,
    /// The least of an SM that it may join.
    pub least: u32,
}

impl Need {
    /// Of a CTA of a shape.
    pub fn of(shape: &Shape, gpu: &Described) -> Need {
        let launch = launch(shape);
        let (cta, divisions) = (Resources::of_cta(&launch, &gpu.sm), Divisions::of(&gpu.sm));
        let whole = Resources::of_class(&gpu.sm).shared_bytes;
        let (division, least) = match divisions.any() {
            true => (divisions.wanted(cta, launch.carve_out), divisions.least(cta, launch.carve_out)),
            false => (whole, 0),
        };
        Need { cta, division, least }
    }
}

/// How a tool's estimates of occupancy compare with what was worked out here.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimates {
    /// Kernels whose estimate means something: with at most 48 KB of shared memory.
    pub compared: usize,
    /// Those of them that differ by more than a point: the kernel, the tool's figure, ours.
    pub differ: Vec<(u32, u32, f64)>,
    /// Kernels with more, of which the tool says 0.
    pub zero: usize,
}

/// Above so much shared memory of a CTA, Kineto's estimate is 0: it asks for what a CTA may have without opting in.
const ESTIMATED_UP_TO: u32 = 48 << 10;

/// Compares them.
pub fn estimates(kernels: &[Kernel], residents: &[Option<Resident>]) -> Estimates {
    let mut found = Estimates::default();
    for (number, (kernel, resident)) in (0..).zip(kernels.iter().zip(residents)) {
        let (Some(shape), Some(resident), Some(theirs)) = (kernel.shape, resident, kernel.estimated_occupancy) else { continue };
        if shape.shared_bytes > ESTIMATED_UP_TO {
            found.zero += usize::from(theirs == 0);
            continue;
        }
        found.compared += 1;
        if (resident.occupancy - f64::from(theirs)).abs() > 1.0 {
            found.differ.push((number, theirs, resident.occupancy));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(ctas: u32, threads: u32, registers: u32, shared_bytes: u32) -> Shape {
        Shape { grid: [ctas, 1, 1], block: [threads, 1, 1], registers, shared_bytes }
    }

    fn device(name: &str, sms: Option<u32>, capability: Option<(u32, u32)>) -> Device {
        Device { id: 0, name: name.into(), sms, capability }
    }

    /// By hand: 512 threads of 64 registers are half of an A100's SM, so 216 CTAs are a wave; 768 are three and 120 of the fourth.
    #[test]
    fn waves_and_their_tail_follow_from_the_ctas_of_an_sm() {
        let gpu = Described::device(&device("NVIDIA A100-SXM4-40GB", Some(108), Some((8, 0)))).unwrap();
        let fft = Resident::of(&shape(768, 512, 64, 35_904), &gpu);
        assert_eq!((fft.ctas_per_sm, fft.limiter, fft.places, fft.last_wave()), (2, Limiter::Registers, 216, 120));
        assert!((fft.waves() - 3.5556).abs() < 1e-4 && (fft.tail_free() - 96.0 / 216.0).abs() < 1e-12);
        let even = Resident::of(&shape(432, 512, 64, 0), &gpu);
        assert_eq!((even.fills(), even.last_wave(), even.tail_free()), (true, 216, 0.0), "no tail");
        let small = Resident::of(&shape(12, 256, 16, 0), &gpu);
        assert_eq!((small.fills(), small.ctas_per_sm, small.last_wave()), (false, 8, 12));
        let never = Resident::of(&shape(12, 256, 16, 200 << 10), &gpu);
        assert_eq!((never.ctas_per_sm, never.limiter, never.fills(), never.tail_free()), (0, Limiter::SharedMemory, false, 0.0));
    }

    /// CUDA's calculator: 96 registers are 3,072 of a warp, 5 warps of a quarter, 20 of an SM: 6 CTAs of three warps, where one file would hold 7.
    #[test]
    fn registers_of_a_warp_lie_in_a_quarter_of_the_sm() {
        let gpu = Described::preset("h100").unwrap();
        let found = Resident::of(&shape(1000, 96, 96, 0), &gpu);
        assert_eq!((found.ctas_per_sm, found.limiter), (6, Limiter::Registers));
        let papers = Described::preset("ccbp-16sm").unwrap();
        assert_eq!(Resident::of(&shape(1000, 96, 96, 0), &papers).ctas_per_sm, 7, "one file, as in GPGPU-Sim");
    }

    /// Limits of capabilities without a preset of their own: 40 registers of 256 threads are 6 CTAs of 1,536 threads; small CTAs fill the slots.
    #[test]
    fn a_gpu_is_known_by_what_the_file_says_of_it_or_by_its_name() {
        for (name, sms, capability, words, small, large) in [
            ("NVIDIA A100-PG509-200", Some(108), Some((8, 0)), "a100-40gb", 32, 1),
            ("NVIDIA A100-SXM4-40GB MIG 3g.20gb", Some(42), Some((8, 0)), "a100-40gb with 42 SMs, as the file says", 32, 1),
            ("NVIDIA H800", Some(132), Some((9, 0)), "h100-sxm5", 32, 1),
            ("NVIDIA H200 (0)", None, None, "h200-sxm", 32, 1),
            ("NVIDIA H20", None, None, "h100-sxm5 with 78 SMs, as the file says", 32, 1),
            ("NVIDIA GeForce RTX 3090 (0)", None, None, "82 SMs of compute capability 8.6", 16, 0),
            ("NVIDIA A10G (0)", None, None, "80 SMs of compute capability 8.6", 16, 0),
            ("NVIDIA GeForce RTX 4090", Some(128), Some((8, 9)), "128 SMs of compute capability 8.9", 24, 0),
            ("Tesla V100-SXM2-16GB", None, None, "80 SMs of compute capability 7.0", 32, 0),
            ("Orin", Some(16), Some((8, 7)), "16 SMs of compute capability 8.7", 16, 1),
            ("NVIDIA Thor", Some(20), Some((11, 0)), "20 SMs of compute capability 11.0", 24, 1),
            ("NVIDIA B300", Some(148), Some((10, 3)), "148 SMs of compute capability 10.3, taken as one of 10.0", 32, 1),
            ("NVIDIA GeForce RTX 5090", Some(170), Some((12, 0)), "rtx5090", 24, 0),
        ] {
            let gpu = Described::device(&device(name, sms, capability)).unwrap();
            let ctas = |of| Resident::of(&of, &gpu).ctas_per_sm;
            assert_eq!((&*gpu.words, ctas(shape(9, 32, 16, 0)), ctas(shape(9, 128, 32, 120 << 10))), (words, small, large), "{name}");
        }
    }

    /// An SM of a capability's row is one of the preset that stands in it.
    #[test]
    fn capabilities_say_what_presets_say() {
        for row in CAPABILITIES {
            let Some(gpu) = row.preset.and_then(presets::find) else { continue };
            let SmClass { ctas, threads, shared_bytes, shared_reserved, carve_outs, registers, .. } = gpu.sms[0];
            let said = (row.ctas, row.threads, row.shared_kb << 10, row.reserved, row.carve_outs, 65_536);
            assert_eq!((ctas, threads, shared_bytes, shared_reserved, carve_outs, registers), said, "{}", gpu.name);
        }
    }

    #[test]
    fn who_is_not_described_is_told_how_to_choose() {
        for (device, found) in [
            (device("AMD Instinct MI250", Some(104), Some((9, 0))), "AMD Instinct MI250"),
            (device("", None, None), "a GPU without"),
            (device("NVIDIA RTX A4000", None, None), "A4000"),
            (device("NVIDIA A100-SXM4-40GB MIG 3g.20gb", None, None), "MIG"),
            (device("NVIDIA GeForce RTX 3080 Ti", None, None), "Ti"),
        ] {
            let problem = Described::device(&device).unwrap_err().to_string();
            assert!(problem.starts_with("GPU 0: found ") && problem.contains(found) && problem.contains("--gpu PRESET"), "{problem}");
        }
        assert!(Described::preset("h1000").unwrap_err().to_string().contains("h100-sxm5"));
        let problem = Described::preset("hetero-8b8s").unwrap_err().to_string();
        assert_eq!(problem, "--gpu: found hetero-8b8s, which has 2 classes of SMs, want a GPU whose SMs are alike");
    }

    #[test]
    fn an_estimate_counts_only_where_it_means_something() {
        let gpu = Described::preset("a100").unwrap();
        let kernel = |shape, theirs| Kernel { name: "k".into(), shape: Some(shape), estimated_occupancy: Some(theirs) };
        // 47 registers: 5 CTAs of 8 warps, 62.5 %.
        let kernels = [
            kernel(shape(864, 256, 47, 0), 63),
            kernel(shape(864, 256, 47, 0), 61),
            kernel(shape(864, 256, 47, 60 << 10), 0),
            kernel(shape(2, 32, 16, 0), 0),
        ];
        let residents: Vec<_> = kernels.iter().map(|kernel| Some(Resident::of(&kernel.shape.unwrap(), &gpu))).collect();
        assert_eq!(estimates(&kernels, &residents), Estimates { compared: 3, differ: vec![(1, 61, 62.5)], zero: 1 });
    }
}
