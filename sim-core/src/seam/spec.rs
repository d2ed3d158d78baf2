//! A choice of a list and its parameters as data: which policy, which CTA order, with which settings. Each entry's file has one table of its
//! parameters; decoding, the canonical form, the catalogue, the JSON Schema and the page's form are made from it.

use super::controls::{Controls, WarpOrder};
use crate::describe::decode::{self, Fields, element, field, int, list, number};
use crate::describe::error::Problems;
use crate::describe::ids::PerKernel;
use crate::describe::value::Value;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What a parameter takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamKind {
    /// A whole number.
    Int {
        /// Least.
        min: i64,
        /// Greatest.
        max: i64,
    },
    /// A number.
    Number {
        /// Least.
        min: f64,
        /// Greatest.
        max: f64,
    },
    /// One of these names.
    Choice(&'static [&'static str]),
    /// True or false.
    Bool,
    /// A whole number for each kernel of the mix.
    PerKernelInt {
        /// Least.
        min: u32,
        /// Greatest.
        max: u32,
    },
    /// A number for each kernel of the mix.
    PerKernelNumber {
        /// Least.
        min: f64,
        /// Greatest.
        max: f64,
    },
    /// A list of numbers, one at least, for each kernel of the mix.
    PerKernelList {
        /// Least.
        min: f64,
        /// Greatest.
        max: f64,
    },
    /// Controls as an object.
    Controls,
    /// Text.
    Text {
        /// Most characters.
        longest: usize,
    },
}

/// Longest list of a `PerKernelList`: an SM holds no more CTAs.
pub const MAX_LIST: usize = 64;

/// A parameter's default.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fallback {
    /// It cannot be left out.
    Needed,
    /// What these words say.
    Words(&'static str),
    /// This whole number.
    Int(i64),
    /// This number.
    Number(f64),
    /// This name.
    Choice(&'static str),
    /// This.
    Bool(bool),
}

/// A parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Param {
    /// Name in experiments.
    pub name: &'static str,
    /// Values.
    pub kind: ParamKind,
    /// Unit.
    pub unit: &'static str,
    /// What holds where it is left out.
    pub default: Fallback,
    /// Meaning.
    pub doc: &'static str,
}

impl Param {
    /// A whole number from `min` to `max`.
    pub const fn int(name: &'static str, (min, max): (i64, i64), default: i64, unit: &'static str, doc: &'static str) -> Param {
        Param { name, kind: ParamKind::Int { min, max }, unit, default: Fallback::Int(default), doc }
    }

    /// A number from `min` to `max`.
    pub const fn number(name: &'static str, (min, max): (f64, f64), default: f64, unit: &'static str, doc: &'static str) -> Param {
        Param { name, kind: ParamKind::Number { min, max }, unit, default: Fallback::Number(default), doc }
    }

    /// One of several names.
    pub const fn choice(name: &'static str, names: &'static [&'static str], default: &'static str, doc: &'static str) -> Param {
        Param { name, kind: ParamKind::Choice(names), unit: "", default: Fallback::Choice(default), doc }
    }

    /// True or false.
    pub const fn flag(name: &'static str, default: bool, doc: &'static str) -> Param {
        Param { name, kind: ParamKind::Bool, unit: "", default: Fallback::Bool(default), doc }
    }
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
    /// What it is one of, with its article: "a policy".
    const KIND: &'static str;

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
    /// A whole number for each kernel.
    Ints(Vec<u32>),
    /// A number for each kernel.
    Numbers(Vec<f64>),
    /// A list of numbers for each kernel.
    Lists(Vec<Vec<f64>>),
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
        Spec { info, settings: info.params().iter().map(|param| param.default.setting()).collect() }
    }

    /// The same with one parameter set; nothing happens if it has no such parameter.
    pub fn with(mut self, name: &str, setting: Setting) -> Self {
        if let Some(i) = self.info.params().iter().position(|param| param.name == name) {
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

    /// A whole number for each kernel; none if left out.
    pub fn ints(&self, name: &str) -> &[u32] {
        if let Setting::Ints(numbers) = self.get(name) { numbers } else { &[] }
    }

    /// A number for each kernel, of a policy that may not know the parameter; none if left out.
    pub fn numbers_if_any(&self, name: &str) -> &[f64] {
        if self.info.params().iter().any(|param| param.name == name) { self.numbers(name) } else { &[] }
    }

    /// A number for each kernel; none if left out.
    pub fn numbers(&self, name: &str) -> &[f64] {
        if let Setting::Numbers(numbers) = self.get(name) { numbers } else { &[] }
    }

    /// A list of numbers for each kernel; none if left out.
    pub fn lists(&self, name: &str) -> &[Vec<f64>] {
        if let Setting::Lists(lists) = self.get(name) { lists } else { &[] }
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
        let whole;
        let value = match value {
            Value::Str(name) => {
                whole = Value::object([("name", name.as_str())]);
                &whole
            }
            other => other,
        };
        let wanted = format!("{}'s name, or an object with its name and parameters", I::KIND);
        let mut fields = Fields::of(value, mix.path, &wanted, problems)?;
        let names = || I::all().iter().map(I::name).collect::<Vec<_>>().join(", ");
        let name = fields.need("name", &format!("one of {}", names()), problems)?;
        let Some(info) = name.as_str().and_then(I::find) else {
            problems.add(field(mix.path, "name"), name.describe(), format!("one of {}", names()));
            return None;
        };
        let before = problems.0.len();
        let settings = info.params().iter().map(|param| param.take(&mut fields, mix, problems)).collect();
        let spec = Spec { info, settings };
        if problems.0.len() == before {
            I::check(&spec, mix, problems);
        }
        let right = problems.0.len() == before;
        fields.finish(problems);
        right.then_some(spec)
    }

    /// Whether it fits a mix; `decode` has checked this, but a spec can also be made in Rust.
    pub fn check(&self, mix: Mix, problems: &mut Problems) {
        for (param, setting) in self.info.params().iter().zip(&self.settings) {
            let (found, wanted, what) = match setting {
                Setting::Ints(numbers) => (numbers.len(), mix.kernels, "numbers"),
                Setting::Numbers(numbers) => (numbers.len(), mix.kernels, "numbers"),
                Setting::Lists(lists) => (lists.len(), mix.kernels, "lists"),
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
        let mut pairs = alloc::vec![("name", Value::from(self.name()))];
        let given = self.info.params().iter().zip(&self.settings).filter(|(_, setting)| **setting != Setting::Unset);
        let value = |setting: &Setting| match setting {
            Setting::Controls(controls) => controls.encode(mix.kernels, mix.warp_order),
            plain => plain.encode(),
        };
        pairs.extend(given.map(|(param, setting)| (param.name, value(setting))));
        Value::object(pairs)
    }

    /// The same, but a name alone where every parameter has its default.
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
            let read = param.read(&setting.encode(), Mix::SMALL, &mut Problems::default());
            assert_eq!(read.as_ref(), Some(setting), "{}.{}", self.name(), param.name);
        }
        assert!(params.iter().enumerate().all(|(i, a)| params[..i].iter().all(|b| a.name != b.name)), "{}", self.name());
    }
}

impl Fallback {
    fn setting(self) -> Setting {
        match self {
            Fallback::Needed | Fallback::Words(_) => Setting::Unset,
            Fallback::Int(n) => Setting::Int(n),
            Fallback::Number(x) => Setting::Number(x),
            Fallback::Choice(name) => Setting::Choice(name),
            Fallback::Bool(b) => Setting::Bool(b),
        }
    }

    /// As the catalogue writes it: a value, or words; null for a parameter that cannot be left out.
    pub fn encode(self) -> Value {
        if let Fallback::Words(words) = self { words.into() } else { self.setting().encode() }
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
            Setting::Numbers(numbers) => Value::array(numbers.iter().copied()),
            Setting::Lists(lists) => Value::array(lists.iter().map(|list| Value::array(list.iter().copied()))),
            Setting::Text(text) => text.as_str().into(),
        }
    }
}

impl Param {
    fn take(&self, fields: &mut Fields, mix: Mix, problems: &mut Problems) -> Setting {
        let read = match fields.take(self.name) {
            Some(value) => self.read(value, mix, problems),
            None if self.default == Fallback::Needed => {
                problems.add(field(mix.path, self.name), "nothing", self.wanted(mix));
                None
            }
            None => Some(self.default.setting()),
        };
        read.unwrap_or(Setting::Unset)
    }

    fn read(&self, value: &Value, mix: Mix, problems: &mut Problems) -> Option<Setting> {
        let path = &field(mix.path, self.name);
        Some(match self.kind {
            ParamKind::Int { min, max } => Setting::Int(int(value, path, min..=max, problems)?),
            ParamKind::Number { min, max } => Setting::Number(number(value, path, min..=max, problems)?),
            ParamKind::Choice(names) => Setting::Choice(names[decode::choice(value, path, names, problems)?]),
            ParamKind::Bool => match value {
                Value::Bool(b) => Setting::Bool(*b),
                other => {
                    problems.add(path.as_str(), other.describe(), "true or false");
                    return None;
                }
            },
            ParamKind::PerKernelInt { min, max } => {
                let read = |item: &Value, path: &str, problems: &mut Problems| int(item, path, min.into()..=max.into(), problems);
                Setting::Ints(self.each(value, mix, problems, |item, path, problems| read(item, path, problems).map(|n| n as u32))?)
            }
            ParamKind::PerKernelNumber { min, max } => {
                Setting::Numbers(self.each(value, mix, problems, |item, path, problems| number(item, path, min..=max, problems))?)
            }
            ParamKind::PerKernelList { min, max } => Setting::Lists(self.each(value, mix, problems, |item, path, problems| {
                let items = list(item, path, 1..=MAX_LIST, "numbers", problems)?;
                let read = |(i, item): (usize, &Value)| number(item, &element(path, i), min..=max, problems);
                let read: Vec<Option<f64>> = items.iter().enumerate().map(read).collect();
                read.into_iter().collect()
            })?),
            ParamKind::Controls => {
                let neutral = Controls::neutral(mix.sms, mix.warp_order);
                Setting::Controls(Box::new(Controls::decode(value, path, mix.kernels, neutral, problems)?))
            }
            ParamKind::Text { longest } => Setting::Text(decode::text(value, path, longest, problems)?),
        })
    }

    /// Reads a list with an entry for each kernel.
    fn each<T>(
        &self,
        value: &Value,
        mix: Mix,
        problems: &mut Problems,
        read: impl Fn(&Value, &str, &mut Problems) -> Option<T>,
    ) -> Option<Vec<T>> {
        let path = field(mix.path, self.name);
        let items = list(value, &path, mix.kernels..=mix.kernels, &format!("numbers ({} of each kernel)", self.unit), problems)?;
        let read: Vec<Option<T>> = items.iter().enumerate().map(|(i, item)| read(item, &element(&path, i), problems)).collect();
        read.into_iter().collect()
    }

    fn wanted(&self, mix: Mix) -> String {
        match self.kind {
            ParamKind::PerKernelInt { .. } => format!("{} whole numbers: {} of each kernel", mix.kernels, self.unit),
            ParamKind::PerKernelNumber { .. } => format!("{} numbers: {} of each kernel", mix.kernels, self.unit),
            ParamKind::PerKernelList { .. } => format!("{} lists of numbers: {} of each kernel", mix.kernels, self.unit),
            _ => format!("a value: {}", self.doc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[derive(Clone, Debug)]
    struct MadeUp;

    impl Entry for MadeUp {
        const KIND: &'static str = "an entry";

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

    const PARAMS: &[Param] = &[
        Param::int("units", (1, 64), 20, "units", ""),
        Param::number("share", (0.0, 1.0), 0.5, "", ""),
        Param::choice("mode", &["a", "b"], "b", ""),
        Param::flag("on", true, ""),
        Param {
            name: "alone",
            kind: ParamKind::PerKernelNumber { min: 0.0, max: 9.0 },
            unit: "IPC",
            default: Fallback::Words("none"),
            doc: "",
        },
        Param {
            name: "curves",
            kind: ParamKind::PerKernelList { min: 0.0, max: 9.0 },
            unit: "IPC",
            default: Fallback::Words("none"),
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
