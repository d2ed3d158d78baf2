//! Does the tree keep its floors? Each room of sim-core uses only the floors below it, followed to the end of every chain of imports; files
//! that refer to each other in a circle share one small folder; the machine's state is the same on every target.

mod imports;

use imports::{Graph, Source, chain, circles, graph, is_test};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Each room with its floor. Rooms of one floor are strangers.
const ROOMS: [(&str, u32); 7] = [("describe", 1), ("seam", 2), ("machine", 3), ("policy", 3), ("predict", 3), ("run", 4), ("study", 5)];

/// Arrows that run up all the same, until they are gone: each must still be there.
const EXCEPTIONS: [(&str, &str); 0] = [];

/// The files of sim-core, by their path below `src`.
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

fn sim_core() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("sim-core/src");
    let mut found = Vec::new();
    files(&root, &root, &mut found);
    found
}

fn room(file: &str) -> &str {
    file.split('/').next().filter(|room| *room != file).unwrap_or("no room")
}

fn floor(file: &str) -> Option<u32> {
    ROOMS.iter().find(|(name, _)| *name == room(file)).map(|(_, floor)| *floor)
}

fn may_use(from: &str, to: &str) -> bool {
    room(from) == room(to) || matches!((floor(from), floor(to)), (Some(above), Some(below)) if below < above)
}

/// What is wrong with the floors: arrows that go up or to a stranger, chains that end there, and exceptions without a use.
fn wrong_arrows(mut graph: Graph, exceptions: &[(&str, &str)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for (from, to) in exceptions {
        if !graph.get_mut(*from).is_some_and(|uses| uses.remove(*to)) {
            wrong.push(format!("the exception {from} → {to} is no longer needed"));
        }
    }
    for file in graph.keys().filter(|file| *file != "lib.rs") {
        if floor(file).is_none() {
            wrong.push(format!("{file} is in no room"));
        }
        wrong.extend(graph[file].iter().filter(|to| !may_use(file, to)).map(|to| format!("{file} → {to}")));
        for (stranger, _) in ROOMS {
            let chain = chain(&graph, file, |to| room(to) == stranger && !may_use(file, to));
            wrong.extend(chain.filter(|chain| chain.len() > 2).map(|chain| chain.join(" → ")));
        }
    }
    wrong
}

/// Folders whose circles may take in the folders inside: the list of schemes names each scheme, and each says what it is in the words of
/// that list; a scheme may have a folder of its own.
const REGISTRIES: [&str; 1] = ["policy"];

/// Circles that are not within one folder, which are a module and its children, and exceptions without a use.
fn wide_circles(graph: &Graph, registries: &[&str]) -> Vec<String> {
    let folder = |file: &str| file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    // `probe.rs` is the head of the folder `probe`.
    let is_in = |file: &str, home: &str| folder(file) == home || file.strip_suffix(".rs") == Some(home);
    let is_wide = |circle: &BTreeSet<String>| !circle.iter().any(|one| circle.iter().all(|file| is_in(file, &folder(one))));
    let mut wide: Vec<BTreeSet<String>> = circles(graph).into_iter().filter(is_wide).collect();
    let mut wrong = Vec::new();
    for registry in registries {
        let before = wide.len();
        wide.retain(|circle| !circle.iter().all(|file| file.starts_with(&format!("{registry}/"))));
        if wide.len() == before {
            wrong.push(format!("the exception for {registry} is no longer needed"));
        }
    }
    wrong.extend(wide.into_iter().map(|circle| circle.into_iter().collect::<Vec<_>>().join(", ")));
    wrong
}

#[test]
fn every_room_uses_only_the_floors_below() {
    let graph = graph(&sim_core());
    assert!(graph.len() > 80 && graph.values().map(BTreeSet::len).sum::<usize>() > 300, "only {} files", graph.len());
    let wrong = wrong_arrows(graph, &EXCEPTIONS);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn circles_stay_within_one_folder() {
    let mut graph = graph(&sim_core());
    for (from, to) in EXCEPTIONS {
        graph.entry(from.to_owned()).or_default().remove(to);
    }
    let wide = wide_circles(&graph, &REGISTRIES);
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

/// The machine's state holds no floats and no hash maps, whose value or order could depend on the target.
#[test]
fn machine_state_is_the_same_everywhere() {
    let sources = sim_core();
    let machine: Vec<&Source> = sources.iter().filter(|source| room(&source.file) == "machine").collect();
    assert!(machine.len() > 10, "only {} files", machine.len());
    for source in machine {
        let words = source.words();
        let found: Vec<&str> = ["f32", "f64", "HashMap", "HashSet"].into_iter().filter(|word| words.contains(*word)).collect();
        assert!(found.is_empty(), "{}: {found:?}", source.file);
    }
}

// --- the test of the test ---------------------------------------------------------------------------------------------------------

fn made_up(files: &[(&str, &str)]) -> Graph {
    graph(&files.iter().map(|(file, text)| Source::read(file, text)).collect::<Vec<_>>())
}

const LIB: (&str, &str) = ("lib.rs", "pub mod describe; pub mod seam; pub mod machine; pub mod policy; pub mod run; pub mod study;");

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
        let wrong = wrong_arrows(made_up(&files), &[]);
        assert!(!wrong.is_empty() && wrong.iter().all(|line| line.starts_with("policy/even.rs → machine/")), "{text}: {wrong:?}");
    }
    let harmless = [
        "// use crate::machine::Machine;",
        "/// See [`crate::machine::Machine`].\nfn f() { let text = \"crate::machine\"; }",
        "#[cfg(test)] mod tests { use crate::machine::Machine; }",
        "#[cfg(test)] use crate::machine::{Machine, link};",
        "use crate::seam::machine; use alloc::vec::Vec; fn f() { machine::go(); }",
    ];
    for text in harmless {
        let files = [LIB, ("policy/even.rs", text), ("machine/mod.rs", ""), ("seam/mod.rs", "pub fn machine() {}")];
        assert_eq!(wrong_arrows(made_up(&files), &[]), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn chains_are_followed_to_their_end() {
    let files = [
        LIB,
        ("policy/even.rs", "use crate::seam::report::Report;"),
        ("seam/mod.rs", "pub mod report;"),
        ("seam/report.rs", "use crate::describe::inner::go;"),
        ("describe/mod.rs", "pub mod inner;"),
        ("describe/inner.rs", "use crate::machine::Machine;"),
        ("machine/mod.rs", ""),
    ];
    let wrong = wrong_arrows(made_up(&files), &[]);
    let chain = "policy/even.rs → seam/report.rs → describe/inner.rs → machine/mod.rs";
    assert!(wrong.iter().any(|line| line == chain), "{wrong:?}");
    // The exception takes the last arrow out, and with it every chain.
    assert_eq!(wrong_arrows(made_up(&files), &[("describe/inner.rs", "machine/mod.rs")]), Vec::<String>::new());
    let unneeded = wrong_arrows(made_up(&[LIB, ("policy/even.rs", "")]), &[("policy/even.rs", "run/mod.rs")]);
    assert_eq!(unneeded, ["the exception policy/even.rs → run/mod.rs is no longer needed"]);
    assert_eq!(wrong_arrows(made_up(&[("helpers.rs", "")]), &[]), ["helpers.rs is in no room"]);
}

#[test]
fn a_circle_is_found_when_it_leaves_its_folder() {
    let small = [
        ("study/mod.rs", "pub mod probe;"),
        ("machine/noc/mod.rs", "mod crossbar; pub use crossbar::Crossbar;"),
        ("machine/noc/crossbar.rs", "use super::Packet;"),
        ("study/probe.rs", "mod options; use options::Options;"),
        ("study/probe/options.rs", "use super::Probe;"),
    ];
    assert_eq!(circles(&made_up(&small)).len(), 2);
    assert_eq!(wide_circles(&made_up(&small), &[]), Vec::<String>::new());
    let wide = [
        ("machine/mod.rs", "mod noc; mod link; mod memory;"),
        ("machine/noc/mod.rs", "use crate::machine::link::Link;"),
        ("machine/link.rs", "use crate::machine::memory::Memory;"),
        ("machine/memory.rs", "use super::noc::Packet;"),
    ];
    assert_eq!(wide_circles(&made_up(&wide), &[]), ["machine/link.rs, machine/memory.rs, machine/noc/mod.rs"]);
    assert_eq!(wide_circles(&made_up(&wide), &["machine"]), Vec::<String>::new());
    assert_eq!(wide_circles(&made_up(&small), &["policy"]), ["the exception for policy is no longer needed"]);
}
