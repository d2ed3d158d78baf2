//! `cargo xtask length`: whether runs that stop when they know do know, as a part of a page of docs/.

use crate::run::{measured_page, root};
use anyhow::{Context, Result};

const PLACE: &str = "docs/reference/length.md";

/// How a part of the page begins, and how that of this study does.
const PART: &str = "<!-- ";
const OURS: &str = "<!-- Printed by `cargo xtask length`";

/// How many mixes are drawn, and with which seed, where nobody says.
const COUNT: u64 = 40;
const SEED: u64 = 1;

/// Runs the study. The usual one is put into the page; another one is printed.
pub fn length(count: Option<u64>, seed: Option<u64>) -> Result<()> {
    let part = measured_page("covers", [count.unwrap_or(COUNT), seed.unwrap_or(SEED)].map(|number| number.to_string()))?;
    if count.is_some() || seed.is_some() {
        print!("{part}");
        return Ok(());
    }
    let place = root().join(PLACE);
    let page = std::fs::read_to_string(&place).with_context(|| format!("cannot read {PLACE}"))?;
    let page = replaced(&page, &part).with_context(|| format!("{PLACE} has no part that begins with {OURS:?}"))?;
    std::fs::write(&place, page).with_context(|| format!("cannot write {PLACE}"))
}

/// The page with this part in place of ours, up to the next.
fn replaced(page: &str, part: &str) -> Option<String> {
    let (before, ours) = page.split_at(page.find(OURS)?);
    let after = ours[PART.len()..].find(PART).map_or("", |next| &ours[PART.len() + next..]);
    Some(format!("{before}{}\n\n{after}", part.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_page_is_replaced_and_the_others_stay() {
        let page = format!("<!-- one -->\n1\n\n{OURS} -->\nold\n\n<!-- by hand -->\n2\n");
        let new = format!("{OURS} -->\nnew\n");
        assert_eq!(replaced(&page, &new).as_deref(), Some(format!("<!-- one -->\n1\n\n{OURS} -->\nnew\n\n<!-- by hand -->\n2\n").as_str()));
        assert_eq!(replaced("no part", &new), None);
    }
}
