use super::measure::Outcome;
use super::papers::Paper;
use super::*;
use sim_core::run::experiment::Experiment;
use std::collections::BTreeMap;
use std::path::Path;

fn paper() -> (Vec<Claim>, Study, Causes) {
    let paper = &PAPERS[0];
    (claims::read(paper.claims).unwrap(), Study::read(paper.study, "full").unwrap(), Causes::read(paper.causes).unwrap())
}

/// Does every claim of every paper say what measures it, in words that exist?
#[test]
fn every_claim_has_a_measure_or_a_reason() {
    for paper in PAPERS {
        let (claims, causes) = (claims::read(paper.claims).unwrap(), Causes::read(paper.causes).unwrap());
        let folder = folder(&format!("forms-{}", paper.name));
        let runs = Runs::new(paper, Study::read(paper.study, "full").unwrap(), Store::open(&folder, "full", "test").unwrap());
        for claim in &claims {
            measure::check(&runs, &claim.measure).unwrap_or_else(|what| panic!("{}: {what}", claim.id));
            named(&runs, &claim.id, &claim.measure);
        }
        for function in paper.code.functions {
            let call = format!("\"call\":\"{}\"", function.0);
            assert!(claims.iter().any(|claim| claim.measure.to_string().contains(&call)), "no claim calls {}", function.0);
        }
        for id in causes.claims.keys() {
            assert!(claims.iter().any(|claim| claim.id == *id), "a cause for {id}, which is no claim");
        }
    }
    assert_eq!(paper().0.len(), 224);
}

/// Are all tests, kernels and schemes that a measure and its parts name there?
fn named(runs: &Runs, id: &str, words: &Value) {
    let texts = |key: &str| match words.get(key) {
        Some(Value::Array(items)) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
        Some(Value::Str(text)) => vec![text.clone()],
        _ => Vec::new(),
    };
    for test in texts("test") {
        let (file, name) = test.split_once("::").expect("file::name");
        let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).expect(file);
        assert!(source.contains(&format!("fn {name}()")), "{id}: no test {test}");
    }
    assert!(texts("not_testable").iter().all(|why| why.len() > 20), "{id}: why?");
    let mixes: Vec<Mix> = texts("mixes").iter().flat_map(|name| runs.study.mixes(name)).collect();
    assert!(mixes.iter().flatten().all(|kernel| runs.study.kernels().contains(kernel)), "{id}: {mixes:?}");
    for scheme in texts("of").into_iter().chain(texts("over")) {
        let name = scheme.split([' ', '(']).next().unwrap_or("");
        assert!(runs.study.schemes.contains_key(name) || ["alone", "fixed"].contains(&name), "{id}: {scheme}");
    }
    for part in ["ratio", "min", "max", "mean", "geomean"].into_iter().filter_map(|form| words.get(form)) {
        let Value::Array(parts) = part else { panic!("{id}: {part}") };
        parts.iter().for_each(|part| named(runs, id, part));
    }
}

/// A measure that saw the value could not fail.
#[test]
fn no_measure_carries_what_the_paper_found() {
    for claim in paper().0.iter().filter(|claim| claim.unit == "ratio" && claim.value > 1.05) {
        let value = claim.value.to_string();
        assert!(!claim.measure.to_string().contains(&value), "{}: {}", claim.id, claim.measure);
    }
}

#[test]
fn the_mixes_are_the_papers() {
    let study = paper().1;
    let counts = ["LS+LS", "LS+NBI", "LS+DBI", "LS+BI", "NBI+DBI", "pairs", "bandwidth", "same", "triples", "quads"]
        .map(|name| study.mixes(name).len());
    assert_eq!(counts, [10, 20, 20, 40, 16, 66, 56, 12, 40, 40]);
    let mut pairs = study.mixes("pairs");
    pairs.iter_mut().for_each(|pair| pair.sort());
    pairs.sort();
    pairs.dedup();
    assert_eq!(pairs.len(), 66, "a pair twice");
    let again = paper().1;
    assert_eq!((study.mixes("triples"), study.mixes("quads")), (again.mixes("triples"), again.mixes("quads")));
    let quick = Study::read(PAPERS[0].study, "quick").unwrap();
    assert!(["LS+LS", "LS+NBI", "LS+DBI", "NBI+DBI"].iter().all(|kind| (1..=5).contains(&quick.mixes(kind).len())));
    let some = study.mixes("some bandwidth");
    assert!((10..=20).contains(&some.len()));
    let mut kernels: Vec<&String> = some.iter().flatten().collect();
    kernels.sort();
    kernels.dedup();
    assert_eq!(kernels.len(), 11, "{some:?}");
    assert_eq!(study.mixes("HG+LBM+SAD"), [["HG", "LBM", "SAD"]]);
    let lengths = |mix: &str| study.lengths(&study.mixes(mix)[0], (10, 100));
    assert_eq!([lengths("BP+CFD"), lengths("BP+SRT")], [(10, 400), (10, 600)]);
}

const STUDY: &str = r#"
title = "T"
citation = "C"
source = "S"
gpu = "tiny-2sm"
seed = 3
sets_seed = 1
order = ["LS", "NBI", "DBI"]
pairs = [["LS", "NBI"]]
sets = {}
groups = {}
longer = { times = 2, mixes = [], schemes = [] }
report = { how = ["{some} of them"], calibration = ["T1", ""], schemes = [], mixes = [], ablated = [], ablation = "", listed = [] }
long = { SAD = 2 }
modifiers = { queue = "gpu.sm.l1.miss_queue" }
classes = { LS = ["BP"], NBI = ["CFD"], DBI = ["SAD"] }
mode.quick = { warm_up = 500, cycles = 1500, combinations = [100, 400], spatial = [100, 300], finalists = 2, pairs = 2, sets = 1, some = 1, time_scale = 0.25 }
[scheme]
ws = { title = "WS", policy = { name = "ws" }, fill = ["curves"] }
even = { title = "Even", policy = { name = "even" } }
cta-oracle = { title = "CTA oracle", search = "combinations" }
"#;

const CLAIMS: &str = r#"
[[claim]]
id = "gain"
section = "1"
statement = "The oracle beats an even split"
value = 1.1
unit = "ratio"
kind = "magnitude"
measure = { gain = "hspeedup", of = "cta-oracle", over = "even", mixes = "BP+CFD" }
[[claim]]
id = "curves"
section = "2"
statement = "Warped-Slicer with a short queue is as good"
value = 0
unit = "sign"
kind = "direction"
measure = { gain = "wspeedup", of = "ws queue=64", over = "ws", mixes = "BP+CFD" }
[[claim]]
id = "bursts"
section = "3"
statement = "Somebody wants more than there is"
value = 1
unit = "sign"
kind = "direction"
neutral = 0.05
measure = { windows = "noc_demand", reduce = "share", above = 0.6, of = "even", mixes = "BP+CFD" }
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tmp/reproduce").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

const FIGURES: &str = r#"
[[figure]]
id = "gain"
title = "T"
source = "S"
kind = "bars"
x = "mix"
y = ["gain", "×"]
path = "hspeedup"
mixes = "BP+CFD"
over = "even"
series = [{ of = "cta-oracle", paper = ["gain"] }, { of = "ws", with = "lrr" }]
categories = [{ name = "both" }]
"#;

/// A paper that is data alone.
static SMALL: Paper = Paper { name: "small", claims: CLAIMS, study: STUDY, figures: FIGURES, causes: "", code: papers::Code::NONE };

fn reproduce(out: &Path) -> (String, Vec<Outcome>) {
    let (claims, plans) = (claims::read(CLAIMS).unwrap(), figures::read(FIGURES).unwrap());
    let store = Store::open(out, "quick", "test").unwrap();
    let mut runs = Runs::new(&SMALL, Study::read(STUDY, "quick").unwrap(), store);
    let differs = BTreeMap::new();
    let judged = rounds(&mut runs, 2, |runs| {
        figures::all(runs, &plans, &claims, &differs);
        claims.iter().map(|claim| Judged::new(claim, measure(runs, &claim.measure))).collect::<Vec<_>>()
    });
    let judged = judged.unwrap_or_else(|failure| panic!("{failure:?}"));
    let (mut figures, placed) = figures::all(&runs, &plans, &claims, &differs);
    fill(&mut figures, &runs, &placed);
    assert_eq!((figures[0].series.join(", "), figures[0].points[0].paper), ("CTA oracle, WS".into(), Some(1.1)));
    assert_eq!(Outcome::Value(figures[0].points[0].value), judged[0].outcome, "a figure's point is what the claim measures");
    Report { runs: &runs, judged: &judged, figures: &figures, placed: &placed, causes: &Causes::default(), lengths: &[] }
        .write(out)
        .unwrap();
    (std::fs::read_to_string(out.join("report.md")).unwrap(), judged.into_iter().map(|judged| judged.outcome).collect())
}

/// Is the measured figure the one that runs by hand give? And does a killed reproduction end with the same report?
#[test]
fn a_reproduction_on_a_small_machine() {
    let out = folder("whole");
    let (report, outcomes) = reproduce(&out);
    let hspeedup = |policy: Value| {
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", "tiny-2sm".into()),
            ("kernels", Value::array(["BP", "CFD"])),
            ("seed", 3.into()),
            ("policy", policy),
            ("warm_up", 500.into()),
            ("stop", Value::object([("cycles", 1500)])),
        ]);
        let experiment = Experiment::decode(&value).unwrap();
        let mut run = sim_core::run::simulation::Simulation::new(&experiment).unwrap();
        run.advance(u64::MAX);
        for (kernel, _, alone) in experiment.alone_runs() {
            let mut alone = sim_core::run::simulation::Simulation::new(&alone).unwrap();
            alone.advance(u64::MAX);
            run.set_alone(kernel, alone.ipc(sim_core::describe::ids::KernelId(0)).unwrap(), None);
        }
        lookup(&run.result(), "metrics.hspeedup").unwrap()
    };
    let store = Store::open(&out, "quick", "test").unwrap();
    let runs = Runs::new(&SMALL, Study::read(STUDY, "quick").unwrap(), store);
    let best = runs.run(&vec!["BP".into(), "CFD".into()], "cta-oracle", "hspeedup", Detail::Full).unwrap();
    let expected = hspeedup(best.written.get("policy").cloned().unwrap()) / hspeedup("even".into());
    assert_eq!(outcomes[0], Outcome::Value(Some(expected)));
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Outcome::Value(Some(_)))), "{outcomes:?}");
    assert!(report.contains("| **gain** The oracle beats an even split"), "{report}");

    // Killed in the middle of a line.
    let cut = folder("cut");
    std::fs::create_dir_all(&cut).unwrap();
    let lines = std::fs::read(out.join("runs-quick.jsonl")).unwrap();
    std::fs::write(cut.join("runs-quick.jsonl"), &lines[..lines.len() * 2 / 3]).unwrap();
    assert_eq!(reproduce(&cut), (report, outcomes));
    let sorted = |folder: &Path| {
        let text = std::fs::read_to_string(folder.join("runs-quick.jsonl")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&out), sorted(&cut));

    // While one process reproduces there, no second one does.
    let mine = Store::open(&cut, "quick", "test").unwrap();
    let refused = Store::open(&cut, "quick", "test").unwrap_err();
    assert!(format!("{refused:?}").contains(&format!("process {} is writing", std::process::id())), "{refused:?}");
    drop(mine);

    // Results of an engine that behaves differently are refused.
    let text = String::from_utf8(lines).unwrap();
    let (origin, _) = text.split_once(",\"check\":").unwrap();
    let other = origin.replacen("\"behaviour\":\"", "\"behaviour\":\"0", 1) + "}\n";
    std::fs::write(cut.join("runs-quick.jsonl"), other).unwrap();
    let refused = Store::open(&cut, "quick", "test").unwrap_err();
    assert!(format!("{refused:?}").contains("another engine"), "{refused:?}");
}

/// In a mode with `settled`, runs end when their IPCs are known, alone and together; those of a search have their fixed lengths.
#[test]
fn runs_of_a_study_may_stop_when_settled() {
    let settles = STUDY.replace("warm_up = 500, cycles = 1500,", "warm_up = 500, cycles = 900000, settled = 0.2,");
    let store = Store::open(&folder("settles"), "quick", "test").unwrap();
    let mut runs = Runs::new(&SMALL, Study::read(&settles, "quick").unwrap(), store);
    let mix = vec!["CFD".into(), "SAD".into()];
    let found = rounds(&mut runs, 2, |runs| {
        let best = runs.run(&mix, "cta-oracle", "hspeedup", Detail::Full)?;
        let [together, alone] = ["even", "alone"].map(|scheme| runs.placed(&mix, scheme, "kernels[1].ipc"));
        Some([best, together?.0, alone?.0].map(|run| runs.result(&run)))
    });
    for result in found.unwrap().unwrap() {
        let result = result.unwrap();
        let known = lookup(&result, "settled.known").unwrap();
        assert_eq!(result.get("stop").and_then(Value::as_str), Some("settled"), "{known}");
        assert!(known <= 0.2 && lookup(&result, "cycles").unwrap() < 900_000.0);
    }
    assert!(runs.cycles_alone("SAD").is_some_and(|cycles| (50_000.0..900_000.0).contains(&cycles)));
}

/// What a policy has to know is measured once, whatever asks for it and however often the program is started.
#[test]
fn what_policies_know_is_kept_beside_the_results() {
    let folder = folder("answers");
    let knows_nothing = STUDY.replace(r#"name = "ws" }, fill = ["curves"]"#, r#"name = "ws", profile_cycles = 1000 }"#);
    let mix = vec!["CFD".into(), "SAD".into()];
    let speedup = |folder: &Path| {
        let store = Store::open(folder, "quick", "test").unwrap();
        let mut runs = Runs::new(&SMALL, Study::read(&knows_nothing, "quick").unwrap(), store);
        rounds(&mut runs, 2, |runs| runs.value(&mix, "ws", "hspeedup")).unwrap()
    };
    let first = speedup(&folder);
    let kept: Vec<_> = std::fs::read_dir(folder.join("answers")).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(kept.len() > 4, "{kept:?}");
    let before: Vec<_> = kept.iter().map(|file| std::fs::metadata(file).unwrap().modified().unwrap()).collect();
    std::fs::remove_file(folder.join("runs-quick.jsonl")).unwrap();
    assert_eq!((speedup(&folder), first.is_some()), (first, true));
    let after: Vec<_> = kept.iter().map(|file| std::fs::metadata(file).unwrap().modified().unwrap()).collect();
    assert_eq!(before, after, "they were read, not written again");
}

#[test]
fn a_scheme_that_does_not_exist_is_an_error() {
    let store = Store::open(&folder("unknown"), "quick", "test").unwrap();
    let mut runs = Runs::new(&SMALL, Study::read(&STUDY.replace("\"even\" }", "\"evener\" }"), "quick").unwrap(), store);
    let failed = rounds(&mut runs, 1, |runs| runs.value(&vec!["BP".into(), "CFD".into()], "even", "hspeedup"));
    assert!(matches!(&failed, Err(Failure::Input(problems)) if problems.to_string().contains("evener")), "{failed:?}");
}

/// Every number of a result replaced by one that follows from the run and the place: what is measured can then be told without running.
fn made_up(value: &Value, path: &str, key: u64) -> Value {
    use sim_core::describe::rng::mix;
    let child = |name: &str| format!("{path}.{name}");
    match value {
        _ if path.ends_with(".start") || path == ".measured_from" => value.clone(),
        Value::Int(_) | Value::Float(_) => {
            let place = path.bytes().fold(key, |hash, byte| mix(hash, byte.into()));
            let part = 0.05 + (mix(place, 1) >> 11) as f64 / (1_u64 << 53) as f64;
            Value::Float(if path.contains("counters") { part * 1e6 } else { part })
        }
        Value::Array(items) => Value::array(items.iter().enumerate().map(|(i, item)| made_up(item, &child(&i.to_string()), key))),
        Value::Object(pairs) => Value::object(pairs.iter().map(|(name, item)| (name.clone(), made_up(item, &child(name), key)))),
        other => other.clone(),
    }
}

/// A made-up result of a run: the shape of a short one of as many kernels, with types as a policy would find them.
fn invented(key: &str, run: &Run, shapes: &mut BTreeMap<usize, Value>) -> Value {
    use sim_core::describe::rng::{below, mix};
    let kernels = match run.written.get("kernels") {
        Some(Value::Array(kernels)) => kernels.len(),
        _ => 0,
    };
    let shape = shapes.entry(kernels).or_insert_with(|| {
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", "tiny-2sm".into()),
            ("kernels", Value::array(vec!["BP"; kernels])),
            ("warm_up", 400.into()),
            ("stop", Value::object([("cycles", 4000)])),
        ]);
        let mut run = sim_core::run::simulation::Simulation::new(&Experiment::decode(&value).unwrap()).unwrap();
        run.advance(u64::MAX);
        run.result_with_windows()
    });
    let seed = key.bytes().fold(0, |hash, byte| mix(hash, byte.into()));
    let Value::Object(mut pairs) = made_up(shape, "", seed) else { unreachable!() };
    let types = ["latency-sensitive", "NoC-intensive", "DRAM-intensive"];
    let decisions = (0..kernels).map(|kernel| {
        let kind = types[below(mix(seed, kernel as u64), 3) as usize];
        Value::object([
            ("cycle", Value::from(1)),
            ("kernel", kernel.into()),
            ("topic", "kernel_type".into()),
            ("values", Value::object([("kernel_type", kind)])),
        ])
    });
    let policy = Value::object([("decisions", Value::array(decisions))]);
    pairs.retain(|(key, _)| key != "policy" && (key != "windows" || run.key().ends_with("windows")));
    pairs.push(("policy".into(), policy));
    Value::Object(pairs)
}

/// With results of all runs, made up, does every claim have a number and every point of every figure, and is nothing asked for in vain?
#[test]
fn every_claim_and_every_point_can_be_measured() {
    for paper in PAPERS {
        let (claims, plans) = (claims::read(paper.claims).unwrap(), figures::read(paper.figures).unwrap());
        let store = Store::open(&folder(&format!("made-up-{}", paper.name)), "quick", "test").unwrap();
        let mut runs = Runs::new(paper, Study::read(paper.study, "quick").unwrap(), store);
        let (mut shapes, none) = (BTreeMap::new(), BTreeMap::new());
        for round in 0.. {
            let outcomes: Vec<Outcome> = claims.iter().map(|claim| measure(&runs, &claim.measure)).collect();
            let (mut all, placed) = figures::all(&runs, &plans, &claims, &none);
            all_schemes(&runs);
            report::ablations(&runs);
            runs.check().unwrap();
            let wanted = runs.take();
            assert!(round < MOST_ROUNDS, "{} runs are still missing", wanted.len());
            if wanted.is_empty() {
                let missing = claims.iter().zip(&outcomes).filter(|(claim, outcome)| {
                    // A sample of the pairs need not have every kernel.
                    **outcome == Outcome::Value(None) && claim.measure.get("decided").is_none()
                });
                assert_eq!(missing.map(|(claim, _)| &claim.id).collect::<Vec<_>>(), Vec::<&String>::new());
                fill(&mut all, &runs, &placed);
                for figure in &all {
                    assert!(!figure.points.is_empty() && figure.points.iter().all(|point| point.value.is_some()), "{}", figure.id);
                }
                break;
            }
            let results = wanted.iter().map(|(key, run)| (key.clone(), invented(key, run, &mut shapes)));
            runs.learn(results.collect());
        }
    }
}
