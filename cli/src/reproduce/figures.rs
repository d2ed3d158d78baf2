//! The figures of the paper, each point with the runs that it is made of. `sim_core::study::figure` has the format, and computes and draws them.

use super::functions::mil_on;
use super::lab::{Detail, Lab, Mix, Run};
use super::ledger::Claim;
use super::study::Study;
use sim_core::describe::value::Value;
use sim_core::study::figure::{Figure, Kind, Label, Measure, Point, Reduce};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Windows that a time series shows: 60,000 cycles.
const SHOWN: usize = 150;

/// Every figure, and the runs that their points name by place.
pub fn all(lab: &Lab, claims: &[Claim], differs: &BTreeMap<String, String>) -> (Vec<Figure>, Vec<Rc<Run>>) {
    let mut book = Book { lab, claims, runs: Vec::new(), places: BTreeMap::new() };
    let figures = [
        fig2a, fig2b, fig3a, fig3b, fig4, fig9a, fig9b, fig10, fig11a, fig11b, fig11c, fig11d, fig12a, fig12b, fig13a, fig13b, fig14,
        fig15, fig16,
    ];
    let mut figures: Vec<Figure> = figures.into_iter().map(|figure| figure(&mut book)).collect();
    for figure in &mut figures {
        figure.differs = differs.get(&figure.id).cloned().unwrap_or_default();
    }
    (figures, book.runs)
}

/// The runs that figures are made of, each once.
struct Book<'a> {
    lab: &'a Lab,
    claims: &'a [Claim],
    runs: Vec<Rc<Run>>,
    places: BTreeMap<String, usize>,
}

impl Book<'_> {
    /// The place of a run, which is asked for.
    fn place(&mut self, run: Option<Rc<Run>>) -> Option<usize> {
        let run = run?;
        self.lab.result(&run)?;
        let runs = &mut self.runs;
        Some(*self.places.entry(run.key()).or_insert_with(|| {
            runs.push(run);
            runs.len() - 1
        }))
    }

    /// A point over mixes; without runs while some are missing.
    fn point(&mut self, series: usize, x: usize, mixes: &[Mix], scheme: &str, path: &str, over: Option<&str>) -> Point {
        let mut place = |scheme: &str| -> (Option<Vec<usize>>, String) {
            let mut at = String::new();
            let places: Vec<Option<usize>> = mixes
                .iter()
                .map(|mix| {
                    let (run, path) = self.lab.placed(mix, scheme, path)?;
                    at = path;
                    self.place(Some(run))
                })
                .collect();
            (places.into_iter().collect(), at)
        };
        let (runs, at) = place(scheme);
        let baseline = over.map(|over| place(over).0);
        let reduce = if mixes.len() > 1 { Reduce::Geomean } else { Reduce::Value };
        let mut point = empty(series, x as f64, Measure { path: at, reduce });
        if let (Some(runs), Some(baseline)) = (runs, baseline.unwrap_or(Some(Vec::new()))) {
            (point.runs, point.baseline) = (runs, baseline);
        }
        point
    }

    /// What the paper prints, by its claim; nothing where it prints no number.
    fn printed(&self, claim: &str) -> Option<f64> {
        let claim = self.claims.iter().find(|other| other.id == claim && other.kind == "magnitude")?;
        Some(if claim.unit == "percent" { claim.value / 100.0 } else { claim.value })
    }

    fn title(&self, scheme: &str) -> String {
        self.lab.study.schemes.get(scheme).map_or(scheme.to_owned(), |scheme| scheme.title.clone())
    }

    /// Bars of one metric: a series for each scheme, a category for each name of mixes.
    fn bars(&mut self, figure: Words, schemes: &[&str], categories: &[(String, Vec<Mix>)], path: &str, over: Option<&str>) -> Figure {
        let mut points = Vec::new();
        for (series, scheme) in schemes.iter().enumerate() {
            for (x, (_, mixes)) in categories.iter().enumerate() {
                points.push(self.point(series, x, mixes, scheme, path, over));
            }
        }
        let series = schemes.iter().map(|scheme| self.title(scheme)).collect();
        figure.of(Kind::Bars, series, categories.iter().map(|(name, _)| name.clone()).collect(), points)
    }

    /// Windows of one run from the end of its warm-up on, as a series of points.
    fn windows(&mut self, series: usize, mix: &Mix, scheme: &str, column: &str) -> Vec<Point> {
        let Some((run, windows, skipped)) = self.lab.windows(mix, scheme) else { return Vec::new() };
        let Some(place) = self.place(Some(run)) else { return Vec::new() };
        let point = |(i, window): (usize, &Value)| {
            let start = window.get("start").and_then(Value::as_f64).unwrap_or(0.0);
            let measure = Measure { path: format!("windows[{}].{column}", skipped + i), reduce: Reduce::Value };
            Point { runs: vec![place], ..empty(series, start, measure) }
        };
        windows.iter().take(SHOWN).enumerate().map(point).collect()
    }
}

fn empty(series: usize, x: f64, measure: Measure) -> Point {
    Point { series, x, value: None, paper: None, runs: Vec::new(), baseline: Vec::new(), measure: Some(measure) }
}

/// What a figure says of itself.
struct Words {
    id: &'static str,
    title: &'static str,
    source: &'static str,
    x: &'static str,
    y: (&'static str, &'static str),
}

impl Words {
    fn of(self, kind: Kind, series: Vec<String>, categories: Vec<String>, mut points: Vec<Point>) -> Figure {
        // What most points share stands with the figure.
        let measure = points.iter().find(|point| !point.runs.is_empty()).or(points.first()).and_then(|point| point.measure.clone());
        let measure = measure.unwrap_or(Measure { path: "metrics.hspeedup".into(), reduce: Reduce::Value });
        for point in &mut points {
            point.measure = point.measure.take().filter(|own| *own != measure);
        }
        Figure {
            id: self.id.into(),
            title: self.title.into(),
            source: self.source.into(),
            kind,
            x: Label { label: self.x.into(), unit: String::new() },
            y: Label { label: self.y.0.into(), unit: self.y.1.into() },
            series,
            categories,
            measure,
            points,
            differs: String::new(),
        }
    }
}

fn named(study: &Study, categories: &[(&str, &str)]) -> Vec<(String, Vec<Mix>)> {
    categories.iter().map(|(name, mixes)| ((*name).to_owned(), study.mixes(mixes))).collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn one(mix: &str) -> Mix {
    mix.split('+').map(str::to_owned).collect()
}

const TWO: [&str; 7] = ["smk", "ws", "spatial-oracle", "cta-oracle", "ccbp-drf", "ccbp", "ccbp-offline"];
const KINDS: [(&str, &str); 4] = [("LS+LS", "LS+LS"), ("LS+BI", "LS+BI"), ("NBI+DBI", "NBI+DBI"), ("ALL", "pairs")];

/// Each kernel's number of one pair, a category for each scheme.
fn pair(book: &mut Book, words: Words, mix: &str, schemes: &[(&str, &str)], path: &str) -> Figure {
    let mix = one(mix);
    let mut points = Vec::new();
    for (x, (_, scheme)) in schemes.iter().enumerate() {
        for kernel in 0..mix.len() {
            points.push(book.point(kernel, x, std::slice::from_ref(&mix), scheme, &format!("kernels[{kernel}].{path}"), None));
        }
    }
    words.of(Kind::Bars, mix, schemes.iter().map(|(name, _)| (*name).to_owned()).collect(), points)
}

/// Latency of the first kernel in parts, over the run alone; a category for each scheme.
fn latencies(book: &mut Book, words: Words, mix: &str, schemes: &[(&str, &str)]) -> Figure {
    let mix = one(mix);
    let mut points = Vec::new();
    for (series, path) in ["l1_to_l2", "l2_to_dram", "mean"].into_iter().enumerate() {
        for (x, (_, scheme)) in schemes.iter().enumerate() {
            let path = format!("kernels[0].latency.{path}");
            points.push(book.point(series, x, std::slice::from_ref(&mix), scheme, &path, Some("alone")));
        }
    }
    let categories = schemes.iter().map(|(name, _)| (*name).to_owned()).collect();
    words.of(Kind::Bars, names(&["L1 to L2", "L2 to DRAM", "all"]), categories, points)
}

const COMBINATIONS: [(&str, &str); 2] = [("BP 7, CFD 4", "fixed(7,4)"), ("BP 7, CFD 2", "fixed(7,2)")];

fn fig2a(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig2a",
        title: "BP and CFD: slowdown with two combinations of CTAs",
        source: "CCBP Fig. 2(a)",
        x: "CTAs on each SM",
        y: ("Slowdown", "×"),
    };
    pair(book, words, "BP+CFD", &COMBINATIONS, "slowdown")
}

fn fig2b(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig2b",
        title: "Memory latency of BP beside CFD",
        source: "CCBP Fig. 2(b)",
        x: "CTAs on each SM",
        y: ("Latency over BP alone", "×"),
    };
    latencies(book, words, "BP+CFD", &COMBINATIONS)
}

fn demand(book: &mut Book, words: Words, scheme: &str) -> Figure {
    let mix = one("BP+CFD");
    let points = (0..2).flat_map(|k| book.windows(k, &mix, scheme, &format!("kernels[{k}].noc_demand"))).collect();
    words.of(Kind::Lines, mix, Vec::new(), points)
}

fn fig3a(book: &mut Book) -> Figure {
    let y = ("Demand over peak; 60 % can be sustained", "%");
    demand(
        book,
        Words { id: "fig3a", title: "NoC demand of 7 CTAs of BP and 4 of CFD", source: "CCBP Fig. 3(a)", x: "Core cycle", y },
        "fixed(7,4)",
    )
}

fn fig3b(book: &mut Book) -> Figure {
    let y = ("Demand over peak; 60 % can be sustained", "%");
    demand(
        book,
        Words { id: "fig3b", title: "NoC demand of 7 CTAs of BP and 2 of CFD", source: "CCBP Fig. 3(b)", x: "Core cycle", y },
        "fixed(7,2)",
    )
}

fn fig4(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig4",
        title: "DRAM use of 7 CTAs of FTD, alone and beside 4 of CFD",
        source: "CCBP Fig. 4",
        x: "Core cycle",
        y: ("DRAM utilisation", "%"),
    };
    let mut points = book.windows(0, &one("FTD"), "alone 7", "dram_utilisation");
    points.extend(book.windows(1, &one("CFD+FTD"), "fixed(4,7)", "dram_utilisation"));
    words.of(Kind::Lines, names(&["FTD alone", "CFD+FTD"]), Vec::new(), points)
}

fn fig9a(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig9a",
        title: "Two kernels: harmonic speedup",
        source: "CCBP Fig. 9",
        x: "Kind of pair, geometric means",
        y: ("Harmonic speedup", ""),
    };
    let categories = named(&book.lab.study, &KINDS);
    book.bars(words, &TWO, &categories, "hspeedup", None)
}

fn fig9b(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig9b",
        title: "Two kernels: weighted speedup",
        source: "CCBP Fig. 9",
        x: "Kind of pair, geometric means",
        y: ("Weighted speedup", ""),
    };
    let categories = named(&book.lab.study, &KINDS);
    book.bars(words, &TWO, &categories, "wspeedup", None)
}

fn fig10(book: &mut Book) -> Figure {
    let words =
        Words { id: "fig10", title: "Harmonic speedup of each pair", source: "CCBP Fig. 10", x: "Pair", y: ("Harmonic speedup", "") };
    let mut mixes = book.lab.study.mixes("LS+BI");
    mixes.extend(book.lab.study.mixes("NBI+DBI"));
    let categories: Vec<(String, Vec<Mix>)> = mixes.into_iter().map(|mix| (mix.join("+"), vec![mix])).collect();
    book.bars(words, &TWO, &categories, "hspeedup", None)
}

const CASE: [(&str, &str); 2] = [("CTA oracle", "cta-oracle"), ("CCBP", "ccbp")];

fn fig11a(book: &mut Book) -> Figure {
    let words = Words { id: "fig11a", title: "BP and CFD: slowdown", source: "CCBP Fig. 11(a)", x: "Scheme", y: ("Slowdown", "×") };
    pair(book, words, "BP+CFD", &CASE, "slowdown")
}

fn fig11b(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig11b",
        title: "Memory latency of BP beside CFD",
        source: "CCBP Fig. 11(b)",
        x: "Scheme",
        y: ("Latency over BP alone", "×"),
    };
    latencies(book, words, "BP+CFD", &CASE)
}

fn fig11c(book: &mut Book) -> Figure {
    let words =
        Words { id: "fig11c", title: "BP and CFD: use of the NoC", source: "CCBP Fig. 11(c)", x: "Scheme", y: ("NoC utilisation", "%") };
    pair(book, words, "BP+CFD", &CASE, "noc_utilisation")
}

fn fig11d(book: &mut Book) -> Figure {
    let words =
        Words { id: "fig11d", title: "What BP's warps wait for", source: "CCBP Fig. 11(d)", x: "", y: ("Stall cycles of warps", "%") };
    let mix = one("BP+CFD");
    let oracle = book.lab.run(&mix, "cta-oracle", "hspeedup", Detail::Full);
    let runs = [
        book.lab.alone("BP", None, Detail::Full),
        oracle.clone(),
        oracle.and_then(|oracle| mil_on(book.lab, &mix, &oracle.written)),
        book.lab.run(&mix, "ccbp", "hspeedup", Detail::Full),
    ];
    let causes = ["raw_long", "lsu_full", "other"];
    let places = ["alone", "oracle", "mil", "ccbp"];
    let mut points = Vec::new();
    for (x, run) in runs.into_iter().enumerate() {
        let place = book.place(run);
        for (series, cause) in causes.into_iter().enumerate() {
            let measure = Measure { path: format!("kernels[0].warp_stalls.{cause}"), reduce: Reduce::Value };
            let paper = book.printed(&format!("s72-{}-{}", cause.replace('_', ""), places[x]));
            points.push(Point { runs: place.into_iter().collect(), paper, ..empty(series, x as f64, measure) });
        }
    }
    let series = names(&["RAW_long", "LSU_full", "Others"]);
    words.of(Kind::Shares, series, names(&["alone", "CTA oracle", "CTA oracle, MIL", "CCBP"]), points)
}

fn bandwidths(book: &mut Book, words: Words, scheme: &str) -> Figure {
    let mix = one("CFD+FTD");
    let mut points = book.windows(0, &mix, scheme, "noc_utilisation");
    points.extend(book.windows(1, &mix, scheme, "dram_utilisation"));
    words.of(Kind::Lines, names(&["NoC", "DRAM"]), Vec::new(), points)
}

fn fig12a(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig12a",
        title: "CFD and FTD under the CTA oracle",
        source: "CCBP Fig. 12(a)",
        x: "Core cycle",
        y: ("Utilisation", "%"),
    };
    bandwidths(book, words, "cta-oracle")
}

fn fig12b(book: &mut Book) -> Figure {
    let words =
        Words { id: "fig12b", title: "CFD and FTD under CCBP", source: "CCBP Fig. 12(b)", x: "Core cycle", y: ("Utilisation", "%") };
    bandwidths(book, words, "ccbp")
}

const SETS: [(&str, &str); 2] = [("3 kernels", "triples"), ("4 kernels", "quads")];

fn fig13a(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig13a",
        title: "Three and four kernels: harmonic speedup",
        source: "CCBP Fig. 13",
        x: "Geometric means",
        y: ("Harmonic speedup", ""),
    };
    let categories = named(&book.lab.study, &SETS);
    book.bars(words, &["smk", "ws", "ccbp"], &categories, "hspeedup", None)
}

fn fig13b(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig13b",
        title: "Three and four kernels: weighted speedup",
        source: "CCBP Fig. 13",
        x: "Geometric means",
        y: ("Weighted speedup", ""),
    };
    let categories = named(&book.lab.study, &SETS);
    book.bars(words, &["smk", "ws", "ccbp"], &categories, "wspeedup", None)
}

fn fig14(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig14",
        title: "Warped-Slicer with other schemes on top, and CCBP",
        source: "CCBP Fig. 14",
        x: "Kind of pair, geometric means",
        y: ("Harmonic speedup over WS", "×"),
    };
    let categories = named(&book.lab.study, &[("LS+NBI", "LS+NBI"), ("LS+DBI", "LS+DBI"), ("NBI+DBI", "NBI+DBI")]);
    book.bars(words, &["ws+tcm", "ws+bmi", "ws+mil", "ws+ucp", "ccbp"], &categories, "hspeedup", Some("ws"))
}

fn fig15(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig15",
        title: "Entries of CCBP's miss queue",
        source: "CCBP Fig. 15",
        x: "Kernels",
        y: ("Harmonic speedup over 1024 entries", "%"),
    };
    let categories = named(&book.lab.study, &[("2", "some bandwidth"), ("3", "some triples"), ("4", "some quads")]);
    let mut figure = book.bars(words, &["ccbp queue=64", "ccbp", "ccbp queue=256"], &categories, "hspeedup", Some("ccbp queue=1024"));
    figure.series = names(&["64 entries", "128", "256"]);
    let claims = ["64", "128", "256"].into_iter().flat_map(|entries| [2, 3, 4].map(|kernels| format!("s76-queue-{entries}-k{kernels}")));
    for (point, claim) in figure.points.iter_mut().zip(claims) {
        point.paper = book.printed(&claim);
    }
    figure
}

fn fig16(book: &mut Book) -> Figure {
    let words = Words {
        id: "fig16",
        title: "Orders of warps",
        source: "CCBP Fig. 16",
        x: "Some pairs, geometric means",
        y: ("Harmonic speedup", ""),
    };
    let mixes = book.lab.study.mixes("some pairs");
    let orders = [
        ("LRR", ""),
        ("GTO", " gto"),
        ("2LVL-4", " two-level(4)"),
        ("2LVL-8", " two-level(8)"),
        ("2LVL-16", " two-level(16)"),
        ("LRR+GTO", " lrr+gto"),
    ];
    let mut points = Vec::new();
    for (series, (_, order)) in orders.iter().enumerate() {
        for (x, scheme) in ["ws", "ccbp"].into_iter().enumerate() {
            points.push(book.point(series, x, &mixes, &format!("{scheme}{order}"), "hspeedup", None));
        }
    }
    words.of(Kind::Bars, orders.iter().map(|(name, _)| (*name).to_owned()).collect(), names(&["WS", "CCBP"]), points)
}
