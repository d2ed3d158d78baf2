//! `kernelslist` and `kernelslist.g`: what a program did, in order: copies, and launches of kernels.

use crate::fault::{fault, shown};
use crate::scan::{Lines, hex, whole};
use sim_core::describe::error::Problem;
use std::io::Read;

/// Entries of a list, at most.
const MOST: usize = 1 << 20;

/// An entry of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The file of a kernel, beside the list.
    Kernel(String),
    /// So many bytes copied to the GPU or from it.
    Copy(u64),
}

/// Reads a list.
pub fn read(source: impl Read, name: &str) -> Result<Vec<Entry>, Problem> {
    let mut lines = Lines::new(source, name);
    let mut entries = Vec::new();
    while lines.advance()? {
        let line = lines.line().trim_ascii();
        if line.is_empty() {
            continue;
        }
        let entry = if line.starts_with(b"Memcpy") {
            let mut parts = line.split(|byte| *byte == b',').skip(1).map(<[u8]>::trim_ascii);
            let address = parts.next().and_then(hex);
            address.and(parts.next().and_then(whole)).map(Entry::Copy)
        } else {
            let name = std::str::from_utf8(line).ok().filter(|name| name.starts_with("kernel") && is_beside(name));
            name.map(|name| Entry::Kernel(name.to_owned()))
        };
        let want = "`MemcpyHtoD,ADDRESS,BYTES` or the file of a kernel beside the list, such as kernel-1.traceg";
        entries.push(entry.ok_or_else(|| lines.wrong(fault(shown(line), want)))?);
        if entries.len() > MOST {
            return Err(lines.wrong(fault(format!("more than {MOST} entries"), "a list of kernels")));
        }
    }
    Ok(entries)
}

/// Whether a file is in the folder of its list.
fn is_beside(name: &str) -> bool {
    !name.contains(['/', '\\', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_kernels_and_copies_and_nothing_else() {
        let list =
            "MemcpyHtoD,0x00007f4000000000,65536\r\n\nkernel-1.traceg.xz\nMemcpyDtoH,0x00007f4020000000,16\nkernel-593-ctx_0x55c2.tracez";
        let kernel = |name: &str| Entry::Kernel(name.into());
        let want = vec![Entry::Copy(65536), kernel("kernel-1.traceg.xz"), Entry::Copy(16), kernel("kernel-593-ctx_0x55c2.tracez")];
        assert_eq!(read(list.as_bytes(), "list").unwrap(), want);
        for (bad, line) in [("MemcpyHtoD,0x0", 1), ("\nkernel-1/../../etc/passwd", 2), ("launch", 1), ("MemcpyHtoD,0xq,1", 1)] {
            let problem = read(bad.as_bytes(), "list").unwrap_err();
            assert_eq!(problem.path, format!("list:{line}"), "{problem}");
        }
    }
}
