//! Traces of real programs: are all their kernels taken, with what was counted apart from this program?

use corun_timelines::read;
use corun_timelines::report::report;
use corun_timelines::timeline::{Launched, Shape, Timeline, Tool};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn sample(name: &str) -> Timeline {
    read::timeline(File::open(path(name)).expect("a sample"), name).expect("a timeline")
}

fn by_stream(timeline: &Timeline) -> BTreeMap<u64, usize> {
    timeline.launches.iter().fold(BTreeMap::new(), |mut streams, launch| {
        *streams.entry(launch.stream).or_insert(0) += 1;
        streams
    })
}

#[test]
fn a_training_run_has_all_kernels_and_all_reduces_beside_them() {
    let ddp = sample("kineto_ddp_a100.json.gz");
    assert_eq!((ddp.tool, &ddp.ended, &*ddp.notes), (Tool::Kineto, &None, &[][..]));
    assert_eq!(by_stream(&ddp), BTreeMap::from([(7, 2679), (40, 21)]));
    assert!(ddp.launches.is_sorted_by_key(|launch| launch.start) && ddp.launches[0].start == 0);
    let [device] = &ddp.devices[..] else { panic!("one GPU") };
    assert_eq!((&*device.name, device.sms, device.capability), ("NVIDIA A100-PG509-200", Some(108), Some((8, 0))));
    let nccl = |name: &str| name.starts_with("ncclKernel_");
    assert!(ddp.launches.iter().all(|launch| nccl(&ddp.kernels[launch.kernel as usize].name) == (launch.stream == 40)));
    // `ts` 560663.002 of a file whose first launch is at 0, `dur` 41.407: no nanosecond is lost.
    let kernel = |launch: &Launched| &*ddp.kernels[launch.kernel as usize].name;
    let known = ddp.launches.iter().find(|launch| launch.start == 560_663_002).expect("the launch");
    assert!(kernel(known).starts_with("void cudnn::bn_bw_1C11_kernel_new<float"));
    assert_eq!((known.duration, known.stream, ddp.kernels[known.kernel as usize].estimated_occupancy), (41_407, 7, Some(75)));
    let shape = Shape { grid: [512, 1, 1], block: [512, 1, 1], registers: 40, shared_bytes: 400 };
    assert_eq!(ddp.kernels[known.kernel as usize].shape, Some(shape));
}

/// Of half of the training run, the part of the time without a kernel is nearly that of the whole: what is missing is not taken for idle.
#[test]
fn half_of_a_training_run_is_as_idle_as_the_whole() {
    let bytes = std::fs::read(path("kineto_ddp_a100.json.gz")).expect("a sample");
    let idle = |part: usize| {
        let timeline = read::timeline(&bytes[..bytes.len() * part / 10], "ddp").expect("a part");
        let gpu = &report(&timeline, None).gpus[0];
        100 * (gpu.ns - gpu.busy_ns) / gpu.ns
    };
    assert_eq!([3, 5, 8, 10].map(idle), [80, 74, 77, 76]);
}

#[test]
fn a_network_has_all_its_kernels_and_their_shapes() {
    let alexnet = sample("kineto_alexnet_a100.json.gz");
    assert_eq!(alexnet.launches.len(), 79);
    assert_eq!(by_stream(&alexnet).into_values().collect::<Vec<_>>(), [73, 6]);
    assert!(alexnet.kernels.iter().all(|kernel| kernel.shape.is_some()));
}
