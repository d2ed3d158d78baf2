//! A scheme as claims write it.

use super::experiment::SHORT;
use crate::engine::paper::study::Study;

/// A name, then modifiers, of which some change the machine and so also what kernels do alone there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation<'s> {
    /// `ws`, `alone half`, `fixed(7, 4)`.
    pub name: &'s str,
    /// Changes of GPU, kernels, seed or lengths, `key=value` each.
    pub machine: String,
    /// Changes of the policy and the order of warps.
    pub policy: Vec<&'s str>,
}

impl<'s> Invocation<'s> {
    /// Takes a scheme apart.
    pub fn of(study: &Study, scheme: &'s str) -> Invocation<'s> {
        let second = |(place, word): (usize, &str)| {
            let counts = scheme.starts_with("alone") && (word == "half" || word.parse::<u32>().is_ok());
            place + if counts { word.len() } else { 0 }
        };
        let end = match (scheme.find(')'), scheme.split_once(' ')) {
            (Some(end), _) if scheme.starts_with("fixed(") => end + 1,
            (_, Some((name, rest))) => second((name.len() + 1, rest.split(' ').next().unwrap_or(""))),
            _ => scheme.len(),
        };
        let (name, modifiers) = scheme.split_at(end);
        let machine = |modifier: &&str| {
            let Some((key, _)) = modifier.split_once('=') else { return false };
            let path = study.path(key).unwrap_or("");
            let of_machine = ["gpu.", "kernels", "stop."].iter().any(|start| path.starts_with(start)) || ["gpu", "seed"].contains(&path);
            of_machine || *modifier == SHORT || study.kernel_field(key).is_some()
        };
        let (machine, policy): (Vec<&str>, Vec<&str>) = modifiers.split_whitespace().partition(machine);
        Invocation { name: name.trim_end(), machine: machine.join(" "), policy }
    }
}
