//! The probes give the same figures to the last bit natively and in the module: here against the goldens, and
//! `wasm/tests/engine.rs` holds the compiled module to the same ones.
//!
//! After a change that is meant to change them: `CORUN_BLESS=1 cargo test --test suite probes` prints what it changes, and the commit
//! says why.

use crate::golden;
use sim_core::describe::value::Value;
use sim_core::study::probe::COMPONENTS;

/// Every preset at one point of its curve, made short.
fn points() -> Value {
    let preset = |component: &sim_core::study::probe::Component, name: &str, options: &Value| {
        let Value::Object(mut options) = options.clone() else { panic!("{name}: options that are no object") };
        options.retain(|(key, _)| key != "cycles" && key != "passes");
        options.push(if component.name == "cache" { ("passes".into(), 6.into()) } else { ("cycles".into(), 5000.into()) });
        options.push((component.sweep.into(), Value::Float(if component.name == "cache" { 1.25 } else { 0.4 })));
        let options = Value::Object(options);
        let figures = component.measure(&options).unwrap_or_else(|problems| panic!("{name}: {problems}"));
        Value::object([("component", Value::from(component.name)), ("options", options), ("figures", figures)])
    };
    let of = |component: &'static sim_core::study::probe::Component| {
        let described = component.describe();
        let Some(Value::Array(presets)) = described.get("presets").cloned() else { panic!("{}: no presets", component.name) };
        presets.into_iter().map(move |one| {
            let name = one.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            preset(component, &name, one.get("options").unwrap_or(&Value::Null))
        })
    };
    Value::array(COMPONENTS.iter().flat_map(of))
}

#[test]
fn figures_equal_the_goldens() {
    golden::check("probes.json", &points());
}
