use super::measure::Outcome;
use super::*;
use sim_core::run::experiment::Experiment;
use std::path::Path;

fn paper() -> (Vec<Claim>, Study, Causes) {
    let (_, claims, study, causes) = PAPERS[0];
    (ledger::read(claims).unwrap(), Study::read(study, "full").unwrap(), Causes::read(causes).unwrap())
}

/// Does every claim say what measures it, in words that exist?
#[test]
fn every_claim_has_a_measure_or_a_reason() {
    let (claims, study, causes) = paper();
    assert_eq!(claims.len(), 224);
    let text = |claim: &Claim, key: &str| claim.measure.get(key).and_then(Value::as_str).map(str::to_owned);
    for claim in &claims {
        let form = measure::FORMS.into_iter().find_map(|form| Some((form, text(claim, form)?)));
        let (form, word) = form.unwrap_or_else(|| panic!("{}: {}", claim.id, claim.measure));
        match form {
            "call" => assert!(functions::find(&word).is_some(), "{}: no function {word}", claim.id),
            "test" => {
                let (file, name) = word.split_once("::").expect("file::name");
                let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).expect(file);
                assert!(source.contains(&format!("fn {name}()")), "{}: no test {word}", claim.id);
            }
            "not_testable" => assert!(word.len() > 20, "{}: why?", claim.id),
            _ => assert!(text(claim, "of").is_some() && text(claim, "mixes").is_some(), "{}", claim.id),
        }
        let mixes = text(claim, "mixes").map_or(Vec::new(), |name| study.mixes(&name));
        assert!(mixes.iter().flatten().all(|kernel| study.kernels().contains(kernel)), "{}: {mixes:?}", claim.id);
        for scheme in ["of", "over"].into_iter().filter_map(|key| text(claim, key)) {
            let name = scheme.split([' ', '(']).next().unwrap_or("");
            let known = study.schemes.contains_key(name) || ["alone", "fixed", "NBI", "DBI"].contains(&name);
            assert!(known, "{}: {scheme}", claim.id);
        }
    }
    for function in functions::FUNCTIONS {
        assert!(claims.iter().any(|claim| text(claim, "call").as_deref() == Some(function.0)), "nobody calls {}", function.0);
    }
    for id in causes.claims.keys() {
        assert!(claims.iter().any(|claim| claim.id == *id), "a cause for {id}, which is no claim");
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
    let quick = Study::read(PAPERS[0].2, "quick").unwrap();
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
gpu = "tiny-2sm"
seed = 3
sets_seed = 1
also = []
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
measure = { call = "oversubscribed", of = "even", mixes = "BP+CFD" }
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tmp/reproduce").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn reproduce(out: &Path) -> (String, Vec<Outcome>) {
    let claims = ledger::read(CLAIMS).unwrap();
    let store = Store::open(out, "quick", "test").unwrap();
    let mut lab = Lab::new(Study::read(STUDY, "quick").unwrap(), store);
    let judged = rounds(&mut lab, 2, |lab| claims.iter().map(|claim| Judged::new(claim, measure(lab, &claim.measure))).collect::<Vec<_>>());
    let judged = judged.unwrap_or_else(|failure| panic!("{failure:?}"));
    Report { lab: &lab, judged: &judged, figures: &[], runs: &[], causes: &Causes::default(), lengths: &[] }.write(out).unwrap();
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
            run.set_ipc_alone(kernel, alone.ipc(sim_core::describe::ids::KernelId(0)).unwrap());
        }
        lookup(&run.result(), "metrics.hspeedup").unwrap()
    };
    let store = Store::open(&out, "quick", "test").unwrap();
    let lab = Lab::new(Study::read(STUDY, "quick").unwrap(), store);
    let best = lab.run(&vec!["BP".into(), "CFD".into()], "cta-oracle", "hspeedup", Detail::Full).unwrap();
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

#[test]
fn a_scheme_that_does_not_exist_is_an_error() {
    let store = Store::open(&folder("unknown"), "quick", "test").unwrap();
    let mut lab = Lab::new(Study::read(&STUDY.replace("\"even\" }", "\"evener\" }"), "quick").unwrap(), store);
    let failed = rounds(&mut lab, 1, |lab| lab.value(&vec!["BP".into(), "CFD".into()], "even", "hspeedup"));
    assert!(matches!(&failed, Err(Failure::Input(problems)) if problems.to_string().contains("evener")), "{failed:?}");
}
