//! What Warped-Slicer says that it decided.

use crate::interface::decision::{count, list, percent, topics};
use alloc::format;
use alloc::vec::Vec;

topics! {
    IpcCurve "ipc_curve", "IPC of a kernel alone by its CTAs on every SM" {
        ipc: Vec<f64>, "thread instructions per cycle", "With 1, 2, … CTAs";
    } => {
        let points = list(ipc.iter().map(|ipc| format!("{ipc:.1}")));
        match ipc.len() {
            1 => format!("alone, 1 CTA on every SM makes {points} instructions a cycle"),
            n => format!("alone, 1 to {n} CTAs on every SM make {points} instructions a cycle"),
        }
    };

    CurveCtas "ctas", "CTAs that a kernel may hold on each SM, as the kernels' curves of IPC call for" {
        ctas: u32, "CTAs per SM", "At most so many";
        ipc_part: f64, "of its best IPC alone", "IPC alone with so many";
    } => format!("may hold {} on each SM, for {} of its best IPC alone", count(*ctas, "CTA"), percent(*ipc_part));

    SampledCtas "sampled_ctas", "CTAs that a kernel holds on SMs of its own while its IPC by CTAs is measured" {
        first: u32, "", "The number of its first SM";
        ctas: Vec<u32>, "CTAs per SM", "At most so many, on each of its SMs in turn";
    } => format!("holds {} CTAs on SMs {first} to {} in turn while it is measured", list(ctas.iter().map(|ctas| format!("{ctas}"))), first + ctas.len() as u32 - 1);

    SampledCurve "ipc_curve", "IPC of a kernel by its CTAs, measured while the others ran on other SMs" {
        ipc: Vec<f64>, "thread instructions per cycle", "With 1, 2, … CTAs on every SM";
    } => {
        let points = list(ipc.iter().map(|ipc| format!("{ipc:.1}")));
        format!("made {points} instructions a cycle with 1, 2, … CTAs, scaled to every SM having as many")
    };
}
