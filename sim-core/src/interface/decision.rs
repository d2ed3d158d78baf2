//! What a policy decided, as data: when, about which kernel, a topic, and the topic's values. Each scheme declares its topics in its own file
//! by `topics!`; a line gives a topic's key and values in results, their schema, and the sentence that people read.
//!
//! Only people read the sentence. The digest of a run covers cycle, kernel, topic and values. Integers enter as they are, numbers by the
//! bits of their f64 (JSON writes as many digits as give the same f64 again). Words enter by their letters, a missing value by a mark of
//! its own.

use crate::describe::ids::{Cycle, KernelId};
use crate::describe::value::Value;
use crate::interface::observation::Observation;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::hash::{Hash, Hasher};

/// Something that a policy decided, for the result and the page's timeline.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// When.
    pub cycle: Cycle,
    /// About which kernel, if about one.
    pub kernel: Option<KernelId>,
    /// What.
    pub what: Decided,
}

/// The policy's log of decisions.
pub type Log = Vec<Decision>;

/// Writes down a decision, about a kernel or about the whole GPU.
pub fn decide(log: &mut Log, seen: &Observation, kernel: impl Into<Option<KernelId>>, what: impl Into<Decided>) {
    log.push(Decision { cycle: seen.now, kernel: kernel.into(), what: what.into() });
}

impl Decision {
    /// As results and the page's timeline carry it. A missing value is left out.
    pub fn to_value(&self) -> Value {
        let values = self.what.values().filter(|(_, value)| *value != Value::Null);
        Value::object([
            ("cycle", Value::from(self.cycle)),
            ("kernel", self.kernel.map(|kernel| kernel.0).into()),
            ("topic", self.what.topic().into()),
            ("values", Value::object(values)),
            ("text", self.what.sentence().into()),
        ])
    }
}

impl Hash for Decision {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.cycle, self.kernel, self.what.topic()).hash(state);
        self.what.values().for_each(|(_, value)| hash_value(&value, state));
    }
}

fn hash_value<H: Hasher>(value: &Value, state: &mut H) {
    match value {
        Value::Bool(flag) => (1_u8, flag).hash(state),
        Value::Int(n) => (2_u8, n).hash(state),
        Value::Float(x) if x.is_finite() => (3_u8, x.to_bits()).hash(state),
        Value::Str(word) => (4_u8, word).hash(state),
        Value::Array(items) => {
            (5_u8, items.len()).hash(state);
            items.iter().for_each(|item| hash_value(item, state));
        }
        // NaN is null in JSON too; its bits depend on the target.
        Value::Null | Value::Float(_) | Value::Object(_) => 0_u8.hash(state),
    }
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A word.
    Word,
    /// A list of whole numbers.
    Integers,
    /// A list of numbers.
    Numbers,
}

/// What a value says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueInfo {
    /// Key in `values`.
    pub key: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Whether it may be missing.
    pub optional: bool,
    /// Unit; empty for words and plain numbers.
    pub unit: &'static str,
    /// Definition.
    pub doc: &'static str,
}

/// What a line of `topics!` says. Lines may share a topic: a later decision about it replaces an earlier one, whichever line it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TopicInfo {
    /// Key in results.
    pub topic: &'static str,
    /// What is decided.
    pub doc: &'static str,
    /// The values.
    pub values: &'static [ValueInfo],
}

/// A topic's values, in the order of its line; null where one is missing.
pub type Values = Vec<Value>;

/// What people read of a decision.
pub type Sentence = String;

/// A topic with its values: the types that `topics!` makes.
pub trait Topic: fmt::Debug + Send + Sync {
    /// What the line that declares it says.
    fn info(&self) -> &'static TopicInfo;

    /// The values, in the order of `info`.
    fn values(&self) -> Values;

    /// What people read: it follows the kernel's name, or stands alone.
    fn sentence(&self) -> Sentence;
}

/// What was decided: any topic of any policy. A copy shares it.
#[derive(Clone, Debug)]
pub struct Decided(Arc<dyn Topic>);

impl<T: Topic + 'static> From<T> for Decided {
    fn from(topic: T) -> Self {
        Decided(Arc::new(topic))
    }
}

/// Sentences do not count.
impl PartialEq for Decided {
    fn eq(&self, other: &Self) -> bool {
        self.topic() == other.topic() && self.0.values() == other.0.values()
    }
}

impl Decided {
    /// The topic's key.
    pub fn topic(&self) -> &'static str {
        self.0.info().topic
    }

    /// The values by their keys, in the order of the topic's line.
    pub fn values(&self) -> impl Iterator<Item = (&'static str, Value)> {
        self.0.info().values.iter().map(|info| info.key).zip(self.0.values())
    }

    /// The value of this key; null if the topic has none, or it is missing.
    pub fn value(&self, key: &str) -> Value {
        self.values().find(|(one, _)| *one == key).map_or(Value::Null, |(_, value)| value)
    }

    /// What people read: it follows the kernel's name, or stands alone.
    pub fn sentence(&self) -> String {
        self.0.sentence()
    }
}

/// What can be a value of a topic.
pub trait Datum {
    /// What it is in results.
    const KIND: Kind;
    /// Whether it may be missing.
    const OPTIONAL: bool = false;
    /// As results have it; null if it is missing.
    fn datum(&self) -> Value;
}

macro_rules! datums {
    ($($Type:ty: $kind:ident,)*) => { $(impl Datum for $Type {
        const KIND: Kind = Kind::$kind;
        fn datum(&self) -> Value {
            Value::from(*self)
        }
    })* };
}
datums! { u32: Integer, u64: Integer, f64: Number, &'static str: Word, }

impl Datum for String {
    const KIND: Kind = Kind::Word;
    fn datum(&self) -> Value {
        self.as_str().into()
    }
}

impl<T: Datum> Datum for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;
    fn datum(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::datum)
    }
}

impl<T: Datum> Datum for Vec<T> {
    const KIND: Kind = if matches!(T::KIND, Kind::Integer) { Kind::Integers } else { Kind::Numbers };
    fn datum(&self) -> Value {
        Value::array(self.iter().map(T::datum))
    }
}

/// Declares topics: a type for each line, with the line's values as its fields, and `TOPICS`, what all of the lines say.
///
/// ```
/// use sim_core::interface::decision::Topic;
/// sim_core::topics! {
///     Paused "paused", "That a kernel pauses" {
///         ctas: u32, "CTAs per SM", "Those that go on";
///     } => format!("pauses all but {ctas} CTAs on each SM");
/// }
/// assert_eq!(Paused { ctas: 2 }.sentence(), "pauses all but 2 CTAs on each SM");
/// assert_eq!(TOPICS[0].values[0].unit, "CTAs per SM");
/// ```
#[macro_export]
macro_rules! topics {
    ($($Line:ident $topic:literal, $doc:literal { $($key:ident: $Type:ty, $unit:literal, $value_doc:literal;)* } => $sentence:expr;)*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, PartialEq, Debug)]
            pub struct $Line {
                $(#[doc = $value_doc] pub $key: $Type,)*
            }

            impl $Line {
                /// The topic and its values as data.
                pub const INFO: $crate::interface::decision::TopicInfo = $crate::interface::decision::TopicInfo {
                    topic: $topic,
                    doc: $doc,
                    values: &[$($crate::interface::decision::ValueInfo {
                        key: stringify!($key),
                        kind: <$Type as $crate::interface::decision::Datum>::KIND,
                        optional: <$Type as $crate::interface::decision::Datum>::OPTIONAL,
                        unit: $unit,
                        doc: $value_doc,
                    },)*],
                };
            }

            impl $crate::interface::decision::Topic for $Line {
                fn info(&self) -> &'static $crate::interface::decision::TopicInfo {
                    &Self::INFO
                }

                fn values(&self) -> $crate::interface::decision::Values {
                    [$($crate::interface::decision::Datum::datum(&self.$key),)*].into()
                }

                #[allow(unused_variables)] // not every value is in the sentence
                fn sentence(&self) -> $crate::interface::decision::Sentence {
                    let $Line { $($key,)* } = self;
                    $sentence
                }
            }
        )*

        /// The topics that this file declares.
        pub const TOPICS: &[$crate::interface::decision::TopicInfo] = &[$($Line::INFO,)*];
    };
}

pub use topics;

/// So many of a thing, as a sentence says it.
pub fn count(n: impl Into<u64>, thing: &str) -> String {
    let n = n.into();
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A part of a whole, in per cent, as a sentence says it.
pub fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// Items with commas between them.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::digest::Fnv;

    topics! {
        Given "ctas", "CTAs that a kernel was given" {
            ctas: u32, "CTAs per SM", "At most so many";
        } => format!("may hold {}, as given", count(*ctas, "CTA"));

        Shared "ctas", "CTAs that a kernel shares" {
            ctas: u32, "CTAs per SM", "At most so many";
        } => format!("may hold {}, as shared", count(*ctas, "CTA"));

        Rank "rank", "A kernel's rank" {
            rank: u32, "", "Kernels before it";
        } => format!("comes after {rank}");

        Cap "cap", "A cap, by failures" {
            cap: Option<u32>, "", "Missing without a cap";
            failures: f64, "failures per request", "How often";
        } => format!("{failures:.1}: {}", cap.map_or("no cap".into(), |cap| format!("{cap}")));
    }

    fn digest(what: impl Into<Decided>) -> u64 {
        let mut state = Fnv::default();
        Decision { cycle: 7, kernel: Some(KernelId(1)), what: what.into() }.hash(&mut state);
        state.finish()
    }

    /// Two lines with one topic and the same values differ in nothing but their sentences.
    #[test]
    fn another_sentence_is_the_same_digest_and_another_value_is_not() {
        let (given, shared) = (Given { ctas: 4 }, Shared { ctas: 4 });
        assert_ne!(given.sentence(), shared.sentence());
        assert_eq!(digest(given.clone()), digest(shared.clone()));
        assert_eq!(Decided::from(given), shared.into());
        assert_ne!(digest(Given { ctas: 4 }), digest(Given { ctas: 5 }));
        // What the sentence rounds away, the digest sees: the last bit, and a value that is missing.
        let next = f64::from_bits(1.5_f64.to_bits() + 1);
        let (near, nearer) = (Cap { cap: Some(4), failures: 1.5 }, Cap { cap: Some(4), failures: next });
        assert_eq!(near.sentence(), nearer.sentence());
        assert_ne!(digest(near), digest(nearer));
        assert_ne!(digest(Cap { cap: Some(0), failures: 1.5 }), digest(Cap { cap: None, failures: 1.5 }));
        // The same values about something else are something else.
        assert_ne!(digest(Given { ctas: 3 }), digest(Rank { rank: 3 }));
        // NaN, whatever its bits.
        let none = [f64::NAN, -f64::NAN, f64::INFINITY].map(|failures| digest(Cap { cap: None, failures }));
        assert!(none[0] == none[1] && none[1] == none[2]);
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|ctas| count(ctas as u32, "CTA")), ["0 CTAs", "1 CTA", "2 CTAs"]);
    }

    #[test]
    fn a_result_has_the_values_that_there_are() {
        let what = Decided::from(Cap { cap: None, failures: 0.25 });
        assert_eq!([what.value("failures"), what.value("cap"), what.value("peak")], [0.25.into(), Value::Null, Value::Null]);
        let value = Decision { cycle: 7, kernel: None, what }.to_value();
        assert_eq!(value.get("topic"), Some(&Value::from("cap")));
        assert_eq!(value.get("values"), Some(&Value::object([("failures", 0.25)])));
        assert_eq!(value.get("text"), Some(&Value::from("0.2: no cap")));
        let infos: Vec<_> = TOPICS.iter().map(|line| (line.topic, line.values[0].kind, line.values[0].optional)).collect();
        assert_eq!(infos[2..], [("rank", Kind::Integer, false), ("cap", Kind::Integer, true)]);
    }
}
