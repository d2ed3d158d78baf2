//! How runs, searches, judgements, figures and reports work, on a paper of a few lines; [`papers`] has what the papers' own files must
//! keep.

mod papers;

use super::measures::{Code, Measures, Outcome};
use super::paper::claims::{self, Claim, Verdict};
use super::paper::mix::{Mix, counted, split_goal, split_sms};
use super::paper::spaces::Space;
use super::paper::study::Study;
use super::paper::tables::Table;
use super::report::causes::Causes;
use super::report::{self, Report, figures, tables, template, verdicts};
use super::runs::{Detail, Run, Store};
use super::verdict::{Judgement, counts, number};
use crate::catalogue::{PAPERS, Paper};
use crate::reproduction::{MOST_ROUNDS, rounds};
use corun_lab::Failure;
use sim_core::describe::digest::with_check;
use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::study::figure::{Figure, lookup};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// One claim that holds: SAD issues something.
const ONE: &str = r#"
[[claim]]
id = "issues"
section = "1"
statement = "It issues"
value = 1
unit = "sign"
kind = "direction"
neutral = 0
measure = { level = "kernels[1].ipc", of = "even", mixes = "BP+SAD" }
"#;

const RULES: &str = r#"
[rule.reason]
says = "r"
since = "2026-11-22"
commit = "a"
[rule.noise]
says = "n"
since = "2026-11-22"
commit = "a"
"#;

/// A claim that passes, but not for its own reason or by no more than noise, does not pass; and the totals without these rules are told.
#[test]
fn a_claim_passes_for_its_reason_and_by_more_than_noise_or_not_at_all() {
    let folder = folder("reasons");
    let judge = |more: &str| {
        let ledger = claims::read(&format!("{ONE}{more}\n{RULES}")).unwrap();
        let mut measures = measures_of(&SMALL, STUDY, &folder, "quick");
        let judgements =
            |measures: &Measures| ledger.claims.iter().map(|claim| Judgement::of(measures, &ledger, claim)).collect::<Vec<_>>();
        let judgements = rounds(&mut measures, 2, judgements).unwrap();
        let rules: [&[&str]; 4] = [&[], &["reason"], &["noise"], &["reason", "noise"]];
        let totals = rules.map(|without| counts(&judgements, "direction", without));
        (judgements[0].objection(), totals.map(|counts| counts[Verdict::Reproduced as usize]))
    };
    let need = |bound: &str| {
        let measure = r#"{ level = "hspeedup", of = "even", mixes = "BP+CFD" }"#;
        format!("needs = [{{ says = \"it is fast\", measure = {measure}, {bound} }}]")
    };
    assert_eq!(judge(""), (None, [1, 1, 1, 1]));
    assert_eq!(judge(&need("above = 0.0001")), (None, [1, 1, 1, 1]));
    let (objection, totals) = judge(&need("above = 9"));
    assert_eq!(totals, [0, 1, 0, 1]);
    assert!(objection.is_some_and(|text| text.starts_with("Its reason does not hold: it is fast: 0.")));
    // The same seed again makes no difference; other kernels make one that is larger than what there is.
    assert_eq!(judge("noise = [\"seed=3\"]"), (None, [1, 1, 1, 1]));
    let (objection, totals) = judge("noise = [\"arithmetic=9\"]");
    assert_eq!(totals, [0, 0, 1, 1], "{objection:?}");
    assert!(objection.is_some_and(|text| text.starts_with("No more than noise: it moves by ")));
}

/// Modifiers of the machine hold for the kernels alone, for what is filled in and for a search too; others for the policy alone.
#[test]
fn a_machine_is_changed_for_every_run_on_it() {
    let mut measures = measures_of(&SMALL, STUDY, &folder("machines"), "quick");
    let mix: Mix = vec!["BP".into(), "CFD".into()];
    let run = |measures: &mut Measures, scheme: &str| {
        rounds(measures, 2, |measures| measures.runs.run(&mix, scheme, "hspeedup", Detail::Full)).unwrap().unwrap()
    };
    let at = |run: &Run, path: &str| run.experiment.get("policy").and_then(|policy| policy.get(path)).cloned().unwrap_or_default();
    let (plain, slow) = (run(&mut measures, "ws"), run(&mut measures, "ws gpu.dram.latency=900 gto"));
    assert_ne!(at(&plain, "curves"), at(&slow, "curves"), "curves of another machine");
    assert_eq!(slow.experiment.get("warp_order"), Some(&"gto".into()));
    assert_eq!(run(&mut measures, "ws queue=64").experiment.get("gpu").and_then(|gpu| gpu.get("sm.l1.miss_queue")), Some(&64.into()));
    let other = run(&mut measures, "ws gpu.dram.latency=900 gpu=ccbp-16sm").experiment.get("gpu").cloned().unwrap();
    assert_eq!(
        ["preset", "dram.latency"].map(|key| other.get(key)),
        [Some(&"ccbp-16sm".into()), Some(&900.into())],
        "a change of another GPU"
    );
    for scheme in ["cta-oracle launches=1", "fixed(1, 1) launches=1", "even launches=1"] {
        let cut = run(&mut measures, scheme);
        let kernels = Experiment::decode(&cut.experiment).unwrap().kernels;
        assert!(kernels.iter().all(|used| used.kernel.launches.len() == 1), "{scheme}");
        assert_eq!(cut.mix(), mix);
    }
    let ipc = |measures: &mut Measures, scheme: &str| {
        rounds(measures, 2, |measures| measures.runs.value(&mix, scheme, "kernels[1].ipc")).unwrap().unwrap()
    };
    let (normal, half) = (ipc(&mut measures, "alone"), ipc(&mut measures, "alone half gpu.dram.latency=900"));
    assert!(half < normal && ipc(&mut measures, "alone half") < normal && half != ipc(&mut measures, "alone half"));
    let refused = rounds(&mut measures, 1, |measures| measures.runs.value(&mix, "cta-oracle gto", "hspeedup"));
    assert!(matches!(&refused, Err(Failure::Input(problems)) if problems.to_string().contains("a search has no policy")), "{refused:?}");
}

/// One kernel may be changed, or another of its name stand for it, in every run that it is in and in no other.
#[test]
fn one_kernel_is_changed_at_a_time() {
    let mut measures = measures_of(&SMALL, STUDY, &folder("one-kernel"), "quick");
    let mut ipc = |scheme: &str, mix: [&str; 2]| {
        let mix: Mix = mix.map(str::to_owned).to_vec();
        rounds(&mut measures, 2, |measures| {
            ["even", "alone"].map(|of| measures.runs.value(&mix, &format!("{of} {scheme}"), "kernels[1].ipc"))
        })
        .unwrap()
    };
    let (plain, more) = (ipc("", ["BP", "SAD"]), ipc("SAD.arithmetic=9", ["BP", "SAD"]));
    assert!((0..2).all(|of| more[of] > plain[of]), "{plain:?} {more:?}");
    assert_eq!(ipc("SAD.arithmetic=9", ["BP", "CFD"]), ipc("", ["BP", "CFD"]));

    let mut other = sim_core::describe::kernel::library::find("ccbp/SAD").unwrap().with_arithmetic(9.0);
    other.title = "SAD as it was".into();
    let change = format!("SAD.kernel={}", other.encode().to_string().replace(' ', "\\u0020"));
    assert_eq!(ipc(&change, ["BP", "SAD"]), more);
    let run = measures.runs.run(&vec!["BP".into(), "SAD".into()], &format!("even {change}"), "hspeedup", Detail::Full).unwrap();
    assert_eq!(run.mix(), ["BP", "SAD"]);
}

/// The oracle's best of what two rungs leave is the best of all when the rungs leave all, and no run goes on that a rung left behind.
#[test]
fn a_search_goes_on_with_the_best_of_each_rung() {
    let best = |rungs: &str| {
        let study = STUDY.replace("combinations = [[100, 400, 2]]", &format!("combinations = {rungs}"));
        let mut measures = measures_of(&SMALL, &study, &folder("rungs"), "quick");
        let best = rounds(&mut measures, 2, |measures| {
            measures.runs.run(&vec!["CFD".into(), "SAD".into()], "cta-oracle", "hspeedup", Detail::Full)
        });
        (best.unwrap().unwrap().hash.clone(), measures.runs.results.known())
    };
    let (all, many, few) = (best("[[100, 400, 99]]"), best("[[100, 400, 99], [200, 600, 99]]"), best("[[100, 400, 3], [200, 600, 2]]"));
    assert_eq!(all.0, many.0);
    // Each length also has both kernels alone.
    let combinations = (all.1 - 4) / 2;
    assert!(combinations > 3, "{combinations}");
    assert_eq!((many.1, few.1), (3 * combinations + 6, combinations + 3 + 2 + 6));
}

/// Short rungs may lose the best combination. What a scheme settles for is a point of the same space, so that no scheme beats the search
/// with it.
#[test]
fn no_search_is_beaten_by_a_combination_of_its_own_space() {
    let study = STUDY.replace("[[100, 400, 2]], spatial", "[[10, 60, 1]], spatial");
    let mix: Mix = vec!["CFD".into(), "SAD".into()];
    let speedups = |study: &str, name: &str| {
        let mut measures = measures_of(&SMALL, study, &folder(name), "quick");
        let found =
            rounds(&mut measures, 2, |measures| ["cta-oracle", "ws"].map(|scheme| measures.runs.value(&mix, scheme, "hspeedup"))).unwrap();
        found.map(|speedup| speedup.unwrap())
    };
    let alone = speedups(&study, "beaten");
    assert!(alone[0] < alone[1], "rungs that find the best show nothing: {alone:?}");
    let both = speedups(&study.replace("\"combinations\" }", "\"combinations\", also = [\"ws\"] }"), "unbeaten");
    assert_eq!((both[0] >= both[1], both[1]), (true, alone[1]), "{both:?}");
}

/// A claim's row says on how many mixes it stands: those that were run for it.
#[test]
fn a_claim_tells_its_population() {
    let study = STUDY.replace("LS = [\"BP\"]", "LS = [\"BP\", \"PF\"]");
    let claims = CLAIMS.replace("mixes = \"BP+CFD\"", "mixes = \"LS+NBI\"");
    let ledger = claims::read(&claims).unwrap();
    let mut measures = measures_of(&SMALL, &study, &folder("population"), "quick");
    let judgements = |measures: &Measures| ledger.claims.iter().map(|claim| Judgement::of(measures, &ledger, claim)).collect::<Vec<_>>();
    let judgements = rounds(&mut measures, 2, judgements).unwrap();
    assert_eq!(judgements.iter().map(|judgement| judgement.population.len()).collect::<Vec<_>>(), [2, 2, 2]);
    assert_eq!(counted(&judgements[0].population), "2 mixes");
    let alone = rounds(&mut measures, 2, |measures| {
        let (value, asked) = measures.runs.results.watch(|| measures.runs.value(&vec!["PF".into()], "alone half", "kernels[0].ipc"));
        (value, counted(&asked.population()))
    });
    assert!(matches!(alone.unwrap(), (Some(_), text) if text == "1 kernel"));
    // Alike in nothing: no mix is left.
    let words: Value = serde_json::from_str(
        r#"{"gain": "hspeedup", "of": "ws", "over": "even", "mixes": "LS+NBI", "alike": "kernels[0].ipc", "by": -1.0}"#,
    )
    .unwrap();
    let none = rounds(&mut measures, 2, |measures| {
        let (outcome, asked) = measures.runs.results.watch(|| measures.measure(&words));
        (outcome, asked.population().len())
    });
    assert!(matches!(none.unwrap(), (Outcome::Value(None), 0)));
}

/// A table's field is the measure that its row, cell and column make together, on the row's machine.
#[test]
fn a_table_is_measures_by_row_cell_and_column() {
    let text = r#"
id = "t"
title = "T"
says = "S"
level = "hspeedup"
cells = [{ name = "even", of = "even" }, { name = "ws", of = "ws" }]
columns = [{ name = "pair", mixes = "BP+CFD" }]
rows = [{ name = "plain" }, { name = "other", with = "queue=64", instead = { ws = "ws gto" } }, { name = "own", measure = { peak = "noc" } }]
"#;
    let table = Table::of(&toml::from_str(text).unwrap()).unwrap();
    let words = table.measures();
    let of = |row: usize, cell: usize| words[row][0][cell].get("of").and_then(Value::as_str).unwrap().to_owned();
    assert_eq!([of(0, 0), of(0, 1), of(1, 0), of(1, 1)], ["even", "ws", "even queue=64", "ws gto queue=64"]);
    let mut measures = measures_of(&SMALL, STUDY, &folder("table"), "quick");
    let filled = rounds(&mut measures, 2, |measures| tables::fill(&table, measures)).unwrap();
    assert!(filled.rows.iter().flatten().flatten().all(Option::is_some), "{filled:?}");
    let text = tables::markdown(&table, &measures);
    assert!(text.contains("| even / ws | pair (1 mix) |") && text.contains("| other | 0."), "{text}");
}

/// The first section says what fails, by cause, and which printed figures contradict each other.
#[test]
fn the_report_begins_with_what_fails() {
    let causes = r#"
[[cause]]
says = "Too short: {gain:1}, in the table {t/even/pair:2}."
tested = "corun reproduce --claim gain"
claims = ["bursts", "gain"]
[[contradiction]]
says = "These two."
claims = ["curves", "gain"]
"#;
    let ledger = claims::read(&CLAIMS.replace("value = 1.1\n", "value = 99\n").replace("neutral = 0.05", "neutral = 2")).unwrap();
    let mut measures = measures_of(&SMALL, STUDY, &folder("first"), "quick");
    let table = r#"{ "id": "t", "title": "T", "says": "S", "gain": "hspeedup", "of": "cta-oracle", "over": "even", "rows": [{ "name": "even" }],
        "columns": [{ "name": "pair", "mixes": "BP+CFD" }] }"#;
    measures.runs.study.tables.push(Table::of(&serde_json::from_str(table).unwrap()).unwrap());
    let judgements = |measures: &Measures| ledger.claims.iter().map(|claim| Judgement::of(measures, &ledger, claim)).collect::<Vec<_>>();
    let judgements = rounds(&mut measures, 2, judgements).unwrap();
    assert_eq!(judgements[2].verdict, Verdict::Not);
    let out = folder("first-report");
    std::fs::create_dir_all(&out).unwrap();
    let mut causes = Causes::read(causes).unwrap();
    template::check(&causes, &ledger.claims, &measures.runs.study.tables).unwrap();
    template::fill(&mut causes, &judgements, &measures);
    Report {
        paper: "small",
        measures: &measures,
        judgements: &judgements,
        rules: &ledger.rules,
        figures: &[],
        placed: &[],
        causes: &causes,
        lengths: &[],
    }
    .write(&out)
    .unwrap();
    let report = std::fs::read_to_string(out.join("report.md")).unwrap();
    let first = report.split("## How it was run").next().unwrap();
    // What a cause quotes is what the report has measured.
    let Outcome::Value(Some(gain)) = judgements[0].outcome else { panic!("{:?}", judgements[0].outcome) };
    let quoted =
        format!("- Too short: {gain:.1}, in the table {gain:.2}. Tested: `corun reproduce --claim gain`. **gain** (paper 99, here ");
    assert!(first.contains(&quoted), "{first}");
    assert!(first.contains("**bursts**") && first.contains("- These two. Not tested. **gain**"), "{first}");
    // What it says of each claim is there as data.
    let said = verdicts::read(&std::fs::read_to_string(out.join("verdicts.toml")).unwrap());
    assert_eq!(said, judgements.iter().map(|judgement| (judgement.claim.id.clone(), judgement.verdict)).collect());
}

/// A mix with a kernel that needs more cycles is measured over more, and so are its kernels alone; studies of single parameters are not.
#[test]
fn mixes_are_as_long_as_the_neediest_of_their_kernels() {
    let measures =
        measures_of(&SMALL, &STUDY.replace("pairs = [[\"LS\", \"NBI\"]]", "pairs = [[\"LS\", \"DBI\"]]"), &folder("long"), "quick");
    let cycles = |run: &Run| lookup(&run.experiment, "stop.cycles").unwrap();
    let of = |names: [&str; 2], scheme: &str| {
        let run = measures.runs.run(&names.map(str::to_owned).to_vec(), scheme, "hspeedup", Detail::Full).unwrap();
        cycles(&run)
    };
    assert_eq!([of(["BP", "CFD"], "even"), of(["BP", "SAD"], "even"), of(["CFD", "SAD"], "fixed(1, 1) gto")], [1500.0, 3000.0, 3000.0]);
    assert_eq!([of(["BP", "SAD"], "even long=no"), of(["BP", "SAD"], "fixed(1, 1) queue=64 long=no")], [1500.0; 2]);
    let alone = ["", "long=no"].map(|machine| cycles(&measures.runs.alone("SAD", None, machine, Detail::Full).unwrap()));
    assert_eq!(alone, [3000.0, 1500.0]);
    let asked = |measures: &mut Measures, mixes: &str, scheme: &str| {
        let words = Value::object([("level", "kernels[1].ipc".into()), ("of", scheme.into()), ("mixes", Value::from(mixes))]);
        measures.measure(&words);
        measures.runs.results.take_missing().values().map(|run| cycles(run)).fold(0.0, f64::max)
    };
    let mut measures = measures;
    assert_eq!(["LS+DBI", "some LS+DBI", "few LS+DBI"].map(|mixes| asked(&mut measures, mixes, "even")), [3000.0, 1500.0, 1500.0]);
    measures.runs.study.short = vec!["LS+DBI".into()];
    assert_eq!(asked(&mut measures, "LS+DBI", "even"), 1500.0);
    measures.runs.study.short = vec!["fixed".into()];
    assert_eq!(["even", "fixed(1, 1) gto"].map(|scheme| asked(&mut measures, "LS+DBI", scheme)), [3000.0, 1500.0]);
    // A figure of each of them by itself.
    let plans = figures::read(r#"figure = [{ id = "f", title = "T", source = "S", kind = "bars", x = "", y = ["", ""], path = "kernels[1].ipc", each = ["LS+DBI"], series = [{ of = "even" }] }]"#).unwrap();
    let mut drawn = |short: &str| {
        measures.runs.study.short = vec![short.into()];
        figures::all(&measures, &plans, &[]);
        measures.runs.results.take_missing().values().map(|run| cycles(run)).fold(0.0, f64::max)
    };
    assert_eq!(["NBI", "LS+DBI"].map(&mut drawn), [3000.0, 1500.0]);
}

/// Cases of two kernels of which the first has a goal, and of three with one or two goals.
fn with_goals() -> String {
    let kinds = "[cases]\npairs = { kernels = 2, promised = 1, percent = [40, 90], mixes = 99 }\ntrios = { kernels = 3, promised = 2, percent = [10, 20, 30], mixes = 2 }\n";
    STUDY.replace("SAD = 3000", "").replace("[scheme]", &format!("{kinds}[scheme]"))
}

/// A goal is a dimension of a mix: measured against the kernel alone, which is one run whatever the goals, and told from other goals.
#[test]
fn cases_are_mixes_with_goals() {
    let study = Study::read(&with_goals(), "quick").unwrap();
    let names = |mixes: &str| study.mixes.named(mixes).iter().map(|mix| mix.join("+")).collect::<Vec<_>>().join(" ");
    assert_eq!(study.mixes.named("pairs").len(), 3 * 2 * 2);
    assert_eq!(names("pairs for BP"), "BP@40+SAD BP@90+SAD BP@40+CFD BP@90+CFD");
    assert_eq!(names("pairs@90 of LS+NBI"), "BP@90+CFD CFD@90+BP");
    assert_eq!(names("pairs@40 beside BP"), "SAD@40+BP CFD@40+BP");
    assert_eq!((names("pairs of LS+LS"), names("BP@40+CFD")), (String::new(), "BP@40+CFD".into()));
    let trios = study.mixes.named("trios");
    assert!(
        trios.len() == 6 && trios.iter().all(|mix| mix[..2].iter().all(|kernel| kernel.contains('@')) && !mix[2].contains('@')),
        "{trios:?}"
    );

    let mut measures = measures_of(&SMALL, &with_goals(), &folder("goals"), "quick");
    let mut values = |path: &str, scheme: &str| {
        rounds(&mut measures, 2, |measures| measures.runs.all(&measures.runs.study.mixes.named("pairs for BP"), scheme, path))
            .unwrap()
            .unwrap()
    };
    let (shared, alone) = (values("kernels[0].ipc", "even"), values("kernels[0].ipc", "alone"));
    assert!(alone.iter().all(|ipc| *ipc == alone[0]), "one run alone for all goals: {alone:?}");
    let expected: Vec<f64> = [0.4, 0.9, 0.4, 0.9].iter().zip(&shared).map(|(part, shared)| shared / (alone[0] * part)).collect();
    assert_eq!((values("goals.least", "even"), values("kernels[0].goal_reached", "even")), (expected.clone(), expected.clone()));
    let others = values("goals.others", "even");
    let mut number =
        |words: &str| match rounds(&mut measures, 2, |measures| measures.measure(&serde_json::from_str(words).unwrap())).unwrap() {
            Outcome::Value(value) => value,
            other => panic!("{other:?}"),
        };
    let reach = r#""share": "goals.least", "at_least": 1, "mixes": "pairs for BP", "of": "even""#;
    let reached: Vec<usize> = (0..4).filter(|case| expected[*case] >= 1.0).collect();
    assert!((1..4).contains(&reached.len()), "some goals are reached and some are not: {expected:?}");
    assert_eq!(number(&format!("{{{reach}}}")), Some(reached.len() as f64 / 4.0));
    let mean = |cases: &[usize]| cases.iter().map(|case| others[*case]).sum::<f64>() / cases.len() as f64;
    let met = r#""where": "goals.least", "level": "goals.others", "of": "even", "mixes": "pairs for BP""#;
    assert_eq!(number(&format!(r#"{{{met}, "at_least": 1}}"#)), Some(mean(&reached)));
    assert!(number(&format!(r#"{{{met}, "at_least": 1, "under": ["even", "ws"]}}"#)).is_some_and(|value| value > 0.0));
    assert_eq!(number(&format!(r#"{{{met}, "at_least": 99}}"#)), None, "a mean of nothing");
    let holds = |bound: &str| format!(r#"{{"holds": [{{{reach}}}], {bound}}}"#);
    assert_eq!([number(&holds("\"above\": 0.1")), number(&holds("\"below\": 0.1"))], [Some(1.0), Some(0.0)]);
    let unbounded = measures.measure(&serde_json::from_str(r#"{"share": "goals.least", "mixes": "pairs", "of": "even"}"#).unwrap());
    assert!(matches!(unbounded, Outcome::Unknown(what) if what.ends_with("share without bounds")));
    assert_eq!(counted(&measures.runs.study.mixes.named("pairs").into_iter().collect()), "12 cases");
    // What a mean is over is counted, and what a share before it is.
    let both = format!(r#"{{"ratio": [{{{reach}}}, {{{met}, "at_least": 1}}]}}"#);
    let counted = |words: &str| {
        let ask = || measures.measure(&serde_json::from_str(words).unwrap());
        measures.runs.results.watch(ask).1.population().len()
    };
    assert_eq!([counted(&format!(r#"{{{met}, "at_least": 1}}"#)), counted(&both)], [reached.len(), 4]);
}

/// What a claim comes to on the mixes that are set aside is what its measure gives on them and on no others.
#[test]
fn a_claim_is_also_measured_on_what_is_set_aside() {
    let apart = "[held_out]\nbehind = \"w\"\nseen = [\"BP+SAD\"]\nnote = \"A third.\"\n[cases]";
    let study = with_goals().replacen("[cases]", apart, 1);
    let claim = ONE.replace("kernels[1].ipc", "goals.least").replace("\"BP+SAD\"", "\"pairs\"");
    let ledger = claims::read(&claim).unwrap();
    let mut measures = measures_of(&SMALL, &study, &folder("apart"), "quick");
    let judgements = |measures: &Measures| vec![Judgement::of(measures, &ledger, &ledger.claims[0])];
    let judged = rounds(&mut measures, 2, judgements).unwrap();
    let (mixes, apart) = (&measures.runs.study.mixes, judged[0].held_out.unwrap());
    let held = mixes.named("held-out pairs");
    assert!(
        held.len() == 4 && held.iter().all(|mix| ["BP", "CFD"].iter().all(|name| mix.iter().any(|kernel| kernel.starts_with(name)))),
        "{held:?}"
    );
    let values = measures.runs.all(&held, "even", "goals.least").unwrap();
    assert_eq!((apart.mixes, apart.value), (4, values.iter().sum::<f64>() / 4.0));
    assert_eq!((apart.verdict, apart.on_all), (Verdict::Reproduced, Verdict::Reproduced));
    // Of one mix nothing is set aside.
    let ledger = claims::read(ONE).unwrap();
    let judgements = |measures: &Measures| vec![Judgement::of(measures, &ledger, &ledger.claims[0]).held_out.is_none()];
    assert_eq!(rounds(&mut measures, 2, judgements).unwrap(), [true]);
}

/// A figure's share of cases is what the measure gives; its mean over the cases that reach their goals names their runs, and no point where
/// there are none.
#[test]
fn a_figure_shows_shares_and_means_over_the_cases_in_which_something_holds() {
    let text = r#"
[[figure]]
id = "reach"
title = "T"
source = "S"
kind = "bars"
x = "goal"
y = ["reach", "%"]
of = "even"
series = [
  { name = "reach", path = "goals.least", reduce = "share", at_least = 1 },
  { name = "others", path = "goals.others", reduce = "mean", where = "goals.least", at_least = 1 },
  { name = "none", path = "goals.others", reduce = "mean", where = "goals.least", at_least = 99 },
]
categories = [{ name = "40", mixes = "pairs@40" }, { name = "all", mixes = "pairs" }]
"#;
    let plans = figures::read(text).unwrap();
    let mut measures = measures_of(&SMALL, &with_goals(), &folder("shares"), "quick");
    let (mut all, placed) = rounds(&mut measures, 2, |measures| figures::all(measures, &plans, &[])).unwrap();
    figures::fill(&mut all, &measures.runs.results, &placed);
    let expect = |words: &str| {
        let words: Value = serde_json::from_str(words).unwrap();
        match measures.measure(&words) {
            Outcome::Value(value) => value,
            other => panic!("{other:?}"),
        }
    };
    let reach = expect(r#"{"share": "goals.least", "at_least": 1, "of": "even", "mixes": "pairs"}"#);
    let others = expect(r#"{"level": "goals.others", "where": "goals.least", "at_least": 1, "of": "even", "mixes": "pairs"}"#);
    let points = &all[0].points;
    assert_eq!(points.iter().map(|point| point.series).collect::<Vec<_>>(), [0, 0, 1, 1]);
    assert_eq!([points[1].value, points[3].value], [reach, others]);
    assert!(points[3].runs.len() < points[1].runs.len() && reach.is_some_and(|reach| reach < 1.0));
    // As text: percent where the axis says so, and what the paper prints beside it.
    all[0].points[1].paper = Some(0.5);
    let text = figures::markdown(&all[0]);
    let row = format!("| all | {} (paper 50) | {} |  |", number(100.0 * reach.unwrap()), number(100.0 * others.unwrap()));
    assert!(text.starts_with("## T (S)\n\n| goal | reach | others | none |\n") && text.contains(&row), "{text}{row}");
}

fn measures_of(paper: &'static Paper, study: &str, out: &Path, mode: &str) -> Measures {
    Measures::new(Study::read(study, mode).unwrap(), Store::open(out, mode, "test", "today").unwrap(), paper.code)
}

const STUDY: &str = r#"
title = "T"
citation = "C"
source = "S"
gpu = "tiny-2sm"
prefix = "ccbp/"
seed = 3
sets_seed = 1
order = ["LS", "NBI", "DBI"]
pairs = [["LS", "NBI"]]
sets = {}
groups = {}
longer = { times = 2, mixes = [], schemes = [] }
report = { how = ["{some} of them"], calibration = {}, listed = [] }
modifiers = { gpu = "gpu", queue = "gpu.sm.l1.miss_queue", seed = "seed", launches = "kernels[*].launches", arithmetic = "kernels[*].arithmetic" }
classes = { LS = ["BP"], NBI = ["CFD"], DBI = ["SAD"] }
mode.quick = { warm_up = 500, cycles = 1500, long = { SAD = 3000 }, combinations = [[100, 400, 2]], spatial = [[100, 300, 2]], pairs = 2, sets = 1, some = 1, few = 1, time_scale = 0.25 }
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
series = [{ of = "cta-oracle", paper = ["gain"] }, { of = "ws", with = "lrr", paper = { both = "gain" } }]
categories = [{ name = "both" }]
"#;

/// A paper that is data alone.
static SMALL: Paper = Paper { name: "small", time: "", claims: CLAIMS, study: STUDY, figures: FIGURES, causes: "", code: Code::NONE };

fn reproduce(out: &Path) -> (String, Vec<Outcome>) {
    let (ledger, plans) = (claims::read(CLAIMS).unwrap(), figures::read(FIGURES).unwrap());
    let mut measures = measures_of(&SMALL, STUDY, out, "quick");
    let judgements = rounds(&mut measures, 2, |measures| {
        figures::all(measures, &plans, &ledger.claims);
        ledger.claims.iter().map(|claim| Judgement::of(measures, &ledger, claim)).collect::<Vec<_>>()
    });
    let judgements = judgements.unwrap_or_else(|failure| panic!("{failure:?}"));
    let (mut figures, placed) = figures::all(&measures, &plans, &ledger.claims);
    figures::fill(&mut figures, &measures.runs.results, &placed);
    assert_eq!(figures[0].series.join(", "), "CTA oracle, WS");
    assert!(figures[0].points.iter().all(|point| point.paper == Some(1.1)), "by its place, and by its category's name");
    assert_eq!(Outcome::Value(figures[0].points[0].value), judgements[0].outcome, "a figure's point is what the claim measures");
    let causes = Causes::default();
    Report {
        paper: "small",
        measures: &measures,
        judgements: &judgements,
        rules: &ledger.rules,
        figures: &figures,
        placed: &placed,
        causes: &causes,
        lengths: &[],
    }
    .write(out)
    .unwrap();
    (std::fs::read_to_string(out.join("report.md")).unwrap(), judgements.into_iter().map(|judgement| judgement.outcome).collect())
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
            ("kernels", Value::array(["ccbp/BP", "ccbp/CFD"])),
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
    let store = Store::open(&out, "quick", "test", "today").unwrap();
    let measures = Measures::new(Study::read(STUDY, "quick").unwrap(), store, Code::NONE);
    let best = measures.runs.run(&vec!["BP".into(), "CFD".into()], "cta-oracle", "hspeedup", Detail::Full).unwrap();
    let expected = hspeedup(best.experiment.get("policy").cloned().unwrap()) / hspeedup("even".into());
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
    let mine = Store::open(&cut, "quick", "test", "today").unwrap();
    let refused = Store::open(&cut, "quick", "test", "today").unwrap_err();
    assert!(format!("{refused:?}").contains(&format!("process {} is writing", std::process::id())), "{refused:?}");
    drop(mine);

    // Results of an engine that behaves differently are refused.
    let text = String::from_utf8(lines).unwrap();
    let (origin, _) = text.split_once(",\"check\":").unwrap();
    let other = origin.replacen("\"behaviour\":\"", "\"behaviour\":\"0", 1) + "}";
    std::fs::write(cut.join("runs-quick.jsonl"), with_check(&other) + "\n").unwrap();
    let refused = Store::open(&cut, "quick", "test", "today").unwrap_err();
    assert!(format!("{refused:?}").contains("another engine"), "{refused:?}");
}

/// In a mode with `settled`, runs end when their IPCs are known, alone and together; those of a search have their fixed lengths.
#[test]
fn runs_of_a_study_may_stop_when_settled() {
    let settles = STUDY.replace("warm_up = 500, cycles = 1500,", "warm_up = 500, cycles = 900000, settled = 0.2,");
    let store = Store::open(&folder("settles"), "quick", "test", "today").unwrap();
    let mut measures = Measures::new(Study::read(&settles, "quick").unwrap(), store, Code::NONE);
    let mix = vec!["CFD".into(), "SAD".into()];
    let found = rounds(&mut measures, 2, |measures| {
        let best = measures.runs.run(&mix, "cta-oracle", "hspeedup", Detail::Full)?;
        let [together, alone] = ["even", "alone"].map(|scheme| measures.runs.locate(&mix, scheme, "kernels[1].ipc"));
        Some([best, together?.0, alone?.0].map(|run| measures.runs.results.of(&run)))
    });
    for result in found.unwrap().unwrap() {
        let result = result.unwrap();
        let known = lookup(&result, "settled.known").unwrap();
        assert_eq!(result.get("stop").and_then(Value::as_str), Some("settled"), "{known}");
        assert!(known <= 0.2 && lookup(&result, "cycles").unwrap() < 900_000.0);
    }
    assert!(measures.runs.cycles_alone("SAD", "").is_some_and(|cycles| (50_000.0..900_000.0).contains(&cycles)));
}

/// A scheme may have a GPU of its own, an order of warps, and a metric by which its search chooses. What kernels do alone is measured on
/// the study's GPU, in the order that the study says, so that schemes compare.
#[test]
fn a_scheme_on_another_gpu_is_held_against_the_studys() {
    let more = r#"
large = { title = "Large", gpu = { preset = "tiny-2sm", "sm.count" = 4 }, policy = { name = "even" } }
fast = { title = "Fast", search = "combinations", best = "wspeedup" }
fair = { title = "Fair", search = "combinations", best = "antt", warp_order = "gto" }
splits = { title = "Splits", gpu = { preset = "tiny-2sm", "sm.count" = 4 }, search = "splits", best = "wspeedup" }
"#;
    let study =
        STUDY.replace("spatial =", "splits = [[100, 300, 1]], spatial =").replace("\nseed", "\nalone_warp_order = \"lrr\"\nseed") + more;
    let mut measures = measures_of(&SMALL, &study, &folder("own-gpu"), "quick");
    let mix: Mix = ["BP", "CFD"].map(str::to_owned).to_vec();
    let schemes = ["large", "fast", "fair", "splits"];
    let found = rounds(&mut measures, 2, |measures| {
        let all: Vec<_> = schemes.iter().map(|scheme| measures.runs.run(&mix, scheme, "hspeedup", Detail::Full)).collect();
        let ran = all.iter().flatten().all(|run| measures.runs.results.of(run).is_some());
        let alone =
            (0..2).map(|kernel| measures.runs.value(&mix, "alone", &format!("kernels[{kernel}].ipc"))).collect::<Option<Vec<f64>>>();
        Some((all.into_iter().collect::<Option<Vec<_>>>()?, alone?)).filter(|_| ran)
    });
    let (all, alone) = found.unwrap().unwrap();
    let sms = |run: &Rc<Run>| Experiment::decode(&run.experiment).unwrap().gpu.sm_count();
    assert_eq!(all.iter().map(sms).collect::<Vec<_>>(), [4, 2, 2, 4]);
    let orders = all.iter().map(|run| run.experiment.get("warp_order").and_then(Value::as_str).unwrap());
    assert_eq!(orders.collect::<Vec<_>>(), ["lrr", "lrr", "gto", "lrr"]);
    assert!(all[3].experiment.get("policy").is_some_and(|policy| policy.get("split").is_some()));
    for run in &all {
        let result = measures.runs.results.of(run).unwrap();
        let parts = (0..2).map(|kernel| lookup(&result, &format!("kernels[{kernel}].ipc")).unwrap() / alone[kernel]);
        let stp = lookup(&result, "metrics.wspeedup").unwrap();
        assert!((stp - parts.sum::<f64>()).abs() < 1e-12, "not against the study's GPU");
    }
    // Of what went on to the last rung, each search has taken the best by its own metric.
    let last = |best: &Rc<Run>, metric: &str| {
        let policies = Space::Combinations.policies(&Experiment::decode(&best.experiment).unwrap()).unwrap();
        let known = policies.into_iter().filter_map(|policy| {
            let ctas: Vec<String> = match policy.get("combination") {
                Some(Value::Array(ctas)) => ctas.iter().map(Value::to_string).collect(),
                _ => Vec::new(),
            };
            let order = best.experiment.get("warp_order").and_then(Value::as_str).unwrap();
            measures.runs.value(&mix, &format!("fixed({}) {order}", ctas.join(",")), metric)
        });
        known.collect::<Vec<f64>>()
    };
    let (fast, fair) = (last(&all[1], "metrics.wspeedup"), last(&all[2], "metrics.antt"));
    assert!(fast.len() > 1 && fair.len() > 1, "{fast:?} {fair:?}");
    let of = |run: &Rc<Run>, metric: &str| lookup(&measures.runs.results.of(run).unwrap(), metric).unwrap();
    assert_eq!(fast.into_iter().reduce(f64::max), Some(of(&all[1], "metrics.wspeedup")));
    assert_eq!(fair.into_iter().reduce(f64::min), Some(of(&all[2], "metrics.antt")));
}

/// Sets may leave kernels out and have no set of one class; where kernels have SMs of their own, they need not fit one together.
#[test]
fn sets_are_drawn_among_those_that_are_meant() {
    let of = |sets: &str| {
        let study = STUDY.replace("sets = {}", &format!("sets = {{ twos = {sets} }}")).replace("sets = 1,", "sets = 9,");
        let study = study.replace(r#"LS = ["BP"]"#, r#"LS = ["BP", "HG"]"#);
        Study::read(&study, "quick").unwrap().mixes.named("twos").iter().map(|mix| mix.join("+")).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(of("{ kernels = 2, apart = true }").len(), 6);
    let some = of("{ kernels = 2, apart = true, mixed = true, without = [\"SAD\"] }");
    assert_eq!(some.into_iter().collect::<Vec<_>>(), ["BP+CFD", "HG+CFD"]);
    assert!(of("2").len() <= 6 && of("{ kernels = 2 }") == of("2"));
}

/// A sorted figure has each series in the order of its own values, each point with its run.
#[test]
fn a_sorted_figure_is_in_the_order_of_values() {
    let text = r#"
[[figure]]
id = "sorted"
title = "T"
source = "S"
kind = "lines"
x = "mixes"
y = ["STP", "\u00d7"]
path = "wspeedup"
over = "ws"
sorted = true
each = ["all"]
series = [{ of = "even", paper = { greatest = "gain" } }, { of = "fixed(1, 1)", paper = { least = "gain" } }]
"#;
    let (plans, claims) = (figures::read(text).unwrap(), claims::read(CLAIMS).unwrap().claims);
    let study = STUDY.replace("groups = {}", "groups = { all = [\"BP+CFD\", \"BP+SAD\", \"CFD+SAD\"] }");
    let mut measures = measures_of(&SMALL, &study, &folder("sorted"), "quick");
    let (mut all, placed) = rounds(&mut measures, 2, |measures| figures::all(measures, &plans, &claims)).unwrap();
    figures::fill(&mut all, &measures.runs.results, &placed);
    let before = all[0].points.clone();
    figures::sort(&mut all, &plans, &claims);
    let points = &all[0].points;
    assert!(all[0].categories.is_empty() && before.len() == 6);
    assert_eq!(
        points.iter().map(|point| (point.series, point.x)).collect::<Vec<_>>(),
        [(0, 1.0), (0, 2.0), (0, 3.0), (1, 1.0), (1, 2.0), (1, 3.0)]
    );
    assert!(points.windows(2).all(|two| two[0].series != two[1].series || two[0].value <= two[1].value));
    let printed: Vec<_> = points.iter().map(|point| point.paper).collect();
    assert_eq!(printed, [None, None, Some(1.1), Some(1.1), None, None], "what the paper prints of the greatest and of the least");
    for point in points {
        let same = before.iter().find(|other| other.series == point.series && other.runs == point.runs).unwrap();
        assert_eq!(same.value, point.value);
    }
}

/// What a policy has to know is measured once, whatever asks for it and however often the program is started.
#[test]
fn what_policies_know_is_kept_beside_the_results() {
    let folder = folder("alone");
    let knows_nothing = STUDY.replace(r#"name = "ws" }, fill = ["curves"]"#, r#"name = "ws", profile_cycles = 1000 }"#);
    let mix = vec!["CFD".into(), "SAD".into()];
    let speedup = |folder: &Path| {
        let store = Store::open(folder, "quick", "test", "today").unwrap();
        let mut measures = Measures::new(Study::read(&knows_nothing, "quick").unwrap(), store, Code::NONE);
        rounds(&mut measures, 2, |measures| measures.runs.value(&mix, "ws", "hspeedup")).unwrap()
    };
    let first = speedup(&folder);
    let of_engine = std::fs::read_dir(folder.join("alone")).unwrap().next().unwrap().unwrap().path();
    let kept: Vec<_> = std::fs::read_dir(of_engine).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(kept.len() > 4, "{kept:?}");
    let before: Vec<_> = kept.iter().map(|file| std::fs::metadata(file).unwrap().modified().unwrap()).collect();
    std::fs::remove_file(folder.join("runs-quick.jsonl")).unwrap();
    assert_eq!((speedup(&folder), first.is_some()), (first, true));
    let after: Vec<_> = kept.iter().map(|file| std::fs::metadata(file).unwrap().modified().unwrap()).collect();
    assert_eq!(before, after, "they were read, not written again");
}

#[test]
fn a_scheme_that_does_not_exist_is_an_error() {
    let store = Store::open(&folder("unknown"), "quick", "test", "today").unwrap();
    let mut measures = Measures::new(Study::read(&STUDY.replace("\"even\" }", "\"evener\" }"), "quick").unwrap(), store, Code::NONE);
    let failed = rounds(&mut measures, 1, |measures| measures.runs.value(&vec!["BP".into(), "CFD".into()], "even", "hspeedup"));
    assert!(matches!(&failed, Err(Failure::Input(problems)) if problems.to_string().contains("evener")), "{failed:?}");
}
