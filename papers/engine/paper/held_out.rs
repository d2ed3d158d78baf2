//! Mixes that are set aside before a rule is looked for, so that its effect can be told on mixes by which nobody chose it.

use super::mix::{Mix, split_goal};
use super::read::texts;
use sim_core::describe::value::Value;

/// Of how many mixes one is set aside.
const ONE_OF: u32 = 3;

/// Fewer mixes than these that are set aside say nothing.
pub const LEAST: usize = 3;

/// Which mixes are set aside: by a hash of their names, so that nobody picks them.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// What stands behind each kernel's name in the hash.
    behind: String,
    /// Mixes that were looked at all the same, while rules were looked for.
    seen: Vec<Mix>,
    /// What has to be known of them.
    pub note: String,
}

impl HeldOut {
    pub(super) fn of(value: &Value) -> Option<HeldOut> {
        let text = |key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let seen = texts(value.get("seen")?)?.iter().map(|mix| kernels(&mix.split('+').map(str::to_owned).collect())).collect();
        Some(HeldOut { behind: text("behind")?, seen, note: text("note")? })
    }

    /// Whether a mix is one of them, whatever goals its kernels have and in which order they stand.
    pub fn has(&self, mix: &Mix) -> bool {
        let kernels = kernels(mix);
        let named: Vec<String> = kernels.iter().map(|kernel| format!("{kernel}{}", self.behind)).collect();
        kernels.len() > 1 && !self.seen.contains(&kernels) && fnv(&named.join("+")).is_multiple_of(ONE_OF)
    }
}

/// The kernels of a mix by name.
fn kernels(mix: &Mix) -> Mix {
    let mut kernels: Mix = mix.iter().map(|kernel| split_goal(kernel).0.to_owned()).collect();
    kernels.sort();
    kernels
}

/// FNV-1a of 32 bits; that of digests has 64.
fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(text: &str) -> Mix {
        text.split('+').map(str::to_owned).collect()
    }

    /// Published values of the hash.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!([fnv(""), fnv("a"), fnv("foobar")], [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]);
    }

    #[test]
    fn a_mix_is_set_aside_whatever_its_order_and_goals_unless_it_was_seen() {
        let all = HeldOut { behind: String::new(), seen: Vec::new(), note: String::new() };
        assert!(all.has(&mix("PF+LBM")) && all.has(&mix("LBM@80+PF")) && !all.has(&mix("BP+CFD")));
        assert!(!HeldOut { seen: vec![mix("LBM+PF")], ..all.clone() }.has(&mix("PF+LBM")));
        // A kernel alone is nothing that a rule of sharing is found by.
        assert!(["BFS", "BP", "BT", "CFD", "FTD", "HG", "KM", "LAV", "LBM"].iter().all(|kernel| !all.has(&mix(kernel))));
    }
}
