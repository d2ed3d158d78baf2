//! The papers' own files: claims, causes, rules, mixes and figures, each paper's arithmetic.

use super::*;

fn ikra() -> &'static Paper {
    PAPERS.iter().find(|paper| paper.name == "ikra").unwrap()
}

fn paper() -> (Vec<Claim>, Study, Causes) {
    let paper = &PAPERS[0];
    (claims::read(paper.claims).unwrap().claims, Study::read(paper.study, "full").unwrap(), Causes::read(paper.causes).unwrap())
}

/// Does every claim of every paper say what measures it, in words that exist?
#[test]
fn every_claim_has_a_measure_or_a_reason() {
    for paper in PAPERS {
        let ledger = claims::read(paper.claims).unwrap();
        let claims = &ledger.claims;
        let measures = measures_of(paper, paper.study, &folder(&format!("forms-{}", paper.name)), "full");
        let check = |id: &str, words: &Value| {
            measures.check(words).unwrap_or_else(|what| panic!("{id}: {what}"));
            named(&measures, id, words);
        };
        for claim in claims {
            check(&claim.id, &claim.measure);
            claim.needs.iter().filter(|need| need.claim.is_none()).for_each(|need| check(&claim.id, &need.measure));
        }
        figures::read(paper.figures).unwrap();
        for table in &measures.runs.study.tables {
            table.measures().iter().flatten().flatten().for_each(|words| check(&table.id, words));
        }
        for function in paper.code.functions {
            let call = format!("\"call\":\"{}\"", function.0);
            let words = format!("call = \"{}\"", function.0);
            let rival = format!(" = \"{}\"\n", function.0);
            let of_others = [paper.figures, paper.study].iter().any(|text| text.contains(&words)) || paper.study.contains(&rival);
            let called = of_others || claims.iter().any(|claim| claim.measure.to_string().contains(&call));
            assert!(called, "no claim, table or figure calls {}", function.0);
        }
    }
    assert_eq!(paper().0.len(), 224);
}

/// Is every cause about claims, and one that was tested by a command that there is? Nothing in between: no guess passes for what is known.
#[test]
fn a_cause_is_tested_by_a_command_or_says_that_it_is_not() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for paper in PAPERS {
        let (ledger, causes) = (claims::read(paper.claims).unwrap(), Causes::read(paper.causes).unwrap());
        let (study, drawn) = (Study::read(paper.study, "full").unwrap(), figures::read(paper.figures).unwrap());
        let is_claim = |id: &str| ledger.claims.iter().any(|claim| claim.id == id);
        assert!(!paper.causes.to_lowercase().contains("probabl"), "{}: a guess", paper.name);
        template::check(&causes, &ledger.claims, &study.tables).unwrap();
        for cause in causes.causes.iter().chain(&causes.contradictions) {
            assert!(cause.claims.iter().all(|id| is_claim(id)), "a cause for what is no claim: {:?}", cause.claims);
            let Some(command) = &cause.tested else { continue };
            let words: Vec<&str> = command.split(' ').filter(|word| *word != "--paper" && *word != paper.name).collect();
            let named = command.contains(&format!("reproduce --paper {} --", paper.name));
            assert!(named || paper.name == PAPERS[0].name || words[1] != "reproduce", "of another paper: {command}");
            let is_table = |id: &str| study.tables.iter().any(|table| table.id == id);
            // What a change puts in the place of a field may stand in a file.
            let is_change = |change: &str| change.split_once("=@").is_none_or(|(_, file)| root.join(file).exists());
            let exists = match words[..] {
                ["corun", "reproduce", "--table", id] => is_table(id),
                ["corun", "reproduce", "--figure", id] => drawn.iter().any(|figure| figure.id == id),
                ["corun", "reproduce", "--claim", id] => is_claim(id),
                ["corun", "reproduce", "--claim", id, "--set", change, "--out", _] => is_claim(id) && is_change(change),
                ["corun", "run" | "sweep" | "oracle", file, ..] => root.join(file).exists(),
                ["cargo", "xtask", "study", name] => root.join("studies").join(name).is_dir(),
                _ => false,
            };
            assert!(exists, "no such command: {command}");
        }
    }
    let read = |text: &str| Causes::read(text).map(|causes| causes.causes.len()).map_err(|problems| problems.0[0].path.clone());
    assert_eq!(read("[[cause]]\nsays = \"s\"\nclaims = [\"a\"]"), Ok(1));
    assert_eq!(read("[[cause]]\nsays = \"s\"\nclaims = []"), Err("cause[0]".into()));
    assert_eq!(read("[[cause]]\nsays = \"s\"\nclaims = [\"a\"]\ntested = true"), Err("cause[0]".into()));
}

/// Are the claims that fail in the shipped reports those that are known to fail, no more and no fewer?
#[test]
fn what_fails_is_known_to_fail() {
    for paper in PAPERS {
        let (ledger, causes) = (claims::read(paper.claims).unwrap(), Causes::read(paper.causes).unwrap());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/reports/{}/verdicts.toml", paper.name));
        let said = verdicts::read(&std::fs::read_to_string(file).unwrap());
        let failed = |claim: &&Claim| said.get(&claim.id).is_some_and(|verdict| verdict.fails());
        let failing: BTreeMap<&str, bool> =
            ledger.claims.iter().filter(failed).map(|claim| (claim.id.as_str(), claim.is_result())).collect();
        assert!(!failing.is_empty());
        assert_eq!(causes.are_all_that_fails(&failing), Ok(()), "{}", paper.name);
    }
    let wrong = |text| Causes::read(text).unwrap_err().0[0].path.clone();
    assert_eq!([wrong("unexplained = \"a\""), wrong("unexplained = [1]")], ["unexplained", "unexplained"]);
    let causes = Causes::read("unexplained = [\"a\"]\n[[cause]]\nsays = \"s\"\nclaims = [\"b\"]").unwrap();
    let found =
        |failing: &[(&str, bool)]| causes.are_all_that_fails(&failing.iter().copied().collect()).map_err(|problems| problems.to_string());
    assert_eq!(found(&[("a", true), ("b", false), ("calibration", false)]), Ok(()));
    assert_eq!(found(&[("b", true)]), Err("causes.toml: found a, which holds, want claims that fail: take it off the list".into()));
    assert_eq!(
        found(&[("a", true), ("b", true), ("c", true)]),
        Err("causes.toml: found nothing of c, which fails, want its cause, or its id under unexplained".into())
    );
}

/// Is every rule that decides how a claim comes out among those of its paper, and does it decide of any?
#[test]
fn every_rule_is_known_and_decides() {
    for paper in PAPERS {
        let (ledger, study) = (claims::read(paper.claims).unwrap(), Study::read(paper.study, "full").unwrap());
        let first = |rule: &str| study.report.calibration.contains_key(rule) && ledger.rules.iter().all(|other| other.name != rule);
        for claim in &ledger.claims {
            for rule in claim.rules() {
                assert!(ledger.rules.iter().any(|other| other.name == rule) || first(rule), "{}: no rule {rule:?}", claim.id);
            }
        }
        for rule in &ledger.rules {
            assert!(ledger.claims.iter().any(|claim| claim.rules().contains(&rule.name.as_str())), "{:?} decides of no claim", rule.name);
        }
        let calibrations = ledger.claims.iter().filter(|claim| !claim.is_result());
        assert!(calibrations.into_iter().all(|claim| study.report.calibration.contains_key(&claim.calibration)));
    }
}

/// A quote of nothing is a problem before anything runs.
#[test]
fn a_quote_names_a_claim_or_a_field_of_a_table() {
    let (claims, study, mut causes) = paper();
    let table = &study.tables[0].id;
    let wrong = ["{gian}".to_owned(), format!("{{{table}/no row/no column}}"), "{0.5}".to_owned()];
    causes.summary = format!("{} and {}", wrong.join(", "), "{abs-hs-vs-ws:2}");
    let problems = template::check(&causes, &claims, &study.tables).unwrap_err();
    let found: Vec<&str> = problems.0.iter().map(|problem| problem.found.as_str()).collect();
    assert_eq!(found, wrong);
    assert!(problems.0.iter().all(|problem| problem.path == "causes.toml: summary"));
}

/// Are all tests, kernels and schemes that a measure and its parts name there?
fn named(measures: &Measures, id: &str, words: &Value) {
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
    for name in texts("mixes") {
        let mixes = measures.runs.study.mixes.named(&name);
        let unknown =
            mixes.iter().flatten().find(|kernel| !measures.runs.study.mixes.kernels().iter().any(|known| *known == split_goal(kernel).0));
        assert_eq!(unknown, None, "{id}: {name}");
    }
    for scheme in ["of", "over", "under"].into_iter().flat_map(texts) {
        let name = scheme.split([' ', '(']).next().unwrap_or("");
        assert!(measures.runs.study.schemes.contains_key(name) || ["alone", "fixed"].contains(&name), "{id}: {scheme}");
    }
    for part in ["ratio", "min", "max", "mean", "geomean", "holds"].into_iter().filter_map(|form| words.get(form)) {
        let Value::Array(parts) = part else { panic!("{id}: {part}") };
        parts.iter().for_each(|part| named(measures, id, part));
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
        .map(|name| study.mixes.named(name).len());
    assert_eq!(counts, [10, 20, 20, 40, 16, 66, 56, 12, 40, 40]);
    let mut pairs = study.mixes.named("pairs");
    pairs.iter_mut().for_each(|pair| pair.sort());
    pairs.sort();
    pairs.dedup();
    assert_eq!(pairs.len(), 66, "a pair twice");
    let again = paper().1;
    assert_eq!((study.mixes.named("triples"), study.mixes.named("quads")), (again.mixes.named("triples"), again.mixes.named("quads")));
    let quick = Study::read(PAPERS[0].study, "quick").unwrap();
    assert!(["LS+LS", "LS+NBI", "LS+DBI", "NBI+DBI"].iter().all(|kind| (1..=5).contains(&quick.mixes.named(kind).len())));
    let some = study.mixes.named("some bandwidth");
    assert!((10..=20).contains(&some.len()));
    let mut kernels: Vec<&String> = some.iter().flatten().collect();
    kernels.sort();
    kernels.dedup();
    assert_eq!(kernels.len(), 13, "{some:?}");
    assert_eq!(study.mixes.named("HG+LBM+SAD"), [["HG", "LBM", "SAD"]]);
}

/// 10 × 9 pairs and twice 60 roles of three kernels, each at ten goals; every kernel has a goal as often as any other, also in the quick
/// study.
#[test]
fn the_cases_are_the_qos_papers() {
    let of = |mode: &str| Study::read(PAPERS.iter().find(|paper| paper.name == "qos").unwrap().study, mode).unwrap();
    let study = of("full");
    assert_eq!(["pairs", "trios1", "trios2", "wide"].map(|kind| study.mixes.named(kind).len()), [900, 600, 600, 180]);
    let goals = |mix: &Mix| mix.iter().filter(|kernel| kernel.contains('@')).count();
    for (kind, promised, each) in [("pairs", 1, 90), ("trios1", 1, 60), ("trios2", 2, 120)] {
        let mixes = study.mixes.named(kind);
        assert_eq!(mixes.iter().collect::<std::collections::BTreeSet<_>>().len(), mixes.len(), "{kind}: a case twice");
        assert!(mixes.iter().all(|mix| goals(mix) == promised), "{kind}");
        for kernel in study.mixes.kernels() {
            assert_eq!(study.mixes.named(&format!("{kind} for {kernel}")).len(), each, "{kind} for {kernel}");
        }
    }
    assert_eq!(["C+C", "C+M", "M+M"].map(|classes| study.mixes.named(&format!("pairs of {classes}")).len()), [200, 500, 200]);
    assert_eq!(["regular", "irregular"].map(|group| study.mixes.named(group).len()), [540, 360]);
    for mode in [of("quick"), of("sample"), of("full")] {
        for (kind, goals) in [("pairs", 50..100), ("trios1", 50..100), ("trios2", 25..75), ("wide", 50..100)] {
            let at = |goal: i32| mode.mixes.named(&format!("{kind}@{goal}")).len();
            let counts: Vec<usize> = goals.step_by(5).map(at).collect();
            assert!(counts[0] > 0 && counts.iter().all(|count| *count == counts[0]), "{kind}: {counts:?}");
            let counts: Vec<usize> =
                mode.mixes.kernels().iter().map(|kernel| mode.mixes.named(&format!("{kind} for {kernel}")).len()).collect();
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 2, "{kind}: {counts:?}");
        }
    }
}

/// 100 groups of 2 to 6 kernels with 400 kernels in all, on SMs of their own, and the seven experiments of Table 3. Shorter studies run
/// some of these groups, as many of each size.
#[test]
fn the_groups_are_the_latency_papers() {
    let of = |mode: &str| Study::read(PAPERS.iter().find(|paper| paper.name == "latency").unwrap().study, mode).unwrap();
    let (full, sample, quick) = (of("full"), of("sample"), of("quick"));
    let groups = full.mixes.named("random");
    assert_eq!((groups.len(), groups.iter().map(Vec::len).sum::<usize>()), (100, 400));
    for group in &groups {
        let kernels: Vec<(&str, u32)> = group.iter().map(|kernel| split_sms(kernel)).map(|of| (of.0, of.1.unwrap())).collect();
        let names: std::collections::BTreeSet<&str> = kernels.iter().map(|of| of.0).collect();
        assert!((2..=6).contains(&names.len()) && names.len() == group.len(), "{group:?}");
        assert!(
            kernels.iter().all(|of| [5, 10, 15, 20, 25].contains(&of.1)) && kernels.iter().map(|of| of.1).sum::<u32>() <= 30,
            "{group:?}"
        );
    }
    assert!(full.mixes.kernels().iter().all(|name| groups.iter().flatten().filter(|kernel| split_sms(kernel).0 == name).count() > 30));
    for (study, each) in [(&sample, 4), (&quick, 1)] {
        assert!(study.mixes.named("random").iter().all(|group| groups.contains(group)));
        assert_eq!((2..=6).map(|size| study.mixes.named(&format!("random by {size}")).len()).collect::<Vec<_>>(), [each; 5]);
        assert_eq!(study.mixes.all_partitions("random"), groups);
    }
    assert_eq!(
        [full.mixes.named("every"), full.mixes.named("experiments by 2"), full.mixes.named("memory:5")].map(|mixes| mixes.len()),
        [107, 4, 3]
    );
    assert_eq!(
        (full.mixes.named("all:30").len(), full.mixes.named("VADD:5+COPY:20")[0].clone()),
        (8, vec!["VADD:5".to_owned(), "COPY:20".to_owned()])
    );
}

/// 36 mixes of a thick and a lean kernel, 30 of two alike, and 50 of the 310 sets of four, none of them of one class; also the shorter
/// studies have every kernel.
#[test]
fn the_mixes_are_the_hetero_papers() {
    let of = |mode: &str| Study::read(hetero().study, mode).unwrap();
    let study = of("full");
    assert_eq!(
        ["het", "hom", "thick+thick", "lean+lean", "all", "quads"].map(|kind| study.mixes.named(kind).len()),
        [36, 30, 15, 15, 66, 50]
    );
    let sorted = |mixes: Vec<Mix>| {
        let sorted = mixes.into_iter().map(|mix| mix.into_iter().collect::<std::collections::BTreeSet<_>>());
        sorted.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!((sorted(study.mixes.named("all")).len(), sorted(study.mixes.named("quads")).len()), (66, 50), "one twice");
    assert_eq!(study.mixes.named("quads"), of("full").mixes.named("quads"));
    for quad in study.mixes.named("quads") {
        let classes: Vec<&str> = quad.iter().map(|kernel| study.mixes.class_of(kernel)).collect();
        assert!(quad.len() == 4 && classes.contains(&"thick") && classes.contains(&"lean") && !quad.iter().any(|kernel| kernel == "BTREE"));
    }
    for mode in ["sample", "full"].map(of) {
        for (kind, all) in [("some all", 12), ("few het", 12)] {
            assert_eq!(mode.mixes.named(kind).concat().into_iter().collect::<std::collections::BTreeSet<_>>().len(), all, "{kind}");
        }
        assert_eq!(mode.mixes.named("all").len(), 66);
    }
    let quick = of("quick");
    assert!(["thick+lean", "thick+thick", "lean+lean"].iter().all(|kind| quick.mixes.named(kind).len() >= 5));
}

/// What HeteroCore's own code makes of runs is what their results by themselves say.
#[test]
fn gaps_and_losses_are_told_from_the_mixes() {
    let study = STUDY.replace("groups = {}", "groups = { all = [\"BP+CFD\", \"BP+SAD\", \"CFD+SAD\"] }");
    let mut measures = measures_of(hetero(), &study, &folder("gaps"), "quick");
    let mixes = measures.runs.study.mixes.named("all");
    let schemes = ["fixed(1, 1)", "even", "ws"];
    let stp = rounds(&mut measures, 2, |measures| schemes.map(|scheme| measures.runs.all(&mixes, scheme, "wspeedup"))).unwrap();
    let [of, under, over] = stp.map(Option::unwrap);
    let mut call = |words: &str| {
        let words = format!(r#"{{"of": "fixed(1, 1)", "under": "even", "over": "ws", "mixes": "all", {words}}}"#);
        match rounds(&mut measures, 2, |measures| measures.measure(&serde_json::from_str(&words).unwrap())).unwrap() {
            Outcome::Value(value) => value,
            other => panic!("{other:?}"),
        }
    };
    let gaps: Vec<f64> = (0..3).map(|i| 100.0 * (under[i] - of[i]) / over[i]).collect();
    let near = |found: Option<f64>, wanted: f64| assert!((found.unwrap() - wanted).abs() < 1e-9, "{found:?}, want {wanted}");
    near(call(r#""call": "gap", "metric": "wspeedup", "pick": "mean""#), (gaps.iter().sum::<f64>() / 3.0).max(0.0));
    let worst = (0..3).max_by(|a, b| gaps[*a].total_cmp(&gaps[*b])).unwrap();
    near(call(r#""call": "gap", "metric": "wspeedup", "pick": "worst""#), gaps[worst]);
    near(call(r#""call": "gap", "metric": "wspeedup", "pick": "at_worst""#), 100.0 * (of[worst] / over[worst] - 1.0));
    let lost: Vec<f64> = (0..3).filter(|i| under[*i] / over[*i] < 0.99).map(|i| of[i] / under[i]).collect();
    let found = call(r#""call": "where_lost", "lost": "wspeedup""#);
    assert_eq!(found.is_none(), lost.is_empty());
    if !lost.is_empty() {
        near(found, lost.iter().product::<f64>().powf(1.0 / lost.len() as f64));
    }
}

/// The arithmetic of HeteroCore's protocol: 66 pairs, 465 sets of four that are not of one class and 310 without one kernel, 16 + 1 SMs.
#[test]
fn counts_and_areas_are_the_hetero_papers() {
    let measures = measures_of(hetero(), hetero().study, &folder("counts"), "full");
    let call = |words: &str| match measures.measure(&serde_json::from_str(words).unwrap()) {
        Outcome::Value(value) => value.map(|value| (value * 1e6).round() / 1e6),
        other => panic!("{other:?}"),
    };
    assert_eq!(call(r#"{"call": "count", "kernels": 2}"#), Some(66.0));
    assert_eq!(call(r#"{"call": "count", "kernels": 4, "mixed": true}"#), Some(465.0));
    assert_eq!(call(r#"{"call": "count", "kernels": 4, "mixed": true, "without": ["BTREE"]}"#), Some(310.0));
    assert_eq!(call(r#"{"call": "area", "what": "pair", "big": 6.9, "small": -3.1}"#), Some(3.8));
    assert_eq!(call(r#"{"call": "area", "what": "seventeenth"}"#), Some(6.2));
    assert_eq!(call(r#"{"call": "profile_length"}"#), Some(40_000.0));
    assert_eq!(call(r#"{"call": "size", "on": "hetero-4b12s big", "what": "shared_kb"}"#), Some(96.0));
    assert_eq!(call(r#"{"call": "residency", "kernel": "FDTD3D", "on": "hetero-8b8s small"}"#), Some(1.0));
}

/// What IKRA's own code makes of runs is what their results by themselves say: of several schemes and mixes, of two groups of mixes, of
/// other caches, of parts of a whole.
#[test]
fn quotients_differences_and_sizes_are_told_from_the_runs() {
    let study = STUDY
        .replace("groups = {}", "groups = { all = [\"BP\", \"CFD\", \"SAD\"] }")
        .replace("modifiers = {", "once = true\nmodifiers = { l1 = \"gpu.sm.l1.bytes\", bank = \"gpu.l2.bank_bytes\",");
    let mut measures = measures_of(ikra(), &study, &folder("quotients"), "quick");
    let mixes = measures.runs.study.mixes.named("all");
    let path = "kernels[0].counters.l1_reads";
    let schemes = ["fixed(1)", "fixed(2)", "even"];
    let reads =
        rounds(&mut measures, 2, |measures| schemes.map(|scheme| measures.runs.all(&mixes, scheme, path))).unwrap().map(Option::unwrap);
    let mut call = |words: &str| {
        let words = format!(r#"{{"metric": "{path}", {words}}}"#);
        match rounds(&mut measures, 2, |measures| measures.measure(&serde_json::from_str(&words).unwrap())).unwrap() {
            Outcome::Value(value) => value.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let quotients = |scheme: usize| (0..3).map(|mix| reads[scheme][mix] / reads[2][mix]).collect::<Vec<f64>>();
    let (one, two) = (quotients(0), quotients(1));
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-9, "{found}, want {wanted}");
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    assert!(one.iter().any(|value| *value != 1.0) && one != two, "{one:?} {two:?}");
    let both = r#""call": "matrix", "mixes": "all", "over": "even", "of": ["fixed(1)", "fixed(2)"]"#;
    near(call(&format!("{both}, \"pick\": \"spread\"")), 100.0 * (mean(&one) - mean(&two)).abs());
    near(call(&format!("{both}, \"pick\": \"slower\"")), one.iter().chain(&two).filter(|value| **value > 1.01).count() as f64);
    near(call(&format!("{both}, \"pick\": \"same\"")), one.iter().chain(&two).filter(|value| **value == 1.0).count() as f64 / 6.0);
    let best = (0..3).map(|mix| one[mix].min(two[mix])).reduce(f64::max).unwrap();
    near(call(&format!("{both}, \"pick\": \"best\"")), best);
    let rise = |mix: usize| reads[0][mix] - reads[2][mix];
    let found = call(r#""call": "difference", "of": "fixed(1)", "over": "even", "mixes": ["BP", "SAD"], "others": ["CFD"]"#);
    near(found, rise(0).min(rise(2)) / rise(1));
    let step = call(r#""call": "sizes", "mixes": "SAD", "of": "even", "pick": "step""#);
    let least = call(r#""call": "sizes", "mixes": "SAD", "of": "fixed(1)", "over": "even", "but": 16, "pick": "min""#);
    let parts = call(
        r#""call": "part", "mixes": "all", "of": "fixed(1)", "over": "even", "what": "kernels[0].counters.l1_hits", "whole": "kernels[0].counters.l1_reads""#,
    );
    let mut all = |mixes: &[Mix], scheme: &str, path: &str| {
        rounds(&mut measures, 2, |measures| measures.runs.all(mixes, scheme, path)).unwrap().unwrap()
    };
    let mut sized = |scheme: &str| {
        [16, 32, 64, 128, 256, 512].map(|kb| all(&mixes[2..], &format!("{scheme} l1={} bank={}", kb * 1024, kb * 2048), path)[0])
    };
    let (even, one) = (sized("even"), sized("fixed(1)"));
    near(step, (1..6).map(|size| even[size] / even[size - 1]).reduce(f64::max).unwrap());
    near(least, (1..6).map(|size| one[size] / even[size]).reduce(f64::min).unwrap());
    let hits = all(&mixes, "fixed(1)", "kernels[0].counters.l1_hits");
    near(parts, mean(&(0..3).map(|mix| hits[mix] / reads[2][mix]).collect::<Vec<f64>>()));
}

fn hetero() -> &'static Paper {
    PAPERS.iter().find(|paper| paper.name == "hetero").unwrap()
}

/// Studies of single parameters run a few cases: all goals and all kernels with one as often as each other, not the goals that a step
/// happens to fall on.
#[test]
fn a_few_cases_are_spread_evenly_over_kernels_and_goals() {
    for mode in ["quick", "sample", "full"] {
        let study = Study::read(PAPERS.iter().find(|paper| paper.name == "qos").unwrap().study, mode).unwrap();
        for (kind, goals) in [("few pairs", 50..100), ("some pairs", 50..100), ("few trios1", 50..100), ("few trios2", 25..75)] {
            let few = study.mixes.named(kind);
            let wanted = if kind.starts_with("few") { study.mode.few } else { study.mode.some };
            assert_eq!(few.iter().collect::<std::collections::BTreeSet<_>>().len(), wanted, "{mode}, {kind}");
            let at = |goal: i64| few.iter().filter(|mix| split_goal(&mix[0]).1 == Some(goal)).count();
            let with = |kernel: &String| {
                few.iter().flatten().filter(|name| split_goal(name) == (kernel, split_goal(name).1) && name.contains('@')).count()
            };
            let even = |counts: Vec<usize>, by: usize| {
                assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= by, "{mode}, {kind}: {counts:?}");
            };
            even(goals.step_by(5).map(at).collect(), 1);
            even(study.mixes.kernels().iter().map(with).collect(), 2);
        }
    }
}

/// Every number of a result replaced by one that follows from the run and the place: what is measured can then be told without running.
fn made_up(value: &Value, path: &str, key: u64) -> Value {
    use sim_core::describe::rng::mix;
    let child = |name: &str| format!("{path}.{name}");
    match value {
        _ if path.ends_with(".start") || path == ".measured_from" => value.clone(),
        // A kernel that has not ended in the short run has no end there; in a study where kernels run once, each has one.
        Value::Null if [".finished_at", ".finished_at_ms", ".launches_took"].iter().any(|end| path.ends_with(end)) => {
            made_up(&Value::Int(0), path, key)
        }
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
    let kernels = match run.experiment.get("kernels") {
        Some(Value::Array(kernels)) => kernels.len(),
        _ => 0,
    };
    let shape = shapes.entry(kernels).or_insert_with(|| {
        let value = Value::object([
            ("corun", Value::from(1)),
            ("gpu", "tiny-2sm".into()),
            ("kernels", Value::array(vec!["ccbp/BP"; kernels])),
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
        let (ledger, plans) = (claims::read(paper.claims).unwrap(), figures::read(paper.figures).unwrap());
        let claims = &ledger.claims;
        let store = Store::open(&folder(&format!("made-up-{}", paper.name)), "quick", "test", "today").unwrap();
        let mut measures = Measures::new(Study::read(paper.study, "quick").unwrap(), store, paper.code);
        let mut shapes = BTreeMap::new();
        for round in 0.. {
            // What is counted from descriptions needs no runs, and takes a minute for all programs.
            let measured = claims.iter().filter(|claim| !claim.measure.to_string().contains("\"described\""));
            let outcomes: Vec<_> = measured.map(|claim| (claim, Judgement::of(&measures, &ledger, claim).outcome)).collect();
            let (mut all, placed) = figures::all(&measures, &plans, claims);
            let tables: Vec<_> = measures.runs.study.tables.iter().map(|table| tables::fill(table, &measures)).collect();
            let means: Vec<_> = report::goal(&measures).into_iter().flat_map(|(.., means)| means).collect();
            measures.runs.check().unwrap();
            let wanted = measures.runs.results.take_missing();
            assert!(round < MOST_ROUNDS, "{} runs are still missing", wanted.len());
            if wanted.is_empty() {
                let missing = outcomes.iter().filter(|(claim, outcome)| {
                    // A sample of the pairs need not have every kernel, nor any two alike, nor any in which something holds.
                    let words = claim.measure.to_string();
                    *outcome == Outcome::Value(None)
                        && ["decided", "alike", "where"].iter().all(|key| !words.contains(&format!("\"{key}\"")))
                });
                assert_eq!(missing.map(|(claim, _)| &claim.id).collect::<Vec<_>>(), Vec::<&String>::new());
                figures::fill(&mut all, &measures.runs.results, &placed);
                // Made-up results have none of the decisions that schemes take.
                let decided = |table: &Table| table.measures().iter().flatten().flatten().any(|words| words.get("decided").is_some());
                let empty = tables
                    .iter()
                    .zip(&measures.runs.study.tables)
                    .filter(|(table, plan)| !decided(plan) && table.rows.iter().flatten().flatten().any(Option::is_none));
                assert_eq!(empty.map(|(_, table)| &table.id).collect::<Vec<_>>(), Vec::<&String>::new());
                assert!(means.iter().all(Option::is_some));
                figures::sort(&mut all, &plans, claims);
                for figure in &all {
                    assert!(!figure.points.is_empty() && figure.points.iter().all(|point| point.value.is_some()), "{}", figure.id);
                    let mut problems = Problems::default();
                    let read = Figure::decode(&figure.encode(), &figure.id, &mut problems);
                    assert_eq!((read.as_ref(), problems.0.len()), (Some(figure), 0), "the page reads what is written: {problems}");
                }
                break;
            }
            let results = wanted.iter().map(|(key, run)| (key.clone(), invented(key, run, &mut shapes)));
            measures.runs.results.add(results.collect());
        }
    }
}
