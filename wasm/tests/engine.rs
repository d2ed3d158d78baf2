//! The compiled module in a JavaScript host: Node, a window of Chromium, and a worker of Chromium run these same tests (`cargo xtask test wasm`).
//!
//! The goldens are the ones that the native build is held to (`tests/suite/determinism.rs`).
#![cfg(target_arch = "wasm32")]

use corun::{EXPERIMENTS, Simulation, race};
use js_sys::{Array, JSON, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test as test;

const GOLDENS: &str = include_str!("../../tests/golden/digests.json");
const PROBES: &str = include_str!("../../tests/golden/probes.json");

/// An experiment of examples/experiments.
fn named(name: &str) -> &'static str {
    EXPERIMENTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).expect("an experiment")
}

fn parsed(text: &str) -> JsValue {
    JSON::parse(text).expect("JSON")
}

/// `a.b.c` of an object.
fn get(object: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(object.clone(), |at, key| Reflect::get(&at, &key.into()).unwrap_or(JsValue::UNDEFINED))
}

fn number(object: &JsValue, path: &str) -> f64 {
    get(object, path).as_f64().unwrap_or_else(|| panic!("no number at {path}"))
}

fn text(object: &JsValue, path: &str) -> String {
    get(object, path).as_string().unwrap_or_else(|| panic!("no text at {path}"))
}

fn problems(error: &JsValue) -> Array {
    get(error, "problems").dyn_into().unwrap_or_else(|_| panic!("an error without problems"))
}

fn start(experiment: &str) -> Simulation {
    Simulation::new(&experiment.into()).unwrap_or_else(|error| panic!("{}", text(&error, "message")))
}

/// Each experiment's name, text and golden digest, and the cycles that it runs for.
fn goldens() -> (f64, Vec<(&'static str, &'static str, String)>) {
    let goldens = parsed(GOLDENS);
    let with_digest =
        |&(name, experiment): &(&'static str, &'static str)| (name, experiment, text(&goldens, &format!("experiments.{name}.digest")));
    (number(&goldens, "cycles"), EXPERIMENTS.iter().map(with_digest).collect())
}

/// Every experiment gives the native digest, however its run is cut, whatever is looked at in between, and after a snapshot. One test, since what a policy
/// wants to know of the kernels alone is measured before each run, and takes longer than the run.
#[test]
fn every_experiment_gives_the_native_bits_however_it_is_run() {
    let (cycles, all) = goldens();
    let keys = js_sys::Object::keys(&get(&parsed(GOLDENS), "experiments").into());
    assert!(all.len() >= 8 && all.len() == keys.length() as usize, "{} experiments, {} goldens", all.len(), keys.length());
    for (name, experiment, digest) in all {
        let hash = corun::config_hash(&experiment.into()).expect("a hash");
        assert_eq!(hash, text(&parsed(GOLDENS), &format!("experiments.{name}.config_hash")), "{name}");
        let mut simulation = start(experiment);
        let snapshot = simulation.snapshot();
        simulation.advance(cycles);
        assert_eq!(simulation.digest(), digest, "{name}, in one go");
        simulation.restore(&snapshot);
        advance_in_parts(&mut simulation, (cycles / 3.0).floor());
        frame_is_as_its_layout_says(&mut simulation, name);
        let (middle, snapshot) = (simulation.digest(), simulation.snapshot());
        for round in ["on", "again"] {
            advance_in_parts(&mut simulation, cycles);
            assert_eq!(simulation.digest(), digest, "{name}, {round}");
            simulation.restore(&snapshot);
            assert_eq!(simulation.digest(), middle, "{name}, {round}: restored");
        }
    }
}

/// Advances to a cycle in small steps, and looks at the run after each.
fn advance_in_parts(simulation: &mut Simulation, to: f64) {
    for part in [1.0, 399.0, 2.0, 1000.0, 400.0_f64].into_iter().cycle() {
        let reason = simulation.advance(part.min(to - simulation.cycle()));
        let _ = simulation.frame();
        let _ = simulation.result().expect("a result");
        if simulation.cycle() == to || reason != "budget" {
            break;
        }
    }
}

fn frame_is_as_its_layout_says(simulation: &mut Simulation, name: &str) {
    let layout = simulation.frame_layout().expect("a layout");
    let frame = simulation.frame().to_vec();
    assert_eq!(frame.len() as f64, number(&layout, "length"), "{name}");
    let mut end = 0.0;
    for section in Array::from(&get(&layout, "sections")).iter() {
        assert_eq!(number(&section, "offset"), end, "{name}: {} starts where the one before ends", text(&section, "name"));
        end += Array::from(&get(&section, "shape")).iter().map(|n| n.as_f64().unwrap_or(f64::NAN)).product::<f64>();
    }
    assert_eq!(end, number(&layout, "length"), "{name}");
    let cycle = f64::from(frame[0]) + f64::from(frame[1]) * 4_294_967_296.0;
    assert_eq!(cycle, simulation.cycle(), "{name}: the first section is the cycle");
}

/// Every bit of them: JavaScript writes a number so that it reads back as itself.
#[test]
fn intervals_equal_the_native_goldens() {
    let native = parsed(include_str!("../../tests/golden/ci95.json"));
    for name in ["bp-cfd-even", "cfd-sad-two-level"] {
        let mut simulation = start(named(name));
        simulation.advance(goldens().0);
        let written = |value: &JsValue| JSON::stringify(value).expect("JSON").as_string();
        let now = get(&simulation.intervals().expect("intervals"), "ci95");
        assert_eq!(written(&now), written(&get(&native, name)), "{name}");
    }
}

#[test]
fn the_events_of_ctas_are_as_the_result_counts_them_and_change_nothing() {
    let (cycles, all) = goldens();
    let (name, experiment, digest) = &all[0];
    let mut simulation = start(experiment);
    simulation.keep_cta_events();
    simulation.advance((cycles / 2.0).floor());
    let mut events = simulation.cta_events();
    simulation.advance(cycles - simulation.cycle());
    events.extend(simulation.cta_events());
    assert_eq!(&simulation.digest(), digest, "{name}");
    assert!(simulation.cta_events().is_empty(), "each event is handed out once");
    let rows: Vec<&[f64]> = events.chunks(6).collect();
    assert!(rows.is_sorted_by_key(|row| row[0]), "in order");
    let result = simulation.result().expect("a result");
    for kernel in 0..Array::from(&get(&result, "kernels")).length() {
        let finished = rows.iter().filter(|row| row[1] == f64::from(kernel) && row[2] == 0.0).count();
        assert_eq!(finished as f64, number(&result, &format!("kernels.{kernel}.ctas_done")), "kernel {kernel}");
    }
}

/// Launches end with the counters of their kernel and with what the L1Ds hold; what SMs have before them are parts of the grid. Looking changes nothing.
#[test]
fn launches_chunks_and_l1ds_are_told_and_change_nothing() {
    let mut simulation = start(named("hotspot-reset"));
    simulation.keep_cta_events();
    let layout = simulation.frame_layout().expect("a layout");
    let length = |path: &str| Array::from(&get(&layout, path)).length() as usize;
    let (sms, arrays, counters) = (length("sms"), length("arrays"), length("counters"));
    assert_eq!((sms, arrays, text(&layout, "arrays.2.name").as_str()), (15, 3, "power"));
    simulation.advance(16_000.0);
    let digest = simulation.digest();
    let ends = simulation.launch_ends();
    assert!(simulation.launch_ends().is_empty(), "each end is handed out once");
    assert_eq!(ends.len(), 2 + counters + sms * arrays * 3, "one launch has ended");
    let done = (0..counters).find(|at| text(&layout, &format!("counters.{at}.key")) == "ctas_done").expect("a counter");
    assert_eq!(ends[2 + done], number(&layout, "grids.0.0.0") * number(&layout, "grids.0.0.1"));
    let held = simulation.l1_contents();
    let capacity = number(&layout, "sms.0.l1_bytes") / 4.0;
    for sm in held.chunks(arrays * 3).map(|words| words.iter().sum::<u32>()) {
        assert!(sm > 0 && f64::from(sm) <= capacity, "{sm} of {capacity} words");
    }
    // Of the first launch the second one's array is written, and the input only read.
    let [read, written] = [0, 1].map(|array| (0..sms).map(|sm| ends[2 + counters + (sm * arrays + array) * 3 + 2]).sum::<f64>());
    assert!(read == 0.0 && written > 0.0, "{read} and {written} owned words");

    let shares = simulation.shares().expect("shares");
    let ahead = simulation.l1_ahead(0, 1e6).expect("a kernel");
    for sm in 0..sms {
        let [first, end] = [0, 1].map(|at| number(&shares, &format!("0.sms.{sm}.left.{at}")));
        let rows: Vec<&[u32]> = ahead.chunks(5).filter(|row| row[0] == sm as u32).collect();
        let waits: Vec<f64> = rows.iter().filter(|row| row[2] == 0).map(|row| row[1].into()).collect();
        assert_eq!(waits, (first as u32..end as u32).map(f64::from).collect::<Vec<f64>>(), "SM {sm}");
        assert!(rows.iter().all(|row| row[3] > 0 && row[4] <= row[3]), "SM {sm}");
    }
    assert!(simulation.l1_ahead(1, 1e6).is_err(), "there is one kernel");
    assert_eq!(simulation.digest(), digest);
}

/// The scripts of examples/scripts, as `tests/scripts/mod.rs` runs them.
#[test]
fn digests_of_scripts_equal_the_native_goldens() {
    let native = parsed(include_str!("../../tests/golden/scripts.json"));
    assert_eq!(corun::SCRIPTS.len(), js_sys::Object::keys(&native.clone().into()).length() as usize);
    for (name, source) in corun::SCRIPTS {
        let experiment = parsed(
            r#"{ "corun": 1, "gpu": "ccbp-16sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": { "name": "script", "interval": 1000, "profile_cycles": 2000 } }"#,
        );
        Reflect::set(&get(&experiment, "policy"), &"source".into(), &(*source).into()).expect("an object");
        let mut simulation = Simulation::new(&experiment).unwrap_or_else(|error| panic!("{name}: {}", text(&error, "message")));
        simulation.advance(20_000.0);
        assert_eq!(simulation.failure(), "", "{name}");
        assert_eq!(simulation.digest(), text(&native, &format!("{name}.digest")), "{name}");
    }
}

/// The failures that `tests/suite/scripts` expects of the native engine.
#[test]
fn scripts_fail_as_they_do_natively() {
    let failures: &[(&str, &str)] = include!("../../tests/suite/scripts/failures.rs");
    for (body, why) in failures {
        let experiment = parsed(
            r#"{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP", "ccbp/CFD"], "policy": { "name": "script", "profile_cycles": 0 } }"#,
        );
        let source = format!("fn start(seen, controls) {{\n{body}\n}}");
        Reflect::set(&get(&experiment, "policy"), &"source".into(), &source.into()).expect("an object");
        let said = match Simulation::new(&experiment) {
            Err(error) => text(&problems(&error).get(0), "found"),
            Ok(mut simulation) => {
                simulation.advance(1.0);
                simulation.failure()
            }
        };
        assert_eq!(said, *why, "{body}");
    }
}

/// A script that calls itself as deep as it may, in expressions as deep as they may be, stays within the module's stack; a deeper one says so.
#[test]
fn a_script_that_goes_too_deep_fails_and_the_module_lives() {
    let deep = |levels: usize, call: &str| format!("{}{call}{}", "1 + (".repeat(levels), ")".repeat(levels));
    for (levels, call) in [(8, "deeper(n - 1)"), (4, "[n, n].map(|x| deeper(x - 1)).len()"), (4, "[n, n].sort(|a, b| deeper(a - 1))")] {
        let body = deep(levels, call);
        let source = format!("fn deeper(n) {{ if n == 0 {{ return 0; }} {body} }} fn start(seen, controls) {{ deeper(100); }}");
        let experiment =
            parsed(r#"{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP"], "policy": { "name": "script", "profile_cycles": 0 } }"#);
        Reflect::set(&get(&experiment, "policy"), &"source".into(), &source.into()).expect("an object");
        let mut simulation = Simulation::new(&experiment).unwrap_or_else(|error| panic!("{}", text(&error, "message")));
        assert_eq!(simulation.advance(1.0), "failed");
        assert!(simulation.failure().ends_with("functions call each other more than 12 deep"), "{}", simulation.failure());
    }
    let mut other = start(named("bp-cfd-even"));
    assert_eq!(other.advance(100.0), "budget");
}

#[test]
fn an_object_means_what_its_text_means() {
    for (name, experiment) in EXPERIMENTS {
        let of_text = corun::config_hash(&JsValue::from(*experiment)).expect("text");
        assert_eq!(corun::config_hash(&parsed(experiment)).expect("object"), of_text, "{name}");
        // What `normalise` writes is the same experiment again.
        let whole = corun::normalise(&parsed(experiment)).expect("normal form");
        assert_eq!(corun::config_hash(&whole).expect("normal form"), of_text, "{name}");
        let through_text = JSON::stringify(&whole).expect("JSON");
        assert_eq!(corun::config_hash(&through_text.into()).expect("normal form as text"), of_text, "{name}");
    }
}

#[test]
fn windows_come_whole_and_from_where_one_asks() {
    let mut simulation = start(named("bp-cfd-even"));
    let layout = simulation.windows_layout().expect("a layout");
    let columns = Array::from(&get(&layout, "columns")).length() as usize;
    let window = number(&layout, "window");
    simulation.advance(window * 5.0 + 17.0);
    let all = simulation.windows(0.0);
    assert_eq!(all.len(), 5 * columns);
    for (i, row) in all.chunks(columns).enumerate() {
        assert_eq!((row[0], row[1]), (i as f64 * window, (i + 1) as f64 * window), "start and end of window {i}");
    }
    assert_eq!(simulation.windows(3.0), all[3 * columns..]);
    assert!(simulation.windows(5.0).is_empty());
    assert!(simulation.windows(1e18).is_empty());
}

#[test]
fn a_mistake_is_an_error_with_its_problems() {
    let mistakes = [
        "",
        "{",
        "null",
        "[]",
        "7",
        "\"BP\"",
        "{}",
        r#"{"corun": 99}"#,
        r#"{"corun": 1, "gpu": "no-such-gpu", "kernels": ["ccbp/BP"], "policy": {"name": "even"}}"#,
        r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["no such kernel"], "policy": {"name": "even"}}"#,
        r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": [], "policy": {"name": "even"}}"#,
        r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP"], "policy": {"name": "no such policy"}}"#,
        r#"{"corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/BP"], "policy": {"name": "even"}, "unknown": 1}"#,
        r#"{"corun": 1, "gpu": {"preset": "tiny-2sm", "sm.count": 0}, "kernels": ["ccbp/BP"], "policy": {"name": "even"}}"#,
        r#"{"corun": 1, "gpu": {"preset": "tiny-2sm", "sm.count": 1e300}, "kernels": ["ccbp/BP"], "policy": {"name": "even"}}"#,
    ];
    for mistake in mistakes {
        let error = Simulation::new(&mistake.into()).err().unwrap_or_else(|| panic!("{mistake:?} is accepted"));
        assert!(error.is_instance_of::<js_sys::Error>(), "{mistake}");
        assert!(problems(&error).length() > 0, "{mistake}");
        for problem in problems(&error).iter() {
            for part in ["path", "found", "want"] {
                assert!(!text(&problem, part).is_empty(), "{mistake}: {part}");
            }
        }
        assert_eq!(corun::validate(&mistake.into()).length(), problems(&error).length(), "{mistake}");
    }
    assert_eq!(corun::validate(&named("bp-cfd-even").into()).length(), 0);
}

#[test]
fn what_is_no_json_is_refused() {
    // Nested beyond any stack, as text and as an object; an object that contains itself; things that are no data.
    let mut pit = JsValue::NULL;
    for _ in 0..100_000 {
        pit = Array::of1(&pit).into();
    }
    let ring = js_sys::Object::new();
    Reflect::set(&ring, &"kernels".into(), &ring).expect("an object takes a property");
    for (what, given) in [
        ("deep text", "[".repeat(100_000).into()),
        ("ten million characters of noise", "x".repeat(10_000_000).into()),
        ("a deep object", pit),
        ("a ring", ring.into()),
        ("a symbol", js_sys::Symbol::iterator().into()),
        ("undefined", JsValue::UNDEFINED),
        ("a function", js_sys::Function::new_no_args("").into()),
    ] {
        let error = Simulation::new(&given).err().unwrap_or_else(|| panic!("{what} is accepted"));
        assert!(problems(&error).length() > 0, "{what}");
    }
}

#[test]
fn controls_and_policies_can_change_in_the_middle() {
    let mut simulation = start(named("bp-cfd-even"));
    simulation.advance(3000.0);
    let controls = simulation.controls().expect("controls");
    simulation.set_controls(&controls).expect("the controls that are in force are valid");
    let shown = |simulation: &Simulation| String::from(JSON::stringify(&simulation.controls().expect("controls")).expect("JSON"));
    assert_eq!(shown(&simulation), String::from(JSON::stringify(&controls).expect("JSON")), "nothing changed");
    assert_eq!(text(&simulation.result().expect("a result"), "policy.name"), "manual");
    let error = simulation.set_controls(&parsed(r#"{"no such control": 1}"#)).expect_err("an unknown control");
    assert!(problems(&error).length() > 0);
    let error = simulation.set_policy(&parsed(r#"{"name": "no such policy"}"#)).expect_err("an unknown policy");
    assert!(problems(&error).length() > 0);
    simulation.set_policy(&parsed(r#"{"name": "even"}"#)).expect("a policy");
    simulation.advance(3000.0);
    assert_eq!(simulation.cycle(), 6000.0);
}

#[test]
fn ipc_alone_makes_slowdowns() {
    let mut simulation = start(named("bp-cfd-even"));
    simulation.advance(20_000.0);
    let kernels = Array::from(&get(&simulation.result().expect("a result"), "kernels")).length();
    assert!(get(&simulation.result().expect("a result"), "metrics.hspeedup").as_f64().is_none(), "not known yet");
    for kernel in 0..kernels {
        let mut alone = Simulation::new(&simulation.alone_experiment(kernel).expect("an experiment")).expect("it can run");
        alone.advance(20_000.0);
        simulation.set_alone(kernel, number(&alone.result().expect("a result"), "gpu.ipc"), None, None).expect("a kernel of this run");
    }
    let hspeedup = number(&simulation.result().expect("a result"), "metrics.hspeedup");
    assert!(hspeedup > 0.0 && hspeedup <= 1.5, "{hspeedup}");
    assert!(simulation.set_alone(kernels, 1.0, None, None).is_err(), "there is no such kernel");
    assert!(simulation.alone_experiment(kernels).is_err(), "there is no such kernel");
}

#[test]
fn a_race_says_who_goes_on_and_a_run_where_it_stands() {
    let mut simulation = start(named("bp-cfd-even"));
    assert_eq!(simulation.steady_since(), Some(0.0));
    while simulation.advance_for(1.0, Some(1234.0)) == "budget" && simulation.cycle() < 1234.0 {}
    assert_eq!(simulation.cycle(), 1234.0, "it does not run beyond");
    let standing = |speedup: f64| format!(r#"{{"cycle":100000,"steady_since":0,"speedup":{speedup},"ends":[{speedup},{speedup}]}}"#);
    let text = format!("[{},{}]", standing(0.5), standing(0.3));
    let said = JSON::stringify(&race(500_000.0, &parsed(&text)).expect("standings")).map(String::from).expect("JSON");
    assert_eq!(said, r#"{"to":200000,"fates":[{"goes_on":true,"behind":null},{"goes_on":false,"behind":0.4}]}"#);
    let error = race(500_000.0, &parsed(r#"[{"cycle":"far"}]"#)).expect_err("no number");
    assert!(problems(&error).length() > 0);
}

#[test]
fn time_and_events_bound_an_advance() {
    let mut simulation = start(named("bp-cfd-even"));
    let reason = simulation.advance_for(20.0, None);
    assert!(simulation.cycle() > 0.0, "{reason}");
    let before = simulation.cycle();
    let reason = simulation.advance_event(100_000.0);
    assert!(simulation.cycle() > before);
    assert!(reason == "event" || simulation.cycle() == before + 100_000.0, "{reason}");
    for nothing in [0.0, -5.0, f64::NAN] {
        let before = simulation.cycle();
        assert_eq!(simulation.advance(nothing), "budget");
        assert_eq!(simulation.cycle(), before);
    }
}

#[test]
fn the_catalogue_names_what_an_experiment_can_name() {
    let catalogue = corun::presets().expect("a catalogue");
    for list in ["gpus", "gpu_fields", "kernels", "policies", "warp_orders", "cta_orders", "metrics", "probes", "experiments"] {
        assert!(Array::from(&get(&catalogue, list)).length() > 0, "{list}");
    }
    assert_eq!(Array::from(&get(&catalogue, "experiments")).length() as usize, EXPERIMENTS.len());
    for entry in Array::from(&get(&catalogue, "experiments")).iter() {
        assert_eq!(corun::validate(&get(&entry, "experiment")).length(), 0, "{}", text(&entry, "name"));
        let explained = corun::explain(&get(&entry, "experiment")).expect("an explanation");
        assert!(explained.is_object());
    }
}

#[test]
fn probes_give_the_native_figures() {
    let goldens = Array::from(&parsed(PROBES));
    assert!(goldens.length() > 10);
    for golden in goldens.iter() {
        let measured = corun::probe(&text(&golden, "component").into(), &get(&golden, "options")).expect("figures");
        let written = |value: &JsValue| String::from(JSON::stringify(value).expect("JSON"));
        assert_eq!(written(&measured), written(&get(&golden, "figures")), "{}", written(&get(&golden, "options")));
    }
    let error = corun::probe(&"noc".into(), &parsed("{\"inputs\": 0}")).expect_err("no inputs");
    assert_eq!(text(&problems(&error).get(0), "path"), "inputs");
    let error = corun::probe(&"toaster".into(), &parsed("{}")).expect_err("no such component");
    assert!(text(&error, "message").contains("one of noc, mesh, dram, cache"));
}

/// Table 3's experiment 4 of the latency-prediction paper, as `corun predict` has it.
#[test]
fn a_prediction_has_the_native_figures() {
    let slowdowns = |answer: &JsValue| -> Vec<String> {
        let kernels = Array::from(&get(answer, "kernels"));
        kernels.iter().map(|kernel| format!("{:.3}", get(&kernel, "slowdown").as_f64().expect("a number"))).collect()
    };
    let question = parsed(include_str!("../../examples/predict/copy-saxpy.json"));
    assert_eq!(slowdowns(&corun::predict(&question).expect("a prediction")), ["2.270", "2.440"]);
    let deadlines = parsed(include_str!("../../examples/predict/two-deadlines.json"));
    let plan = corun::plan_partition(&deadlines).expect("a plan");
    assert_eq!(get(&get(&plan, "plan"), "meets").as_bool(), Some(true));
    let error = corun::predict(&parsed("{\"corun\": 1, \"predict\": {\"kernels\": []}}")).expect_err("no kernels");
    assert_eq!(text(&problems(&error).get(0), "path"), "predict.kernels");
}

/// The line that the runner writes has no wall-clock figures and its keys in this order; the figures alone come from runs of their own.
#[test]
fn a_sweep_gives_the_lines_of_its_points() {
    let file = "{\"corun\": 1, \"sweep\": {\"base\": {\"corun\": 1, \"gpu\": \"tiny-2sm\", \"stop\": {\"cycles\": 2000}},
        \"axes\": [{\"path\": \"kernels\", \"values\": [[\"ccbp/BP\", \"ccbp/SAD\"], [\"ccbp/SAD\"]]}, {\"path\": \"seed\", \"values\": [1, 2]}]}}";
    let sweep = corun::Sweep::new(&file.into()).expect("a sweep");
    assert_eq!(sweep.points(), 4);
    let point = sweep.point(0).expect("a point");
    assert_eq!(Array::from(&get(&point, "alone")).length(), 2);
    assert_eq!(get(&point, "cycles").as_f64(), Some(2000.0));
    let warm = corun::Sweep::new(&file.replace("\"stop\"", "\"warm_up\": 500, \"stop\"").into()).expect("a sweep");
    assert_eq!(get(&warm.point(0).expect("a point"), "cycles").as_f64(), Some(2500.0), "it runs through its warm-up too");
    assert_eq!(
        Array::from(&get(&point, "alone")).get(1),
        Array::from(&get(&sweep.point(2).expect("a point"), "alone")).get(0),
        "one run serves both"
    );
    let mut simulation = sweep.simulation(0).expect("a simulation");
    assert_eq!(simulation.advance(f64::MAX), "cycles");
    let mut alone = sweep.alone(0, 1).expect("a simulation");
    alone.advance(f64::MAX);
    let ipc = get(&Array::from(&get(&alone.result().expect("a result"), "kernels")).get(0), "ipc").as_f64().expect("an IPC");
    simulation.set_alone(1, ipc, None, None).expect("a kernel");
    let line = sweep.line(0, &mut simulation).expect("a line");
    let start = format!(
        "{{\"index\":0,\"points\":4,\"sweep\":\"{}\",\"axes\":{{\"kernels\":[\"ccbp/BP\",\"ccbp/SAD\"],\"seed\":1}},\"config_hash\":",
        sweep.hash()
    );
    assert!(line.starts_with(&start), "{line}");
    let result = get(&parsed(&line), "result");
    assert_eq!(text(&result, "digest"), simulation.digest());
    assert!(!line.contains("wall_seconds"));

    for (error, path) in
        [(sweep.point(4).err(), "index"), (sweep.alone(2, 1).err(), "kernel"), (corun::Sweep::new(&"{}".into()).err(), "corun")]
    {
        assert_eq!(text(&problems(&error.expect("an error")).get(0), "path"), path);
    }
}

/// A caller in JavaScript can leave out what TypeScript would ask for.
#[test]
fn what_is_missing_is_named() {
    let (nothing, number, csv) = (JsValue::UNDEFINED, JsValue::from(7), JsValue::from("# corun silicon 1"));
    let found = |outcome: Result<JsValue, JsValue>| {
        let error = outcome.expect_err("something is missing");
        let problem = problems(&error).get(0);
        ["path", "found", "want"].map(|part| text(&problem, part))
    };
    for missing in [&nothing, &number] {
        let kind = if missing.is_undefined() { "undefined" } else { "number" };
        assert_eq!(found(corun::probe(missing, missing)), ["component", kind, "a text"]);
        assert_eq!(found(corun::silicon(missing, missing, missing)), ["text", kind, "a text"]);
        assert_eq!(found(corun::silicon(&csv, missing, missing)), ["scale", kind, "a text"]);
        assert_eq!(found(corun::silicon(&csv, &csv, missing)), ["ipcs", kind, "a Float64Array"]);
        assert_eq!(found(corun::silicon_sweep(missing, missing, missing)), ["text", kind, "a text"]);
        assert_eq!(found(corun::silicon_sweep(&csv, missing, missing)), ["gpu", kind, "a text"]);
    }
    let holes = Array::new_with_length(500_000_000);
    assert_eq!(found(corun::normalise(&holes))[1], "a value that is nested too deeply, too large, or contains itself");
}

#[test]
fn fresh_seeds_are_fresh() {
    let seeds: Vec<u32> = (0..4).map(|_| corun::fresh_seed().expect("a seed")).collect();
    assert!(seeds.windows(2).any(|pair| pair[0] != pair[1]), "{seeds:?}");
    let mut simulation = start(named("bp-cfd-even"));
    let stamp = corun::stamp();
    assert_eq!(text(&simulation.result().expect("a result"), "engine"), stamp);
    let behaviour = stamp.strip_prefix(&format!("{}-", corun::version())).expect("the version comes first");
    assert!(behaviour.len() == 8 && behaviour.bytes().all(|digit| digit.is_ascii_hexdigit()), "{stamp}");
}

/// A figure drawn and measured as the runner does it.
#[test]
fn a_figure_is_drawn_and_measured() {
    let figure = r#"{"id": "f", "title": "One point", "kind": "bars", "series": ["SMK"], "categories": ["BP+CFD"],
        "measure": {"path": "metrics.hspeedup", "reduce": "geomean"},
        "points": [{"series": 0, "x": 0, "value": 0.5, "paper": 0.75, "runs": [0, 1]}, {"series": 0, "x": 0, "runs": [2]}]}"#;
    let svg = corun::figure_svg(&figure.into(), &parsed(r#"{"width": 360}"#)).expect("an SVG");
    assert!(svg.starts_with("<svg ") && svg.contains("data-point=\"0\"") && svg.contains("width=\"360\""));
    let results = parsed(r#"[{"metrics": {"hspeedup": 0.5}}, {"metrics": {"hspeedup": 2}}, null]"#);
    let values = corun::figure_values(&parsed(figure), &results).expect("values");
    assert_eq!(JSON::stringify(&values).expect("JSON"), "[1,null]");
    let bad = corun::figure_svg(&"{\"id\": 3}".into(), &parsed("{}")).expect_err("a problem");
    assert!(problems(&bad).length() >= 4);
}
