//! The report: totals, every claim with the paper's value and ours, the figures, and what is known of each claim that was not reproduced.

pub mod causes;
pub mod figures;
pub mod tables;
pub mod template;
pub mod verdicts;

use super::measures::{Measures, Outcome};
use super::paper::claims::{Claim, Rule, Verdict};
use super::paper::held_out;
use super::paper::mix::{Mix, counted};
use super::paper::mixes::HELD_OUT;
use super::paper::spaces::Space;
use super::paper::study::Order;
use super::runs::{Detail, Run, Runs, of_cycles};
use super::verdict::{Apart, Counts, Judgement, counts, number};
use causes::{Cause, Causes};
use corun_lab::output::not_written;
use corun_lab::{Failure, output};
use sim_core::describe::value::Value;
use sim_core::run::result::ENGINE;
use sim_core::study::errors::Errors;
use sim_core::study::figure::{Figure, Options, draw, lookup};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::rc::Rc;

/// Everything that the report is made of.
#[derive(Debug)]
pub struct Report<'a> {
    /// The paper's folder.
    pub paper: &'a str,
    pub measures: &'a Measures,
    pub judgements: &'a [Judgement<'a>],
    /// By which claims were judged.
    pub rules: &'a [Rule],
    pub figures: &'a [Figure],
    /// The runs that the figures name by place.
    pub placed: &'a [Rc<Run>],
    pub causes: &'a Causes,
    /// What longer runs say: mix, scheme, HSpeedup as in the report and with five times the cycles.
    pub lengths: &'a [(String, String, Option<f64>, Option<f64>)],
}

impl Report<'_> {
    /// Writes the report, its figures and their data into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let write = |name: &str, text: &str| output::write(&folder.join(name), text);
        write("report.md", &self.markdown())?;
        write("verdicts.toml", &verdicts::written(self.judgements))?;
        for figure in self.figures {
            write(&format!("{}.svg", figure.id), &draw(figure, Options::default()))?;
        }
        let mut text = serde_json::to_string(&self.document()).map_err(|error| not_written(error.into()))?;
        text.push('\n');
        write("figures.json", &text)
    }

    fn runs(&self) -> &Runs {
        &self.measures.runs
    }

    fn origin(&self, key: &str) -> &str {
        self.runs().results.origin().get(key).and_then(Value::as_str).unwrap_or("?")
    }

    /// The figures with all that is needed to run them again.
    fn document(&self) -> Value {
        let study = &self.runs().study;
        let stamp = Value::object([
            ("engine", Value::from(ENGINE)),
            ("commit", self.origin("commit").into()),
            ("mode", study.mode_name.as_str().into()),
            ("cycles", study.mode.cycles.into()),
            ("seed", study.seed.into()),
        ]);
        let run = |run: &Rc<Run>| {
            let digest = self.runs().results.of(run).and_then(|result| result.get("digest").cloned());
            let named = Value::object([("experiment", run.shown()), ("hash", run.hash.as_str().into())]);
            let Value::Object(mut pairs) = named else { return named };
            pairs.extend(digest.map(|digest| ("digest".to_owned(), digest)));
            Value::Object(pairs)
        };
        Value::object([
            ("corun", Value::from(1)),
            ("paper", self.paper.into()),
            ("title", study.title.as_str().into()),
            ("citation", study.citation.as_str().into()),
            ("stamp", stamp),
            ("runs", Value::array(self.placed.iter().map(run))),
            ("figures", Value::array(self.figures.iter().map(Figure::encode))),
        ])
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        self.head(&mut text);
        self.errors(&mut text);
        self.totals(&mut text);
        self.goal(&mut text);
        self.held_out(&mut text);
        if !self.causes.summary.is_empty() {
            let _ = writeln!(text, "{}\n", self.causes.summary);
        }
        self.failures(&mut text);
        self.contradictions(&mut text);
        self.rules(&mut text);
        self.how(&mut text);
        self.pictures(&mut text);
        text += "## Claims\n\n`≈`: within 5 % unless said; `≳` and `≲`: not further below, or above, where the paper says that something is not hurt, or \
                 does not help. The paper's value and ours stand in the same unit. Over: the mixes that were run for it, or kernels alone.\n\n";
        if self.runs().study.mixes.held_out.is_some() {
            text += "Set aside: the value on those of these mixes that are set aside, and how many they are.\n\n";
        }
        self.table(&mut text, |claim| claim.is_result() && claim.kind != "exact");
        text += "## Worked examples and arithmetic\n\nHeld exactly, by unit tests or by the same formula.\n\n";
        self.table(&mut text, |claim| claim.is_result() && claim.kind == "exact");
        for what in self.calibrations() {
            let note = self.runs().study.report.calibration.get(what).map_or("", String::as_str);
            let _ = writeln!(text, "## Calibration: {what}\n\n{note}\n");
            self.table(&mut text, |claim| claim.calibration == what);
        }
        for table in &self.runs().study.tables {
            text += &tables::markdown(table, self.measures);
        }
        if !self.runs().study.once {
            self.settled(&mut text);
        }
        self.sets(&mut text);
        text
    }

    /// What claims that are no results were fitted to, or why they hold.
    fn calibrations(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for judgement in self.judgements.iter().filter(|judgement| !judgement.claim.is_result()) {
            let what = judgement.claim.calibration.as_str();
            if !all.contains(&what) {
                all.push(what);
            }
        }
        all
    }

    fn head(&self, text: &mut String) {
        let (study, mode) = (&self.runs().study, &self.runs().study.mode);
        let _ = writeln!(
            text,
            "<!-- Written by `corun reproduce`. What people found out about it stands in papers/{}/causes.toml. -->",
            self.paper
        );
        let _ = writeln!(text, "# {}: what reproduces\n\n{}\n", study.title, study.citation);
        let lengths = if study.once {
            "Each kernel runs once, from begin to end.".into()
        } else {
            let settled = mode.settled.map_or(String::new(), |within| format!(" at most, until every IPC is known to {within} of itself"));
            let longer = if mode.longer().is_empty() { String::new() } else { format!(" Longer ones: {}.", mode.longer()) };
            format!("A run measures {} cycles{settled}, after {} of warm-up.{longer}", mode.cycles, mode.warm_up)
        };
        let _ = writeln!(
            text,
            "Engine {}, commit {}, mode {}, seed {}. {lengths}\n\n{} runs of {} million cycles in all: {} minutes on two cores of {} million cycles a second.\n",
            self.origin("engine"),
            self.origin("commit"),
            study.mode_name,
            study.seed,
            self.runs().results.used().0,
            (self.runs().results.used().1 / 1e6).round(),
            (self.runs().results.used().1 / 1e6 / study.speed / 120.0).ceil(),
            study.speed
        );
    }

    /// How far amounts that have rivals are from those measured, beside the rivals'; of what is only so or not, how often each is right.
    fn errors(&self, text: &mut String) {
        let rivals = &self.runs().study.report.rivals;
        let rivalled = || self.judgements.iter().filter(|judgement| calling(&judgement.claim.measure, "").is_some());
        let row = |name: &str, value: &dyn Fn(&Judgement) -> Option<f64>| {
            let values = rivalled().filter_map(|judgement| Some((value(judgement)?, judgement.claim)));
            let (signs, amounts): (Vec<_>, Vec<_>) = values.partition(|of| of.1.unit == "boolean");
            let errors = Errors::of(amounts.into_iter().map(|(value, claim)| (value, claim.value, claim)));
            let right = signs.iter().filter(|of| of.1.verdict(Some(of.0)) == Verdict::Reproduced).count();
            let percent = |part: f64| format!("{:.0} %", 100.0 * part);
            errors.map_or(String::new(), |Errors { count, mean, nine_in_ten, worst, factor, .. }| {
                let (mean, nine_in_ten, most) = (percent(mean), percent(nine_in_ten), percent(worst.0));
                format!(
                    "| {name} | {count} | {mean} | {nine_in_ten} | {most}, {} | {right} of {} | {factor:.2} |\n",
                    worst.1.statement,
                    signs.len()
                )
            })
        };
        if rivals.is_empty() {
            return;
        }
        *text += "| against the hardware | amounts | mean error | nine in ten within | worst | right, of those that are so or not | as a factor |\n";
        *text += "| --- | --: | --: | --: | --- | --: | --: |\n";
        *text += &row("simulated", &|judgement| if let Outcome::Value(value) = judgement.outcome { value } else { None });
        for (name, call) in rivals {
            *text += &row(name, &|judgement| self.measures.number(&calling(&judgement.claim.measure, call)?));
        }
        text.push('\n');
    }

    fn totals(&self, text: &mut String) {
        *text += "## What came out\n\n| claims | all | reproduced | direction only | not reproduced | not testable |\n| --- | --: | --: | --: | --: | --: |\n";
        let mut row = |name: &str, counts: Counts| {
            let all: usize = counts.iter().sum();
            let _ = writeln!(text, "| {name} | {all} | {} | {} | {} | {} |", counts[0], counts[1], counts[2], counts[3]);
        };
        for (name, kind) in [("Directions", "direction"), ("Magnitudes", "magnitude"), ("Worked examples, exact", "exact")] {
            row(name, counts(self.judgements, kind, &[]));
        }
        for what in self.calibrations() {
            let mut counts = [0; 4];
            self.judgements
                .iter()
                .filter(|judgement| judgement.claim.calibration == what)
                .for_each(|judgement| counts[judgement.verdict as usize] += 1);
            row(&format!("Calibration: {what}"), counts);
        }
        *text += "\nReproduced: the right direction, and of an effect its size within 25 %. Direction only: the right direction, another size.\n\n";
    }

    /// What was to come out in all, and whether it did.
    fn goal(&self, text: &mut String) {
        let Some(wanted) = &self.runs().study.goal else { return };
        let met = |met: bool| if met { "met" } else { "missed" };
        for (name, kind, least) in [("directions", "direction", wanted.directions), ("magnitudes", "magnitude", wanted.magnitudes)] {
            let counts = counts(self.judgements, kind, &[]);
            let testable: usize = counts[..3].iter().sum();
            let part = counts[0] as f64 / testable.max(1) as f64;
            let _ = writeln!(
                text,
                "- Goal: {} % of the {name} that can be tested. Here {} of {testable}, {} %: **{}**.",
                100.0 * least,
                counts[0],
                number(100.0 * part),
                met(part >= least)
            );
        }
        for (mixes, order, means) in goal(self.measures) {
            let shown = |(scheme, mean): (&String, &Option<f64>)| {
                format!("{} {}", self.runs().study.title(scheme), mean.map_or("–".into(), number))
            };
            let shown: Vec<String> = order.schemes.iter().zip(&means).map(shown).collect();
            let holds = means.windows(2).all(|two| two[1].is_some() && two[0] > two[1]);
            let what = if order.name.is_empty() { String::new() } else { format!(" for {}", order.name) };
            let _ = writeln!(text, "- Goal{what} on {mixes}: {}: **{}**.", shown.join(" > "), met(holds));
        }
        text.push('\n');
    }

    /// How results come out on mixes that no rule was found on.
    fn held_out(&self, text: &mut String) {
        let Some(held_out) = &self.runs().study.mixes.held_out else { return };
        let count = |kind: &str, verdict: fn(&Apart) -> Verdict| {
            let of =
                self.judgements.iter().filter(|judgement| judgement.claim.kind == kind).filter_map(|judgement| judgement.held_out.as_ref());
            (of.clone().filter(|apart| verdict(apart) == Verdict::Reproduced).count(), of.count())
        };
        let row = |name: &str, kind: &str| {
            let ((all, of), (apart, _)) = (count(kind, |apart| apart.on_all), count(kind, |apart| apart.verdict));
            format!("| {name} | {of} | {all} | {apart} |\n")
        };
        let _ = writeln!(
            text,
            "**Mixes that are set aside.** {} Results over at least three of them and over others too, judged by their values alone:\n\n\
             | results | all | reproduced on all mixes | reproduced on those set aside |\n| --- | --: | --: | --: |\n{}{}",
            held_out.note,
            row("Directions", "direction"),
            row("Magnitudes", "magnitude")
        );
    }

    /// Results that fail, by what was found out about them.
    fn failures(&self, text: &mut String) {
        let failing: Vec<&Judgement> = self.judgements.iter().filter(|judgement| fails(judgement)).collect();
        let known = |judgement: &Judgement| self.causes.of(&judgement.claim.id).next().is_some();
        let tested = |judgement: &Judgement| self.causes.of(&judgement.claim.id).any(|cause| cause.tested.is_some());
        let count = |of: &dyn Fn(&Judgement) -> bool| failing.iter().filter(|judgement| of(judgement)).count();
        let (none, shown) = (count(&|judgement| !known(judgement)), count(&tested));
        let _ = writeln!(
            text,
            "### What fails, and what was tested\n\n{} results are not reproduced or have another size: {shown} with a cause that a command shows, {} with one that is \
             not tested, {none} with none.\n",
            failing.len(),
            failing.len() - none - shown
        );
        let item = |judgement: &Judgement| {
            let objection = judgement.objection().map_or(String::new(), |objection| format!("; {}", objection.trim_end_matches('.')));
            format!("**{}** (paper {}, here {}{objection})", judgement.claim.id, judgement.paper(), judgement.ours())
        };
        let mut causes: Vec<&Cause> = self.causes.causes.iter().collect();
        causes.sort_by_key(|cause| cause.tested.is_none());
        for cause in causes {
            let claims: Vec<String> =
                failing.iter().filter(|judgement| cause.claims.contains(&judgement.claim.id)).map(|judgement| item(judgement)).collect();
            // What a cause explained and came out since is no failure.
            if !claims.is_empty() {
                let _ = writeln!(text, "- {} {} {}.", cause.says, cause.shown(), claims.join(", "));
            }
        }
        let without: Vec<String> = failing.iter().filter(|judgement| !known(judgement)).map(|judgement| item(judgement)).collect();
        if !without.is_empty() {
            let _ = writeln!(text, "- Cause not known: {}.", without.join(", "));
        }
        text.push('\n');
    }

    fn contradictions(&self, text: &mut String) {
        if self.causes.contradictions.is_empty() {
            return;
        }
        *text += "### Printed figures that contradict each other\n\nOn any machine that we could build.\n\n";
        for found in &self.causes.contradictions {
            let claims: Vec<String> = self
                .judgements
                .iter()
                .filter(|judgement| found.claims.contains(&judgement.claim.id))
                .map(|judgement| format!("**{}** (paper {}, here {})", judgement.claim.id, judgement.paper(), judgement.ours()))
                .collect();
            let _ = writeln!(text, "- {} {} {}.", found.says, found.shown(), claims.join(", "));
        }
        text.push('\n');
    }

    /// Each rule with the totals that there would be without it.
    fn rules(&self, text: &mut String) {
        if self.rules.is_empty() {
            return;
        }
        *text += "## Rules of judging, and what comes out without them\n\nReproduced, of all.\n\n\
                  | rule | claims | directions without | magnitudes without |\n| --- | --: | --: | --: |\n";
        let total = |counts: Counts| format!("{} of {}", counts[0], counts.iter().sum::<usize>());
        for rule in self.rules {
            let of = self.judgements.iter().filter(|judgement| judgement.claim.rules().contains(&rule.name.as_str())).count();
            let without = |kind| total(counts(self.judgements, kind, &[&rule.name]));
            let _ = writeln!(text, "| {}: {} | {of} | {} | {} |", rule.name, rule.says, without("direction"), without("magnitude"));
        }
        let all: Vec<&str> = self.rules.iter().map(|rule| rule.name.as_str()).collect();
        let none = |kind| total(counts(self.judgements, kind, &all));
        let _ = writeln!(text, "| none of them | | {} | {} |\n", none("direction"), none("magnitude"));
    }

    fn how(&self, text: &mut String) {
        let mode = &self.runs().study.mode;
        let mut numbers = vec![
            ("{warm_up}".to_owned(), mode.warm_up.to_string()),
            ("{cycles}".to_owned(), mode.cycles.to_string()),
            ("{long}".to_owned(), mode.longer()),
            ("{cases}".to_owned(), mode.cases()),
            ("{partitions}".to_owned(), mode.partitions()),
            ("{some}".to_owned(), mode.some.to_string()),
            ("{few}".to_owned(), mode.few.to_string()),
            ("{time_scale}".to_owned(), mode.time_scale.to_string()),
        ];
        numbers.extend(Space::ALL.iter().map(|(name, space)| (format!("{{{name}}}"), mode.search(*space))));
        *text += "## How it was run\n\n";
        for sentence in &self.runs().study.report.how {
            let sentence = numbers.iter().fold(sentence.clone(), |text, (name, number)| text.replace(name, number));
            let _ = writeln!(text, "- {sentence}");
        }
        text.push('\n');
    }

    fn pictures(&self, text: &mut String) {
        *text += "## Figures\n\nHollow diamonds: what the paper prints.\n\n";
        for figure in self.figures {
            let _ = writeln!(text, "![{} ({})]({}.svg)\n", figure.title, figure.source, figure.id);
            if !figure.differs.is_empty() {
                let _ = writeln!(text, "{}\n", figure.differs);
            }
        }
    }

    fn table(&self, text: &mut String, belongs: impl Fn(&Claim) -> bool) {
        let is_apart = self.runs().study.mixes.held_out.is_some();
        let (head, line) = if is_apart { (" set aside |", " --: |") } else { ("", "") };
        let _ = writeln!(text, "| claim | § | over | paper | here |{head} verdict |\n| --- | --- | --: | --: | --: |{line} --- |");
        for judgement in self.judgements.iter().filter(|judgement| belongs(judgement.claim)) {
            let claim = judgement.claim;
            let (notes, derived) = (if claim.notes.is_empty() { "" } else { "; " }, if claim.derived { " (implied)" } else { "" });
            let more = match &judgement.outcome {
                Outcome::Test(name) => format!("<br>`{name}`"),
                Outcome::NotTestable(why) => format!("<br>{why}"),
                Outcome::Unknown(what) => format!("<br>no such measure: {what}"),
                Outcome::Value(_) => judgement.objection().map_or(String::new(), |objection| format!("<br>{objection}")),
            };
            let apart = match (is_apart, &judgement.held_out) {
                (false, _) => String::new(),
                (_, None) => " – |".into(),
                (_, Some(apart)) => format!(" {} on {} |", number(apart.value), apart.mixes),
            };
            let _ = writeln!(
                text,
                "| **{}** {}{derived}: {}{notes}{}{more} | {} | {} | {} | {} |{apart} {} |",
                claim.id,
                claim.statement,
                about(claim),
                claim.notes,
                claim.section,
                counted(&judgement.population),
                judgement.paper(),
                judgement.ours(),
                judgement.verdict.words()
            );
        }
        text.push('\n');
    }

    fn settled(&self, text: &mut String) {
        let (known, none) = self.runs().results.intervals();
        let at = |part: f64| known.get(((known.len() - 1) as f64 * part) as usize).map_or(0.0, |half| 100.0 * half);
        *text += "## Are the runs long enough?\n\n";
        if !known.is_empty() {
            let _ = writeln!(
                text,
                "Of {} IPCs of kernels that run together, half of the 95 % interval is {} % of the IPC in the median, and under {} % for nine in ten; {none} have no \
                 interval. An interval knows nothing of what a kernel does after the end of its run.\n",
                known.len() + none,
                number(at(0.5)),
                number(at(0.9))
            );
        }
        if self.lengths.is_empty() {
            return;
        }
        let times = self.runs().study.longer.times;
        let _ = writeln!(text, "HSpeedup as above, and measured {times} times as long.\n");
        let _ = writeln!(text, "| mix | scheme | here | {times} times as long |\n| --- | --- | --: | --: |");
        let shown = |value: &Option<f64>| value.map_or("–".to_owned(), number);
        for (mix, scheme, short, long) in self.lengths {
            let _ = writeln!(text, "| {mix} | {scheme} | {} | {} |", shown(short), shown(long));
        }
        text.push('\n');
    }

    fn sets(&self, text: &mut String) {
        let (study, list) = (&self.runs().study, |mixes: Vec<Mix>| mixes.iter().map(|mix| mix.join("+")).collect::<Vec<_>>().join(", "));
        let _ = writeln!(text, "## Mixes\n\nSets are drawn with seed {}.\n", study.mixes.seed);
        for mixes in &study.report.listed {
            let _ = writeln!(text, "- {mixes}: {}.", list(study.mixes.named(mixes)));
        }
    }
}

/// What a goal's orders speak of: on which mixes, and what each scheme has there.
pub fn goal(measures: &Measures) -> Vec<(String, &Order, Vec<Option<f64>>)> {
    let mut found = Vec::new();
    let orders = measures.runs.study.goal.iter().flat_map(|goal| &goal.orders);
    let apart =
        |name: &String| Some(format!("{HELD_OUT}{name}")).filter(|name| measures.runs.study.mixes.named(name).len() >= held_out::LEAST);
    let named = orders.flat_map(|order| {
        let names = order.mixes.iter().flat_map(|name| [Some(name.clone()), apart(name)]);
        names.flatten().map(move |name| (order, name))
    });
    for (order, name) in named {
        let of = |scheme: &String| {
            let Value::Object(mut words) = order.measure.clone() else { return None };
            words.extend([("of", scheme), ("mixes", &name)].map(|(key, word)| (key.to_owned(), word.as_str().into())));
            measures.number(&Value::Object(words))
        };
        let means = order.schemes.iter().map(of).collect();
        found.push((format!("{name}, {}", counted(&measures.runs.study.mixes.named(&name).into_iter().collect())), order, means));
    }
    found
}

/// Mixes and schemes that are also measured longer, except in quick mode: HSpeedup as in the report, and measured longer.
pub fn longer(runs: &Runs) -> Vec<(String, String, Option<f64>, Option<f64>)> {
    let mut rows = Vec::new();
    if runs.study.mode_name == "quick" {
        return rows;
    }
    let longer = &runs.study.longer;
    for (name, scheme) in longer.mixes.iter().flat_map(|name| longer.schemes.iter().map(move |scheme| (name, scheme))) {
        let mix: Mix = name.split('+').map(str::to_owned).collect();
        let short = runs.run(&mix, scheme, "hspeedup", Detail::Full);
        let long = short.as_ref().and_then(|run| {
            runs.again(run, (runs.study.mode.warm_up, of_cycles(longer.times * runs.study.mode.cycles_of(&mix))), Detail::Full)
        });
        let speedup = |run: Option<Rc<Run>>| lookup(&*runs.results.of(&run?)?, "metrics.hspeedup");
        rows.push((name.clone(), scheme.clone(), speedup(short), speedup(long)));
    }
    rows
}

/// Whether a result is not reproduced, or only in its direction.
fn fails(judgement: &Judgement) -> bool {
    judgement.claim.is_result() && judgement.verdict.fails()
}

/// The claims that fail, and whether each is a result.
pub fn failing<'j>(judgements: &'j [Judgement<'_>]) -> BTreeMap<&'j str, bool> {
    let failing = judgements.iter().filter(|judgement| judgement.verdict.fails());
    failing.map(|judgement| (judgement.claim.id.as_str(), judgement.claim.is_result())).collect()
}

/// A measure with another `call`; nothing of one that calls nothing.
fn calling(measure: &Value, other: &str) -> Option<Value> {
    match measure {
        Value::Object(words) => {
            let changed = |(key, word): &(String, Value)| match key.as_str() {
                "call" => Some((key.clone(), other.into())),
                _ => Some((key.clone(), calling(word, other)?)),
            };
            let found = words.iter().position(|word| changed(word).is_some())?;
            let mut words = words.clone();
            words[found] = changed(&words[found])?;
            Some(Value::Object(words))
        }
        Value::Array(items) => {
            let found = items.iter().position(|item| calling(item, other).is_some())?;
            let mut items = items.clone();
            items[found] = calling(&items[found], other)?;
            Some(Value::Array(items))
        }
        _ => None,
    }
}

fn about(claim: &Claim) -> String {
    let over = if claim.baseline.is_empty() { String::new() } else { format!(" against {}", claim.baseline) };
    let on = if claim.workloads.is_empty() { String::new() } else { format!(", in the paper {}", claim.workloads) };
    format!("{} of {}{over}{on}", claim.metric, claim.subject)
}
