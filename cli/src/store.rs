//! Where commands keep what runs have measured, and `corun store`.

use crate::{overlaps, text};
use clap::Args;
use corun_lab::store::{Contents, OF_GPU, Store, contents, prune};
use corun_lab::{Failure, output, problem};
use corun_timelines::rows::Row;
use sim_core::describe::error::Problems;
use std::path::{Path, PathBuf};

/// Where a command keeps what runs have measured.
#[derive(Args, Clone, Debug, Default)]
pub struct Kept {
    /// Keep what runs have measured in this folder, and read there what earlier commands have; left out, that of CORUN_STORE, or else `corun` in the
    /// folder for caches
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Keep nothing, and measure everything
    #[arg(long)]
    no_store: bool,
}

impl Kept {
    /// The folder, if there is to be one: with `CORUN_STORE=` there is none.
    fn folder(&self) -> Option<PathBuf> {
        let set = || std::env::var_os("CORUN_STORE").map(PathBuf::from);
        let folder = self.store.clone().or_else(set).or_else(|| dirs::cache_dir().map(|cache| cache.join("corun")));
        folder.filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Opens it. Only a folder that the command line names has to be one.
    pub fn open(&self) -> Result<Option<Store>, Problems> {
        let Some(folder) = self.folder().filter(|_| !self.no_store) else { return Ok(None) };
        match Store::open(&folder, "--store") {
            Err(problems) if self.store.is_none() => {
                output::say(&format!("note: {problems}; nothing is kept"));
                Ok(None)
            }
            other => other.map(Some),
        }
    }
}

/// Arguments of `corun store`.
#[derive(Args, Debug)]
#[command(after_help = "\
A run follows from its experiment and from what the engine does: a command reads what engines have left that behave alike, by the digits of \
--version and by a short run of every policy. `run`, `sweep`, `oracle`, `curve`, \
`predict`, `profiles` and `answers` keep what kernels do alone there, `run` also its result. `import timeline --store DIR` keeps what co-runs of real \
programs cost; --prune leaves that alone.

Exit status: 0 done, 2 bad usage or a folder that cannot be read or pruned.")]
pub struct StoreCommand {
    /// The folder; left out, that of CORUN_STORE, or else `corun` in the folder for caches
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Remove what other engines than this one have measured
    #[arg(long, conflicts_with = "measured")]
    prune: bool,
    /// Print what co-runs of real programs have cost: how many times as long kernels took beside others as alone
    #[arg(long)]
    measured: bool,
}

impl StoreCommand {
    pub fn execute(self) -> Result<(), Failure> {
        let kept = Kept { store: self.store, no_store: false };
        let folder = kept.folder().ok_or_else(|| problem("--store", "nothing, and no folder for caches", "a folder"))?;
        if self.measured {
            return output::print(&measured(&folder)?);
        }
        let gone = if self.prune { prune(&folder)? } else { Vec::new() };
        let mut said = vec![folder.display().to_string()];
        said.extend(table(&gone, "removed"));
        said.extend(table(&contents(&folder)?, "kept"));
        output::print(&said.join("\n\n"))
    }
}

/// What each file of a GPU has measured.
fn measured(folder: &Path) -> Result<String, Problems> {
    let mut said = Vec::new();
    for contents in contents(folder)? {
        let Some(digits) = contents.behaviour.strip_prefix(OF_GPU) else { continue };
        let rows = Store::of_gpu(folder, digits, "--store")?.rows();
        let rows: Vec<Row> = rows.iter().filter_map(|row| serde_json::from_str(&row.to_string()).ok()).collect();
        let Some(first) = rows.first() else { continue };
        let cost = overlaps::cost(rows.iter().map(overlaps::Cost::of_row).collect(), [usize::MAX; 2]);
        said.push(format!("{}, file {digits}\n\n{cost}", first.gpu));
    }
    let nothing = || format!("{} has nothing that a GPU has measured: `corun import timeline FILE --store DIR` keeps it", folder.display());
    Ok(if said.is_empty() { nothing() } else { said.join("\n\n") })
}

/// A line for each engine and each file of a GPU, where there is one.
fn table(of: &[Contents], heading: &str) -> Option<String> {
    let heading = [heading, "rows", "KB"].map(str::to_owned).to_vec();
    let line = |contents: &Contents| {
        let who = match contents.behaviour.strip_prefix(OF_GPU) {
            Some(digits) => format!("a GPU, file {digits}"),
            None if contents.own => "this engine".to_owned(),
            None => format!("engine {}", contents.behaviour),
        };
        vec![who, contents.rows.to_string(), contents.bytes.div_ceil(1000).to_string()]
    };
    (!of.is_empty()).then(|| text::table(1, [heading].into_iter().chain(of.iter().map(line))))
}
