//! Does `corun curve sms` say how a kernel's speed grows with its SMs?

mod program;

use program::corun;
use serde_json::Value;

fn out(arguments: &[&str]) -> String {
    let output = corun(arguments, b"");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_curve_is_a_table_json_csv_or_a_plot() {
    let arguments = |more: &[&'static str]| [&["curve", "sms", "ccbp/BP", "--gpu", "tiny-2sm", "--cycles", "20k"], more].concat();
    let table = out(&arguments(&[]));
    assert!(table.starts_with("ccbp/BP alone on tiny-2sm\n\nSMs ") && table.lines().count() == 5, "{table}");
    assert!(table.contains("1.000"), "{table}");
    let json: Value = serde_json::from_str(&out(&arguments(&["--json"]))).expect("JSON");
    let points = json["points"].as_array().expect("points");
    let ipc = |at: usize| points[at]["ipc"].as_f64().expect("an IPC");
    assert_eq!((points.len(), points[0]["sms"].as_i64(), points[1]["speed"].as_f64()), (2, Some(1), Some(1.0)));
    assert!((points[0]["speed"].as_f64().expect("a speed") - ipc(0) / ipc(1)).abs() < 1e-9 && ipc(0) < ipc(1));
    let csv = out(&arguments(&["--csv"]));
    assert!(csv.starts_with("sms,ipc,speed,by_share\n1,") && csv.lines().count() == 3, "{csv}");
    let svg = out(&arguments(&["--svg"]));
    assert!(svg.starts_with("<svg") && svg.contains("BP alone on tiny-2sm") && svg.contains("in proportion"), "{svg}");
}

#[test]
fn what_there_is_not_is_said() {
    for (arguments, want) in
        [(&["curve", "sms", "nosuch", "--gpu", "tiny-2sm"][..], "kernels[0]"), (&["curve", "sms", "ccbp/BP", "--gpu", "nosuch"], "--gpu")]
    {
        let output = corun(arguments, b"");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(want), "{arguments:?}: {stderr}");
    }
}
