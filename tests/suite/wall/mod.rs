//! Do the crates keep their floors? Each room uses only the floors below it, followed to the end of every chain of imports. In sim-core
//! no files refer to each other in a circle, but for a few folders' heads and their children. The machine's state is the same on every target.
//! In the crates beside it there is no circle of files at all.

mod imports;

use imports::{Graph, Source, chain, circles, graph, is_test};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The rooms of a crate, each with its floor. Rooms of one floor are strangers.
struct Floors {
    rooms: &'static [(&'static str, u32)],
    /// Files that name rooms and are in none.
    doors: &'static [&'static str],
}

const SIM_CORE: Floors = Floors {
    rooms: &[("describe", 1), ("interface", 2), ("machine", 3), ("policy", 3), ("predict", 3), ("run", 4), ("study", 5)],
    doors: &["lib.rs"],
};

/// A paper's own functions measure, and judge nothing.
const PAPERS: Floors = Floors {
    rooms: &[
        ("engine/paper", 1),
        ("engine/runs", 2),
        ("engine/measures", 3),
        ("engine/verdict", 4),
        ("ccbp", 4),
        ("hetero", 4),
        ("ikra", 4),
        ("interference", 4),
        ("latency", 4),
        ("qos", 4),
        ("engine/report", 5),
        ("catalogue", 5),
        ("reproduction", 6),
    ],
    doors: &["lib.rs", "engine/mod.rs"],
};

/// Arrows of sim-core that run up all the same, until they are gone: each must still be there.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// The files below a folder, by their path from `root`.
fn files(folder: &Path, root: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        let name = path.strip_prefix(root).expect("a file below the root").to_string_lossy().replace('\\', "/");
        if path.is_dir() {
            files(&path, root, found);
        } else if name.ends_with(".rs") && !is_test(&name) {
            found.push(Source::read(&name, &fs::read_to_string(&path).expect("a source")));
        }
    }
}

fn sources(crate_root: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(crate_root);
    let mut found = Vec::new();
    files(&root, &root, &mut found);
    found
}

fn sim_core() -> Vec<Source> {
    sources("sim-core/src")
}

impl Floors {
    /// The room of a file, with its floor: a folder, or a file of that name.
    fn of(&self, file: &str) -> Option<(&'static str, u32)> {
        let is_in = |room: &str| file.strip_prefix(room).is_some_and(|rest| rest.starts_with('/') || rest == ".rs");
        self.rooms.iter().copied().find(|(room, _)| is_in(room))
    }

    fn may_use(&self, from: &str, to: &str) -> bool {
        match (self.of(from), self.of(to)) {
            (Some((from, above)), Some((to, below))) => from == to || below < above,
            _ => false,
        }
    }

    /// What is wrong with the floors: arrows that go up or to a stranger, chains that end there, and exceptions without a use.
    fn wrong_arrows(&self, mut graph: Graph, exceptions: &[(&str, &str)]) -> Vec<String> {
        let mut wrong = Vec::new();
        for (from, to) in exceptions {
            if !graph.get_mut(*from).is_some_and(|uses| uses.remove(*to)) {
                wrong.push(format!("the exception {from} → {to} is no longer needed"));
            }
        }
        for file in graph.keys().filter(|file| !self.doors.contains(&file.as_str())) {
            if self.of(file).is_none() {
                wrong.push(format!("{file} is in no room"));
            }
            wrong.extend(graph[file].iter().filter(|to| !self.may_use(file, to)).map(|to| format!("{file} → {to}")));
            for (stranger, _) in self.rooms {
                let is_strange = |to: &str| self.of(to).is_some_and(|(room, _)| room == *stranger) && !self.may_use(file, to);
                let chain = chain(&graph, file, is_strange);
                wrong.extend(chain.filter(|chain| chain.len() > 2).map(|chain| chain.join(" → ")));
            }
        }
        wrong
    }
}

/// Folders whose head and children use each other, by the type that the head declares and the children add to. Nowhere else in sim-core do
/// files refer to each other in a circle: not in `interface`, `policy`, `predict`, `study`, and in no other folder of the other rooms.
const HEADS: [&str; 7] =
    ["describe/kernel", "describe/record", "machine/l2", "machine/memory", "machine/sm", "run/experiment", "run/simulation"];

/// Circles that are not those of one of `heads` and its children, and heads that have none any more.
fn stray_circles(graph: &Graph, heads: &[&str]) -> Vec<String> {
    let folder = |file: &str| file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    // `l2.rs` is the head of the folder `l2`.
    let is_in = |file: &str, head: &str| folder(file) == head || file.strip_suffix(".rs") == Some(head);
    let is_of = |circle: &BTreeSet<String>, head: &str| circle.iter().all(|file| is_in(file, head));
    let all = circles(graph);
    let idle = heads.iter().filter(|head| !all.iter().any(|circle| is_of(circle, head)));
    let mut wrong: Vec<String> = idle.map(|head| format!("{head} has no circle any more")).collect();
    let stray = all.into_iter().filter(|circle| !heads.iter().any(|head| is_of(circle, head)));
    wrong.extend(stray.map(|circle| circle.into_iter().collect::<Vec<_>>().join(", ")));
    wrong
}

#[test]
fn every_room_uses_only_the_floors_below() {
    let core = graph(&sim_core());
    assert!(core.len() > 80 && core.values().map(BTreeSet::len).sum::<usize>() > 300, "only {} files", core.len());
    let papers = graph(&sources("papers"));
    assert!(papers.len() > 30 && papers.values().map(BTreeSet::len).sum::<usize>() > 60, "only {} files", papers.len());
    let wrong = [SIM_CORE.wrong_arrows(core, &EXCEPTIONS), PAPERS.wrong_arrows(papers, &[])].concat();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Reproduction had one circle of 14 files, and another with the runner: what one file means could not be told without all others.
#[test]
fn beside_sim_core_no_files_refer_to_each_other_in_a_circle() {
    for (name, least) in [("papers", 30), ("lab/src", 6), ("traces/src", 10), ("timelines/src", 10)] {
        let graph = graph(&sources(name));
        assert!(graph.len() > least, "{name}: only {} files", graph.len());
        assert_eq!(circles(&graph), BTreeSet::new(), "{name}");
    }
}

#[test]
fn circles_are_those_of_a_few_heads_with_their_children() {
    let mut graph = graph(&sim_core());
    for (from, to) in EXCEPTIONS {
        graph.entry(from.to_owned()).or_default().remove(to);
    }
    let stray = stray_circles(&graph, &HEADS);
    assert!(stray.is_empty(), "{}", stray.join("\n"));
}

/// The machine's files use each other one way, but for the heads of folders: a head lists its children, and some of them are its functions.
#[test]
fn the_machines_files_use_each_other_one_way() {
    let all = graph(&sim_core());
    let is_head = |file: &str| {
        let folder = format!("{}/", file.trim_end_matches(".rs"));
        file.ends_with("/mod.rs") || all.keys().any(|other| other.starts_with(&folder))
    };
    let is_kept = |file: &str| file.starts_with("machine/") && !is_head(file);
    let kept = |uses: &BTreeSet<String>| uses.iter().filter(|file| is_kept(file)).cloned().collect();
    let graph: Graph = all.iter().filter(|(file, _)| is_kept(file)).map(|(file, uses)| (file.clone(), kept(uses))).collect();
    assert!(graph.len() > 40, "only {} files", graph.len());
    assert_eq!(circles(&graph), BTreeSet::new());
}

/// The machine's state holds no floats and no hash maps, whose value or order could depend on the target.
#[test]
fn machine_state_is_the_same_everywhere() {
    let sources = sim_core();
    let machine: Vec<&Source> = sources.iter().filter(|source| source.file.starts_with("machine/")).collect();
    assert!(machine.len() > 10, "only {} files", machine.len());
    for source in machine {
        let words = source.words();
        let found: Vec<&str> = ["f32", "f64", "HashMap", "HashSet"].into_iter().filter(|word| words.contains(*word)).collect();
        assert!(found.is_empty(), "{}: {found:?}", source.file);
    }
}

/// The programs of `examples/` need the engine and nothing else: they can stand in a crate outside as they are.
#[test]
fn examples_need_sim_core_alone() {
    let mut programs = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    files(&root, &root, &mut programs);
    assert!(programs.len() >= 4, "only {} programs", programs.len());
    for program in programs {
        let words = program.words();
        assert!(words.contains("sim_core"), "{} does not use the engine", program.file);
        let others = ["boon", "proc_macro2", "proptest", "serde_json", "rhai"].into_iter().filter(|&word| words.contains(word));
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&str>::new(), "{}", program.file);
    }
}

// --- the test of the test ---------------------------------------------------------------------------------------------------------

fn made_up(files: &[(&str, &str)]) -> Graph {
    graph(&files.iter().map(|(file, text)| Source::read(file, text)).collect::<Vec<_>>())
}

const LIB: (&str, &str) = ("lib.rs", "pub mod describe; pub mod interface; pub mod machine; pub mod policy; pub mod run; pub mod study;");

#[test]
fn a_violation_is_found_however_it_is_written() {
    let to_machine = [
        "use crate::machine::Machine;",
        "use crate::{describe::Cycle, machine::{self, link::Link}};",
        "use super::super::machine as hardware;",
        "pub use crate::machine::*;",
        "fn f() { let _ = crate::machine::step(); }",
        "fn f(m: &crate::machine::Machine) {}",
        "impl From<crate::machine::Machine> for u8 {}",
        "fn f() -> String { format!(\"{}\", 1 + crate::machine::link::SIZE) }",
    ];
    for text in to_machine {
        let files = [LIB, ("policy/even.rs", text), ("machine/mod.rs", ""), ("machine/link.rs", ""), ("describe/mod.rs", "")];
        let wrong = SIM_CORE.wrong_arrows(made_up(&files), &[]);
        assert!(!wrong.is_empty() && wrong.iter().all(|line| line.starts_with("policy/even.rs → machine/")), "{text}: {wrong:?}");
    }
    let harmless = [
        "// use crate::machine::Machine;",
        "/// See [`crate::machine::Machine`].\nfn f() { let text = \"crate::machine\"; }",
        "#[cfg(test)] mod tests { use crate::machine::Machine; }",
        "#[cfg(test)] use crate::machine::{Machine, link};",
        "use crate::interface::machine; use alloc::vec::Vec; fn f() { machine::go(); }",
    ];
    for text in harmless {
        let files = [LIB, ("policy/even.rs", text), ("machine/mod.rs", ""), ("interface/mod.rs", "pub fn machine() {}")];
        assert_eq!(SIM_CORE.wrong_arrows(made_up(&files), &[]), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn chains_are_followed_to_their_end() {
    let files = [
        LIB,
        ("policy/even.rs", "use crate::interface::report::Report;"),
        ("interface/mod.rs", "pub mod report;"),
        ("interface/report.rs", "use crate::describe::inner::go;"),
        ("describe/mod.rs", "pub mod inner;"),
        ("describe/inner.rs", "use crate::machine::Machine;"),
        ("machine/mod.rs", ""),
    ];
    let wrong = SIM_CORE.wrong_arrows(made_up(&files), &[]);
    let chain = "policy/even.rs → interface/report.rs → describe/inner.rs → machine/mod.rs";
    assert!(wrong.iter().any(|line| line == chain), "{wrong:?}");
    // The exception takes the last arrow out, and with it every chain.
    assert_eq!(SIM_CORE.wrong_arrows(made_up(&files), &[("describe/inner.rs", "machine/mod.rs")]), Vec::<String>::new());
    let unneeded = SIM_CORE.wrong_arrows(made_up(&[LIB, ("policy/even.rs", "")]), &[("policy/even.rs", "run/mod.rs")]);
    assert_eq!(unneeded, ["the exception policy/even.rs → run/mod.rs is no longer needed"]);
    assert_eq!(SIM_CORE.wrong_arrows(made_up(&[("helpers.rs", "")]), &[]), ["helpers.rs is in no room"]);
}

#[test]
fn a_circle_is_found_but_for_those_of_known_heads() {
    let small = [
        ("study/mod.rs", "pub mod probe;"),
        ("machine/noc/mod.rs", "mod crossbar; pub use crossbar::Crossbar;"),
        ("machine/noc/crossbar.rs", "use super::Packet;"),
        ("study/probe.rs", "mod options; use options::Options;"),
        ("study/probe/options.rs", "use super::Probe;"),
    ];
    assert_eq!(circles(&made_up(&small)).len(), 2);
    assert_eq!(stray_circles(&made_up(&small), &["machine/noc", "study/probe"]), Vec::<String>::new());
    assert_eq!(stray_circles(&made_up(&small), &["study/probe"]), ["machine/noc/crossbar.rs, machine/noc/mod.rs"]);
    let idle = stray_circles(&made_up(&small), &["machine/noc", "policy", "study/probe"]);
    assert_eq!(idle, ["policy has no circle any more"]);
    let wide = [
        ("machine/mod.rs", "mod noc; mod link; mod memory;"),
        ("machine/noc/mod.rs", "use crate::machine::link::Link;"),
        ("machine/link.rs", "use crate::machine::memory::Memory;"),
        ("machine/memory.rs", "use super::noc::Packet;"),
    ];
    let found = stray_circles(&made_up(&wide), &["machine"]);
    assert_eq!(found, ["machine has no circle any more", "machine/link.rs, machine/memory.rs, machine/noc/mod.rs"]);
}

#[test]
fn a_room_may_be_a_folder_in_a_folder_or_a_file() {
    let good = [
        ("lib.rs", "mod catalogue; mod engine; pub use catalogue::Paper;"),
        ("engine/mod.rs", "pub mod paper; pub mod runs; pub mod verdict;"),
        ("engine/paper/mod.rs", "pub mod mix;"),
        ("engine/paper/mix.rs", ""),
        ("engine/runs/mod.rs", "mod run; use super::paper::mix::Mix; pub use run::Run;"),
        ("engine/runs/run.rs", "use crate::engine::paper::mix::Mix;"),
        ("engine/verdict.rs", "use super::runs::Run;"),
        ("catalogue.rs", "use crate::engine::runs::Run;"),
    ];
    assert_eq!(PAPERS.wrong_arrows(made_up(&good), &[]), Vec::<String>::new());
    assert_eq!(circles(&made_up(&good)), BTreeSet::new());
    let wrong = |files: &[(&str, &str)]| PAPERS.wrong_arrows(made_up(&[&good[..7], files].concat()), &[]);
    assert_eq!(
        wrong(&[("catalogue.rs", "use crate::engine::report;"), ("engine/report/mod.rs", "")]),
        ["catalogue.rs → engine/report/mod.rs"]
    );
    let back = [("engine/runs/run.rs", "use super::Runs;"), ("engine/runs/mod.rs", "pub use run::Run;")];
    assert_eq!(circles(&made_up(&back)).len(), 1);
}
