use super::*;
use crate::describe::error::Problems;
use crate::describe::value::Value;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

fn point(series: usize, x: f64, value: Option<f64>, paper: Option<f64>) -> Point {
    Point { series, x, value, ci95: None, paper, runs: vec![0], baseline: Vec::new(), measure: None }
}

fn figure(kind: Kind) -> Figure {
    Figure {
        id: "test".into(),
        title: "Speedup <&> fairness".into(),
        source: "a test".into(),
        kind,
        x: Label { label: "Mix".into(), unit: String::new() },
        y: Label { label: "HSpeedup".into(), unit: String::new() },
        series: vec!["one".into(), "two".into()],
        categories: vec!["LS+LS".into(), "LS+BI".into()],
        measure: Measure { path: "metrics.hspeedup".into(), reduce: Reduce::Geomean },
        points: vec![
            point(0, 0.0, Some(0.5), None),
            point(1, 0.0, Some(1.0), Some(0.8)),
            point(0, 1.0, Some(0.25), None),
            point(1, 1.0, None, Some(0.9)),
        ],
        differs: String::new(),
    }
}

fn result(hspeedup: f64, ipc: f64) -> Value {
    let kernel = Value::object([("ipc", Value::from(ipc)), ("latency", Value::object([("mean", 400.0)]))]);
    Value::object([("metrics", Value::object([("hspeedup", hspeedup)])), ("kernels", Value::array([kernel]))])
}

#[test]
fn what_is_written_reads_back_equal() {
    for kind in [Kind::Bars, Kind::Lines, Kind::Scatter, Kind::Shares] {
        let mut figure = figure(kind);
        figure.points[2] = Point {
            ci95: Some([0.125, 0.5]),
            runs: vec![1, 2],
            baseline: vec![3, 4],
            measure: Some(Measure { path: "kernels[0].ipc".into(), reduce: Reduce::Max }),
            ..point(0, 1.0, Some(0.25), None)
        };
        for (place, reduce) in
            [Reduce::Share { from: 1.0, to: f64::INFINITY }, Reduce::Share { from: 0.5, to: 0.75 }].into_iter().enumerate()
        {
            figure.points[place].measure = Some(Measure { path: "goals.least".into(), reduce });
        }
        let mut problems = Problems::default();
        assert_eq!(Figure::decode(&figure.encode(), "", &mut problems), Some(figure), "{problems}");
    }
}

/// Is the interval drawn, within the axis, and said?
#[test]
fn a_point_shows_its_interval() {
    for kind in [Kind::Bars, Kind::Lines, Kind::Scatter] {
        let mut figure = figure(kind);
        let lines = |figure: &Figure| draw(figure, Options::default()).matches("<line").count();
        let before = lines(&figure);
        figure.points[0].ci95 = Some([0.45, 0.55]);
        assert_eq!(lines(&figure), before + 1, "{kind:?}");
        figure.points[1].ci95 = Some([0.5, 9.0]);
        let svg = draw(&figure, Options::default());
        assert!(svg.contains("(0.5 to 9)") && svg.contains(">10</text>"), "the axis reaches its end: {svg}");
    }
}

#[test]
fn everything_that_is_wrong_is_named_at_once() {
    let mut value = figure(Kind::Bars).encode();
    let Value::Object(pairs) = &mut value else { unreachable!() };
    for (key, new) in pairs.iter_mut() {
        match key.as_str() {
            "kind" => *new = "pie".into(),
            "title" => *new = 3.into(),
            "measure" => *new = Value::object([("path", "a"), ("reduce", "median"), ("from", "0")]),
            "points" => {
                *new = Value::array([
                    Value::object([("series", Value::from(2)), ("x", 0.into())]),
                    Value::object([("series", Value::from(0)), ("x", 7.into()), ("paper", "1".into())]),
                    Value::object([
                        ("series", Value::from(0)),
                        ("x", 0.into()),
                        ("runs", vec![Value::from(1)].into()),
                        ("baseline", Value::array([1, 2])),
                    ]),
                ]);
            }
            _ => {}
        }
    }
    pairs.push(("colour".into(), "red".into()));
    let mut problems = Problems::default();
    assert_eq!(Figure::decode(&value, "figures[2]", &mut problems), None);
    let paths: Vec<&str> = problems.0.iter().map(|problem| problem.path.as_str()).collect();
    let expected = [
        "title",
        "kind",
        "measure.reduce",
        "measure.from",
        "points[1].paper",
        "colour",
        "points[0].series",
        "points[1].x",
        "points[2].baseline",
    ];
    assert_eq!(paths, expected.map(|path| alloc::format!("figures[2].{path}")));
}

/// By hand: the geometric mean of 0.9 / 0.6 and 0.8 / 0.3 is 2; the mean IPC is 30.
#[test]
fn a_point_is_worth_what_its_runs_say() {
    let results = [result(0.9, 20.0), result(0.8, 40.0), result(0.6, 1.0), result(0.3, 1.0), Value::Null];
    let mut figure = figure(Kind::Bars);
    let of = |runs: &[usize], baseline: &[usize], measure| Point {
        runs: runs.into(),
        baseline: baseline.into(),
        measure,
        ..point(0, 0.0, None, None)
    };
    let measure = |path: &str, reduce| Some(Measure { path: path.into(), reduce });
    figure.points = vec![
        of(&[0, 1], &[2, 3], None),
        of(&[0, 1], &[], measure("kernels[0].ipc", Reduce::Mean)),
        of(&[0, 1], &[], measure("kernels[0].ipc", Reduce::Max)),
        of(&[1], &[], measure("kernels[0].latency.mean", Reduce::Value)),
        of(&[0, 1], &[], measure("kernels[0].ipc", Reduce::Value)),
        of(&[0], &[], measure("kernels[1].ipc", Reduce::Value)),
        of(&[0, 4], &[], None),
        of(&[], &[], None),
        of(&[0, 99], &[], None),
    ];
    let values = figure.values(&results);
    assert!((values[0].unwrap() - 2.0).abs() < 1e-12);
    assert_eq!(values[1..4], [Some(30.0), Some(40.0), Some(400.0)]);
    assert_eq!(values[4..], [None; 5]);
    let share = |from, to| measure("kernels[0].ipc", Reduce::Share { from, to });
    let any = f64::INFINITY;
    figure.points =
        [share(20.0, 40.0), share(20.0, any), share(40.5, any), share(-any, 2.0)].map(|share| of(&[0, 1, 2], &[], share)).into();
    assert_eq!(figure.values(&results), [1.0 / 3.0, 2.0 / 3.0, 0.0, 1.0 / 3.0].map(Some), "from the first bound, and below the second");
    figure.points = vec![Point { value: Some(7.0), ..of(&[0, 4], &[], measure("an error", Reduce::Given)) }];
    assert_eq!(figure.values(&results), [Some(7.0)], "what is given stands");
}

/// The height of a bar over the height of another is the ratio of their values, whatever the axis.
#[test]
fn bars_are_as_high_as_their_values() {
    let svg = draw(&figure(Kind::Bars), Options::default());
    let height = |point: usize| -> f64 {
        let tag = svg.split('<').find(|tag| tag.contains(&alloc::format!("data-point=\"{point}\""))).expect("a bar");
        tag.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
    };
    assert!((height(1) / height(0) - 2.0).abs() < 0.01 && (height(0) / height(2) - 2.0).abs() < 0.01);
    assert!(svg.contains("two, LS+LS: 1 (paper 0.8)"));
    assert!(!svg.contains("data-point=\"3\""), "a point without a value has no bar");
    assert_eq!(svg.matches("class=\"paper\"").count(), 3, "two points and the legend");
}

#[test]
fn every_kind_draws_every_point_at_every_width() {
    for kind in [Kind::Bars, Kind::Lines, Kind::Scatter, Kind::Shares] {
        for width in [240, 360, 720, 1200, 4000] {
            let mut figure = figure(kind);
            figure.points[3].value = Some(0.7);
            let svg = draw(&figure, Options { width, title: true });
            for i in 0..figure.points.len() {
                assert_eq!(svg.matches(&alloc::format!("data-point=\"{i}\"")).count(), 1, "{kind:?} {width}");
            }
            assert!(svg.contains("Speedup &lt;&amp;&gt; fairness") && !svg.contains("NaN") && !svg.contains("inf"), "{kind:?} {width}");
        }
    }
}

/// Fifty-six mixes under seven schemes on a telephone: no columns of half a pixel.
#[test]
fn many_categories_become_rows_of_dots() {
    let mut figure = figure(Kind::Bars);
    figure.categories = (0..56).map(|i| alloc::format!("BP+K{i}")).collect();
    figure.points = (0..112).map(|i| point(i % 2, (i / 2) as f64, Some(1.0 + i as f64 / 100.0), None)).collect();
    let narrow = draw(&figure, Options { width: 360, title: false });
    assert_eq!((narrow.matches("<circle").count(), narrow.matches("class=\"bar c").count()), (112, 2));
    let wide = draw(&figure, Options { width: 1200, title: false });
    assert_eq!(wide.matches("class=\"bar c").count(), 114);
}

#[test]
fn a_figure_without_values_is_still_a_figure() {
    let mut figure = figure(Kind::Lines);
    figure.points.clear();
    figure.categories.clear();
    assert!(draw(&figure, Options::default()).ends_with("</svg>\n"));
    let options = Value::object([("width", Value::from(100)), ("height", 3.into())]);
    assert_eq!(
        Options::decode(&options).unwrap_err().to_string(),
        "options.width: found 100, want a whole number from 240 to 4000\noptions.height: found an unknown field (3), want one of width, title"
    );
}

/// Are the axes' labels and units readable on a telephone?
#[test]
fn a_long_label_takes_two_lines_and_keeps_its_unit() {
    let mut figure = figure(Kind::Lines);
    figure.y = Label { label: "Latency over that of BP alone".into(), unit: "core cycles".into() };
    let svg = draw(&figure, Options { width: 320, title: true });
    assert!(svg.contains(">Latency over that of<") && svg.contains(">BP alone (core cycles)<"), "{svg}");
    assert!(draw(&figure, Options::default()).contains(">Latency over that of BP alone (core cycles)<"));
}

/// Does a time series fill its picture?
#[test]
fn lines_reach_from_edge_to_edge() {
    let mut figure = figure(Kind::Lines);
    figure.categories.clear();
    figure.points = (0..60).map(|i| point(0, 80_400.0 + 1000.0 * f64::from(i), Some(0.5), None)).collect();
    let svg = draw(&figure, Options { width: 720, title: false });
    assert!(!svg.contains(">50000<") && !svg.contains(">150000<") && svg.contains(">100000<"), "{svg}");
    let narrow = draw(&figure, Options { width: 320, title: false });
    assert!(narrow.contains(">100000<") && narrow.contains(">125000<"), "two numbers say the scale: {narrow}");
}

/// Where are the paper's parts drawn? On each other, not on ours.
#[test]
fn the_papers_parts_stand_on_its_own() {
    let mut shares = figure(Kind::Shares);
    shares.points = vec![point(0, 0.0, Some(0.9), Some(0.5)), point(1, 0.0, Some(0.1), Some(0.3)), point(0, 1.0, Some(1.0), Some(0.8))];
    let svg = draw(&shares, Options::default());
    let heights: Vec<&str> = svg
        .lines()
        .filter(|line| line.starts_with("<path") && line.contains("class=\"paper\""))
        .filter_map(|line| line.split_once(' ')?.1.split_once(' ')?.1.split_once('l').map(|(y, _)| y))
        .collect();
    let [legend, first, second, whole] = heights[..] else { panic!("{heights:?}") };
    assert_eq!(second, whole, "0.5 and 0.3 are 0.8");
    assert!(first != second && legend != first);
}
