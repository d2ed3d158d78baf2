//! The CSV file that `silicon/interfere.cu` writes.

use crate::describe::error::{Problem, Problems};
use crate::describe::kernel::library::probe::Shape;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Largest file, bytes.
pub const MAX_BYTES: usize = 4 << 20;

/// The first line of such a file.
const FIRST: &str = "# corun silicon 1";

/// What the columns are called.
const COLUMNS: &[&str] =
    &["study", "kernel", "beside", "ctas", "threads", "bytes", "chains", "passes", "ms", "ms_least", "ms_most", "mhz", "shared_sms"];

/// Kernels of a file: pairs are as many as their square.
const MAX_KERNELS: usize = 64;

/// Characters of a kernel's name, and of what a file says of the GPU.
const MAX_NAME: usize = 64;

/// What pairs there must be.
const EACH: &str = "a row of each kernel beside each";

/// Pairs that are said to be missing one by one; the others are counted.
const LISTED: usize = 19;

/// What is measured. Only the first three are read further.
const STUDIES: &[&str] = &["alone", "pair", "first", "slots", "size", "region", "chains", "ctas", "latency"];

/// Longest time that a row may have, ms. Rows are made to take twenty alone.
const LONGEST_MS: f64 = 1e6;

/// How much faster a kernel may be beside another than alone: clocks and the placement of pages differ from launch to launch.
const FASTER: f64 = 0.5;

/// A GPU, and what kernels took on it.
#[derive(Debug)]
pub struct Measured {
    /// What the lines before the columns say: `gpu`, `sms`, `core_mhz`, `shared_bytes`, `driver`, `date` and so on.
    facts: BTreeMap<String, String>,
    /// Kernels alone, in the order of the file.
    pub alone: Vec<Row>,
    /// Times of a kernel beside another that was there before it, ms.
    pub pairs: Pairs,
    /// Of a kernel beside another that came just after it. Not all pairs need be there.
    pub first: Pairs,
}

/// Times by the numbers of both kernels in `alone`. Nothing where they never ran together.
pub type Pairs = BTreeMap<(usize, usize), Option<f64>>;

/// A kernel alone.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// What it was launched with.
    pub shape: Shape,
    /// How often it went through its work.
    pub passes: u64,
    /// How long that took, the median.
    pub ms: f64,
}

/// One problem.
pub(super) fn problem(path: &str, found: impl ToString, want: &str) -> Problems {
    Problems(Vec::from([Problem::new(path, found, want)]))
}

/// Where a line can be wrong.
struct At(usize);

impl At {
    fn wrong(&self, column: &str, found: impl ToString, want: &str) -> Problems {
        problem(&format!("line {}, {column}", self.0), found, want)
    }
}

impl Measured {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Measured, Problems> {
        if text.len() > MAX_BYTES {
            return Err(problem("(file)", "more than 4 MiB", "what silicon/interfere.cu writes, some hundred lines"));
        }
        if text.lines().next() != Some(FIRST) {
            return Err(problem(
                "line 1",
                format!("{:?}", text.lines().next().unwrap_or("")),
                &format!("{FIRST:?}, as silicon/interfere.cu writes it"),
            ));
        }
        let facts = text.lines().map_while(|line| line.strip_prefix("# ")).filter_map(|line| line.split_once(": "));
        let facts: BTreeMap<_, _> = facts.map(|(key, value)| (key.to_owned(), value.trim().to_owned())).collect();
        let mut measured = Measured { facts, alone: Vec::new(), pairs: Pairs::new(), first: Pairs::new() };
        for needed in ["gpu", "sms", "core_mhz", "date"] {
            measured.fact(needed)?;
        }
        for whole in ["sms", "core_mhz"] {
            measured.number(whole)?;
        }
        // No cell has a comma in it, and none is quoted.
        let mut rows = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let headings = rows.next().map_or("", |(_, line)| line);
        if !headings.split(',').eq(COLUMNS.iter().copied()) {
            return Err(problem("the columns", headings, &COLUMNS.join(",")));
        }
        for (line, row) in rows {
            let cells: Vec<&str> = row.split(',').collect();
            if cells.len() != COLUMNS.len() {
                let want = format!("{} cells", COLUMNS.len());
                return Err(problem(&format!("line {line}"), format!("{} cells", cells.len()), &want));
            }
            measured.take(&At(line), &cells)?;
        }
        measured.is_whole()?;
        Ok(measured)
    }

    /// What the file says of the GPU.
    pub fn fact(&self, key: &str) -> Result<&str, Problems> {
        let found = self.facts.get(key).map(String::as_str).filter(|value| !value.is_empty());
        let found = found.ok_or_else(|| problem(&format!("# {key}"), "nothing", "a line of it before the columns"))?;
        if found.chars().count() > MAX_NAME {
            return Err(problem(&format!("# {key}"), format!("{found:?}"), &format!("at most {MAX_NAME} characters")));
        }
        Ok(found)
    }

    /// A whole number of these.
    pub fn number(&self, key: &str) -> Result<u32, Problems> {
        let value = self.fact(key)?;
        value
            .parse()
            .ok()
            .filter(|&number| number > 0)
            .ok_or_else(|| problem(&format!("# {key}"), format!("{value:?}"), "a whole number above 0"))
    }

    /// The time of a kernel beside another over alone, in one of the studies of pairs.
    pub fn slowdown(&self, of: &Pairs, kernel: usize, beside: usize) -> Option<f64> {
        Some(of.get(&(kernel, beside)).copied().flatten()? / self.alone[kernel].ms)
    }

    fn take(&mut self, at: &At, cells: &[&str]) -> Result<(), Problems> {
        let cell = |column: &str| COLUMNS.iter().zip(cells).find(|(name, _)| **name == column).map_or("", |(_, cell)| cell.trim());
        let whole =
            |column: &str| cell(column).parse::<u64>().map_err(|_| at.wrong(column, format!("{:?}", cell(column)), "a whole number"));
        let small = |column: &str| whole(column).and_then(|n| u32::try_from(n).map_err(|_| at.wrong(column, n, "a number below 2^32")));
        let time = |column: &str| {
            let found = cell(column).parse::<f64>().ok();
            let right = |ms: &f64| ms.is_nan() || (*ms > 0.0 && *ms <= LONGEST_MS);
            found
                .filter(right)
                .ok_or_else(|| at.wrong(column, format!("{:?}", cell(column)), "a time in ms, above 0 and at most 1000000, or nan"))
        };
        if !STUDIES.contains(&cell("study")) {
            return Err(at.wrong("study", format!("{:?}", cell("study")), &format!("one of {}", STUDIES.join(", "))));
        }
        let shape = Shape { ctas: small("ctas")?, threads: small("threads")?, bytes: whole("bytes")?, chains: small("chains")? };
        let (passes, ms, least, most) = (whole("passes")?, time("ms")?, time("ms_least")?, time("ms_most")?);
        if least > ms || ms > most {
            return Err(at.wrong("ms", ms, &format!("a median from ms_least, {least}, to ms_most, {most}")));
        }
        let known = |column: &str| {
            let found = self.alone.iter().position(|row| row.name == cell(column));
            found.ok_or_else(|| at.wrong(column, format!("{:?}", cell(column)), "a kernel with a row alone before this one"))
        };
        match cell("study") {
            "alone" => {
                if self.alone.iter().any(|row| row.name == cell("kernel")) {
                    return Err(at.wrong("kernel", format!("{:?}", cell("kernel")), "each kernel alone once"));
                }
                if passes == 0 || ms.is_nan() {
                    return Err(at.wrong("passes", format!("{passes} in {ms} ms"), "at least one, and how long it took"));
                }
                if cell("kernel").chars().count() > MAX_NAME {
                    return Err(at.wrong("kernel", format!("{:?}", cell("kernel")), &format!("a name of at most {MAX_NAME} characters")));
                }
                if self.alone.len() == MAX_KERNELS {
                    return Err(at.wrong("kernel", "one more", &format!("at most {MAX_KERNELS} kernels alone")));
                }
                self.alone.push(Row { name: cell("kernel").to_owned(), shape, passes, ms });
            }
            study @ ("pair" | "first") => {
                let pair = (known("kernel")?, known("beside")?);
                let alone = &self.alone[pair.0];
                if (alone.shape, alone.passes) != (shape, passes) {
                    return Err(at.wrong("passes", passes, "the shape and the passes of the kernel alone"));
                }
                if ms < FASTER * alone.ms {
                    return Err(at.wrong("ms", ms, &format!("no kernel beside another in less than half of its time alone, {}", alone.ms)));
                }
                let pairs = if study == "pair" { &mut self.pairs } else { &mut self.first };
                if pairs.insert(pair, (!ms.is_nan()).then_some(ms)).is_some() {
                    return Err(at.wrong("beside", format!("{:?}", cell("beside")), "each pair once"));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether each kernel stands beside each.
    fn is_whole(&self) -> Result<(), Problems> {
        let mut problems = Problems::default();
        if self.alone.is_empty() {
            problems.add("(file)", "no kernel alone", "a row of the study alone for each kernel");
        }
        let each = || self.alone.iter().enumerate();
        let pairs = each().flat_map(|(k, kernel)| each().map(move |(b, beside)| ((k, b), kernel, beside)));
        let mut missing = pairs.filter(|(pair, ..)| !self.pairs.contains_key(pair));
        for (_, kernel, beside) in missing.by_ref().take(LISTED) {
            problems.add("(file)", format!("no pair of {} beside {}", kernel.name, beside.name), EACH);
        }
        match missing.count() {
            0 => {}
            more => problems.add("(file)", format!("{more} more pairs that are not there"), EACH),
        }
        problems.or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "# corun silicon 1\n# gpu: Tiny\n# sms: 2\n# core_mhz: 1000\n# date: 2026-11-26\n\
        study,kernel,beside,ctas,threads,bytes,chains,passes,ms,ms_least,ms_most,mhz,shared_sms\n\
        alone,fma,,2,128,0,4,1000,20,19,21,1000,0\n\
        pair,fma,fma,2,128,0,4,1000,40,39,41,1000,2\n";

    fn said(text: &str) -> String {
        Measured::read(text).unwrap_err().to_string()
    }

    #[test]
    fn lines_may_be_empty_or_end_as_elsewhere() {
        let slowdown = |text: &str| {
            let measured = Measured::read(text).unwrap();
            measured.slowdown(&measured.pairs, 0, 0)
        };
        assert_eq!(slowdown(ROWS), Some(2.0));
        assert_eq!(slowdown(&ROWS.replace('\n', "\r\n")), Some(2.0));
        assert_eq!(slowdown(&ROWS.replace("pair,", "\n# between\npair,").replace("40,39,41", " 30 ,29, 31")), Some(1.5));
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line() {
        for (from, to, want) in [
            ("# corun silicon 1\n", "", "line 1: found \"# gpu: Tiny\", want \"# corun silicon 1\", as silicon/interfere.cu writes it"),
            ("study,kernel", "study;kernel", "the columns: found study;kernel,beside,"),
            ("1000,2\n", "1000\n", "line 8: found 12 cells, want 13 cells"),
            ("1000,2\n", "1000,2,\n", "line 8: found 14 cells, want 13 cells"),
            ("40,39,41", "2e6,39,3e6", "line 8, ms: found \"2e6\", want a time in ms, above 0 and at most 1000000, or nan"),
            ("40,39,41", "\"40\",39,41", "line 8, ms: found \"\\\"40\\\"\", want a time in ms"),
            ("pair,fma,fma", "first,fma,fma", "(file): found no pair of fma beside fma, want a row of each kernel beside each"),
            ("20,19,21", "nan,nan,nan", "line 7, passes: found 1000 in NaN ms, want at least one, and how long it took"),
        ] {
            assert!(ROWS.contains(from), "{from}");
            let said = said(&ROWS.replace(from, to));
            assert!(said.starts_with(want), "{said}, want {want}");
        }
        let columns = said(&ROWS[..ROWS.find("study").unwrap()]);
        assert!(columns.starts_with("the columns: found , want study,kernel,"), "{columns}");
        // Nothing grows with what a file repeats, or with how long its names are.
        let alone = |name: &str| format!("alone,{name},,2,128,0,4,1000,20,19,21,1000,0\n");
        let of = |kernels: usize| [ROWS.to_owned(), (1..kernels).map(|n| alone(&format!("k{n}"))).collect()].concat();
        let many = Measured::read(&of(MAX_KERNELS)).unwrap_err();
        assert_eq!(many.0.len(), 20);
        assert_eq!(many.0[19].to_string(), "(file): found 4076 more pairs that are not there, want a row of each kernel beside each");
        assert_eq!(said(&of(4000)), "line 72, kernel: found one more, want at most 64 kernels alone");
        let long = "x".repeat(3 << 20);
        for (text, want) in [
            ([ROWS, &alone(&long)].concat(), "line 9, kernel: found \"xxx"),
            (ROWS.replace("pair,fma,fma", &format!("pair,fma,{long}")), "line 8, beside: found \"xxx"),
            (ROWS.replace("gpu: Tiny", &format!("gpu: {long}")), "# gpu: found \"xxx"),
            (ROWS.replace("study,kernel", &format!("{long},kernel")), "the columns: found xxx"),
            (long.clone(), "line 1: found \"xxx"),
        ] {
            let said = said(&text);
            assert!(said.starts_with(want) && said.contains('…') && said.len() < 1000, "{want}: {} bytes", said.len());
        }
        let large = said(&[ROWS, &"\n".repeat(MAX_BYTES)].concat());
        assert_eq!(large, "(file): found more than 4 MiB, want what silicon/interfere.cu writes, some hundred lines");
    }
}
