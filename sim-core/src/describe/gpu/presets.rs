//! GPUs by name: a JSON file each in `presets/`, which has the source of every figure beside it and is read as experiments are.

use super::fields::{self, CHANGES, CLASS, FITS_ITSELF, GPU_FIELDS, Named, SM_FIELDS, named};
use super::{Gpu, validate};
use crate::describe::error::Problems;
use crate::describe::path::one_near;
use crate::describe::record::{Absent, Datum, Names, Shape, list, record, rule, text};
use crate::describe::value::Value;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use once_cell::race::OnceBox;

/// A GPU that experiments can name.
#[derive(Debug)]
pub struct Preset {
    /// Name in experiments, and of its file.
    pub name: &'static str,
    /// A shorter name that experiments may say.
    pub alias: Option<&'static str>,
    json: &'static str,
    found: OnceBox<Option<Gpu>>,
}

macro_rules! presets {
    ($($name:literal $(= $alias:literal)?,)+) => {
        /// Every preset; the base of one stands above it.
        pub static PRESETS: [Preset; [$($name),+].len()] = [$(Preset {
            name: $name,
            alias: <[&'static str]>::first(&[$($alias)?]).copied(),
            json: include_str!(concat!("presets/", $name, ".json")),
            found: OnceBox::new(),
        }),+];
    };
}

presets![
    "ccbp-16sm",
    "tiny-2sm",
    "fermi-16sm",
    "hetero-8b8s",
    "hetero-4b12s",
    "hetero-12b4s",
    "qos-16sm",
    "qos-56sm",
    "a100-40gb" = "a100",
    "h100-sxm5" = "h100",
    "h200-sxm" = "h200",
    "rtx5090" = "5090",
    "rtx2060-30sm",
    "accelsim-rtx2060",
    "accelsim-qv100",
    "accelsim-rtx3070",
    "accelsim-h100",
    "ikra-15cu",
    "ikra-micro-3cu",
];

record! {
    /// A GPU that experiments can name, with the source of each of its figures.
    pub struct PresetFile as PRESET "GpuPreset", "a preset, with `title`, `source`, `doc` and `fields`", rules [&EACH_ONCE, &CLASS, &FITS_ITSELF];
    /// Heading, at most 80 characters.
    title: String = text!(80), Absent::Needed;
    /// Where its figures come from, at most 200 characters.
    source: String = text!(200), Absent::Needed;
    /// What it is for, at most 200 characters.
    doc: String = text!(200), Absent::Needed;
    /// The preset of which it has every field that it does not give.
    base: Option<String> = Shape::Listed(&PRESET_NAMES), Absent::Words("none, so that it gives every field");
    /// Fields and their values, by where the values come from.
    fields: Vec<Value> = list!(Shape::Record(&SOURCED), 1, 200, "objects of fields with their `source`"), Absent::Needed;
    /// Values that were tried and taken back; `source` says why.
    tried: Vec<Value> = list!(Shape::Record(&SOURCED), 1, 200, "objects of fields with their `source`"), Absent::Words("none"), sparse;
}

record! {
    /// Fields with values of one source: `sm.X` is X of every class of SMs, `sm.NAME.X` of one.
    pub static SOURCED "SourcedFields", "an object of fields with their `source`", more &CHANGES;
    /// Where the values come from, at most 400 characters.
    source = text!(400), Absent::Needed;
}

rule! {
    /// A preset gives every field of a GPU once, or changes fields of a `base` above it, none of them twice.
    pub EACH_ONCE = "each_once";
}

/// The names of the presets.
pub static PRESET_NAMES: Names = Names {
    names: || PRESETS.iter().map(|preset| preset.name).collect(),
    shorter: || PRESETS.iter().filter_map(|preset| preset.alias).collect(),
    known: |name| preset(name).is_some(),
    want: |name| one_near(name, &PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>()),
    what: "a preset",
};

/// The preset of that name, or of that alias.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name || preset.alias == Some(name))
}

/// The GPU of that name. Its file is read the first time only.
pub fn find(name: &str) -> Option<Gpu> {
    let preset = preset(name)?;
    preset.found.get_or_init(|| Box::new(preset.gpu().ok())).clone()
}

/// A field that a preset's file gives.
struct Given<'f> {
    path: String,
    key: &'f str,
    value: &'f Value,
    source: &'f str,
}

impl PresetFile {
    /// Reads a file; on failure, everything that is wrong with it by itself.
    pub fn decode(value: &Value) -> Result<PresetFile, Problems> {
        let mut problems = Problems::default();
        if PRESET.check(value, "", &mut problems) { Ok(PresetFile::read(value)) } else { Err(problems) }
    }

    fn given(&self) -> Vec<Given<'_>> {
        Self::each("fields", &self.fields)
    }

    /// Every field of groups that stand at a path.
    fn each<'f>(path: &str, groups: &'f [Value]) -> Vec<Given<'f>> {
        let mut all = Vec::new();
        for (i, group) in groups.iter().enumerate() {
            let (Value::Object(pairs), Some(source)) = (group, group.get("source").and_then(Value::as_str)) else { continue };
            let fields = pairs.iter().filter(|(key, _)| key != "source");
            all.extend(fields.map(|(key, value)| Given { path: format!("{path}[{i}].{key}"), key, value, source }));
        }
        all
    }
}

impl Preset {
    /// What its file says.
    pub fn file(&self) -> Result<PresetFile, Problems> {
        PresetFile::decode(&Value::from_json(self.json)?)
    }

    /// The GPU; on failure, everything that is wrong with its file.
    pub fn gpu(&self) -> Result<Gpu, Problems> {
        let (file, mut problems) = (self.file()?, Problems::default());
        let mut gpu = match file.base.as_deref().map(|name| (name, self.above(name))) {
            None => Gpu::default(),
            Some((_, Some(base))) => base.gpu()?,
            Some((name, None)) => {
                problems.by(&EACH_ONCE, |problems| problems.add("base", format!("{name:?}"), "a preset above this one"));
                return Err(problems);
            }
        };
        gpu.name = self.name.into();
        for tried in PresetFile::each("tried", &file.tried) {
            fields::set(&mut gpu.clone(), tried.key, tried.value, &tried.path, &mut problems);
        }
        let given = file.given();
        let changes: Vec<_> = given.iter().map(|given| (given.path.clone(), given.key, given.value)).collect();
        fields::change(&mut gpu, &changes, &mut problems);
        problems.by(&EACH_ONCE, |problems| check_each(&gpu, &given, file.base.is_none(), problems));
        if problems.0.is_empty() {
            problems.by(&FITS_ITSELF, |problems| validate::check(&gpu, "fields", problems));
        }
        problems.or(gpu)
    }

    /// Values of a field that were tried and taken back, each with the reason: by the preset whose value the field has.
    pub fn tried(&self, key: &str) -> Vec<(Value, String)> {
        let Ok(file) = self.file() else { return Vec::new() };
        let meant = |given: &Given| is_meant(named(key), named(given.key));
        let own: Vec<_> = PresetFile::each("tried", &file.tried)
            .into_iter()
            .filter(meant)
            .map(|given| (given.value.clone(), given.source.into()))
            .collect();
        let base = file.base.as_deref().and_then(|base| self.above(base));
        if own.is_empty() && !file.given().iter().any(meant) { base.map_or(own, |base| base.tried(key)) } else { own }
    }

    /// Where the value of a field comes from: `sm.X` of a GPU with one class of SMs, `sm.NAME.X`, or a field of the whole GPU.
    pub fn source(&self, key: &str) -> Option<String> {
        let file = self.file().ok()?;
        let own = file.given().iter().rfind(|given| is_meant(named(key), named(given.key))).map(|given| given.source.into());
        own.or_else(|| self.above(file.base.as_deref()?)?.source(key))
    }

    /// The preset of that name, if it stands above this one.
    fn above(&self, name: &str) -> Option<&'static Preset> {
        PRESETS.iter().take_while(|preset| preset.name != self.name).find(|preset| preset.name == name)
    }
}

/// Whether a preset's file gives what is asked for: a field of the whole GPU, or one of an SM of that class, or of any.
fn is_meant(asked: Option<Named>, given: Option<Named>) -> bool {
    match (asked, given) {
        (Some(Named::OfSm(of, i)), Some(Named::OfSm(class, j))) => i == j && (of.is_none() || class.is_none() || of == class),
        (asked, given) => asked == given,
    }
}

/// Adds every field that is given twice, and where the file gives a `whole` GPU, every field that is not given.
fn check_each(gpu: &Gpu, given: &[Given], whole: bool, problems: &mut Problems) {
    let keys: Vec<Option<Named>> = given.iter().map(|given| named(given.key)).collect();
    let mut look = |path: String, is_it: &dyn Fn(Named) -> bool| {
        let (found, want) = match keys.iter().flatten().filter(|key| is_it(**key)).count() {
            0 if whole => ("nothing", "its value and where it comes from"),
            0 | 1 => return,
            _ => ("the field twice", "it once"),
        };
        problems.add(format!("fields.{path}"), found, want);
    };
    for (i, placed) in GPU_FIELDS.iter().enumerate() {
        look(placed.field.name.into(), &|key| key == Named::OfGpu(i));
    }
    for (class, (i, placed)) in gpu.sms.iter().flat_map(|class| SM_FIELDS.iter().enumerate().map(move |field| (class, field))) {
        look(
            format!("sm.{}", placed.field.name),
            &|key| matches!(key, Named::OfSm(of, j) if i == j && of.is_none_or(|of| of == class.name)),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::gpu::change;
    use alloc::string::ToString;
    use std::{fs, path};

    /// Every preset's file by name, as text.
    fn texts() -> Vec<(String, String)> {
        let folder = path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/describe/gpu/presets");
        let files = fs::read_dir(folder).expect("the folder is there").flatten().map(|file| file.path());
        files.map(|file| (file.file_stem().unwrap().to_string_lossy().into(), fs::read_to_string(&file).expect("a text"))).collect()
    }

    #[test]
    fn every_file_is_a_preset_and_says_all_of_it() {
        for (name, text) in texts() {
            let preset = preset(&name).unwrap_or_else(|| panic!("{name}.json is not among PRESETS"));
            assert_eq!(preset.json, text);
            let gpu = preset.gpu().unwrap_or_else(|problems| panic!("{name}.json:\n{problems}"));
            assert_eq!((gpu.name.as_str(), find(&name).as_ref()), (preset.name, Some(&gpu)));
        }
    }

    #[test]
    fn what_was_tried_of_a_field_is_told_with_its_value() {
        let tried = |name: &str, key| preset(name).unwrap().tried(key).into_iter().map(|(value, _)| value).collect::<Vec<_>>();
        assert_eq!(tried("h100-sxm5", "l2.latency"), [318.into()]);
        assert_eq!(tried("h200-sxm", "l2.latency"), [318.into()], "its base's, as its value is");
        assert_eq!(tried("rtx5090", "l2.latency"), [240.into()]);
        assert_eq!(tried("rtx5090", "l2.bank_bytes"), [], "it has a value of its own, and tried none");
    }

    /// What is wrong with a preset of this text in the place of `tiny-2sm`.
    fn problems(text: &str) -> String {
        let json: &'static str = Box::leak(text.into());
        Preset { name: "tiny-2sm", alias: None, json, found: OnceBox::new() }.gpu().expect_err(text).to_string()
    }

    #[test]
    fn a_wrong_file_says_what_is_wrong() {
        let [tiny, ccbp] = ["tiny-2sm", "ccbp-16sm"].map(|name| preset(name).unwrap().json);
        for (text, old, new, problem) in [
            (tiny, "{", "[", "(whole): found"),
            (tiny, "\"title\"", "\"heading\"", "title: found nothing, want text of at most 80 characters"),
            (tiny, "\"sm.ctas\": 8", "\"sm.ctas\": 0", "fields[0].sm.ctas: found 0, want a whole number from 1 to 64"),
            (tiny, "sm.ctas", "sm.cta", "fields[0].sm.cta: found an unknown field (8), want a GPU field such as sm.ctas"),
            (tiny, "sm.ctas", "sm.big.ctas", "fields[0].sm.big.ctas: found an unknown field (8), want a GPU field such as sm.ctas"),
            (
                tiny,
                "\"source\": \"Corun: a",
                "\"from\": \"Corun: a",
                "fields[1].source: found nothing, want text of at most 400 characters",
            ),
            (tiny, "\"sm.lsu_hol\"", "\"sm.ctas\": 8, \"sm.lsu_hol\"", "fields.sm.ctas: found the field twice, want it once"),
            (tiny, "\"sm.ctas\": 8,", "\"sm.ctas\": 8, \"sm.ctas\": 8,", "fields[0].sm.ctas: found the field twice, want it once"),
            (tiny, "\"sm.threads\": 512", "\"sm.threads\": 500", "fields.sm.threads: found 500, want a multiple of 32"),
            (
                tiny,
                "\"fields\": [",
                "\"tried\": [{ \"source\": \"s\", \"sm.ctas\": 99 }], \"fields\": [",
                "tried[0].sm.ctas: found 99, want a whole number from 1 to 64",
            ),
            (tiny, "ccbp-16sm", "ccbp", "base: found \"ccbp\", want perhaps ccbp-16sm: one of ccbp-16sm, "),
            (tiny, "ccbp-16sm", "fermi-16sm", "base: found \"fermi-16sm\", want a preset above this one"),
            (ccbp, "\"sm.ctas\": 32, ", "", "fields.sm.ctas: found nothing, want its value and where it comes from"),
            (ccbp, ", \"noc.first_sm\": 0", "", "fields.noc.first_sm: found nothing, want its value and where it comes from"),
        ] {
            assert!(text.contains(old), "{old}");
            let found = problems(&text.replacen(old, new, 1));
            assert!(found.starts_with(problem), "{new}: {found}");
        }
    }

    #[test]
    fn every_field_has_a_source() {
        for preset in &PRESETS {
            for (key, _) in change::all(&preset.gpu().unwrap()) {
                assert!(preset.source(&key).is_some_and(|source| !source.is_empty()), "{}: {key}", preset.name);
            }
        }
        let source = |name: &str, key: &str| preset(name).unwrap().source(key).unwrap();
        assert_eq!(source("hetero-8b8s", "sm.small.ctas"), "HeteroCore Table 1", "its own");
        assert_eq!(source("hetero-8b8s", "sm.big.l1.ways"), "HeteroCore Table 2", "that of its base");
        assert_eq!(source("hetero-8b8s", "l2.queue"), "GPGPU-Sim 3.2.2, Fermi configuration", "that of its base's base");
        assert_eq!(source("ikra-15cu", "sm.count"), "IKRA Table 2", "its only class's");
        assert_eq!(preset("ccbp-16sm").unwrap().source("sm.l2"), None);
    }
}
