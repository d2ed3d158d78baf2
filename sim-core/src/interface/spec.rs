//! A choice of a list and its parameters as data: which policy, which CTA order, with which settings. Each entry's file has one table of its
//! parameters; decoding, the canonical form, the catalogue, the JSON Schema and the page's form are made from it.

use super::controls::{Controls, SUB_QUEUES, WarpOrder};
use crate::describe::error::Problems;
use crate::describe::gpu::vendor::Vendor;
use crate::describe::ids::PerKernel;
use crate::describe::path::field;
use crate::describe::record::{Absent, Datum, Entries, Field, Shape, rule};
use crate::describe::value::Value;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A parameter: a field of its entry.
pub type Param = Field;

/// Longest list of a kernel: an SM holds no more CTAs.
pub const MAX_LIST: usize = 64;

rule! {
    /// Parameters and controls fit the mix and the GPU: an entry for each kernel, SMs, classes and channels that there are, combinations
    /// that fit an SM.
    pub FITS_THE_MIX = "fits_the_mix";
}

/// What parameters are read against.
#[derive(Clone, Copy, Debug)]
pub struct Mix<'a> {
    /// Where the entry stands in the input.
    pub path: &'a str,
    /// Kernels of the mix.
    pub kernels: usize,
    /// SMs of the GPU.
    pub sms: usize,
    /// DRAM channels of the GPU.
    pub channels: usize,
    /// The SMs' clock, MHz.
    pub core_mhz: u32,
    /// How the vendor lets the GPU be shared, if it is a real one.
    pub vendor: Option<&'static Vendor>,
    /// Whether each line keeps its L2 bank, because the bank knows who owns it: then no kernel has channels of its own.
    pub lines_stay: bool,
    /// SM classes of the GPU.
    pub classes: usize,
    /// SMs of the class that has fewest.
    pub smallest_class: usize,
    /// CTAs of each kernel that each SM can hold of any of its launches, 0 where one does not fit; empty where that is not known yet.
    pub limits: &'a [PerKernel<u32>],
    /// Whether every SM holds a CTA of each kernel that has a goal at once, if it holds one of them at all.
    pub goals_fit: bool,
    /// The experiment's order of warps, which holds where controls name none.
    pub warp_order: WarpOrder,
}

impl Mix<'_> {
    /// A problem with `path`, which splits the miss queue among more kernels than it has virtual queues.
    pub fn sub_queues(&self, path: &str, problems: &mut Problems) {
        let found = format!("a miss queue that is split among {} kernels", self.kernels);
        problems.add(
            path,
            found,
            format!("at most {SUB_QUEUES}, the virtual queues that it has (CCBP §5.1): a smaller mix, or another policy"),
        );
    }

    /// A problem with `path`, which gives kernels DRAM channels of their own, if lines stay where they are.
    pub fn own_channels(&self, path: &str, problems: &mut Problems) {
        if self.lines_stay {
            problems.add(path, "DRAM channels of a kernel's own", "none, as gpu.sm.l1.protocol = denovo keeps each line in one L2 bank");
        }
    }
}

#[cfg(test)]
impl Mix<'static> {
    /// Two kernels on two SMs.
    pub const SMALL: Mix<'static> = Mix {
        path: "policy",
        kernels: 2,
        sms: 2,
        channels: 2,
        core_mhz: 1000,
        vendor: None,
        lines_stay: false,
        classes: 1,
        smallest_class: 2,
        limits: &[],
        goals_fit: true,
        warp_order: WarpOrder::Lrr,
    };
}

/// An entry of a list that experiments choose from by name.
pub trait Entry: Sized + 'static {
    /// The list as experiments choose from it.
    const ENTRIES: &'static Entries;

    /// The list.
    fn all() -> &'static [Self];

    /// Name in experiments.
    fn name(&self) -> &'static str;

    /// Its parameters.
    fn params(&self) -> &'static [Param];

    /// The entry of this name.
    fn find(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|entry| entry.name() == name)
    }

    /// Checks that concern several parameters together.
    fn check(_spec: &Spec<Self>, _mix: Mix, _problems: &mut Problems) {}
}

/// The value of a parameter.
#[derive(Clone, PartialEq, Debug)]
pub enum Setting {
    /// Left out, without a default that is a value.
    Unset,
    /// A whole number.
    Int(i64),
    /// A number.
    Number(f64),
    /// A name.
    Choice(&'static str),
    /// True or false.
    Bool(bool),
    /// A whole number from 0 on for each kernel.
    Ints(Vec<u32>),
    /// A whole number for each kernel, below 0 too.
    Signed(Vec<i64>),
    /// A number for each kernel.
    Numbers(Vec<f64>),
    /// A list of numbers for each kernel.
    Lists(Vec<Vec<f64>>),
    /// A text for each kernel.
    Texts(Vec<String>),
    /// Controls.
    Controls(Box<Controls>),
    /// Text.
    Text(String),
}

/// An entry and its parameters.
#[derive(Clone, Debug)]
pub struct Spec<I: 'static> {
    info: &'static I,
    /// In the order of the entry's parameters.
    settings: Vec<Setting>,
}

impl<I: Entry> PartialEq for Spec<I> {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.settings == other.settings
    }
}

impl<I: Entry> Spec<I> {
    /// The entry `info` with the defaults of all parameters.
    pub fn of(info: &'static I) -> Self {
        Spec { info, settings: info.params().iter().map(Setting::of).collect() }
    }

    /// The choice with one parameter set; nothing happens if it has no such parameter.
    pub fn with(mut self, name: &str, setting: Setting) -> Self {
        if let Some(i) = self.info.params().iter().position(|param| param.name == name && !param.is_constant()) {
            self.settings[i] = setting;
        }
        self
    }

    /// Its description.
    pub fn info(&self) -> &'static I {
        self.info
    }

    /// Its name in experiments.
    pub fn name(&self) -> &'static str {
        self.info.name()
    }

    /// Whether it has a parameter of this name.
    pub fn has(&self, name: &str) -> bool {
        self.info.params().iter().any(|param| param.name == name)
    }

    /// A parameter's value; `Unset` if it has no such parameter.
    pub fn get(&self, name: &str) -> &Setting {
        let at = self.info.params().iter().position(|param| param.name == name);
        debug_assert!(at.is_some(), "{} has no parameter {name}", self.name());
        at.map_or(&Setting::Unset, |i| &self.settings[i])
    }

    /// A whole number.
    pub fn int(&self, name: &str) -> i64 {
        if let Setting::Int(n) = *self.get(name) { n } else { 0 }
    }

    /// A number.
    pub fn number(&self, name: &str) -> f64 {
        if let Setting::Number(x) = *self.get(name) { x } else { 0.0 }
    }

    /// A name.
    pub fn choice(&self, name: &str) -> &'static str {
        if let Setting::Choice(chosen) = *self.get(name) { chosen } else { "" }
    }

    /// True or false.
    pub fn flag(&self, name: &str) -> bool {
        *self.get(name) == Setting::Bool(true)
    }

    /// A whole number for each kernel, which may be below 0; none if left out.
    pub fn signed(&self, name: &str) -> &[i64] {
        if let Setting::Signed(numbers) = self.get(name) { numbers } else { &[] }
    }

    /// A whole number from 0 on for each kernel; none if left out.
    pub fn ints(&self, name: &str) -> &[u32] {
        if let Setting::Ints(numbers) = self.get(name) { numbers } else { &[] }
    }

    /// A number for each kernel; none if left out.
    pub fn numbers(&self, name: &str) -> &[f64] {
        if let Setting::Numbers(numbers) = self.get(name) { numbers } else { &[] }
    }

    /// A list of numbers for each kernel; none if left out.
    pub fn lists(&self, name: &str) -> &[Vec<f64>] {
        if let Setting::Lists(lists) = self.get(name) { lists } else { &[] }
    }

    /// A text for each kernel; none if left out.
    pub fn texts(&self, name: &str) -> &[String] {
        if let Setting::Texts(texts) = self.get(name) { texts } else { &[] }
    }

    /// Text; empty if left out.
    pub fn text(&self, name: &str) -> &str {
        if let Setting::Text(text) = self.get(name) { text } else { "" }
    }

    /// The controls that it was given, if it is a policy that is given some.
    pub fn controls(&self) -> Option<&Controls> {
        self.settings.iter().find_map(|setting| if let Setting::Controls(controls) = setting { Some(&**controls) } else { None })
    }

    /// Reads an entry for a mix: a name, or an object with `name` and parameters.
    pub fn decode(value: &Value, mix: Mix, problems: &mut Problems) -> Option<Self> {
        if Shape::Entry(I::ENTRIES).check(value, mix.path, problems) { Self::read(value, mix, problems) } else { None }
    }

    /// Reads an entry whose shape is right.
    pub fn read(value: &Value, mix: Mix, problems: &mut Problems) -> Option<Self> {
        Self::read_as(value.get("name").unwrap_or(value).as_str().and_then(I::find)?, value, mix, problems)
    }

    /// Reads what belongs to one entry of a value whose shape is right; it may have parameters of others.
    pub fn read_as(info: &'static I, value: &Value, mix: Mix, problems: &mut Problems) -> Option<Self> {
        let before = problems.0.len();
        let settings = info.params().iter().map(|param| Setting::read(param, value, mix, problems)).collect();
        let spec = Spec { info, settings };
        if problems.0.len() == before {
            spec.check(mix, problems);
        }
        (problems.0.len() == before).then_some(spec)
    }

    /// Whether it fits a mix; `decode` has checked this, but a spec can also be made in Rust.
    pub fn check(&self, mix: Mix, problems: &mut Problems) {
        problems.by(&FITS_THE_MIX, |problems| self.check_parts(mix, problems));
    }

    fn check_parts(&self, mix: Mix, problems: &mut Problems) {
        for (param, setting) in self.info.params().iter().zip(&self.settings) {
            let (found, wanted, what) = match setting {
                Setting::Ints(numbers) => (numbers.len(), mix.kernels, "numbers"),
                Setting::Signed(numbers) => (numbers.len(), mix.kernels, "numbers"),
                Setting::Numbers(numbers) => (numbers.len(), mix.kernels, "numbers"),
                Setting::Lists(lists) => (lists.len(), mix.kernels, "lists"),
                Setting::Texts(texts) => (texts.len(), mix.kernels, "names"),
                Setting::Controls(controls) => (controls.sms.len(), mix.sms, "SMs"),
                _ => continue,
            };
            if found != wanted {
                problems.add(field(mix.path, param.name), format!("{found} {what}"), wanted);
            }
        }
        I::check(self, mix, problems);
    }

    /// The canonical form: an object with the name and every parameter that has a value. It is read back against the same mix.
    pub fn encode(&self, mix: Mix) -> Value {
        self.written(mix, |param| !param.is_constant())
    }

    /// The form that hashes are made of, in which constants stand as they did when they could be chosen.
    pub fn encode_decisive(&self, mix: Mix) -> Value {
        self.written(mix, |_| true)
    }

    fn written(&self, mix: Mix, says: impl Fn(&Param) -> bool) -> Value {
        let mut pairs = alloc::vec![("name", Value::from(self.name()))];
        let given = self.info.params().iter().zip(&self.settings);
        let given = given.filter(|(param, setting)| **setting != Setting::Unset && says(param));
        let value = |setting: &Setting| match setting {
            Setting::Controls(controls) => controls.encode(mix.kernels, mix.warp_order),
            plain => plain.encode(),
        };
        pairs.extend(given.map(|(param, setting)| (param.name, value(setting))));
        Value::object(pairs)
    }

    /// The choice as JSON, a name alone where every parameter has its default.
    pub fn encode_short(&self, mix: Mix) -> Value {
        if *self == Self::of(self.info) { self.name().into() } else { self.encode(mix) }
    }
}

#[cfg(test)]
impl<I: Entry> Spec<I> {
    /// Each parameter of the entry has a name of its own, and a default that its own kind takes.
    pub fn check_table(&self) {
        let params = self.info.params();
        for (param, setting) in params.iter().zip(&self.settings).filter(|(_, setting)| **setting != Setting::Unset) {
            let (written, mut problems) = (Value::object([(param.name, setting.encode())]), Problems::default());
            assert!(param.shape.check(&setting.encode(), param.name, &mut problems), "{}: {problems}", self.name());
            assert_eq!(Setting::read(param, &written, Mix::SMALL, &mut problems), *setting, "{}.{}", self.name(), param.name);
        }
        assert!(params.iter().enumerate().all(|(i, a)| params[..i].iter().all(|b| a.name != b.name)), "{}", self.name());
    }
}

impl Setting {
    fn encode(&self) -> Value {
        match self {
            // Controls are written against a mix.
            Setting::Unset | Setting::Controls(_) => Value::Null,
            Setting::Int(n) => (*n).into(),
            Setting::Number(x) => (*x).into(),
            Setting::Choice(name) => (*name).into(),
            Setting::Bool(b) => (*b).into(),
            Setting::Ints(numbers) => Value::array(numbers.iter().copied()),
            Setting::Signed(numbers) => Value::array(numbers.iter().copied()),
            Setting::Numbers(numbers) => Value::array(numbers.iter().copied()),
            Setting::Lists(lists) => Value::array(lists.iter().map(|list| Value::array(list.iter().copied()))),
            Setting::Texts(texts) => Value::array(texts.iter().map(String::as_str)),
            Setting::Text(text) => text.as_str().into(),
        }
    }
}

impl Setting {
    /// What holds where a parameter is left out.
    fn of(param: &Param) -> Setting {
        match param.absent {
            Absent::Needed | Absent::Words(_) => Setting::Unset,
            Absent::Int(n) => Setting::Int(n),
            Absent::Number(x) => Setting::Number(x),
            Absent::Name(name) => Setting::Choice(name),
            Absent::Flag(flag) => Setting::Bool(flag),
        }
    }

    /// A parameter of an entry whose shape is right.
    fn read(param: &Param, entry: &Value, mix: Mix, problems: &mut Problems) -> Setting {
        let Some(value) = entry.get(param.name) else { return Self::of(param) };
        match param.shape {
            Shape::Int { .. } => Setting::Int(i64::read(value)),
            Shape::Number { .. } => Setting::Number(f64::read(value)),
            Shape::Choice(names) => Setting::Choice(names.iter().find(|name| value.as_str() == Some(name)).copied().unwrap_or("")),
            Shape::Flag => Setting::Bool(bool::read(value)),
            Shape::Constant(_) => Self::of(param),
            Shape::ForEach(of) if !matches!(value, Value::Array(_)) => {
                let all = Value::array(core::iter::repeat_n(value.clone(), mix.kernels));
                let param = Param { shape: Shape::PerKernel(of), ..*param };
                Self::read(&param, &Value::object([(param.name, all)]), mix, problems)
            }
            Shape::PerKernel(Shape::Int { min: ..0, .. }) => Setting::Signed(Datum::read(value)),
            Shape::PerKernel(Shape::Int { .. }) | Shape::ForEach(Shape::Int { .. }) => Setting::Ints(Datum::read(value)),
            Shape::PerKernel(Shape::Number { .. }) | Shape::ForEach(Shape::Number { .. }) => Setting::Numbers(Datum::read(value)),
            Shape::PerKernel(Shape::Text { .. }) | Shape::ForEach(Shape::Text { .. }) => Setting::Texts(Datum::read(value)),
            Shape::PerKernel(_) => Setting::Lists(Datum::read(value)),
            Shape::Text { .. } => Setting::Text(Datum::read(value)),
            _ => {
                let neutral = Controls::neutral(mix.sms, mix.warp_order);
                let controls = Controls::read(value, &field(mix.path, param.name), mix.kernels, neutral, problems);
                controls.map_or(Setting::Unset, |controls| Setting::Controls(Box::new(controls)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::record::Names;
    use alloc::string::ToString;

    #[derive(Clone, Debug)]
    struct MadeUp;

    impl Entry for MadeUp {
        const ENTRIES: &'static Entries = &ENTRIES;

        fn all() -> &'static [MadeUp] {
            &[MadeUp]
        }

        fn name(&self) -> &'static str {
            "made-up"
        }

        fn params(&self) -> &'static [Param] {
            PARAMS
        }
    }

    static NAMES: Names = Names {
        names: || alloc::vec!["made-up"],
        shorter: Vec::new,
        known: |name| name == "made-up",
        want: |_| "made-up".into(),
        what: "an entry",
    };

    static ENTRIES: Entries = Entries { name: "MadeUp", names: &NAMES, params: |name| (name == "made-up").then(|| alloc::vec![PARAMS]) };

    const PARAMS: &[Param] = &[
        Param::int("units", (1, 64), 20, "units", ""),
        Param::number("share", (0.0, 1.0), 0.5, "", ""),
        Param::choice("mode", &["a", "b"], "b", ""),
        Param::flag("on", true, ""),
        Param {
            name: "alone",
            shape: Shape::PerKernel(&Shape::Number { min: 0.0, max: 9.0 }),
            unit: "IPC",
            absent: Absent::Words("none"),
            doc: "",
        },
        Param {
            name: "curves",
            shape: Shape::PerKernel(&Shape::List {
                of: &Shape::Number { min: 0.0, max: 9.0 },
                min: 1,
                max: MAX_LIST,
                what: "numbers",
                beyond: "",
            }),
            unit: "IPC",
            absent: Absent::Words("none"),
            doc: "",
        },
    ];

    const MIX: Mix = Mix::SMALL;

    fn read(value: Value) -> Result<Spec<MadeUp>, Vec<String>> {
        let mut problems = Problems::default();
        let spec = Spec::decode(&value, MIX, &mut problems);
        let lines = problems.0.iter().map(ToString::to_string).collect::<Vec<_>>();
        if lines.is_empty() { Ok(spec.unwrap()) } else { Err(lines) }
    }

    #[test]
    fn every_kind_of_parameter_reads_back_what_it_writes_and_names_what_is_wrong() {
        let spec = read("made-up".into()).unwrap();
        assert_eq!((spec.int("units"), spec.number("share"), spec.choice("mode"), spec.flag("on")), (20, 0.5, "b", true));
        assert!(spec.numbers("alone").is_empty() && spec.lists("curves").is_empty());
        let text = r#"{"name":"made-up","units":20,"share":0.5,"mode":"b","on":true}"#;
        assert_eq!(spec.encode(MIX).to_string(), text);
        assert_eq!(spec.encode_short(MIX).to_string(), r#""made-up""#);

        let other = Value::object([
            ("name", Value::from("made-up")),
            ("units", 3.into()),
            ("share", 1.into()),
            ("mode", "a".into()),
            ("on", false.into()),
            ("alone", Value::array([1.5, 2.5])),
            ("curves", Value::array([Value::array([1.5, 2.5]), Value::array([3.0])])),
        ]);
        let spec = read(other).unwrap();
        assert_eq!((spec.int("units"), spec.number("share"), spec.choice("mode"), spec.flag("on")), (3, 1.0, "a", false));
        assert_eq!(spec.numbers("alone"), [1.5, 2.5]);
        assert_eq!(spec.lists("curves"), [alloc::vec![1.5, 2.5], alloc::vec![3.0]]);
        assert_eq!(read(spec.encode(MIX)).unwrap(), spec);
        assert_eq!(spec.encode_short(MIX), spec.encode(MIX));

        let wrong = Value::object([
            ("name", Value::from("made-up")),
            ("units", 65.into()),
            ("share", (-0.5).into()),
            ("mode", "c".into()),
            ("on", 1.into()),
            ("alone", Value::array([1.5, 10.0])),
            ("curves", Value::array([Value::array([1.5, -1.0]), Value::Array(Vec::new())])),
        ]);
        assert_eq!(
            read(wrong).unwrap_err(),
            [
                "policy.units: found 65, want a whole number from 1 to 64",
                "policy.share: found -0.5, want a number from 0 to 1",
                "policy.mode: found \"c\", want one of a, b",
                "policy.on: found 1, want true or false",
                "policy.alone[1]: found 10.0, want a number from 0 to 9",
                "policy.curves[0][1]: found -1.0, want a number from 0 to 9",
                "policy.curves[1]: found a list of 0, want a list of 1 to 64 numbers",
            ]
        );
    }
}
