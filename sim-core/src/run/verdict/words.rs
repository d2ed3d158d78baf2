//! The words of a verdict.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Within this of 1, a slowdown is none.
pub const ALIKE: f64 = 0.05;

/// What a kernel does; `again`: after a clause about another one.
pub fn pace(name: &str, slowdown: f64, again: bool) -> String {
    if slowdown.is_infinite() {
        format!("{name} gets nothing")
    } else if slowdown < 1.0 - ALIKE {
        format!("{name} runs {} times faster than alone", times(1.0 / slowdown))
    } else if slowdown <= 1.0 + ALIKE {
        format!("{name} runs as fast as alone")
    } else if again {
        format!("{name} {} times", times(slowdown))
    } else {
        format!("{name} runs {} times slower than alone", times(slowdown))
    }
}

/// `BP`, `BP and CFD`, `BP, CFD and SAD`.
pub fn list_of<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        last => last.unwrap_or_default().into(),
    }
}

/// `12.3`, `1.29`: as many digits as a reader can use.
pub fn times(times: f64) -> String {
    if times >= 9.95 { format!("{times:.1}") } else { format!("{times:.2}") }
}

pub fn percent(part: f64) -> String {
    if part < 0.095 { format!("{:.1} %", part * 100.0) } else { format!("{:.0} %", part * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slowdown_is_said_once_in_full() {
        let said = |slowdown, again| pace("BP", slowdown, again);
        assert_eq!([said(4.768, false), said(4.768, true)], ["BP runs 4.77 times slower than alone", "BP 4.77 times"]);
        assert_eq!([said(1.02, true), said(0.5, true)], ["BP runs as fast as alone", "BP runs 2.00 times faster than alone"]);
        assert_eq!([said(f64::INFINITY, false), said(12.34, true)], ["BP gets nothing", "BP 12.3 times"]);
    }
}
