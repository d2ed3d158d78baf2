//! How far to trust what Corun says: every kind of statement beside what it was held against, from the stored reports and studies. Nothing runs here.

use crate::Page;
use sim_core::describe::value::Value;
use std::fmt::Write as _;
use std::path::Path;

/// The papers, by their folders in docs/reports.
const PAPERS: [(&str, &str); 5] =
    [("ccbp", "CCBP"), ("qos", "QoS quotas"), ("hetero", "HeteroCore"), ("ikra", "IKRA"), ("latency", "Latency prediction")];

/// The study of a GPU that a public rerun of a paper measured.
const RERUN: &str = "reports/interference/report.md";

/// Fills the page.
pub fn page(_: &[String], page: &mut Page) -> Result<(), String> {
    for (mark, of) in [("silicon", silicon as fn(&mut String) -> Result<(), String>), ("simulator", simulator), ("papers", papers), ("itself", itself)] {
        let mut text = String::new();
        of(&mut text)?;
        page.line(mark, text.trim_end_matches('\n'));
        page.line(mark, "");
    }
    Ok(())
}

/// A file of docs/.
fn read(file: &str) -> Result<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The cells of a table's row, by what its first one says, or its first ones.
fn row(page: &str, file: &str, name: &str) -> Result<Vec<String>, String> {
    let cells = |line: &str| line.trim().trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let found = page.lines().find(|line| line.starts_with(&format!("| {name} |"))).map(cells);
    found.ok_or_else(|| format!("docs/{file} has no row {name}"))
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

fn silicon(text: &mut String) -> Result<(), String> {
    let file = read("reference/silicon.json")?;
    let both = Value::from_json(&file).map_err(|problems| format!("silicon.json: {problems}"))?;
    let (found, other) = both.get("h100").zip(both.get("h200")).ok_or("silicon.json: no H100 and H200")?;
    let met = found.get("met").ok_or("silicon.json: no errors")?;
    let number = |of: &Value, key| of.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let words = |of: &Value, key| of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let errors_of = |met: &Value, which: &str| {
        let found = met.get("errors").map_or(&[][..], Value::items).iter().find(|of| words(of, "of") == which);
        found.cloned().ok_or_else(|| format!("silicon.json: no errors of {which}"))
    };
    let of_all = |met: &Value| errors_of(met, "all");
    let right_of =
        |of: &Value, key| of.get(key).map_or(&[][..], Value::items).iter().map(Value::to_string).collect::<Vec<_>>().join(" of ");
    let all = &of_all(met)?;
    let rule = |name: &str| {
        let found = both.get("rules").map_or(&[][..], Value::items).iter().find(|of| words(of, "rule") == name);
        found.ok_or_else(|| format!("silicon.json: no rule {name}"))
    };
    let right = |key| right_of(met, key);
    let alone = found.get("alone").map_or(&[][..], Value::items).iter().filter_map(|row| row.get("simulated_over_measured")?.as_f64());
    let (kernels, least, most) =
        alone.fold((0, f64::MAX, f64::MIN), |(kernels, least, most), ratio: f64| (kernels + 1, least.min(ratio), most.max(ratio)));
    let off = |of: &Value, says: &str| {
        let (mean, ninth, worst) = (number(of, "mean"), number(of, "nine_in_ten"), number(of, "worst"));
        let (cells, pair) = (number(of, "cells"), words(of, "worst_pair"));
        format!(
            "{says} | {cells} | off by {} in the mean, nine in ten within {}, at worst {} ({pair}); by a factor of {:.2} in the geometric mean, at most {:.1} | {}, {:.2}",
            percent(mean),
            percent(ninth),
            percent(worst),
            number(of, "factor"),
            number(of, "worst_factor"),
            percent(number(of, "nobody_suffers")),
            number(of, "nobody_suffers_factor"),
        )
    };
    let gpu = words(found, "gpu");
    let lines = [
        off(all, "how much slower a kernel is beside another"),
        off(&errors_of(met, "without the sleeper")?, "the same without the kernel that only sleeps"),
        off(&errors_of(met, "slowed by a tenth or more")?, "the same where it is slower by a tenth at least"),
        off(&errors_of(met, "slowdown below 4")?, "the same where it is less than four times: no cache thrashes, no slots run out"),
        format!(
            "who of two suffers more, where that is by a tenth | {} | right in {} |",
            last(&right("who_suffers_more")),
            right("who_suffers_more")
        ),
        format!(
            "whether a kernel suffers by more than a quarter | {} | right in {} | {}",
            last(&right("suffers")),
            right("suffers"),
            right_of(rule("H100: nobody suffers")?, "suffers")
        ),
        format!("how long a kernel takes alone | {kernels} | {least:.2} to {most:.2} of what was measured |"),
    ];
    write!(
        text,
        "## Against a GPU\n\nEight kernels that each fill one resource ran alone and in all pairs on an {gpu}. The preset `h100-sxm5` simulates the same \
         ([every pair](reference/silicon.md)). Pairs decided three things: that sleep is an instruction of its own, that between kernels the older warp goes first, and that an FP64 unit takes the oldest warp that waits for it. All pairs had been seen by then.\n\n\
         ![Slowdown of a row beside a column: measured, and simulated](reference/silicon.svg)\n\n| what is said | cases | how it holds | if nobody suffered |\n| --- | --: | --- | --- |\n"
    )
    .map_err(|error| error.to_string())?;
    lines.iter().for_each(|line| *text += &format!("| {line} |\n"));
    let blind = other.get("met").ok_or("silicon.json: no errors")?;
    let (met, changed) = (&of_all(blind)?, right_of(other, "changes"));
    *text += &format!(
        "\nAn **H200 was a blind test**: `h200-sxm` is that preset with an H200's memory by data sheet, frozen before any of its pairs was simulated. Slowdowns are now off by {} in the mean, nine in \
         ten within {}. Who of two suffers more is right in {}. Of the pairs that an H200 changes by a tenth against an H100, {} change the same way.\n",
        percent(number(met, "mean")),
        percent(number(met, "nine_in_ten")),
        right_of(blind, "who_suffers_more"),
        changed
    );
    *text += "\nThe same pairs by rules that need no simulator. A percentage hides what is predicted too small: a factor of 17 is 94 % then.\n\n\
              | rule | mean error | as a factor | worst factor | right that a kernel suffers by a quarter |\n| --- | --: | --: | --: | --: |\n";
    for of in both.get("rules").map_or(&[][..], Value::items) {
        let (name, suffers) = (words(of, "rule"), right_of(of, "suffers"));
        let (mean, factor, worst) = (percent(number(of, "mean")), number(of, "factor"), number(of, "worst_factor"));
        *text += &format!("| {name} | {mean} | {factor:.2} | {worst:.1} | {suffers} |\n");
    }
    *text += "\nWho has the H100's table is nearer to an H200 than the machine is: the blind test is one of two data sheets' difference, not of the machine.\n";
    let report = read(RERUN)?;
    let [simulated, both, rival] = ["simulated", "while both run", "adding up utilisations"].map(|name| row(&report, RERUN, name));
    let off = |of: &[String]| format!("{} in the mean, nine in ten within {}, at worst {}", of[2], of[3], of[4]);
    let (simulated, both, rival) = (simulated?, both?, rival?);
    *text += &format!(
        "\nAn **RTX 5090** has been measured by others, with six of these kernels. [`rtx5090`]({RERUN}) meets what each does alone. Timed as their program times a pair, its slowdowns are off by {}. No pair decided a value, but all had been seen. Whether a kernel suffers by more than a quarter is right in {}. That program cannot see a slowdown above four: \
         without its procedure they are off by {} in the mean, at worst {}. Adding up what kernels use alone, as is done in practice, is off by {}. It is right in {}.\n",
        off(&simulated),
        simulated[5],
        both[2],
        both[4],
        off(&rival),
        rival[5]
    );
    *text += "\nNo other preset has been held against its GPU. For the cycles of kernels alone, Accel-Sim 2.0 prints 13.4 % and the model of \"Dissecting and Modeling the Architecture of Modern GPU Cores\" (MICRO 2025) 14 %. No simulator that we know of prints the error of a \
              slowdown.\n\n";
    Ok(())
}

/// What the study of recorded kernels says of another simulator.
fn simulator(text: &mut String) -> Result<(), String> {
    let file = "reference/accelsim.md";
    let page = read(file)?;
    let behind = |words: &str| {
        let found = page.lines().find_map(|line| line.split_once(words)).ok_or_else(|| format!("docs/{file} has no {words}"))?;
        Ok::<_, String>(found.1.to_owned())
    };
    let (kernels, met, speed) = (behind("on [Accel-Sim](https://accel-sim.github.io) and here. ")?, behind("`accelsim-rtx2060`, 30 SMs. ")?, behind("On one core. ")?);
    let [kernels, speed] = [(&kernels, " are"), (&speed, " Times are")].map(|(of, end)| of.split(end).next().unwrap_or_default());
    *text += &format!(
        "## Against another simulator\n\n[{kernels}](reference/accelsim.md), recorded, ran on Accel-Sim and here, with its configuration of an RTX 2060. {met} {speed}\n"
    );
    Ok(())
}

fn last(right: &str) -> &str {
    right.rsplit(' ').next().unwrap_or(right)
}

fn papers(text: &mut String) -> Result<(), String> {
    *text += "## Against five papers\n\nA direction is who comes out ahead. A size is kept within a quarter of what is printed. Kernels alone were fitted to what papers print of them, so that these say \
              how well a fit could be had.\n\n| paper | directions | sizes | kernels alone, and other settings |\n| --- | --: | --: | --: |\n";
    let mut sums = [[0_u32; 2]; 3];
    for (paper, title) in PAPERS {
        let file = format!("reports/{paper}/report.md");
        let report = read(&file)?;
        let counts = |cells: &[String]| -> Result<[u32; 2], String> {
            let numbers: Vec<u32> =
                cells[1..].iter().map(|cell| cell.parse().map_err(|_| format!("docs/{file}: {cell}"))).collect::<Result<_, _>>()?;
            match numbers[..] {
                [all, kept, _, _, untested] => Ok([kept, all - untested]),
                _ => Err(format!("docs/{file}: a row of {} counts", numbers.len())),
            }
        };
        let calibrations = report.lines().filter_map(|line| line.strip_prefix("| Calibration: ")?.split(" | ").next());
        let mut alone = [0, 0];
        for name in calibrations {
            let of = counts(&row(&report, &file, &format!("Calibration: {name}"))?)?;
            alone = [alone[0] + of[0], alone[1] + of[1]];
        }
        let kinds = [counts(&row(&report, &file, "Directions")?)?, counts(&row(&report, &file, "Magnitudes")?)?, alone];
        for (sum, of) in sums.iter_mut().zip(kinds) {
            *sum = [sum[0] + of[0], sum[1] + of[1]];
        }
        *text += &format!("| [{title}](reports/{paper}/report.md) | {} |\n", kinds.map(of).join(" | "));
    }
    *text += &format!("| **all** | {} |\n\n", sums.map(of).join(" | "));
    *text += &weight()?;
    *text += "Each report begins with what fails, and with the run that shows why, where one does. A full report fails if a claim that is known to fail holds, or another does not.\n\n";
    Ok(())
}

/// What CCBP's headline rests on: its gain over the oracle and over Warped-Slicer in each pair of Fig. 10, with and without one kernel's pairs.
fn weight() -> Result<String, String> {
    let file = "../web/public/papers/ccbp.json";
    let paper = Value::from_json(&read(file)?).map_err(|problems| format!("{file}: {problems}"))?;
    let figures = paper.get("figures").map_or(&[][..], Value::items);
    let figure = figures.iter().find(|one| one.get("id").and_then(Value::as_str) == Some("fig10")).ok_or_else(|| format!("{file}: no fig10"))?;
    let names = |key: &str| -> Vec<String> {
        figure.get(key).map_or(&[][..], Value::items).iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (series, pairs) = (names("series"), names("categories"));
    let of = |name: &str| -> Result<Vec<f64>, String> {
        let at = series.iter().position(|one| one == name).ok_or_else(|| format!("{file}: fig10 has no {name}"))?;
        let value = |pair: usize| {
            let is_it = |point: &&Value| [("series", at), ("x", pair)].iter().all(|(key, n)| point.get(key).and_then(Value::as_f64) == Some(*n as f64));
            figure.get("points")?.items().iter().find(is_it)?.get("value")?.as_f64()
        };
        (0..pairs.len()).map(|pair| value(pair).ok_or_else(|| format!("{file}: fig10 has no {name} of {}", pairs[pair]))).collect()
    };
    let ccbp = of("CCBP_DRF+adj")?;
    let over = |name: &str| -> Result<Vec<f64>, String> { Ok(ccbp.iter().zip(of(name)?).map(|(ccbp, other)| ccbp / other).collect()) };
    let has = |pair: &str| pair.split('+').any(|kernel| kernel == HEAVY);
    let rest = |gains: &[f64]| -> Vec<f64> { gains.iter().zip(&pairs).filter(|(_, pair)| !has(pair)).map(|(gain, _)| *gain).collect() };
    let (oracle, ws) = (over("CTA oracle")?, over("WS")?);
    let mut sorted = oracle.clone();
    sorted.sort_by(f64::total_cmp);
    let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    Ok(format!(
        "**CCBP's headline rests on one kernel.** {} pairs have a kernel that needs bandwidth. In their mean its harmonic speedup is {:.3} times the oracle's of CTAs, and {:.3} times without the {} \
         pairs of {HEAVY}. It is ahead in {} of them; the median is {:.3} times. Over Warped-Slicer it is {:.3} times, and {:.3} without {HEAVY}.\n\n",
        pairs.len(),
        mean(&oracle),
        mean(&rest(&oracle)),
        pairs.len() - rest(&oracle).len(),
        oracle.iter().filter(|gain| **gain > 1.0).count(),
        median,
        mean(&ws),
        mean(&rest(&ws)),
    ))
}

/// The kernel of CCBP's that few combinations of CTAs let issue beside another.
const HEAVY: &str = "KM";

/// The geometric mean.
fn mean(of: &[f64]) -> f64 {
    (of.iter().map(|one| one.ln()).sum::<f64>() / of.len() as f64).exp()
}

fn of([kept, all]: [u32; 2]) -> String {
    if all == 0 { "–".into() } else { format!("{kept} of {all}, {}", percent(f64::from(kept) / f64::from(all))) }
}

fn itself(text: &mut String) -> Result<(), String> {
    let orders_page = read("reference/orders.md")?;
    let orders =
        orders_page.lines().find_map(|line| line.strip_prefix("| of ")?.split(' ').next()).ok_or("docs/reference/orders.md: no count")?;
    let (verdicts, scale, knobs) = (read("reference/verdicts.md")?, read("reference/scale.md")?, read("reference/knobs.md")?);
    let held = |name| row(&verdicts, "reference/verdicts.md", name).map(|cells| cells[1].clone());
    let all = row(&knobs, "reference/knobs.md", "**all**")?;
    let quarter = |gpu: &str, said: &str| {
        let part = row(&scale, "reference/scale.md", &format!("`{gpu}` | 1/4"))?;
        let (median, ninth, worst) = (&part[3], &part[4], part[5].split(" (").next().unwrap_or_default());
        Ok::<_, String>(format!(
            "[a quarter of {said}](reference/scale.md) in place of the whole | the whole | slowdowns off by {median} at the median, nine in ten within {ninth}, at worst {worst}"
        ))
    };
    let table = [
        format!("[the cause](reference/verdicts.md) that a sentence names | long runs of every cure | {} |", held("that name a cause")?).trim_end_matches(" |").into(),
        quarter("a100-40gb", "an A100")?,
        quarter("h100-sxm5", "an H100")?,
        format!("[what each value that can be set does](reference/knobs.md) | what was said of it before it was tried | {} of {}", all[2], all[1]),
        format!(
            "who of two suffers more, whichever warp goes first ([orders](reference/orders.md)) | greedy then oldest, and then youngest | the same in {} of {orders}",
            row(&orders_page, "reference/orders.md", "the same kernel suffers more")?[1]
        ),
        "[each part](../tests/suite/first_principles) of the machine: latency unloaded, rate at its peak | a formula | to the cycle, or within the part of a hundred that its test states".to_owned(),
        "[a result](reference/architecture.md#determinism), natively, in Node and in a browser | each other | equal, bit for bit".to_owned(),
    ];
    *text += "## Against itself\n\n| what is said | held against | how it holds |\n| --- | --- | --- |\n";
    table.iter().for_each(|line| *text += &format!("| {line} |\n"));
    text.push('\n');
    Ok(())
}
