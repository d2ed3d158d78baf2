//! A mix as a paper's files write it: kernels by name, those with a goal as in `BP@80`, those with SMs of their own as in `VADD:15`.

use std::collections::BTreeSet;

/// Kernels by name.
pub type Mix = Vec<String>;

/// A kernel of a mix, and its goal if it has one: `BP@80` is to keep 80 % of its IPC alone.
pub fn split_goal(kernel: &str) -> (&str, Option<i64>) {
    match kernel.rsplit_once('@') {
        Some((name, percent)) => (name, percent.parse().ok()),
        None => (split_sms(kernel).0, None),
    }
}

/// A kernel of a mix, and how many SMs it has if they are its own: `VADD:15`.
pub fn split_sms(kernel: &str) -> (&str, Option<u32>) {
    match kernel.rsplit_once(':') {
        Some((name, sms)) => (name, sms.parse().ok()),
        None => (kernel, None),
    }
}

/// Mixes by their number: `20 mixes`, kernels by themselves, or cases, where kernels have goals.
pub fn counted(mixes: &BTreeSet<Mix>) -> String {
    let of = |n: usize, what: &str| {
        format!("{n} {what}{}", if n == 1 { "" } else { what.chars().last().map_or("", |c| if c == 'x' { "es" } else { "s" }) })
    };
    let has_goal = |mix: &Mix| mix.iter().any(|kernel| split_goal(kernel).1.is_some());
    match mixes.len() {
        0 => "–".into(),
        // A kernel on several numbers of SMs is several.
        n if mixes.iter().all(|mix| mix.len() == 1 && split_sms(&mix[0]).1.is_some()) => of(n, "run"),
        n if mixes.iter().all(|mix| mix.len() == 1) => of(n, "kernel"),
        n if mixes.iter().all(has_goal) => of(n, "case"),
        n => of(n, "mix"),
    }
}
