//! What records are made of in Rust: reading a value whose shape is right, and writing it back. Reading cannot fail.

use super::{Absent, Field, Shape};
use crate::describe::value::Value;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// What stands in a field of a record.
pub trait Datum: Sized {
    /// Reads a value whose shape is right; null where it was left out and has no default.
    fn read(value: &Value) -> Self;

    /// The canonical form.
    fn write(&self) -> Value;
}

impl Datum for bool {
    fn read(value: &Value) -> Self {
        *value == Value::Bool(true)
    }
    fn write(&self) -> Value {
        (*self).into()
    }
}

macro_rules! whole {
    ($($Type:ty),*) => { $(impl Datum for $Type {
        fn read(value: &Value) -> Self {
            value.as_int().unwrap_or(0) as $Type
        }
        fn write(&self) -> Value {
            Value::from(*self)
        }
    })* };
}
whole!(u8, u32, u64, usize, i32, i64);

impl Datum for f64 {
    fn read(value: &Value) -> Self {
        value.as_f64().unwrap_or(0.0)
    }
    fn write(&self) -> Value {
        (*self).into()
    }
}

impl Datum for String {
    fn read(value: &Value) -> Self {
        value.as_str().unwrap_or("").into()
    }
    fn write(&self) -> Value {
        self.as_str().into()
    }
}

impl Datum for Value {
    fn read(value: &Value) -> Self {
        value.clone()
    }
    fn write(&self) -> Value {
        self.clone()
    }
}

impl<T: Datum> Datum for Option<T> {
    fn read(value: &Value) -> Self {
        (*value != Value::Null).then(|| T::read(value))
    }
    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::write)
    }
}

impl<T: Datum> Datum for Box<T> {
    fn read(value: &Value) -> Self {
        Box::new(T::read(value))
    }
    fn write(&self) -> Value {
        T::write(self)
    }
}

impl<T: Datum> Datum for Vec<T> {
    fn read(value: &Value) -> Self {
        if let Value::Array(items) = value { items.iter().map(T::read).collect() } else { Vec::new() }
    }
    fn write(&self) -> Value {
        Value::Array(self.iter().map(T::write).collect())
    }
}

/// A short list leaves the rest at 0.
impl<T: Datum + Default + Copy, const N: usize> Datum for [T; N] {
    fn read(value: &Value) -> Self {
        let mut all = [T::default(); N];
        if let Value::Array(items) = value {
            all.iter_mut().zip(items).for_each(|(place, item)| *place = T::read(item));
        }
        all
    }
    fn write(&self) -> Value {
        Value::Array(self.iter().map(T::write).collect())
    }
}

/// The value of a field in an object, or its default.
pub fn taken(object: &Value, field: &Field) -> Value {
    if let Shape::Flat(_) = field.shape {
        return object.clone();
    }
    object.get(field.name).cloned().or_else(|| field.absent.value()).unwrap_or_default()
}

/// A field as it is written: left out where it is null and may be, or where `sparse` and it is what holds without it.
pub fn written(field: &Field, value: Value, sparse: bool) -> Vec<(String, Value)> {
    let null = value == Value::Null && field.absent != Absent::Needed;
    let default = || field.absent.value().map_or_else(|| is_nothing(&value), |default| default == value);
    if null || sparse && default() {
        return Vec::new();
    }
    match value {
        Value::Object(pairs) if matches!(field.shape, Shape::Flat(_)) => pairs,
        value => alloc::vec![(field.name.into(), value)],
    }
}

/// Whether a value says nothing: an empty list, or one of zeros.
fn is_nothing(value: &Value) -> bool {
    matches!(value, Value::Array(items) if items.iter().all(|item| *item == Value::Int(0)))
}

/// Makes a record and, where it is one of Rust's structs too, the struct.
macro_rules! record {
    (
        $(#[doc = $rdoc:literal])+ $(#[derive($($derive:ident),+)])?
        $vis:vis struct $Name:ident as $RECORD:ident $name:literal, $want:expr $(, tag $tag:literal)? $(, rules [$($rule:expr),+])? ;
        $( $(#[doc = $doc:literal])+ $field:ident: $Type:ty $([$unit:literal])? $(as ($title:literal, $formula:literal, $digits:literal, $better:ident))? = $shape:expr, $absent:expr $(, $sparse:ident)?; )*
    ) => {
        $(#[doc = $rdoc])+
        #[derive(Clone, PartialEq, Debug $($(, $derive)+)?)]
        $vis struct $Name { $( $(#[doc = $doc])+ $vis $field: $Type, )* }

        $crate::describe::record::record! {
            $(#[doc = $rdoc])+
            $vis static $RECORD $name, $want $(, tag $tag)? $(, rules [$($rule),+])? ;
            $( $(#[doc = $doc])+ $field $([$unit])? $(as ($title, $formula, $digits, $better))? = $shape, $absent; )*
        }

        impl $crate::describe::record::Datum for $Name {
            fn read(value: &$crate::describe::value::Value) -> Self {
                let mut fields = $RECORD.fields.iter();
                let mut next = || fields.next().map(|field| $crate::describe::record::taken(value, field)).unwrap_or_default();
                $( let $field = $crate::describe::record::Datum::read(&next()); )*
                $Name { $($field),* }
            }

            fn write(&self) -> $crate::describe::value::Value {
                let mut fields = $RECORD.fields.iter();
                let mut pairs = alloc::vec::Vec::new();
                $( {
                    let value = $crate::describe::record::Datum::write(&self.$field);
                    let sparse = !concat!($(stringify!($sparse))?).is_empty();
                    pairs.extend(fields.next().map(|field| $crate::describe::record::written(field, value, sparse)).unwrap_or_default());
                } )*
                $crate::describe::value::Value::Object(pairs)
            }
        }
    };
    (
        $(#[doc = $rdoc:literal])+
        $vis:vis static $RECORD:ident $name:literal, $want:expr $(, tag $tag:literal)? $(, rules [$($rule:expr),+])? $(, more $more:expr)? ;
        $( $(#[doc = $doc:literal])+ $field:ident $([$unit:literal])? $(as ($title:literal, $formula:literal, $digits:literal, $better:ident))? = $shape:expr, $absent:expr; )*
    ) => {
        $(#[doc = $rdoc])+
        $vis static $RECORD: $crate::describe::record::Record = $crate::describe::record::Record {
            name: $name,
            want: $want,
            fields: &[$( $crate::describe::record::Field {
                name: stringify!($field),
                shape: $shape,
                unit: concat!($($unit)?),
                absent: $absent,
                doc: concat!($($doc),+),
            } ),*],
            more: $crate::describe::record::or_none!($($more)?),
            tag: concat!($($tag)?),
            rules: &[$($($rule),+)?],
            figures: &[$( $( $crate::describe::record::Figure {
                field: stringify!($field), title: $title, formula: $formula, digits: $digits, better: $crate::describe::record::Better::$better,
            }, )? )*],
            doc: concat!($($rdoc),+),
        };
    };
    (
        $(#[doc = $rdoc:literal])+
        $vis:vis static $RECORD:ident $name:literal, $want:expr; each of $registry:expr, $field:expr
    ) => {
        $(#[doc = $rdoc])+
        $vis static $RECORD: $crate::describe::record::Record = $crate::describe::record::Record {
            name: $name,
            want: $want,
            fields: {
                static FIELDS: [$crate::describe::record::Field; $registry.len()] = $crate::describe::record::each_of!($registry, $field);
                &FIELDS
            },
            more: None,
            tag: "",
            rules: &[],
            figures: &[],
            doc: concat!($($rdoc),+),
        };
    };
}
pub(crate) use record;

/// What is given, or nothing.
macro_rules! or_none {
    () => {
        None
    };
    ($more:expr) => {
        Some($more)
    };
}
pub(crate) use or_none;

/// Makes an enum of names.
macro_rules! names {
    (
        $(#[$emeta:meta])+
        $vis:vis enum $Name:ident { $( $(#[$meta:meta])+ $Variant:ident = $key:literal, )+ }
    ) => {
        $(#[$emeta])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis enum $Name { $( $(#[$meta])+ $Variant, )+ }

        impl $Name {
            /// Every one, in order.
            pub const ALL: [$Name; [$($key),+].len()] = [$($Name::$Variant),+];

            /// The names in the same order.
            pub const NAMES: &'static [&'static str] = &[$($key),+];

            /// The name in files.
            pub fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }
        }

        impl $crate::describe::record::Datum for $Name {
            fn read(value: &$crate::describe::value::Value) -> Self {
                let at = value.as_str().and_then(|name| Self::NAMES.iter().position(|known| *known == name));
                Self::ALL[at.unwrap_or(0)]
            }

            fn write(&self) -> $crate::describe::value::Value {
                self.name().into()
            }
        }
    };
}
pub(crate) use names;
