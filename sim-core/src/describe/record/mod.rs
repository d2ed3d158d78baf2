//! Records: what each input and each output of the format looks like, declared once. From a declaration follow the struct, reading with all
//! problems and their paths, the canonical form, the JSON Schema, the TypeScript type, the form on the page and the table in the docs.
//!
//! Reading has two steps. `Shape::check` looks at a value as the declaration has it and reports everything that is wrong; `Datum::read` makes
//! the struct of a value that is right, and cannot fail. So what the schema accepts and what the decoder accepts is one declaration. What
//! concerns several fields together is a [`Rule`]: it has a name, and its problems carry it.
//!
//! Why not a library: facet 0.46 with facet-json and serde with serde_json stop at the first problem of an input (1 of 4 in a trial). They cost the
//! module 863 KB and 87 KB. schemars 1.2 carries ranges and units into a schema, but checks no input by it. With facet's reflection alone a
//! checker of our own finds all of them, at a cost of 207 KB for what is here in less.

pub mod form;
pub mod schema;
pub mod table;
pub mod typescript;

mod datum;

pub use datum::{Datum, taken, written};
pub(crate) use datum::{names, or_none, record};

use crate::describe::error::Problems;
pub use crate::describe::error::Rule;
pub(crate) use crate::describe::error::rule;
use crate::describe::ids::MAX_KERNELS;
use crate::describe::path::{element, field, one_of, whole_path, within};
use crate::describe::value::Value;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// Anything; a rule or another record says what.
    Any {
        /// What it is, in words.
        want: &'static str,
    },
    /// True or false.
    Flag,
    /// True and nothing else.
    True,
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
    /// A whole number, or null for no limit.
    Limit {
        /// Least.
        min: i64,
        /// Greatest.
        max: i64,
    },
    /// A number from 0 on, or null for no limit.
    Allowance {
        /// Greatest.
        max: f64,
    },
    /// A list of whole numbers from 0 on, at least one.
    Numbers {
        /// Greatest.
        max: i64,
    },
    /// A number, both ends excluded.
    Between {
        /// More than this.
        above: f64,
        /// Less than this.
        below: f64,
    },
    /// Text.
    Text {
        /// Most characters.
        longest: usize,
    },
    /// One of these names.
    Choice(&'static [&'static str]),
    /// This value and no other: it could be chosen once.
    Constant(Absent),
    /// One of the names of a list that is made at run time.
    Listed(&'static Names),
    /// Text of a form.
    Pattern(&'static Pattern),
    /// A list.
    List {
        /// Its elements.
        of: &'static Shape,
        /// Fewest.
        min: usize,
        /// Most.
        max: usize,
        /// What they are, in words.
        what: &'static str,
        /// What to do with more than that; empty where it is plain.
        beyond: &'static str,
    },
    /// A list with an element for each kernel of the mix; how many these are is a rule.
    PerKernel(&'static Shape),
    /// That, or one element for all kernels.
    ForEach(&'static Shape),
    /// An object whose keys are of a form, all with values of one shape.
    Map {
        /// Its keys.
        keys: &'static Pattern,
        /// Its values.
        of: &'static Shape,
        /// What it is, in words.
        want: &'static str,
    },
    /// A record.
    Record(&'static Record),
    /// The fields of a record in the midst of those of another.
    Flat(&'static Record),
    /// A number that was measured; null where there is none.
    Measured,
    /// What a policy decided, by name: the values of one of its topics.
    Topics(fn() -> Vec<Topic>),
    /// For each measured number of a record the ends of its 95 % interval; null where it is not known.
    Intervals(&'static Record),
    /// An object with exactly one of these fields.
    One(&'static One),
    /// An object whose field `name` says which fields there are besides.
    Entry(&'static Entries),
    /// The value, or null.
    Nullable(&'static Shape),
    /// The first of these forms that the value can be meant as.
    Forms {
        /// The forms.
        of: &'static [Shape],
        /// What they are, in words.
        want: &'static str,
    },
}

/// Names that are made at run time.
#[derive(Debug)]
pub struct Names {
    /// The names that are offered.
    pub names: fn() -> Vec<&'static str>,
    /// Shorter names, which are read too.
    pub shorter: fn() -> Vec<&'static str>,
    /// Whether there is one of this name.
    pub known: fn(&str) -> bool,
    /// What is wanted in place of a name that there is not.
    pub want: fn(&str) -> String,
    /// What they are called together in TypeScript and in docs.
    pub what: &'static str,
}

/// Any key.
pub static ANY_KEY: Pattern = Pattern { regex: "", holds: |_| true, want: "a key" };

/// A form of text.
#[derive(Debug)]
pub struct Pattern {
    /// As a regular expression of ECMA-262, anchored.
    pub regex: &'static str,
    /// Whether a text has it.
    pub holds: fn(&str) -> bool,
    /// What is wanted.
    pub want: &'static str,
}

/// An object with exactly one field of several.
#[derive(Debug)]
pub struct One {
    /// Name in schemas, types and docs.
    pub name: &'static str,
    /// The fields.
    pub of: &'static [Field],
    /// What it is, in words.
    pub want: &'static str,
    /// What is found where a key is none of them.
    pub unknown: &'static str,
}

/// A list of entries that experiments choose from by name: a name alone, or an object with it and parameters.
#[derive(Debug)]
pub struct Entries {
    /// Name in schemas, types and docs.
    pub name: &'static str,
    /// The names.
    pub names: &'static Names,
    /// The parameters of an entry, which may be put together of several lists.
    pub params: fn(&str) -> Option<Vec<&'static [Field]>>,
}

/// What holds where a field is left out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Absent {
    /// It cannot be left out.
    Needed,
    /// What these words say.
    Words(&'static str),
    /// This whole number.
    Int(i64),
    /// This number.
    Number(f64),
    /// This name or text.
    Name(&'static str),
    /// This.
    Flag(bool),
}

impl Field {
    /// A whole number from `min` to `max`.
    pub const fn int(name: &'static str, (min, max): (i64, i64), default: i64, unit: &'static str, doc: &'static str) -> Field {
        Field { name, shape: Shape::Int { min, max }, unit, absent: Absent::Int(default), doc }
    }

    /// A number from `min` to `max`.
    pub const fn number(name: &'static str, (min, max): (f64, f64), default: f64, unit: &'static str, doc: &'static str) -> Field {
        Field { name, shape: Shape::Number { min, max }, unit, absent: Absent::Number(default), doc }
    }

    /// One of several names.
    pub const fn choice(name: &'static str, names: &'static [&'static str], default: &'static str, doc: &'static str) -> Field {
        Field { name, shape: Shape::Choice(names), unit: "", absent: Absent::Name(default), doc }
    }

    /// What could be chosen once, and has this value now; `doc` says why. Inputs may still say it, canonical forms do not.
    pub const fn constant(name: &'static str, value: Absent, doc: &'static str) -> Field {
        Field { name, shape: Shape::Constant(value), unit: "", absent: value, doc }
    }

    /// Whether it is a constant.
    pub const fn is_constant(&self) -> bool {
        matches!(self.shape, Shape::Constant(_))
    }

    /// True or false.
    pub const fn flag(name: &'static str, default: bool, doc: &'static str) -> Field {
        Field { name, shape: Shape::Flag, unit: "", absent: Absent::Flag(default), doc }
    }
}

impl Absent {
    /// The value, if it is one.
    pub fn value(self) -> Option<Value> {
        match self {
            Absent::Needed | Absent::Words(_) => None,
            Absent::Int(n) => Some(n.into()),
            Absent::Number(x) => Some(x.into()),
            Absent::Name(name) => Some(name.into()),
            Absent::Flag(flag) => Some(flag.into()),
        }
    }

    /// Whether a value is this one; a whole number may be written with a point.
    fn is(self, value: &Value) -> bool {
        match self {
            Absent::Needed | Absent::Words(_) => false,
            Absent::Int(n) => value.as_int() == Some(n),
            Absent::Number(x) => value.as_f64() == Some(x),
            Absent::Name(name) => value.as_str() == Some(name),
            Absent::Flag(flag) => *value == Value::Bool(flag),
        }
    }
}

/// A field of a record, or a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Key in JSON.
    pub name: &'static str,
    /// What it takes.
    pub shape: Shape,
    /// Unit; empty for names, texts and plain numbers.
    pub unit: &'static str,
    /// What holds where it is left out.
    pub absent: Absent,
    /// What it is.
    pub doc: &'static str,
}

/// A field with its place in a struct of Rust's.
#[derive(Clone, Copy, Debug)]
pub struct Placed<T: 'static, V: 'static> {
    /// The field.
    pub field: Field,
    /// Its value in a struct.
    pub get: fn(&T) -> V,
    /// Sets it there.
    pub set: fn(&mut T, V),
}

impl<T, V> Placed<T, V> {
    /// The field without its place.
    pub const fn field(&self) -> Field {
        self.field
    }
}

/// An object with fields that are known.
#[derive(Debug)]
pub struct Record {
    /// Name in schemas, types and docs.
    pub name: &'static str,
    /// What it is, as a problem asks for it.
    pub want: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
    /// Fields whose names are not known beforehand.
    pub more: Option<&'static More>,
    /// The field by which it is told from other forms; empty for any object.
    pub tag: &'static str,
    /// What must hold of several fields together.
    pub rules: &'static [&'static Rule],
    /// Which of its fields have a heading and a formula, for tables and tooltips.
    pub figures: &'static [Figure],
    /// What it is, for docs.
    pub doc: &'static str,
}

/// Something that a policy decides about.
#[derive(Debug)]
pub struct Topic {
    /// Key in results.
    pub name: &'static str,
    /// What is decided.
    pub doc: &'static str,
    /// The values.
    pub values: Vec<Field>,
}

/// The heading of a measured field and how it is worked out.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// The field.
    pub field: &'static str,
    /// Heading.
    pub title: &'static str,
    /// How it is worked out.
    pub formula: &'static str,
    /// Digits behind the point that people are shown.
    pub digits: u8,
    /// Which end is the better one.
    pub better: Better,
}

/// Which end of a figure is the better one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// The greater it is.
    More,
    /// The less it is.
    Less,
    /// Neither by itself.
    Neither,
}

impl Better {
    /// Its name in data; nothing for neither.
    pub const fn key(self) -> Option<&'static str> {
        match self {
            Better::More => Some("more"),
            Better::Less => Some("less"),
            Better::Neither => None,
        }
    }
}

/// Fields with those of records in their midst.
pub fn flattened(fields: &'static [Field]) -> Vec<&'static Field> {
    let mut all = Vec::new();
    for field in fields {
        if let Shape::Flat(record) = field.shape { all.extend(flattened(record.fields)) } else { all.push(field) }
    }
    all
}

/// What has a name and fields.
#[derive(Clone, Copy, Debug)]
enum Named {
    /// A record.
    Record(&'static Record),
    /// An object with exactly one of several fields.
    One(&'static One),
}

impl Named {
    /// Its name in schemas, types and docs.
    fn name(self) -> &'static str {
        match self {
            Named::Record(record) => record.name,
            Named::One(one) => one.name,
        }
    }

    /// Its fields, with those of records in their midst.
    fn fields(self) -> Vec<&'static Field> {
        match self {
            Named::Record(record) => flattened(record.fields),
            Named::One(one) => one.of.iter().collect(),
        }
    }
}

/// Some records and all that they mention, each once.
pub fn met(records: &[&'static Record]) -> Vec<&'static Record> {
    let mut all = Vec::new();
    records.iter().for_each(|record| meet(Named::Record(record), &mut all));
    let record = |named: Named| if let Named::Record(record) = named { Some(record) } else { None };
    all.into_iter().filter_map(record).collect()
}

/// Adds it, and all that it mentions, where it is not there yet.
fn meet(named: Named, all: &mut Vec<Named>) {
    if all.iter().all(|known| known.name() != named.name()) {
        all.push(named);
        named.fields().iter().flat_map(|field| field.shape.mentions()).for_each(|named| meet(named, all));
    }
}

/// Fields of a record whose names are not known beforehand.
#[derive(Debug)]
pub struct More {
    /// The field of a key, if it is one.
    pub find: fn(&str) -> Option<&'static Field>,
    /// Every field with the regular expression of its keys, and with a key as docs write it.
    pub patterns: fn() -> Vec<(String, String, &'static Field)>,
    /// What is wanted in place of a key that is none.
    pub want: fn(&str) -> String,
}

/// What a constant function makes of each entry of a registry, as an array.
macro_rules! each_of {
    ($registry:expr, $of:expr) => {{
        let mut all = [$of(&$registry[0]); $registry.len()];
        let mut i = 1;
        while i < all.len() {
            all[i] = $of(&$registry[i]);
            i += 1;
        }
        all
    }};
}
/// A whole number.
macro_rules! int {
    ($min:expr, $max:expr) => {
        $crate::describe::record::Shape::Int { min: $min as i64, max: $max as i64 }
    };
}
/// A number.
macro_rules! number {
    ($min:expr, $max:expr) => {
        $crate::describe::record::Shape::Number { min: $min, max: $max }
    };
}
/// Text of at most so many characters.
macro_rules! text {
    ($longest:expr) => {
        $crate::describe::record::Shape::Text { longest: $longest }
    };
}
/// A list of so many elements.
macro_rules! list {
    ($of:expr, $min:expr, $max:expr, $what:expr) => {
        $crate::describe::record::list!($of, $min, $max, $what, "")
    };
    ($of:expr, $min:expr, $max:expr, $what:expr, $beyond:expr) => {
        $crate::describe::record::Shape::List { of: &$of, min: $min, max: $max, what: $what, beyond: $beyond }
    };
}
/// One of several names.
macro_rules! choice {
    ($($name:expr),+) => {
        $crate::describe::record::Shape::Choice(&[$($name),+])
    };
}
pub(crate) use {choice, each_of, int, list, number, text};

impl Shape {
    /// Adds everything that is wrong with the value at `path`; whether it is right.
    pub fn check(&self, value: &Value, path: &str, problems: &mut Problems) -> bool {
        let before = problems.0.len();
        self.look(value, path, problems);
        problems.0.len() == before
    }

    fn look(&self, value: &Value, path: &str, problems: &mut Problems) {
        let right = match self {
            Shape::Any { .. } => true,
            Shape::Flag => matches!(value, Value::Bool(_)),
            Shape::True => *value == Value::Bool(true),
            Shape::Int { min, max } => value.as_int().is_some_and(|n| (*min..=*max).contains(&n)),
            Shape::Number { min, max } => value.as_f64().is_some_and(|x| (*min..=*max).contains(&x)),
            Shape::Limit { min, max } => *value == Value::Null || value.as_int().is_some_and(|n| (*min..=*max).contains(&n)),
            Shape::Allowance { max } => *value == Value::Null || value.as_f64().is_some_and(|x| (0.0..=*max).contains(&x)),
            Shape::Numbers { max } => {
                return self.look_list(&Shape::Int { min: 0, max: *max }, 1..=*max as usize + 1, value, path, problems);
            }
            Shape::Between { above, below } => value.as_f64().is_some_and(|x| x > *above && x < *below),
            Shape::Text { longest } => value.as_str().is_some_and(|text| text.chars().count() <= *longest),
            Shape::Choice(names) => value.as_str().is_some_and(|name| names.contains(&name)),
            Shape::Constant(constant) => constant.is(value),
            Shape::Listed(names) => value.as_str().is_some_and(names.known),
            Shape::Pattern(pattern) => value.as_str().is_some_and(pattern.holds),
            Shape::Nullable(of) if *value != Value::Null => return of.look(value, path, problems),
            Shape::Nullable(_) => true,
            Shape::List { of, min, max, .. } => return self.look_list(of, *min..=*max, value, path, problems),
            Shape::ForEach(of) if of.claims(value) => return of.look(value, path, problems),
            Shape::PerKernel(of) | Shape::ForEach(of) => return self.look_list(of, 1..=MAX_KERNELS, value, path, problems),
            Shape::Map { keys, of, want } => return look_map(keys, of, want, value, path, problems),
            Shape::Record(record) | Shape::Flat(record) => return record.look(value, path, problems),
            Shape::Measured => *value == Value::Null || value.as_f64().is_some(),
            Shape::Intervals(_) | Shape::Topics(_) => matches!(value, Value::Object(_)),
            Shape::One(one) => return one.look(value, path, problems),
            Shape::Entry(entries) => return entries.look(value, path, problems),
            Shape::Forms { of, .. } => match meant(of, value) {
                Some(form) => return form.look(value, path, problems),
                None => false,
            },
        };
        if !right {
            problems.add(whole_path(path), value.describe(), self.want_instead_of(value));
        }
    }

    fn look_list(&self, of: &Shape, range: core::ops::RangeInclusive<usize>, value: &Value, path: &str, problems: &mut Problems) {
        match value {
            Value::Array(items) if range.contains(&items.len()) => {
                items.iter().enumerate().for_each(|(i, item)| of.look(item, &element(path, i), problems));
            }
            _ => problems.add(whole_path(path), value.describe(), self.want_instead_of(value)),
        }
    }

    /// The records that it is made of.
    fn mentions(&self) -> Vec<Named> {
        match self {
            Shape::Record(record) => alloc::vec![Named::Record(record)],
            Shape::One(one) => alloc::vec![Named::One(one)],
            Shape::List { of, .. } | Shape::PerKernel(of) | Shape::ForEach(of) | Shape::Nullable(of) | Shape::Map { of, .. } => {
                of.mentions()
            }
            Shape::Forms { of, .. } => of.iter().flat_map(Shape::mentions).collect(),
            _ => Vec::new(),
        }
    }

    /// What it takes, in words, as a problem says it.
    pub fn want(&self) -> String {
        match self {
            Shape::Any { want } | Shape::Map { want, .. } | Shape::Forms { want, .. } => want.to_string(),
            Shape::Flag => "true or false".into(),
            Shape::True => "true".into(),
            Shape::Int { min, max } if min == max => min.to_string(),
            Shape::Int { min, max } => format!("a whole number from {min} to {max}"),
            Shape::Number { min, max: f64::MAX } => format!("a number from {}", plain(*min)),
            Shape::Number { min, max } => format!("a number from {} to {}", plain(*min), plain(*max)),
            Shape::Limit { min, max } => format!("a whole number from {min} to {max}, or null"),
            Shape::Allowance { max } => format!("a number from 0 to {max}, or null"),
            Shape::Numbers { max } => format!("a list of 1 to {} numbers", max + 1),
            Shape::Between { above, below } => format!("a number over {above} and under {below}"),
            Shape::Text { longest } => format!("text of at most {longest} characters"),
            Shape::Choice(names) => one_of(names),
            Shape::Constant(constant) => format!("{}: it is a constant now", constant.value().unwrap_or_default()),
            Shape::Listed(names) => (names.want)(""),
            Shape::Pattern(pattern) => pattern.want.into(),
            Shape::List { min, max, what, .. } if min == max => format!("a list of {min} {what}"),
            Shape::List { min, max, what, .. } => format!("a list of {min} to {max} {what}"),
            Shape::PerKernel(_) => format!("a list of 1 to {MAX_KERNELS} entries, one for each kernel"),
            Shape::ForEach(of) => format!("{} for all kernels, or a list with one for each", of.want()),
            Shape::Record(record) | Shape::Flat(record) => record.want.into(),
            Shape::Measured => "a number, or null".into(),
            Shape::Topics(_) => "the values of a topic".into(),
            Shape::Intervals(record) => format!("an interval for each number of {}", record.name),
            Shape::One(one) => one.want.into(),
            Shape::Entry(entries) => entries.want(),
            Shape::Nullable(of) => format!("{}, or null", of.want()),
        }
    }

    fn want_instead_of(&self, value: &Value) -> String {
        match (self, value) {
            (Shape::Listed(names), Value::Str(name)) => (names.want)(name),
            (Shape::List { max, beyond, .. }, Value::Array(items)) if items.len() > *max && !beyond.is_empty() => {
                format!("{}; {beyond}", self.want())
            }
            _ => self.want(),
        }
    }

    /// Whether a value can be meant as this: what tells forms apart.
    fn claims(&self, value: &Value) -> bool {
        match (self, value) {
            (Shape::Any { .. }, _) => true,
            (Shape::Flag | Shape::True, Value::Bool(_)) => true,
            (Shape::Int { .. } | Shape::Number { .. } | Shape::Between { .. }, Value::Int(_) | Value::Float(_)) => true,
            (Shape::Limit { .. } | Shape::Allowance { .. }, Value::Int(_) | Value::Float(_) | Value::Null) => true,
            (Shape::Numbers { .. }, Value::Array(items)) => items.iter().all(|item| !matches!(item, Value::Array(_))),
            (Shape::Text { .. } | Shape::Listed(_) | Shape::Pattern(_), Value::Str(_)) => true,
            (Shape::Choice(names), Value::Str(name)) => names.len() > 1 || names.contains(&name.as_str()),
            (Shape::ForEach(of), _) if of.claims(value) => true,
            (Shape::List { of, .. } | Shape::PerKernel(of) | Shape::ForEach(of), Value::Array(items)) => {
                items.is_empty() || items.iter().any(|item| of.claims(item))
            }
            (Shape::Measured, Value::Int(_) | Value::Float(_) | Value::Null)
            | (Shape::Intervals(_) | Shape::Topics(_), Value::Object(_)) => true,
            (Shape::Record(record), Value::Object(_)) => record.tag.is_empty() || value.get(record.tag).is_some(),
            (Shape::Map { .. } | Shape::One(_), Value::Object(_)) => true,
            (Shape::Entry(_), Value::Str(_) | Value::Object(_)) => true,
            (Shape::Nullable(_), Value::Null) => true,
            (Shape::Nullable(of), _) => of.claims(value),
            (Shape::Forms { of, .. }, _) => meant(of, value).is_some(),
            _ => false,
        }
    }
}

/// The form that a value is meant as: the first that claims it, or else the last list for a list.
fn meant<'s>(forms: &'s [Shape], value: &Value) -> Option<&'s Shape> {
    let list = |form: &&Shape| matches!((form, value), (Shape::List { .. } | Shape::PerKernel(_) | Shape::ForEach(_), Value::Array(_)));
    forms.iter().find(|form| form.claims(value)).or_else(|| forms.iter().find(list))
}

/// A bound as people write it: 1e15 in place of fifteen zeros.
fn plain(x: f64) -> String {
    let size = if x < 0.0 { -x } else { x };
    if size > 0.0 && !(1e-3..1e9).contains(&size) { format!("{x:e}") } else { x.to_string() }
}

/// The fields of an object, each key once: of a key that stands twice the last value holds, as in other readers of JSON.
fn pairs<'v>(value: &'v Value, path: &str, want: &str, problems: &mut Problems) -> Option<Vec<(&'v str, &'v Value)>> {
    let Value::Object(pairs) = value else {
        problems.add(whole_path(path), value.describe(), want);
        return None;
    };
    let mut given: Vec<(&str, &Value)> = Vec::with_capacity(pairs.len());
    let mut places: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for (key, value) in pairs {
        let (place, twice) = places.entry(key).or_insert((given.len(), false));
        if *place == given.len() {
            given.push((key, value));
            continue;
        }
        given[*place].1 = value;
        if !core::mem::replace(twice, true) {
            problems.by(&ONCE, |problems| problems.add(field(path, key), "the field twice", "it once"));
        }
    }
    if given.len() > MOST_FIELDS {
        problems.add(whole_path(path), format!("{} fields", given.len()), format!("at most {MOST_FIELDS}"));
        return None;
    }
    Some(given)
}

/// Most fields of an object: each that is unknown is a problem of its own.
const MOST_FIELDS: usize = 4096;

rule! {
    /// Each field of an object stands once.
    pub ONCE = "once";
}

fn look_map(keys: &Pattern, of: &Shape, want: &str, value: &Value, path: &str, problems: &mut Problems) {
    for (key, value) in pairs(value, path, want, problems).unwrap_or_default() {
        let path = field(path, key);
        if (keys.holds)(key) { of.look(value, &path, problems) } else { problems.add(path, value.describe(), keys.want) }
    }
}

/// Looks at the fields of an object: those of `known`, and no other but those of `more`.
fn look_fields(known: &[&'static [Field]], more: Option<&More>, mut given: Vec<(&str, &Value)>, path: &str, problems: &mut Problems) {
    let known: Vec<&Field> = known.iter().copied().flat_map(flattened).collect();
    for known in &known {
        match given.iter().position(|(key, _)| *key == known.name) {
            Some(at) => known.shape.look(given.remove(at).1, &field(path, known.name), problems),
            None if known.absent == Absent::Needed => problems.add(field(path, known.name), "nothing", known.shape.want()),
            None => {}
        }
    }
    for (key, value) in given {
        let at = field(path, key);
        match more.map(|more| ((more.find)(key), more.want)) {
            Some((Some(found), _)) => found.shape.look(value, &at, problems),
            Some((None, want)) => problems.add(at, format!("an unknown field ({})", value.describe()), want(key)),
            None => {
                let names: Vec<&str> = known.iter().map(|known| known.name).collect();
                let want = if names.is_empty() { "no such field".into() } else { one_of(&names) };
                problems.add(at, format!("an unknown field ({})", value.describe()), want);
            }
        }
    }
}

/// Looks at an object with these fields and no others; whether it is right.
pub fn check_fields(fields: &'static [Field], want: &str, value: &Value, problems: &mut Problems) -> bool {
    let before = problems.0.len();
    if let Some(given) = pairs(value, "", want, problems) {
        look_fields(&[fields], None, given, "", problems);
    }
    problems.0.len() == before
}

impl Record {
    /// The value of a field in an object of this record, or what holds where it is left out; null if that is no value.
    pub fn taken(&self, object: &Value, key: &str) -> Value {
        let known = self.fields.iter().find(|field| field.name == key);
        debug_assert!(known.is_some(), "{} has no field {key}", self.name);
        known.map(|field| taken(object, field)).unwrap_or_default()
    }

    fn look(&self, value: &Value, path: &str, problems: &mut Problems) {
        if let Some(given) = pairs(value, path, self.want, problems) {
            look_fields(&[self.fields], self.more, given, path, problems);
        }
    }

    /// Adds everything that is wrong with the value at `path`; whether it is right.
    pub fn check(&self, value: &Value, path: &str, problems: &mut Problems) -> bool {
        let before = problems.0.len();
        self.look(value, path, problems);
        problems.0.len() == before
    }
}

impl One {
    fn look(&self, value: &Value, path: &str, problems: &mut Problems) {
        let Some(given) = pairs(value, path, self.want, problems) else { return };
        let known = |key: &str| self.of.iter().find(|field| field.name == key);
        if let Some((key, _)) = given.iter().find(|(key, _)| known(key).is_none()) {
            return problems.add(field(path, key), self.unknown, self.want);
        }
        let [(key, value)] = given[..] else {
            let keys: Vec<&str> = given.iter().map(|(key, _)| *key).collect();
            let found = if keys.is_empty() { "none".into() } else { keys.join(" and ") };
            return problems.add(whole_path(path), found, self.want);
        };
        if let Some(known) = known(key) {
            known.shape.look(value, &field(path, key), problems);
        }
    }
}

impl Entries {
    fn want(&self) -> String {
        format!("{}'s name, or an object with its name and parameters", self.names.what)
    }

    fn look(&self, value: &Value, path: &str, problems: &mut Problems) {
        let name = Shape::Listed(self.names);
        if let Value::Str(text) = value {
            if (self.names.known)(text) {
                let params = (self.params)(text).unwrap_or_default();
                let needed = params.into_iter().flatten().filter(|param| param.absent == Absent::Needed);
                needed.for_each(|param| problems.add(field(path, param.name), "nothing", param.shape.want()));
            } else {
                name.look(value, &field(path, "name"), problems);
            }
            return;
        }
        let Some(given) = pairs(value, path, &self.want(), problems) else { return };
        let at = field(path, "name");
        let Some((_, chosen)) = given.iter().find(|(key, _)| *key == "name") else {
            return problems.add(at, "nothing", name.want());
        };
        match chosen.as_str().and_then(self.params) {
            Some(params) => look_fields(&[&[&NAME_FIELD[..]], &params[..]].concat(), None, given, path, problems),
            None => name.look(chosen, &at, problems),
        }
    }
}

/// The name of an entry; which there are has been looked at.
static NAME_FIELD: [Field; 1] = [NAME];
const NAME: Field = Field { name: "name", shape: Shape::Any { want: "a name" }, unit: "", absent: Absent::Needed, doc: "Which one" };

/// Whether no problem lies at `path` or within it.
pub fn is_right(path: &str, problems: &Problems) -> bool {
    problems.0.iter().all(|problem| within(&problem.path, path).is_none())
}
