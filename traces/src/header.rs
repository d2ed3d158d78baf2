//! What a trace says of its kernel first.

use crate::fault::{Found, fault, shown};
use crate::scan::{hex, whole};

/// Bytes of a header, at most.
pub(crate) const LONGEST: usize = 1 << 20;

/// The line that ends a header begins so.
const LAST: &[u8] = b"#traces format";

/// Versions of the tracer that are known.
const NEWEST: u32 = 6;

/// The launch of a kernel, as its trace has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Its name, mangled.
    pub name: String,
    /// Its number among the kernels of the program.
    pub id: u64,
    /// CTAs in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a CTA in x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory of a CTA, static and dynamic.
    pub shared_bytes: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// The architecture of the code: 80 for sm_80.
    pub architecture: u32,
    /// The CUDA stream.
    pub stream: u64,
    /// Where the window of shared memory lies, if the trace says so.
    pub shared_base: Option<u64>,
    /// Where the window of local memory lies, likewise.
    pub local_base: Option<u64>,
    /// Version of Accel-Sim's tracer; 0 where the trace has none.
    pub version: u32,
    /// Instructions begin with the number of a line of source.
    pub has_lines: bool,
}

/// What has been read of a header.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    header: Header,
    seen: Vec<&'static str>,
}

/// Keys of which every trace has one.
const NEEDED: &[&str] = &["kernel name", "kernel id", "grid dim", "block dim", "shmem", "nregs", "binary version", "cuda stream id"];

/// Other keys that are read.
const OPTIONAL: &[&str] = &["shmem base_addr", "local mem base_addr", "accelsim tracer version", "enable lineinfo"];

impl Parsed {
    /// Takes a line, without blanks at its end; says whether it was the last one.
    pub fn line(&mut self, line: &[u8]) -> Found<bool> {
        if line.starts_with(LAST) {
            return Ok(true);
        }
        if line.trim_ascii().is_empty() {
            return Ok(false);
        }
        let pair = line.strip_prefix(b"-").and_then(|line| {
            let at = line.iter().position(|byte| *byte == b'=')?;
            Some((line[..at].trim_ascii(), line[at + 1..].trim_ascii()))
        });
        let Some((key, value)) = pair else {
            return Err(fault(shown(line), "`-key = value`, or the line `#traces format = …` that ends the header"));
        };
        let Some(key) = NEEDED.iter().chain(OPTIONAL).find(|name| name.as_bytes() == key) else { return Ok(false) };
        if self.seen.contains(key) {
            return Err(fault(format!("{key:?} twice"), "it once"));
        }
        self.seen.push(key);
        let number = |most: u64| {
            let number = whole(value).filter(|n| *n <= most);
            number.ok_or_else(|| fault(format!("{key:?} {}", shown(value)), format!("a whole number up to {most}")))
        };
        let small = |most: u32| number(most.into()).map(|n| n as u32);
        let address = || hex(value).map(Some).ok_or_else(|| fault(format!("{key:?} {}", shown(value)), "a hexadecimal address"));
        let header = &mut self.header;
        match *key {
            "kernel name" => header.name = String::from_utf8_lossy(value).into_owned(),
            "kernel id" => header.id = number(u32::MAX.into())?,
            "grid dim" => header.grid = dimensions(key, value, [i32::MAX as u32, 65_535, 65_535], u64::from(u32::MAX))?,
            "block dim" => header.block = dimensions(key, value, [1024, 1024, 64], 1024)?,
            "shmem" => header.shared_bytes = small(1 << 20)?,
            "nregs" => header.registers = small(255)?,
            "binary version" => header.architecture = small(999)?,
            "cuda stream id" => header.stream = number(u64::MAX)?,
            "shmem base_addr" => header.shared_base = address()?,
            "local mem base_addr" => header.local_base = address()?,
            "enable lineinfo" => header.has_lines = small(1)? == 1,
            "accelsim tracer version" => {
                header.version = small(u32::MAX)?;
                if header.version > NEWEST {
                    return Err(fault(format!("tracer version {}", header.version), format!("a version up to {NEWEST}")));
                }
            }
            _ => {}
        }
        Ok(false)
    }

    /// The header, now that its last line has come.
    pub fn whole(self) -> Found<Header> {
        match NEEDED.iter().find(|key| !self.seen.contains(key)) {
            Some(key) => Err(fault(format!("a header without {key:?}"), "all that Accel-Sim's tracer writes")),
            None => Ok(self.header),
        }
    }
}

/// Three numbers in brackets, each from 1 on, with a product that a GPU can have.
fn dimensions(key: &str, value: &[u8], most: [u32; 3], most_in_all: u64) -> Found<[u32; 3]> {
    let want = || format!("(x,y,z), each from 1 to {most:?}, together at most {most_in_all}");
    let parsed = || {
        let inner = value.strip_prefix(b"(")?.strip_suffix(b")")?;
        let mut numbers = inner.split(|byte| *byte == b',').map(|word| whole(word.trim_ascii()));
        let three = [numbers.next()??, numbers.next()??, numbers.next()??];
        let fits = three.iter().zip(most).all(|(n, most)| (1..=u64::from(most)).contains(n));
        let product = three.iter().try_fold(1u64, |all, n| all.checked_mul(*n))?;
        (numbers.next().is_none() && fits && product <= most_in_all).then(|| three.map(|n| n as u32))
    };
    parsed().ok_or_else(|| fault(format!("{key:?} {}", shown(value)), want()))
}

/// Three numbers with commas between them, of a CTA or a cluster.
pub(crate) fn triple(value: &[u8]) -> Option<[u32; 3]> {
    let mut numbers = value.split(|byte| *byte == b',').map(|word| u32::try_from(whole(word.trim_ascii())?).ok());
    let three = [numbers.next()??, numbers.next()??, numbers.next()??];
    numbers.next().is_none().then_some(three)
}

impl Header {
    /// Threads of a CTA.
    pub fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a CTA.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(32)
    }

    /// CTAs of the grid.
    pub fn ctas(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).product()
    }

    /// The number of a CTA in the grid, if it has such a one: x fastest.
    pub fn cta(&self, [x, y, z]: [u32; 3]) -> Found<u64> {
        let [columns, rows, layers] = self.grid;
        if x >= columns || y >= rows || z >= layers {
            return Err(fault(format!("CTA {x},{y},{z}"), format!("one of the grid {columns},{rows},{layers}")));
        }
        Ok(u64::from(x) + u64::from(columns) * (u64::from(y) + u64::from(rows) * u64::from(z)))
    }

    /// Where a CTA is in the grid.
    pub fn place(&self, cta: u64) -> [u64; 3] {
        let [columns, rows, _] = self.grid.map(u64::from);
        [cta % columns, cta / columns % rows, cta / columns / rows]
    }

    /// Lanes of a warp that have a thread.
    pub fn lanes(&self, warp: u32) -> u32 {
        match self.threads().saturating_sub(32 * warp) {
            32.. => u32::MAX,
            threads => (1 << threads) - 1,
        }
    }
}
