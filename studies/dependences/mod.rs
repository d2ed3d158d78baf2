//! The programs of the IKRA paper as descriptions: launches, bytes and dependences between launches, beside what the paper prints, and what each takes from
//! its source.

use crate::Page;
use sim_core::describe::kernel::{Dim3, library};
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

/// Fills the page.
pub fn page(_: &[String], page: &mut Page) -> Result<(), String> {
    for printed in &PRINTED {
        page.line("rows", row(printed)?);
    }
    for (name, ..) in &PRINTED {
        let kernel = library::find(&format!("ikra/{name}")).ok_or("no kernel")?;
        page.line("sources", format!("\n### {}: {}\n\n{}\n\n{}", kernel.name, kernel.title, kernel.source, kernel.doc));
    }
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
