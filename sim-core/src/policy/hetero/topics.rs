//! What these schemes say that they decided.

use crate::interface::decision::{count, topics};
use alloc::format;

topics! {
    MeasuredClasses "phase", "That kernels have SMs of every class while they are measured" {
        warm_up: u64, "cycles", "Before the measurement";
        measure: u64, "cycles", "Its length";
    } => format!("every kernel has SMs of each class for {warm_up} cycles, and is measured in the {measure} after them");

    Assigned "phase", "That every kernel has the SMs that the measurement calls for" {
        split: u32, "", "1 if every kernel keeps SMs of each class, 0 if each has SMs of one";
    } => match split {
        1 => "every kernel keeps SMs of each class".into(),
        _ => "every kernel has SMs of one class".into(),
    };

    ClassSms "class_sms", "SMs of each class that a kernel gets for itself" {
        big: u32, "SMs", "Of the class with the most room for threads";
        small: u32, "SMs", "Of the other one";
    } => match (big, small) {
        (big, 0) => format!("gets {}", count(*big, "big SM")),
        (0, small) => format!("gets {}", count(*small, "small SM")),
        (big, small) => format!("gets {big} big and {}", count(*small, "small SM")),
    };

    ClassIpc "class_ipc", "What a kernel does on SMs of each class" {
        big: f64, "thread instructions per cycle", "On the big SMs that it was measured on";
        small: f64, "thread instructions per cycle", "On the small ones";
        base: f64, "thread instructions per cycle", "On uniform ones: measured, or estimated from the CTAs that each SM holds";
    } => format!("makes {big:.1} instructions a cycle on big SMs, {small:.1} on small ones, {base:.1} on uniform ones");

    Thickness "thickness", "Whether a kernel uses the room for threads that it has" {
        class: &'static str, "", "thick if it loses on small SMs, else lean";
        small: f64, "thread instructions per cycle", "On small SMs, alone";
        base: f64, "thread instructions per cycle", "On as many uniform ones, alone";
    } => format!("is {class}: alone it makes {small:.1} instructions a cycle on small SMs, {base:.1} on as many uniform ones");

    ToBigSms "assignment", "Why a kernel goes to the big SMs" {
        sum: f64, "", "Speeds of all kernels, in parts of those on uniform SMs, added up";
        other: f64, "", "The greatest sum that any other assignment has";
    } => format!("goes to the big SMs: all speeds add up to {sum:.3} of those on uniform SMs, to {other:.3} at most in any other way");

    ToBigAsThick "assignment", "That a kernel goes to the big SMs for its class" {
        lean: u32, "kernels", "Lean ones beside it";
    } => format!("is thick beside {}: it goes to the big SMs", count(*lean, "lean kernel"));

    LeavesBy "make_room", "How CTAs of a kernel leave an SM that goes to another" {
        how: &'static str, "", "drain or context_switch";
        ctas: u64, "CTAs", "Those that ended in the warm-up";
    } => match *how {
        "drain" => format!("leaves SMs as its CTAs end, of which {ctas} did in the warm-up"),
        _ => "leaves SMs by context switches: none of its CTAs ended in the warm-up".into(),
    };
}
