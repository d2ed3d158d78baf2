//! The programs of the IKRA paper as descriptions: launches, bytes and dependences between launches, beside what the paper prints, and what each takes from
//! its source.
//!
//! `cargo run --release -p corun-tools --bin pages dependences` prints docs/reference/kernels-ikra.md.
//! `… dependences --run GPU [PROGRAM…]` runs each to its end on a preset instead.

use sim_core::describe::ids::KernelId;
use sim_core::describe::kernel::{Dim3, library};
use sim_core::describe::value::Value;
use sim_core::run::experiment::Experiment;
use sim_core::run::simulation::Simulation;
use sim_core::study::dependence::{Touched, dependence};

/// What the paper prints: KB for each kernel (Table 3), and self, ghost, other in percent (Table 1).
const PRINTED: [(&str, &str, &str); 25] = [
    ("SMALL", "", ""),
    ("MEDIUM", "", ""),
    ("LARGE", "", ""),
    ("STEALING", "", ""),
    ("HS", "768", "95/5/0"),
    ("KM", "3516", "0/0/100"),
    ("LUD", "1–2303", ""),
    ("NW", "0.5–31.5", "53/0/47"),
    ("PF", "1172", "100/0/0"),
    ("SD1", "256/768/512/2560/2048/256", "56/6/38"),
    ("SD2", "6144", "91/1/8"),
    ("ST", "1024", "92/8/0"),
    ("BP", "4676", ""),
    ("CP", "4096", ""),
    ("LM", "61", ""),
    ("NN", "2005", ""),
    ("SG", "12284", ""),
    ("DJ1", "633 in all", ""),
    ("DJ2", "4525 in all", ""),
    ("CL1", "699 in all", ""),
    ("CL2", "4869 in all", ""),
    ("MI1", "578 in all", ""),
    ("MI2", "3641 in all", ""),
    ("PR1", "131/382", ""),
    ("PR2", "690/2607", ""),
];

/// Prints the page.
pub fn page(args: &[String]) -> Result<(), String> {
    if let [flag, gpu, names @ ..] = args
        && flag == "--run"
    {
        let wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
        return PRINTED.iter().filter(|printed| wanted(printed.0)).try_for_each(|printed| run(printed.0, gpu));
    }
    println!("{HEAD}");
    for printed in &PRINTED {
        println!("{}", row(printed)?);
    }
    println!("{NOTES}");
    for (name, ..) in &PRINTED {
        let kernel = library::find(&format!("ikra/{name}")).ok_or("no kernel")?;
        println!("\n### {}: {}\n\n{}\n\n{}", kernel.name, kernel.title, kernel.source, kernel.doc);
    }
    Ok(())
}

/// Runs a program once.
fn run(name: &str, gpu: &str) -> Result<(), String> {
    let kernel = format!("ikra/{name}");
    let stop = Value::object([("kernels_done", true)]);
    let kernels = Value::array([kernel.as_str()]);
    let experiment =
        Value::object([("corun", Value::from(1)), ("gpu", gpu.into()), ("kernels", kernels), ("stop", stop), ("restart", false.into())]);
    let experiment = Experiment::decode(&experiment).map_err(|problems| problems.to_string())?;
    let mut simulation = Simulation::new(&experiment).map_err(|problems| problems.to_string())?;
    let from = std::time::Instant::now();
    let reason = simulation.advance(u64::MAX);
    let cycles = simulation.machine().run(KernelId(0)).finished();
    println!("{kernel:<16} {cycles:?} cycles, {reason:?}, {:.1} s", from.elapsed().as_secs_f64());
    Ok(())
}

fn row(&(name, kilobytes, split): &(&str, &str, &str)) -> Result<String, String> {
    let kernel = library::find(&format!("ikra/{name}")).ok_or("no kernel")?;
    let grids: Vec<u32> = kernel.grids().map(Dim3::ctas).collect();
    let found = dependence(&kernel);
    let direct = dependence(&library::ikra::direct(&format!("ikra/{name}")).ok_or("no kernel")?);
    let percent =
        |split: Option<[f64; 3]>| split.map_or("–".into(), |parts| parts.map(|part| format!("{:.1}", 100.0 * part)).join(" / "));
    let range = |values: &mut Vec<f64>, digits: usize| {
        values.sort_by(f64::total_cmp);
        let ends = [values[0], values[values.len() - 1]].map(|end| format!("{end:.digits$}"));
        if ends[0] == ends[1] { ends[0].clone() } else { format!("{}–{}", ends[0], ends[1]) }
    };
    let of = |value: fn(&Touched) -> f64| found.launches.iter().map(value).collect::<Vec<f64>>();
    Ok(format!(
        "| {name} | {} | {} | {} | {kilobytes} | {} | {} | {} | {split} | {} | {} |",
        grids.len(),
        range(&mut grids.iter().map(|&ctas| f64::from(ctas)).collect(), 0),
        range(&mut of(|launch| launch.bytes as f64 / 1024.0), 1),
        range(&mut of(|launch| 100.0 * launch.read_only as f64 / launch.bytes.max(1) as f64), 0),
        range(&mut of(|launch| launch.most as f64 * f64::from(launch.ctas) / launch.accesses.max(1) as f64), 2),
        percent(direct.split()),
        percent(found.split()),
        direct.own_with_older().map_or("–".into(), |part| format!("{:.1}", 100.0 * part)),
    ))
}

const HEAD: &str = "<!-- Printed by `cargo run --release -p corun-tools --bin pages dependences`: change the kernels, or xtask/tools/pages/dependences.rs. -->
# The programs of the IKRA paper

The four microbenchmarks and 21 runs of 17 programs of Huzaifa et al. (ACM TACO 17(3), 2020), as sequences of launches: `ikra/HS` and so on. All counts here follow from the descriptions alone
(`study/dependence.rs`); nothing has run. KB are 1024 bytes of words that a launch reads or writes, of all launches the least and the most. Read only: percent of them in arrays that nothing
writes. Uneven: loads and stores of the CTA with most, over the mean of its launch. Self, ghost and other: percent of reads of words that an earlier launch has
written. The first column counts as the paper does (Section 2.2): each value that a thread uses, so for HS, PF, SD2 and ST in programs without shared
memory. The next counts the loads that the programs have, and the last is self with what that CTA wrote in older launches.

| program | launches | CTAs | KB | KB printed | read only | uneven | self / ghost / other | printed | of loads | self with older |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |";

const NOTES: &str = "
What does not match, and why:

- **KM**: what its threads read from an earlier writer are centres that the CPU has moved, 100 % other. No description has what the CPU writes, so nothing is counted. Its CTAs are even, as in its source. The
  paper speaks of imbalance that follows from data.
- **NW**: the corner of a tile is from the launch before the last, which makes it other; the paper's 53 has it as self.
- **SD1**: Table 3 counts four index vectors of 1 KB as images, hence its 2560 and 2048. A block has two columns of the image, so half of its reads to the east stay in it. With all of them as ghosts, Table 1's
  figures come out. The second reduce has one CTA.
- **SD2**: rows and columns next to a tile count as ghosts here.
- **PF**: Table 3 has ten rows and ten launches; ten rows have nine steps. Here there are eleven rows.
- **BP**: all arrays have 4608 KB; the rest of the printed 4676 is not explained. The paper lists it among programs of one kernel.
- **CP**: the second launch reads what the first has written.
- **LM**: one word of each 16 bytes of a position or force is asked for, and one of a charge: all lines, a quarter of the printed 61 KB in words.
- **ST**: both arrays have 1024 KB; cells at the border are not written.
- **Graphs**: PR pushes along 247 KB of the printed 382, and 2183 of 2607. The edges of a vertex begin where they would if all vertices had as many. So some entries of the columns are read twice and others
  never. The unevenness of DJ2 is its front. Rounds, neighbours and who is active are generated, not computed by the algorithms on the matrices.

The paper's energy and its shares of stalls calibrate nothing here: arithmetic, registers and latencies are free, and as each section says.

## Sources";
