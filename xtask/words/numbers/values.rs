//! What runs came to, and what a mark makes of it: an expression of Rhai, in which each run is its result.

use anyhow::{Context, Result, anyhow, bail};
use rhai::{Dynamic, Engine, Scope};
use serde_json::Value;

/// Results by the names of their runs.
pub struct Values {
    engine: Engine,
    scope: Scope<'static>,
}

impl Default for Values {
    fn default() -> Self {
        let mut engine = Engine::new();
        engine
            .set_max_expr_depths(0, 0)
            .register_fn("known", known)
            .register_fn("after", |text: &str, words: &str| after(text, words, 1))
            .register_fn("after", after)
            .set_fail_on_invalid_map_property(true);
        Values { engine, scope: Scope::new() }
    }
}

/// A number as `corun run` prints it, with half of its interval: `known(run, "kernels[0].slowdown")`.
fn known(result: rhai::Map, path: &str) -> Result<String, Box<rhai::EvalAltResult>> {
    let result = Dynamic::from(result);
    let number = |value: Option<Dynamic>| value.and_then(|value| value.as_float().or(value.as_int().map(|n| n as f64)).ok());
    let end = |end: usize| number(at(&result, &format!("ci95.{path}[{end}]")));
    let (Some(x), Some(low), Some(high)) = (number(at(&result, path)), end(0), end(1)) else {
        return Err(format!("found no number with an interval at {path}").into());
    };
    let half = (high - x).max(x - low);
    let decimals = (1.0 - half.log10().floor()).clamp(0.0, 9.0) as usize;
    Ok(format!("{x:.decimals$} ± {half:.decimals$}"))
}

/// Of the numbers of a stored page behind some words, the `nth`: `after(page, "off by", 2)`.
fn after(text: &str, words: &str, nth: i64) -> Result<String, Box<rhai::EvalAltResult>> {
    let rest = text.split_once(words).ok_or(format!("found no {words:?} in the page"))?.1;
    let parts = rest.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let mut numbers = parts.map(|part| part.trim_matches(['.', ','])).filter(|part| !part.is_empty());
    numbers.nth(usize::try_from(nth - 1).unwrap_or(usize::MAX)).map(str::to_owned).ok_or("found no such number".into())
}

fn at(value: &Dynamic, path: &str) -> Option<Dynamic> {
    path.split(['.', '[', ']']).filter(|key| !key.is_empty()).try_fold(value.clone(), |value, key| match key.parse::<usize>() {
        Ok(place) => value.try_cast::<rhai::Array>()?.get(place).cloned(),
        Err(_) => value.try_cast::<rhai::Map>()?.get(key).cloned(),
    })
}

impl Values {
    /// What a run came to.
    pub fn add(&mut self, name: &str, result: &Value) {
        self.scope.push_constant(name, dynamic(result));
    }

    /// A number, or a number with its interval.
    pub fn value(&self, expression: &str) -> Result<Found> {
        let found = self.eval(expression)?;
        if let Ok(text) = found.as_immutable_string_ref() {
            return Ok(Found::Text(text.to_string()));
        }
        let number = found.as_float().or(found.as_int().map(|n| n as f64));
        number.map(Found::Number).map_err(|kind| anyhow!("found {kind}, want a number"))
    }

    /// Whether a comparison holds; where not, what each of its sides is.
    pub fn holds(&self, expression: &str) -> Result<Option<String>> {
        match self.eval(expression)?.as_bool() {
            Ok(true) => Ok(None),
            Ok(false) => Ok(Some(self.sides(expression))),
            Err(kind) => bail!("found {kind}, want a comparison"),
        }
    }

    /// The sides of each comparison, in numbers.
    fn sides(&self, expression: &str) -> String {
        let comparison = |part: &str| {
            let sign = ["<=", ">=", "==", "!=", "<", ">"].into_iter().find(|sign| part.contains(sign))?;
            let (left, right) = part.split_once(sign)?;
            Some(format!("{} {sign} {}", self.eval(left).ok()?, self.eval(right).ok()?))
        };
        expression.split("&&").map(|part| comparison(part).unwrap_or_else(|| part.trim().to_owned())).collect::<Vec<_>>().join(" && ")
    }

    fn eval(&self, expression: &str) -> Result<Dynamic> {
        let mut scope = self.scope.clone();
        let found = self.engine.eval_with_scope::<Dynamic>(&mut scope, expression.trim());
        found.map_err(|error| anyhow!("{error}")).with_context(|| expression.trim().to_owned())
    }
}

/// What an expression comes to.
#[derive(Debug, PartialEq)]
pub enum Found {
    Number(f64),
    Text(String),
}

impl Found {
    /// As the text has it now: with as many decimals, and with commas between thousands if there are any.
    pub fn like(&self, text: &str, percent: bool) -> String {
        let number = match self {
            Found::Number(number) => number * if percent { 100.0 } else { 1.0 },
            Found::Text(text) => return text.clone(),
        };
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let plain = format!("{number:.decimals$}");
        let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
        if !text.contains(',') {
            return plain;
        }
        let mut grouped = String::new();
        for (i, digit) in whole.chars().enumerate() {
            if i > 0 && (whole.len() - i).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        grouped + rest
    }
}

fn dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(is) => (*is).into(),
        Value::Number(number) => number.as_i64().map_or_else(|| number.as_f64().unwrap_or(f64::NAN).into(), Dynamic::from),
        Value::String(text) => text.clone().into(),
        Value::Array(items) => items.iter().map(dynamic).collect::<rhai::Array>().into(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.as_str().into(), dynamic(value))).collect::<rhai::Map>().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values() -> Values {
        let mut values = Values::default();
        let kernel = json!({ "slowdown": 5.421 });
        values.add("a", &json!({ "kernels": [kernel], "cycles": 12345, "ci95": { "kernels": [{ "slowdown": [4.9, 5.9] }] } }));
        values
    }

    #[test]
    fn a_number_is_written_as_the_one_before() {
        let like = |expression: &str, text: &str, percent| values().value(expression).unwrap().like(text, percent);
        assert_eq!(like("a.kernels[0].slowdown", "5.0", false), "5.4");
        assert_eq!(like("a.kernels[0].slowdown / 10.0", "7", true), "54");
        assert_eq!(like("a.cycles", "1,000", false), "12,345");
        assert_eq!(like("a.cycles", "1000", false), "12345");
        assert_eq!(like("known(a, \"kernels[0].slowdown\")", "1 ± 2", false), "5.42 ± 0.52");
    }

    #[test]
    fn a_comparison_that_fails_says_its_sides_and_a_wrong_path_is_an_error() {
        assert_eq!(values().holds("a.kernels[0].slowdown > 5.0 && a.cycles > 2").unwrap(), None);
        assert_eq!(values().holds("a.kernels[0].slowdown > 6.0").unwrap().unwrap(), "5.421 > 6.0");
        assert!(values().value("a.kernels[0].slow").is_err() && values().value("b.x").is_err() && values().holds("a.cycles").is_err());
        assert!(values().value("known(a, \"cycles\")").is_err());
    }
}
