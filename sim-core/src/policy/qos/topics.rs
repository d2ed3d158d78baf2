//! What these schemes say that they decided.

use crate::interface::decision::{count, list, percent, topics};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

topics! {
    Promised "goal", "What a kernel is promised" {
        goal: f64, "thread instructions per cycle", "The IPC that it is to have on the mean";
        alone: Option<f64>, "thread instructions per cycle", "Its IPC alone, where that is known";
    } => match alone {
        Some(alone) => format!("is promised an IPC of {goal:.1}, {} of {alone:.1} alone", percent(goal / alone)),
        None => format!("is promised an IPC of {goal:.1}"),
    };

    SymmetricCtas "ctas", "CTAs that a kernel may hold where all kernels of an SM have as many threads" {
        ctas: u32, "CTAs per SM", "At most so many, on each SM that it may use";
    } => format!("begins with {} on each of its SMs: as many threads for each kernel there", count(*ctas, "CTA"));

    GoalQuota "quota", "How a kernel stands to its goal, and its quota for the next epoch" {
        alpha: f64, "", "Its quota, in parts of what keeps the goal";
        goal: f64, "thread instructions per cycle", "The IPC that it is promised";
        history: f64, "thread instructions per cycle", "Its IPC since the policy began";
    } => format!("is at {} of its goal: quota × {alpha:.2}", percent(history / goal));

    LeftQuota "quota", "The quota of a kernel without a goal" {
        ipc: f64, "thread instructions per cycle", "The IPC that its quota is for";
    } => format!("has no goal: its quota is for an IPC of {ipc:.1}, and again once all quotas are used");

    GotCtas "sm_ctas", "That a kernel behind its goal may hold one CTA more on some SMs" {
        sms: Vec<u32>, "", "The SMs";
    } => format!("is behind its goal: one CTA more on {}", on_sms(sms));

    GaveCtas "sm_ctas", "That CTAs of a kernel make room for another kernel's on some SMs" {
        sms: Vec<u32>, "", "The SMs";
        ctas: u32, "CTAs", "How many, on all of them together";
        why: &'static str, "", "no_goal, idle or margin: why they can be spared";
    } => {
        let why = match *why {
            "no_goal" => "it has no goal",
            "idle" => "more of its CTAs there are idle",
            _ => "it keeps its goal without",
        };
        format!("gives up {} on {}: {why}", count(*ctas, "CTA"), on_sms(sms))
    };
}

/// SMs by their numbers, which rise.
fn on_sms(sms: &[u32]) -> String {
    match sms {
        [sm] => format!("SM {sm}"),
        [first, .., last] if (last - first) as usize + 1 == sms.len() => format!("SMs {first} to {last}"),
        _ => format!("SMs {}", list(sms.iter().map(|sm| format!("{sm}")))),
    }
}
