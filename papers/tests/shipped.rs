//! The figures of papers that the page ships can be read, drawn and run again.

use sim_core::describe::error::Problems;
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::study::figure::{Figure, Options, draw};
use std::path::Path;

/// The figures that each paper has, by number, in documents of the page that have been made.
const PAPERS: [(&str, &[u32]); 6] = [
    ("ccbp", &[2, 3, 4, 9, 10, 11, 12, 13, 14, 15, 16]),
    ("qos", &[5, 6, 7, 8, 9, 10, 11, 12, 13, 14]),
    // 3 and 5 are diagrams.
    ("hetero", &[1, 2, 4, 6, 7, 8, 9, 10]),
    // 1 to 4 are diagrams.
    ("latency", &[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
    // 1 to 3 are diagrams.
    ("ikra", &[4, 5, 6, 7, 8]),
    ("interference", &[1, 2, 3]),
];

#[test]
fn shipped_figures_are_whole() {
    let shipped = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/public/papers")).expect("the figures are there");
    let names = shipped.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned());
    let papers: Vec<String> = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned())).collect();
    assert!(papers.iter().any(|paper| paper == "ccbp"));
    for paper in papers {
        let (_, numbers) =
            PAPERS.iter().find(|known| known.0 == paper).unwrap_or_else(|| panic!("{paper}: a paper of which nothing is known"));
        is_whole(&paper, numbers);
    }
}

fn is_whole(paper: &str, numbers: &[u32]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join(format!("web/public/papers/{paper}.json"))).expect("the figures are there");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let list = |key: &str| match document.get(key) {
        Some(Value::Array(items)) => items.clone(),
        other => panic!("{key}: {other:?}"),
    };
    let (figures, runs) = (list("figures"), list("runs"));
    let mut ids = Vec::new();
    for (i, value) in figures.iter().enumerate() {
        let mut problems = Problems::default();
        let figure = Figure::decode(value, &format!("figures[{i}]"), &mut problems).unwrap_or_else(|| panic!("{problems}"));
        for point in &figure.points {
            assert!(point.value.is_some() && !point.runs.is_empty(), "{}: a point without runs", figure.id);
            assert!(point.runs.iter().chain(&point.baseline).all(|&run| run < runs.len()), "{}: a run that is not there", figure.id);
        }
        assert!(root.join(format!("docs/reports/{paper}/{}.svg", figure.id)).exists(), "{}: no picture", figure.id);
        assert!(draw(&figure, Options::default()).contains("data-point"), "{}", figure.id);
        ids.push(figure.id);
    }
    for number in numbers {
        let mut mine = ids.iter().filter_map(|id| id.strip_prefix(&format!("fig{number}")));
        assert!(mine.any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit())), "no figure {number}");
    }
    // Every tenth: reading all of them takes long.
    for (i, run) in runs.iter().enumerate().step_by(10) {
        let experiment = run.get("experiment").expect("an experiment");
        Experiment::decode(experiment).unwrap_or_else(|problems| panic!("runs[{i}]: {problems}"));
    }
}
