//! Do the formulas of the latency-prediction paper give the numbers that follow from its tables? Latencies are in ms, bandwidths in GB/s unless a
//! test says otherwise.

use proptest::prelude::*;
use sim_core::describe::value::Value;
use sim_core::predict::answer::Answer;
use sim_core::predict::group::{Load, Prediction, predict};
use sim_core::predict::question::Question;
use sim_core::predict::reading::{Model, Reading};
use sim_core::predict::{Platform, bandwidth, isolated, naive};
use sim_core::run::windows::Windows;
use sim_core::study::prediction;

const GPU: Platform = Platform::PAPER;

/// `found` is `want` to as many decimals as `want` is printed with.
#[track_caller]
fn printed(found: f64, want: &str) {
    let decimals = want.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    assert_eq!(format!("{found:.decimals$}"), want, "{found}");
}

/// Name, duration on 30 SMs and KAI as in Table 2; bandwidth there from the bytes of Table 2, or linear from Table 3.
const KERNELS: [(&str, f64, f64, f64); 8] = [
    ("VADD", 0.379, 330.0, 0.056),
    ("SAXPY", 0.379, 330.0, 0.059),
    ("COPY", 0.271, 309.5, 0.064),
    ("RAYTRACE", 2.621, 34.0, 3.575),
    ("DXTC", 3.273, 0.27, 149.265),
    ("CONV", 1.089, 243.0, 0.291),
    ("MVT", 2.878, 115.0, 0.015),
    ("PF", 0.337, 179.0, 0.475),
];

fn tc(name: &str, n: u32) -> f64 {
    let (_, full, bandwidth, kai) = KERNELS.into_iter().find(|kernel| kernel.0 == name).unwrap();
    isolated::latency(&GPU, n, full, bandwidth, kai)
}

#[test]
fn eqs_1_to_3() {
    printed(isolated::utilisation(330.0, GPU.bandwidth_max), "0.9483");
    for (used, want) in [(0.7, "0.000045"), (0.8, "0.500000"), (0.85, "0.993307"), (0.9, "0.999955")] {
        printed(isolated::saturation(used, GPU.saturation_point()), want);
    }
    // VADD: 12 sectors for each warp of 32 threads of 21 instructions.
    assert_eq!(isolated::intensity(21.0 * 32.0, 12.0), Some(0.056));
    assert_eq!(isolated::intensity(21.0, 0.0), None);
}

#[test]
fn eq_4_on_the_kernels_of_table_2() {
    let table: [(&str, [f64; 6]); 8] = [
        ("VADD", [1.1390, 0.5695, 0.3797, 0.2848, 0.2278, 0.1898]),
        ("SAXPY", [1.1391, 0.5696, 0.3797, 0.2848, 0.2278, 0.1899]),
        ("COPY", [0.8146, 0.4073, 0.2715, 0.2036, 0.1629, 0.1358]),
        ("RAYTRACE", [15.911, 7.956, 5.304, 3.978, 3.182, 2.652]),
        ("DXTC", [19.714, 9.857, 6.571, 4.929, 3.943, 3.286]),
        ("CONV", [6.578, 3.289, 2.193, 1.645, 1.316, 1.096]),
        ("MVT", [17.271, 8.635, 5.757, 4.318, 3.454, 2.879]),
        ("PF", [2.0386, 1.0193, 0.6795, 0.5096, 0.4077, 0.3398]),
    ];
    for (name, latencies) in table {
        for (n, want) in (5..=30).step_by(5).zip(latencies) {
            let found = tc(name, n);
            assert!((found / want - 1.0).abs() < 0.001, "{name} on {n} SMs: {found}, want {want}");
        }
    }
}

#[test]
fn eq_4_to_the_printed_digits() {
    let vectors = [(0.5, 1.0, 10, "3050847.46"), (0.8, 0.05, 15, "1335113.48"), (0.95, 0.05, 30, "500792.999")];
    for (used, kai, n, want) in vectors {
        printed(isolated::latency(&GPU, n, 1e6, used * GPU.bandwidth_max, kai), want);
    }
}

#[test]
fn eq_17_saturates_or_is_linear() {
    let saturated = ["186.58", "267.67", "302.91", "318.23", "324.88", "327.78"];
    for (n, want) in (5..=30).step_by(5).zip(saturated) {
        printed(bandwidth::on_sms(&GPU, n, 330.0), want);
        printed(bandwidth::on_sms(&GPU, n, 279.0), want);
    }
    printed(bandwidth::on_sms(&GPU, 1, 330.0), "50.66");
    for (n, want) in (5..=30).step_by(5).zip(["16.67", "33.33", "50.00", "66.67", "83.33", "100.00"]) {
        printed(bandwidth::on_sms(&GPU, n, 100.0), want);
    }
    // The threshold itself saturates, and is 278.4 to the last bit.
    assert_eq!(GPU.threshold(), 278.4);
    printed(bandwidth::on_sms(&GPU, 5, 278.4), "186.58");
    printed(bandwidth::on_sms(&GPU, 5, 278.3), "46.38");
}

#[test]
fn the_naive_baseline_spares_only_the_rest_of_the_longest() {
    let naive = |latencies: &[f64]| -> Vec<f64> {
        (0..latencies.len()).map(|own| naive::latency(latencies.iter().copied(), own, naive::MARGIN)).collect()
    };
    assert_eq!(naive(&[1000.0, 4000.0]), [1730.0, 4730.0]);
    for (found, want) in naive(&[2.0, 5.0, 8.0]).into_iter().zip(["3.46", "8.65", "11.65"]) {
        printed(found, want);
    }
    assert_eq!(naive(&[100.0]), [100.0], "nobody runs beside it");
    assert_eq!(naive(&[100.0, 100.0]), [173.0; 2]);
}

fn load(sms: u32, latency: f64, bandwidth: f64, accesses: f64, tc: f64) -> Load {
    Load { sms, latency, bandwidth, accesses, tc }
}

fn under(reading: Reading, loads: &[Load]) -> Prediction {
    predict(&GPU, loads, Model::default().with(reading))
}

/// Spec vector of two kernels whose first window is oversubscribed.
#[test]
fn eq_8_to_the_printed_digits() {
    let loads = [load(20, 1000.0, 300.0, 9000.0, 900.0), load(10, 4000.0, 100.0, 12000.0, 4000.0)];
    let found = under(Reading::Literal, &loads);
    printed(found.kernels[0].latency, "1857.90725");
    printed(found.kernels[1].latency, "3825.73656");
    let [first, second] = found.windows[..] else { panic!("{:?}", found.windows) };
    assert_eq!((first.sum, second.sum, second.interference), (400.0, 100.0, 1.0));
    printed(first.interference, "1.436782");
    let a = found.kernels[0].parts[0].factors.unwrap();
    for (found, want) in [(a.sms, "0.75"), (a.accesses, "0.75"), (a.bandwidth, "1.724138"), (a.together, "0.969828")] {
        printed(found, want);
    }
    printed(found.kernels[0].parts[0].penalty, "1.436782");
    let b = found.kernels[1].parts[0].factors.unwrap();
    for (found, want) in [(b.sms, "1.50"), (b.accesses, "0.0625"), (b.bandwidth, "0.574713"), (b.together, "0.053879")] {
        printed(found, want);
    }
    printed(found.kernels[1].parts[0].penalty, "0.574713");
    assert_eq!(found.kernels[1].parts[1].penalty, 1.0);
    assert!(found.kernels[1].parts[1].factors.is_none());
}

/// The branch of Eq. 15 for penalties of 2 and more, which Eq. 16 fills.
#[test]
fn eq_16_to_the_printed_digits() {
    let loads = [load(5, 1000.0, 340.0, 90000.0, 900.0), load(25, 4000.0, 20.0, 2000.0, 4000.0)];
    let found = under(Reading::Literal, &loads);
    printed(found.windows[0].interference, "1.293103");
    printed(found.kernels[0].parts[0].factors.unwrap().together, "5.829682");
    assert_eq!(found.kernels[0].parts[0].penalty, 1.0, "the densest of all");
    printed(found.kernels[0].latency, "1163.79310");
    printed(found.kernels[1].latency, "3148.63258");
    let added = predict(&GPU, &loads, Model { density_added: true, ..Model::default() });
    printed(added.kernels[0].latency, "2327.58621");
}

/// Table 3: kernels on their SMs, with the bandwidth that each asks for there.
const EXPERIMENTS: [&[(&str, u32, f64)]; 7] = [
    &[("VADD", 15, 296.03), ("RAYTRACE", 15, 19.32)],
    &[("VADD", 5, 120.9), ("SAXPY", 5, 113.19), ("MVT", 20, 109.5)],
    &[("RAYTRACE", 10, 13.39), ("DXTC", 10, 0.09), ("PF", 10, 59.55)],
    &[("COPY", 15, 250.33), ("SAXPY", 15, 291.77)],
    &[("VADD", 15, 296.03), ("CONV", 15, 140.37)],
    &[("VADD", 20, 325.58), ("MVT", 10, 74.33)],
    &[("PF", 5, 30.04), ("MVT", 5, 45.39), ("RAYTRACE", 5, 8.84), ("DXTC", 5, 0.04), ("CONV", 5, 46.96), ("COPY", 5, 92.87)],
];

fn experiment(number: usize) -> Vec<Load> {
    let of = |&(name, sms, bandwidth): &(&str, u32, f64)| {
        // The streaming kernels take as long as their bytes; for the others the table prints no latency, and Eq. 4 stands in.
        let latency = match name {
            "VADD" | "SAXPY" => 120.0 * 1048.576 / bandwidth / 1000.0,
            "COPY" => 80.0 * 1048.576 / bandwidth / 1000.0,
            _ => tc(name, sms),
        };
        load(sms, latency, bandwidth, bandwidth * latency, tc(name, sms))
    };
    EXPERIMENTS[number - 1].iter().map(of).collect()
}

#[test]
fn eq_7_on_the_experiments_of_table_3() {
    let want = [("315.35", "1.1327"), ("343.59", "1.2342"), ("73.03", "1.0000"), ("542.10", "1.9472"), ("436.40", "1.5675")];
    let want = want.into_iter().chain([("399.91", "1.4365"), ("224.14", "1.0000")]);
    for (number, (sum, interference)) in (1..).zip(want) {
        let window = under(Reading::Literal, &experiment(number)).windows[0];
        printed(window.sum, sum);
        printed(window.interference, interference);
    }
}

/// Slowdowns by experiment: literal, clamped, elected, i_only, fluid.
#[test]
fn every_reading_of_eq_15_on_the_experiments_of_table_3() {
    let table: [(usize, usize, [&str; 5]); 13] = [
        (1, 0, ["1.012", "1.012", "1.012", "1.012", "1.000"]),
        (1, 1, ["1.011", "1.011", "1.011", "1.011", "1.000"]),
        (2, 0, ["1.408", "1.408", "1.408", "1.351", "1.041"]),
        (2, 1, ["1.221", "1.249", "1.249", "1.249", "1.039"]),
        (2, 2, ["1.040", "1.056", "1.056", "1.056", "1.010"]),
        (3, 0, ["1.000"; 5]),
        (4, 0, ["2.270", "2.270", "1.578", "1.578", "1.643"]),
        (4, 1, ["2.440", "2.440", "2.440", "1.538", "1.499"]),
        (5, 0, ["1.616", "1.616", "2.195", "1.400", "1.322"]),
        (5, 1, ["1.051", "1.110", "1.110", "1.110", "1.063"]),
        (6, 0, ["1.209", "1.209", "1.520", "1.058", "1.212"]),
        (6, 1, ["0.983", "1.020", "1.020", "1.020", "1.009"]),
        (7, 5, ["0.902", "0.902", "0.902", "0.902", "1.000"]),
    ];
    for (number, kernel, want) in table {
        for (reading, want) in Reading::ALL.into_iter().zip(want) {
            printed(under(reading, &experiment(number)).kernels[kernel].slowdown, want);
        }
    }
    for (number, kernels) in [(3, 1..3), (7, 0..5)] {
        for (reading, kernel) in Reading::ALL.into_iter().flat_map(|reading| kernels.clone().map(move |kernel| (reading, kernel))) {
            printed(under(reading, &experiment(number)).kernels[kernel].slowdown, "1.000");
        }
    }
    let literal =
        [(1, 0, "0.4301"), (2, 0, "1.465"), (2, 2, "4.489"), (4, 0, "0.7607"), (4, 1, "1.0521"), (5, 0, "0.6868"), (6, 1, "8.486")];
    for (number, kernel, want) in literal {
        printed(under(Reading::Literal, &experiment(number)).kernels[kernel].latency, want);
    }
}

/// Between the threshold of Eq. 7 and the sustained bandwidth a window is slower without a penalty.
#[test]
fn the_dead_zone_has_interference_and_no_penalty() {
    for (bandwidth, slowed, penalised) in [(278.3, false, false), (300.0, true, false), (329.9, true, false), (330.0, true, true)] {
        let found = under(Reading::Literal, &[load(30, 10.0, bandwidth, 1.0, 10.0)]);
        assert_eq!(found.windows[0].interference > 1.0, slowed, "{bandwidth}");
        assert_eq!(found.kernels[0].parts[0].factors.is_some(), penalised, "{bandwidth}");
    }
}

#[test]
fn kernels_that_end_together_share_their_last_window() {
    let loads = [10.0, 20.0, 20.0, 10.0, 30.0].map(|latency| load(5, latency, 80.0, 80.0 * latency, latency));
    let found = under(Reading::Literal, &loads);
    assert_eq!(
        found.windows.iter().map(|w| (w.start, w.end, w.kernels)).collect::<Vec<_>>(),
        [(0.0, 10.0, 5), (10.0, 20.0, 3), (20.0, 30.0, 1)]
    );
    assert_eq!(found.kernels.iter().map(|kernel| kernel.parts.len()).collect::<Vec<_>>(), [1, 2, 2, 1, 3]);
    assert_eq!(found.kernels[1], found.kernels[2]);
    for kernel in &found.kernels {
        let whole: f64 = kernel.parts.iter().map(|part| part.share).sum();
        assert!((whole - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_kernel_alone_takes_what_eq_4_says() {
    for reading in [Reading::Literal, Reading::IOnly, Reading::Fluid] {
        let found = under(reading, &[load(10, 5.0, 100.0, 0.0, 4.0)]);
        let want = if reading == Reading::Fluid { 5.0 } else { 4.0 };
        assert_eq!((found.kernels[0].latency, found.windows.len()), (want, 1), "{reading:?}");
    }
}

/// The fluid model keeps the pipe full while it is oversubscribed: the bytes carried are the bytes asked for.
#[test]
fn the_fluid_model_carries_every_byte_at_the_sustained_bandwidth() {
    for number in 1..=7 {
        let loads = experiment(number);
        let found = under(Reading::Fluid, &loads);
        let asked: f64 = loads.iter().map(|load| load.bandwidth * load.latency).sum();
        let carried: f64 = found.windows.iter().map(|w| (w.end - w.start) * w.sum.min(GPU.bandwidth_sustained)).sum();
        assert!((carried / asked - 1.0).abs() < 1e-12, "{number}: {carried} of {asked}");
        assert_eq!(found.windows.last().unwrap().end, found.makespan());
    }
}

// --- files ------------------------------------------------------------------------------------------------------------------------

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn question(kernels: &str, more: &str) -> Value {
    json(&format!(
        r#"{{"corun": 1, "predict": {{"sms": 30, "l2_banks": 24, "bandwidth_max": 348, "bandwidth_sustained": 330{more}, "kernels": [{kernels}]}}}}"#
    ))
}

fn answer(value: &Value) -> Result<Answer, Vec<String>> {
    let answer = Question::decode(value).and_then(|question| Answer::of(&question));
    answer.map_err(|problems| problems.0.iter().map(|problem| problem.to_string()).collect())
}

const COPY: &str =
    r#"{"name": "COPY", "sms": 15, "latency_full": 0.271, "bandwidth_full": 309.5, "kai": 0.064, "latency": 0.3351, "bandwidth": 250.33}"#;
const SAXPY: &str =
    r#"{"name": "SAXPY", "sms": 15, "latency_full": 0.379, "bandwidth_full": 330, "kai": 0.059, "latency": 0.4313, "bandwidth": 291.77}"#;

#[test]
fn a_file_is_read_and_answered() {
    let value = question(&format!("{COPY}, {SAXPY}"), "");
    let question = Question::decode(&value).unwrap();
    let answer = Answer::of(&question).unwrap().to_value(&question);
    let Some(Value::Array(kernels)) = answer.get("kernels") else { panic!("{answer}") };
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_f64).unwrap();
    printed(number(&kernels[0], "slowdown"), "2.270");
    printed(number(&kernels[1], "slowdown"), "2.439");
    printed(number(&kernels[0], "tc"), "0.2715");
    let Some(Value::Array(windows)) = kernels[1].get("windows") else { panic!("{answer}") };
    assert_eq!(windows.len(), 2);
    printed(number(&windows[0], "interference"), "1.9472");
    printed(number(&windows[1], "sum"), "291.77");
}

#[test]
fn each_open_point_of_the_paper_has_a_switch() {
    let latency = |more: &str, kernel: &str| answer(&question(kernel, more)).unwrap().prediction.kernels[0].latency;
    let whole = r#"{"name": "COPY", "sms": 30, "latency_full": 0.271, "bandwidth_full": 100, "kai": 0.064}"#;
    let halved = r#"{"name": "COPY", "sms": 30, "latency_full": 0.271, "bandwidth_full": 309.5, "kai": 0.064, "bandwidth": 100}"#;
    printed(latency("", whole), "0.271");
    printed(latency("", halved), "0.136");
    printed(latency(r#", "exact_at_n": true"#, halved), "0.271");
    printed(latency(r#", "base": "measured""#, halved), "0.271");
    printed(latency(r#", "reading": "i_only", "base": "measured""#, COPY), "0.3351");
    let bare = r#"{"name": "COPY", "sms": 15, "latency_full": 0.271, "bandwidth_full": 309.5, "kai": 0.064}"#;
    let found = answer(&question(bare, r#", "missing": "model", "reading": "fluid""#)).unwrap();
    printed(found.loads[0].bandwidth, "302.91");
    printed(found.prediction.kernels[0].latency, "0.2715");
    let sizes = r#"{"name": "COPY", "sms": 15, "tc": 0.3, "profile": [{"sms": 5, "latency": 0.9}, {"sms": 15, "latency": 0.34, "bandwidth": 250}]}"#;
    printed(answer(&question(sizes, "")).unwrap().loads[0].latency, "0.34");
}

/// Every problem names its path, what was found and what is wanted.
#[test]
fn bad_files_have_named_errors() {
    let kernel = |more: &str| format!(r#"{{"name": "A", "sms": 10, "latency": 1, "bandwidth": 100, "tc": 1{more}}}"#);
    let two = |first: &str, second: &str| format!("{}, {}", kernel(first), kernel(second));
    let cases = [
        (question(&format!("{COPY}, {SAXPY}, {}", kernel("")), ""), "predict.kernels: found 40 SMs together, want at most the GPU's 30"),
        (
            question(&two(r#", "first": 5"#, r#", "first": 14"#), ""),
            "predict.kernels[1].first: found SMs 14 to 23, some of which are those of kernels[0], want SMs of its own",
        ),
        (question(&kernel(r#", "first": 21"#), ""), "predict.kernels[0].first: found SMs 21 to 30, want some of SMs 0 to 29"),
        (question(&kernel("").replace(": 10,", ": 0,"), ""), "predict.kernels[0].sms: found 0, want a whole number from 1 to 4096"),
        (question(&kernel("").replace(": 10,", ": 31,"), ""), "predict.kernels[0].sms: found 31, want at most the GPU's 30"),
        (
            question(&kernel(r#", "bandwidth_full": 349"#), ""),
            "predict.kernels[0].bandwidth_full: found 349, want at most bandwidth_max, 348: a utilisation of at most 1",
        ),
        (question(&kernel("").replace("100", "348.5"), ""), "predict.kernels[0].bandwidth: found 348.5, want at most bandwidth_max, 348"),
        (question(&kernel(r#", "bandwidth_full": 174, "kai": 60"#), ""), "predict.kernels[0].kai: found 60, want less: kai times"),
        (question(&kernel(r#", "latency_full": 0"#), ""), "predict.kernels[0].latency_full: found 0, want a number from 1e-15 to 1e15"),
        (question(&kernel(r#", "deadline": -1"#), ""), "predict.kernels[0].deadline: found -1, want a number from 1e-15 to 1e15"),
        (question(&kernel(r#", "latency_full": 1e300"#), ""), "predict.kernels[0].latency_full: found 1e300, want"),
        (
            question(&kernel(r#", "latency_full": "1""#), ""),
            "predict.kernels[0].latency_full: found \"1\", want a number from 1e-15 to 1e15",
        ),
        (question(r#"{"name": "A", "sms": 10}"#, ""), "predict.kernels[0].latency: found nothing, want a number, one of the library's"),
        (question(r#"{"name": "A", "sms": 10}"#, ""), "predict.kernels[0].kai: found nothing, want a number for Eqs. 4 and 17"),
        (question(r#"{"name": "A", "latency": 1, "bandwidth": 1, "tc": 1}"#, ""), "predict.kernels[0].sms: found nothing, want"),
        (question(r#"{"sms": 10, "latency": 1, "bandwidth": 1, "tc": 1}"#, ""), "predict.kernels[0].name: found nothing, want"),
        (
            question(&two(r#", "accesses": 5"#, ""), ""),
            "predict.kernels[1].accesses: found nothing, want accesses of every kernel, or of none",
        ),
        (question(&kernel(r#", "speed": 5"#), ""), "predict.kernels[0].speed: found an unknown field (5), want one of name, sms"),
        (question(&kernel(""), r#", "alpha": 5"#), "predict.alpha: found an unknown field (5), want one of"),
        (
            question(&kernel(""), r#", "reading": "loose""#),
            "predict.reading: found \"loose\", want one of literal, clamped, elected, i_only, fluid",
        ),
        (question(&[&*kernel(""); 9].join(", "), ""), "predict.kernels: found a list of 9, want a list of 1 to 8 kernels"),
        (question("", ""), "predict.kernels: found a list of 0, want a list of 1 to 8 kernels"),
        (json(r#"{"corun": 1}"#), "predict: found nothing, want an object"),
        (json(r#"{"corun": 2, "predict": {"kernels": []}}"#), "corun: found 2, want 1"),
        (
            json(&format!(r#"{{"corun": 1, "predict": {{"kernels": [{}]}}}}"#, kernel(""))),
            "predict.sms: found nothing, want a number, or a gpu",
        ),
        (
            json(&format!(
                r#"{{"corun": 1, "predict": {{"sms": 9, "l2_banks": 9, "bandwidth_max": 3, "bandwidth_sustained": 4, "kernels": [{}]}}}}"#,
                kernel("")
            )),
            "predict.bandwidth_sustained: found 4, want at most bandwidth_max, 3",
        ),
    ];
    for (value, want) in cases {
        let lines = answer(&value).unwrap_err();
        assert!(lines.iter().any(|line| line.starts_with(want)), "{want}\n{lines:?}");
    }
}

/// Without it, the sustained bandwidth is the paper's part of the nominal one.
#[test]
fn a_gpu_sustains_what_the_papers_does() {
    let sustained = |most: &str| {
        let value =
            json(&format!(r#"{{"corun": 1, "predict": {{"sms": 30, "l2_banks": 24, "bandwidth_max": {most}, "kernels": [{COPY}]}}}}"#));
        answer(&value).unwrap().platform.bandwidth_sustained
    };
    assert_eq!((sustained("348"), sustained("696")), (330.0, 660.0));
}

/// Π = min(0, I): a latency of nothing, which has to be said.
#[test]
fn a_kernel_without_bandwidth_is_noted_where_the_printed_equations_make_it_vanish() {
    let none = r#"{"name": "NONE", "sms": 5, "latency": 0.2, "bandwidth": 0, "tc": 0.2}"#;
    let notes = |kernels: &str, reading: &str| {
        let value = question(kernels, &format!(r#", "reading": "{reading}""#));
        let asked = Question::decode(&value).unwrap();
        let found = Answer::of(&asked).unwrap();
        (found.prediction.kernels.last().unwrap().latency, found.notes(&asked), found.to_value(&asked))
    };
    let both = [COPY, SAXPY].map(|kernel| kernel.replace(r#""sms": 15"#, r#""sms": 12"#)).join(", ");
    let (latency, found, value) = notes(&format!("{both}, {none}"), "literal");
    assert_eq!(latency, 0.0);
    assert!(found.len() == 1 && found[0].starts_with("NONE asks for no bandwidth"), "{found:?}");
    assert!(finite(&value) && matches!(value.get("notes"), Some(Value::Array(notes)) if notes.len() == 1), "{value}");
    for (kernels, reading) in [(format!("{both}, {none}"), "clamped"), (both, "literal"), (none.to_owned(), "literal")] {
        assert_eq!(notes(&kernels, reading).1, [""; 0], "{reading}");
    }
}

fn on_gpu(gpu: &str, kernels: &str) -> Question {
    Question::decode(&json(&format!(r#"{{"corun": 1, "gpu": {gpu}, "predict": {{"kernels": [{kernels}]}}}}"#))).unwrap()
}

/// No limit is no peak: the formulas have to be told one.
#[test]
fn an_ideal_dram_has_no_nominal_bandwidth() {
    let kernel = r#"{"name": "BP", "sms": 8, "latency": 1, "bandwidth": 1, "tc": 1}"#;
    let mut asked = on_gpu(r#"{"preset": "ccbp-16sm", "dram.kind": "ideal"}"#, kernel);
    let gpu = prediction::take_gpu(&mut asked).unwrap().unwrap();
    assert_eq!((asked.sms, asked.l2_banks, asked.bandwidth_max), (Some(16), Some(16), None));
    let problems = Answer::of(&asked).unwrap_err();
    let [problem] = &problems.0[..] else { panic!("{problems}") };
    assert_eq!(problem.to_string(), "predict.bandwidth_max: found nothing, want a number: the gpu's DRAM is ideal and has no peak");
    let layout = Windows::new(1).layout(&gpu);
    let peak = |of: &str| layout.get("peaks").and_then(|peaks| peaks.get(of)).cloned();
    assert_eq!(peak("dram_bytes_per_cycle"), Some(Value::Null));
    assert!(peak("noc_bytes_per_cycle").and_then(|peak| peak.as_f64()).is_some());
}

/// The run that judges a prediction has its kernels where the question has them.
#[test]
fn a_group_runs_on_the_sms_that_the_question_names() {
    let gpu = r#""ccbp-16sm""#;
    let kernel = |name: &str, sms: u32, first: &str| format!(r#"{{"name": "{name}", "sms": {sms}{first}}}"#);
    let policy = |kernels: [String; 3], sizes: [u32; 3]| {
        let mut asked = on_gpu(gpu, &kernels.join(", "));
        prediction::take_gpu(&mut asked).unwrap();
        let group: Vec<(usize, u32)> = sizes.into_iter().enumerate().collect();
        prediction::experiment(&asked, &group).map(|experiment| experiment.encode().get("policy").cloned().unwrap())
    };
    let group = |firsts: [&str; 3]| [kernel("ccbp/BP", 4, firsts[0]), kernel("ccbp/CFD", 6, firsts[1]), kernel("ccbp/KM", 2, firsts[2])];
    let spatial = |split: [u32; 3], first: Option<[u32; 3]>| {
        let mut policy = vec![("name", Value::from("spatial")), ("split", Value::array(split))];
        policy.extend(first.map(|first| ("first", Value::array(first))));
        Value::object(policy)
    };
    let found = |firsts, sizes| policy(group(firsts), sizes).unwrap();
    assert_eq!(found([r#", "first": 12"#, r#", "first": 2"#, r#", "first": 0"#], [4, 6, 2]), spatial([4, 6, 2], Some([12, 2, 0])));
    // Of the others only the number counts: they stand where there is room.
    assert_eq!(found(["", r#", "first": 2"#, ""], [4, 6, 2]), spatial([4, 6, 2], Some([8, 2, 0])));
    assert_eq!(found(["", "", ""], [4, 6, 2]), spatial([4, 6, 2], None));
    assert_eq!(found(["", r#", "first": 2"#, ""], [4, 8, 4]), spatial([4, 8, 4], None), "a plan's sizes are others");
    let narrow = [kernel("ccbp/BP", 8, ""), kernel("ccbp/CFD", 6, r#", "first": 5"#), kernel("ccbp/KM", 2, "")];
    let problems = policy(narrow, [8, 6, 2]).unwrap_err();
    assert_eq!(problems.to_string(), "predict.kernels[0].first: found nothing, want a place for 8 SMs in a row beside the others");
    let alone = on_gpu(gpu, &kernel("ccbp/BP", 4, r#", "first": 12"#));
    let alone = prediction::experiment(&alone, &[(0, 4)]).unwrap().encode();
    assert_eq!(alone.get("policy").and_then(|policy| policy.get("first")), None, "alone, its place is of no account");
}

#[test]
fn kernels_may_share_a_name() {
    let found = answer(&question(&format!("{COPY}, {COPY}"), "")).unwrap();
    assert_eq!(found.prediction.kernels[0], found.prediction.kernels[1]);
}

#[test]
fn a_plan_meets_deadlines_or_is_the_shortest() {
    let kernels = |deadlines: [&str; 2]| {
        let kernel = |name: &str, latency: f64, bandwidth: f64, deadline: &str| {
            format!(r#"{{"name": "{name}", "latency_full": {latency}, "bandwidth_full": {bandwidth}, "kai": 0.3{deadline}}}"#)
        };
        format!("{}, {}", kernel("CONV", 1.089, 243.0, deadlines[0]), kernel("DXTC", 3.273, 0.27, deadlines[1]))
    };
    let plan = |deadlines, more: &str| {
        let question = Question::decode(&question(&kernels(deadlines), more)).unwrap();
        let answer = Answer::of_plan(&question).unwrap();
        let sms: Vec<u32> = answer.loads.iter().map(|load| load.sms).collect();
        (sms, answer.plan.clone().unwrap(), answer.prediction)
    };
    let (sms, found, prediction) = plan(["", ""], "");
    // DXTC has three times the work: both end at about the same time on a quarter and three quarters.
    assert_eq!((sms, found.step, found.tried, found.meets), (vec![8, 22], 1, 435, true));
    assert!(prediction.kernels.iter().all(|kernel| kernel.latency <= prediction.makespan()));
    let (sms, found, prediction) = plan([r#", "deadline": 2.2"#, ""], r#", "step": 5"#);
    assert_eq!((sms, found.tried, found.meets), (vec![15, 15], 15, true));
    assert!(prediction.kernels[0].latency <= 2.2);
    let (sms, found, _) = plan([r#", "deadline": 1.1"#, r#", "deadline": 3.3"#], r#", "step": 5"#);
    assert_eq!((sms.iter().sum::<u32>(), found.meets), (30, false), "the least late");
    let refused = |more: &str| {
        let question = Question::decode(&question(&kernels(["", ""]), more)).unwrap();
        Answer::of_plan(&question).unwrap_err().to_string()
    };
    assert_eq!(refused(r#", "step": 16"#), "predict.step: found 16, want at most 15: a step for each of 2 kernels");
}

/// All partitions by hand: the search has missed none that is better.
#[test]
fn a_plan_is_the_best_of_all() {
    let kernels = [("VADD", 0.379, 330.0), ("CONV", 1.089, 243.0), ("ccbp/PF", 0.337, 179.0)];
    let kernel = |(name, latency, bandwidth): (&str, f64, f64)| {
        format!(r#"{{"name": "{name}", "latency_full": {latency}, "bandwidth_full": {bandwidth}, "kai": 0.3, "sms": SMS}}"#)
    };
    let all = kernels.map(kernel).join(", ");
    for reading in Reading::NAMES {
        let more = format!(r#", "missing": "model", "step": 5, "reading": "{reading}""#);
        let plan = Answer::of_plan(&Question::decode(&question(&all.replace("SMS", "5"), &more)).unwrap()).unwrap();
        let mut best = f64::INFINITY;
        for sizes in (0..6 * 6 * 6).map(|n| [n % 6 + 1, n / 6 % 6 + 1, n / 36 + 1]).filter(|sizes| sizes.iter().sum::<u32>() <= 6) {
            let text = sizes.iter().fold(all.clone(), |text, size| text.replacen("SMS", &(size * 5).to_string(), 1));
            best = best.min(answer(&question(&text, &more)).unwrap().prediction.makespan());
        }
        assert_eq!(plan.prediction.makespan(), best, "{reading}");
        assert_eq!(plan.plan.unwrap().tried, 20);
    }
}

/// Numbers of every size, and such as are none of a kernel's.
fn number() -> impl Strategy<Value = f64> {
    let sizes = (-18.0..18.0_f64).prop_map(|exponent| 10_f64.powf(exponent));
    let edges = prop::sample::select(vec![0.0, -1.0, 1e-15, 1e15, 1e-320, f64::MAX, f64::NAN, f64::INFINITY, 278.4, 330.0, 348.0]);
    prop_oneof![1 => edges, 2 => sizes, 6 => 0.01..330.0_f64]
}

fn a_kernel() -> impl Strategy<Value = Value> {
    let keys = ["latency_full", "bandwidth_full", "kai", "latency", "bandwidth", "accesses", "tc", "deadline"];
    let fields = prop::collection::vec(prop_oneof![1 => Just(None), 9 => number().prop_map(Some)], keys.len());
    (fields, prop::option::weighted(0.95, 0_u32..8)).prop_map(move |(given, sms)| {
        let given = keys.into_iter().zip(given).filter_map(|(key, given)| Some((key, Value::from(given?))));
        let sms = sms.map(|sms| ("sms", Value::from(sms)));
        Value::object([("name", Value::from("A"))].into_iter().chain(sms).chain(given))
    })
}

fn finite(value: &Value) -> bool {
    match value {
        Value::Float(x) => x.is_finite(),
        Value::Array(items) => items.iter().all(finite),
        Value::Object(pairs) => pairs.iter().all(|(_, value)| finite(value)),
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// Whatever a file says, there is a named error, or every number of the answer is one.
    #[test]
    fn no_number_comes_out_that_is_none(
        kernels in prop::collection::vec(a_kernel(), 1..7),
        most in prop_oneof![5 => Just(348.0), 1 => number()],
        sustained in prop_oneof![5 => Just(330.0), 1 => number()],
        (sms, banks, model, measured) in (1_u32..64, 1_u32..64, any::<bool>(), any::<bool>()),
        reading in prop::sample::select(Reading::NAMES.to_vec()),
    ) {
        let value = Value::object([("corun", Value::from(1)), ("predict", Value::object([
            ("sms", Value::from(sms)), ("l2_banks", banks.into()), ("bandwidth_max", most.into()), ("bandwidth_sustained", sustained.into()),
            ("missing", if model { "model".into() } else { "measured".into() }), ("base", if measured { "measured".into() } else { "eq4".into() }),
            ("reading", reading.into()), ("step", sms.div_ceil(7).into()), ("kernels", Value::array(kernels)),
        ]))]);
        let asked = Question::decode(&value);
        for answer in [Answer::of, Answer::of_plan] {
            match asked.as_ref().map_err(Clone::clone).and_then(answer) {
                Err(problems) => prop_assert!(!problems.0.is_empty() && problems.0.iter().all(|p| !p.path.is_empty() && !p.want.is_empty())),
                Ok(answer) => prop_assert!(finite(&answer.to_value(asked.as_ref().unwrap())), "{}", answer.to_value(asked.as_ref().unwrap())),
            }
        }
    }
}

/// The random files above do reach the formulas.
#[test]
fn extremes_that_are_allowed_are_answered() {
    let kernels =
        [(1e-15, 1e-15, 0.0), (1e15, 348.0, 29.999999999999), (1e15, 0.0, 1e15), (0.2, 348.0, 0.0)].map(|(latency, bandwidth, kai)| {
            let names = ["latency_full", "bandwidth_full", "kai"].into_iter().zip([latency, bandwidth, kai].map(Value::from));
            Value::object([("name", Value::from("A")), ("sms", 7.into()), ("accesses", 0.into())].into_iter().chain(names))
        });
    for reading in Reading::NAMES {
        let mut value = question("", &format!(r#", "missing": "model", "reading": "{reading}""#));
        sim_core::run::experiment::set_path(&mut value, "predict.kernels", Value::array(kernels.clone())).unwrap();
        let question = Question::decode(&value).unwrap();
        let answer = Answer::of(&question).unwrap();
        assert!(finite(&answer.to_value(&question)), "{}", answer.to_value(&question));
        assert!(answer.prediction.kernels.iter().all(|kernel| kernel.latency.is_finite()));
    }
}
