//! From the results of runs to the value of a point.

use crate::describe::value::Value;

/// How the runs of a point become one value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reduce {
    /// Geometric mean; nothing where a value is not positive.
    Geomean,
    /// Arithmetic mean.
    Mean,
    /// Greatest.
    Max,
    /// The only one.
    Value,
    /// The part of them that are at least `from` and less than `to`.
    Share {
        /// Values from there on count.
        from: f64,
        /// Values below it do.
        to: f64,
    },
    /// What the report computed from them: the stored value stands.
    Given,
}

impl Reduce {
    pub fn key(self) -> &'static str {
        match self {
            Reduce::Geomean => "geomean",
            Reduce::Mean => "mean",
            Reduce::Max => "max",
            Reduce::Value => "value",
            Reduce::Share { .. } => "share",
            Reduce::Given => "given",
        }
    }
}

/// The number at a path such as `kernels[0].latency.mean`; true is 1.
pub fn lookup(result: &Value, path: &str) -> Option<f64> {
    let mut at = result;
    for part in path.split('.') {
        let (name, indices) = part.split_once('[').map_or((part, ""), |(name, rest)| (name, rest));
        if !name.is_empty() {
            at = at.get(name)?;
        }
        for index in indices.split('[').filter(|index| !index.is_empty()) {
            let Value::Array(items) = at else { return None };
            at = items.get(index.strip_suffix(']')?.parse::<usize>().ok()?)?;
        }
    }
    match at {
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        at => at.as_f64(),
    }
}

/// Several numbers as one; nothing of nothing.
pub fn reduce(how: Reduce, values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let value = match how {
        _ if values.is_empty() => return None,
        Reduce::Geomean if values.iter().any(|value| *value <= 0.0) => return None,
        Reduce::Geomean => libm::exp(values.iter().map(|value| libm::log(*value)).sum::<f64>() / n),
        Reduce::Mean => values.iter().sum::<f64>() / n,
        Reduce::Max => values.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b)),
        Reduce::Share { from, to } => values.iter().filter(|value| (from..to).contains(*value)).count() as f64 / n,
        Reduce::Value if values.len() == 1 => values[0],
        Reduce::Value | Reduce::Given => return None,
    };
    value.is_finite().then_some(value)
}
