//! A GPU as an experiment says it: a preset by its name, or a preset with some of its fields changed.

use super::fields::{self, CHANGES, CLASS, FITS_ITSELF, GPU_FIELDS, SM_FIELDS};
use super::presets::{self, PRESET_NAMES};
use super::{Gpu, NocKind, SmClass, validate};
use crate::describe::error::Problems;
use crate::describe::path::field as field_path;
use crate::describe::record::{Absent, Field, Placed, Record, Shape};
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A GPU as an experiment changes a preset: `sm.X` is X of every class of SMs, `sm.NAME.X` of one.
pub static GPU: Record = Record {
    name: "GpuChange",
    want: "a preset's name, or an object with `preset` and fields to change",
    fields: &[Field {
        name: "preset",
        shape: Shape::Listed(&PRESET_NAMES),
        unit: "",
        absent: Absent::Needed,
        doc: "The preset that is changed",
    }],
    more: Some(&CHANGES),
    tag: "",
    rules: &[&CLASS, &FITS_ITSELF],
    figures: &[],
    doc: "A preset with some of its fields changed",
};

/// A preset's name, or a preset with changes.
pub const ANY_GPU: Shape = Shape::Forms { of: &[Shape::Listed(&PRESET_NAMES), Shape::Record(&GPU)], want: GPU_WANT };

const GPU_WANT: &str = "a preset's name, or an object with `preset` and fields to change";

/// Reads a GPU: a preset's name, or a preset with fields to change.
pub fn decode_gpu(value: &Value, path: &str, problems: &mut Problems) -> Option<Gpu> {
    if ANY_GPU.check(value, path, problems) { read(value, path, problems) } else { None }
}

/// Reads a GPU whose shape is right: a preset's name, or a preset with fields to change.
pub fn read(value: &Value, path: &str, problems: &mut Problems) -> Option<Gpu> {
    let before = problems.0.len();
    let name = value.get("preset").unwrap_or(value);
    let mut gpu = name.as_str().and_then(presets::find)?;
    if let Value::Object(pairs) = value {
        let changes = pairs.iter().filter(|(key, _)| key != "preset");
        let changes: Vec<_> = changes.map(|(key, value)| (field_path(path, key), key.as_str(), value)).collect();
        fields::change(&mut gpu, &changes, problems);
    }
    if problems.0.len() == before {
        problems.by(&FITS_ITSELF, |problems| validate::check(&gpu, path, problems));
    }
    (problems.0.len() == before).then_some(gpu)
}

/// Fields that older files do not have: they are left out where they are 0 and the preset has nothing else, so that these files keep their
/// hashes.
const LATER: &[&str] = &[
    "gto_group",
    "fp64_lanes",
    "fp64_unit",
    "memory_queue",
    "lsu_pause",
    "l1.forward_latency",
    "l1.read_only",
    "l2.bank_index",
    "shared_reserved",
    "carve_outs",
    "carve_out_wait",
];

/// Fields that are written only where the preset has something else. Two say what holds for experiments that say nothing, whose own is written anyway.
/// The third, older files did not have, and no paper's run of one launch can tell.
const AS_PRESET: &[&str] = &["warp_order", "measure_from", "l1.launch_drops"];

/// Fields for recorded kernels, which older files have not: they are written where a class has something else than it began with, in the preset or as a copy
/// of its first class.
const RECORDED: &[&str] = &["int_lanes", "alu_latency", "sfu_latency", "fp64_latency", "tensor_latency", "tensor_interval"];

/// Fields of the mesh: they are left out where there is none and the preset has nothing else, so that files without a mesh keep their hashes.
const MESH: &[&str] = &["noc.width", "noc.height", "noc.hop", "noc.buffer", "noc.first_sm"];

/// Every field of `gpu` by path, in the registry's order; before them, that it has no SMs of a class of its preset.
pub fn all(gpu: &Gpu) -> Vec<(String, Value)> {
    let preset = presets::find(&gpu.name);
    let classes = || preset.iter().chain([gpu]).flat_map(|gpu| &gpu.sms);
    let of_preset = |class: &SmClass| preset.iter().flat_map(|preset| &preset.sms).find(|of| of.name == class.name);
    let first = || preset.as_ref().and_then(|preset| preset.sms.first());
    let same =
        |class: &SmClass, of: Option<&SmClass>, placed: &Placed<SmClass, u32>| of.is_some_and(|of| (placed.get)(of) == (placed.get)(class));
    let is_written = |class: &SmClass, placed: &Placed<SmClass, u32>| match placed.field.name {
        name if AS_PRESET.contains(&name) => !same(class, of_preset(class), placed),
        name if RECORDED.contains(&name) => !same(class, of_preset(class).or_else(first), placed),
        name => !LATER.contains(&name) || classes().any(|class| (placed.get)(class) != 0),
    };
    let is_gone = |class: &&SmClass| gpu.sms.iter().all(|other| other.name != class.name);
    let gone = preset.iter().flat_map(|preset| &preset.sms).filter(is_gone);
    let mut pairs: Vec<_> = gone.map(|class| (format!("sm.{}.count", class.name), Value::from(0))).collect();
    for class in &gpu.sms {
        let prefix = if gpu.sms.len() == 1 && pairs.is_empty() { "sm".into() } else { format!("sm.{}", class.name) };
        pairs.extend(
            SM_FIELDS
                .iter()
                .filter(|placed| is_written(class, placed))
                .map(|placed| (format!("{prefix}.{}", placed.field.name), placed.value(class))),
        );
    }
    let is_mesh = preset.iter().chain([gpu]).any(|gpu| gpu.noc.kind == NocKind::Mesh);
    let differs = |placed: &Placed<Gpu, u32>| preset.as_ref().is_none_or(|preset| (placed.get)(preset) != (placed.get)(gpu));
    let is_left_out = |placed: &Placed<Gpu, u32>| match placed.field.name {
        name if MESH.contains(&name) => !is_mesh && !differs(placed),
        name if AS_PRESET.contains(&name) => !differs(placed),
        name => LATER.contains(&name) && preset.iter().chain([gpu]).all(|gpu| (placed.get)(gpu) == 0),
    };
    let is_written = |placed: &&Placed<Gpu, u32>| !is_left_out(placed);
    pairs.extend(GPU_FIELDS.iter().filter(is_written).map(|placed| (placed.field.name.into(), placed.value(gpu))));
    pairs
}
