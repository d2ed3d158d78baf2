//! `cargo xtask scale`: what scale models of large GPUs are off by, as a page of docs/.

use crate::run::{measured_page, root};
use crate::{flag, none_left, number, words};
use anyhow::{Context, Result};

const PLACE: &str = "docs/reference/scale.md";

/// Mixes, their seed, schemes and cycles, where nobody says. The rules of scaling were made on the mixes of seed 1.
const USUAL: [u64; 4] = [20, 2, 4, 200_000];
const QUICK: [u64; 4] = [2, 1, 2, 40_000];
const GPUS: [&str; 2] = ["a100-40gb", "h100-sxm5"];
const PARTS: [&str; 2] = ["1/2", "1/4"];

/// Runs the study, and writes the page. One with options is printed: what the page says is of the usual one.
pub fn scale(args: &mut Vec<String>) -> Result<()> {
    let usual = args.is_empty();
    let quick = flag(args, "--quick");
    let mut numbers = if quick { QUICK } else { USUAL };
    for (name, place) in ["--count", "--seed", "--schemes", "--cycles"].into_iter().zip(&mut numbers) {
        *place = number(args, name)?.unwrap_or(*place);
    }
    let mut given = |name, what, all: [&str; 2]| {
        let given = words(args, name, what)?;
        let all = if quick { &all[..1] } else { &all };
        Ok::<_, anyhow::Error>(if given.is_empty() { all.iter().map(|&word| word.to_owned()).collect() } else { given })
    };
    let (gpus, parts) = (given("--gpu", "a GPU's name", GPUS)?, given("--part", "a part such as 1/4", PARTS)?);
    none_left(args)?;
    let numbers = numbers.map(|number| number.to_string());
    let page = measured_page("scale", numbers.into_iter().chain(gpus).chain(parts))?;
    if !usual {
        print!("{page}");
        return Ok(());
    }
    std::fs::write(root().join(PLACE), page).with_context(|| format!("cannot write {PLACE}"))
}
