//! One kernel in every layout: is what is counted of it what was counted apart from this program, and does nothing cut off pass for whole?

use corun_traces::import;
use corun_traces::launch;
use corun_traces::record::{Choice, Recorder, Summary};
use corun_traces::recording::{self, Recording};
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use serde_json::{Map, Value};
use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

fn sample(name: &str) -> Vec<u8> {
    fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)).expect("a sample")
}

fn expected() -> Map<String, Value> {
    let text = sample("expected.json");
    serde_json::from_slice(&text).expect("JSON")
}

/// What importing a file comes to: the recording, what is said of its kernel, and notes.
fn imported(name: &str, bytes: Vec<u8>, choice: Choice) -> Result<(Vec<u8>, Summary, Vec<String>), String> {
    let mut recorder = Recorder::new(Vec::new(), choice).map_err(|fault| fault.at("(output)").to_string())?;
    let summary = import::kernel(Cursor::new(bytes), name, None, &mut recorder).map_err(|problem| problem.to_string())?;
    let (recording, size, notes) = recorder.finish().map_err(|problem| problem.to_string())?;
    assert_eq!(recording.len() as u64, size);
    Ok((recording, summary.expect("no kernel was left out"), notes.lines()))
}

fn read(bytes: &[u8]) -> Result<Recording, String> {
    recording::read(bytes, "a.corun", |_| {}).map_err(|problem| problem.to_string())
}

fn same(counted: &Value, expected: &Value, name: &str) {
    let expected = expected.as_object().expect("an object");
    assert!(expected.len() > 10);
    for (key, value) in expected {
        assert_eq!(&counted[key], value, "{name}: {key}");
    }
}

fn json(summary: &Summary) -> Value {
    serde_json::from_str(&summary.encode().to_string()).expect("JSON")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = XzWriter::new(Vec::new(), XzOptions::with_preset(6)).expect("memory");
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

/// Version 5 as the tracer of version 4 wrote it: that differs in what the header says.
fn version_4() -> Vec<u8> {
    let text = String::from_utf8(sample("kernel-1.v5.traceg")).expect("text");
    text.replace("accelsim tracer version = 5", "accelsim tracer version = 4").into_bytes()
}

/// Every sample, and three that are made of them, with the sample whose counts they have.
fn all() -> Vec<(String, Vec<u8>, String)> {
    let mut all: Vec<_> = expected().keys().map(|name| (name.clone(), sample(name), name.clone())).collect();
    assert_eq!(all.len(), 11);
    let of = |name: &str, bytes: Vec<u8>, like: &str| (name.to_owned(), bytes, like.to_owned());
    all.push(of("kernel-1.v4.traceg", version_4(), "kernel-1.v5.traceg"));
    all.push(of("kernel-1.v6.traceg.gz", gzip(&sample("kernel-1.v6.traceg")), "kernel-1.v6.traceg"));
    all.push(of("kernel-1.v6.trace.xz", xz(&sample("kernel-1.v6.trace")), "kernel-1.v6.trace"));
    all
}

#[test]
fn every_layout_has_the_counts_that_were_counted_apart() {
    let expected = expected();
    for (name, bytes, like) in all() {
        let (recording, summary, notes) = imported(&name, bytes, Choice::default()).unwrap();
        same(&json(&summary), &expected[&like], &name);
        let again = read(&recording).unwrap();
        same(&json(&again.kernels[0]), &expected[&like], &name);
        assert_eq!(json(&again.kernels[0]), json(&summary), "{name}");
        assert!(!notes.iter().any(|note| note.contains("early") || note.contains("not known")), "{name}: {notes:?}");
        assert!(notes[0].starts_with("approximated: HMMA"), "{name}: {notes:?}");
    }
}

/// As text the grouped ones stand for all of one kernel; a raw one has the same instructions in another order.
#[test]
fn a_recording_is_at_most_a_tenth_of_the_text() {
    for (name, bytes, _) in all().into_iter().filter(|(name, ..)| name.ends_with(".trace") || name.ends_with(".traceg")) {
        let (recording, ..) = imported(&name, bytes.clone(), Choice::default()).unwrap();
        assert!(recording.len() * 10 <= bytes.len(), "{name}: {} of {}", recording.len(), bytes.len());
    }
}

/// Nothing is shared by addresses that follow from nothing: a recording has five bytes for what text has ten.
#[test]
fn gathers_over_gigabytes_take_at_most_half_of_the_text() {
    let mut seed = 1u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        0x7f40_0000_0000 + (seed >> 33) * 4
    };
    let line = |pc: usize, random: &mut dyn FnMut() -> u64| {
        let addresses: Vec<u64> = (0..32).map(|_| random()).collect();
        let apart: Vec<String> = addresses.windows(2).map(|pair| (pair[1] as i64 - pair[0] as i64).to_string()).collect();
        format!("{pc:04x} ffffffff 1 R4 LDG.E 1 R2 4 2 0x{:016x} {} 0 0 NoVal", addresses[0], apart.join(" "))
    };
    let lines: Vec<String> = (0..500).map(|n| line(n * 16, &mut random)).collect();
    let text = one_warp(true, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (recording, summary, _) = imported("kernel", text.clone(), Choice::default()).unwrap();
    assert_eq!(summary.counts.global_load_bytes, 500 * 128);
    assert!(recording.len() * 2 <= text.len(), "{} of {}", recording.len(), text.len());
    assert_eq!(read(&recording).unwrap().kernels[0].counts, summary.counts);
}

/// What is cut off is an error, or it is text that ends after a whole CTA, and that is said.
#[test]
fn what_is_cut_off_never_passes_for_whole() {
    for (name, bytes, _) in all() {
        let (whole, ..) = imported(&name, bytes.clone(), Choice::default()).unwrap();
        for cut in (0..bytes.len()).step_by(97).skip(1) {
            match imported(&name, bytes[..cut].to_vec(), Choice::default()) {
                Err(problem) => assert!(problem.contains("found") && problem.starts_with(name.as_str()), "{name} at {cut}: {problem}"),
                Ok((recording, _, notes)) => {
                    let early = notes.iter().any(|note| note.contains("ended early"));
                    assert!(early || recording == whole, "{name} at {cut}: {notes:?}");
                }
            }
        }
    }
}

#[test]
fn a_broken_recording_is_never_read() {
    let (recording, ..) = imported("kernel", sample("kernel-1.v6.traceg"), Choice::default()).unwrap();
    for cut in 0..recording.len() {
        assert!(read(&recording[..cut]).is_err(), "{cut}");
    }
    for at in 0..recording.len() {
        for bit in [1, 16, 128] {
            let mut broken = recording.clone();
            broken[at] ^= bit;
            let problem = read(&broken).unwrap_err();
            assert!(problem.starts_with("a.corun at byte "), "{at}: {problem}");
        }
    }
    let longer = [&recording[..], b"\0"].concat();
    assert!(read(&longer).unwrap_err().contains("found more behind the recording"));
}

/// What is said of a sample in which a text is replaced by another one.
fn said(name: &str, from: &str, to: &str, choice: Choice) -> String {
    let text = String::from_utf8(sample(name)).expect("text");
    assert!(text.contains(from), "{from}");
    imported(name, text.replacen(from, to, 1).into_bytes(), choice).unwrap_err()
}

#[test]
fn bad_text_is_named_with_its_line() {
    let grouped = "kernel-1.v5.traceg";
    for (from, to, problem) in [
        ("tracer version = 5", "tracer version = 7", "12: found tracer version 7, want a version up to 6"),
        ("grid dim = (6,1,1)", "grid dim = (6,0,1)", "3: found \"grid dim\" \"(6,0,1)\", want (x,y,z), each from 1 to"),
        ("grid dim = (6,1,1)", "grid dim = (2147483647,65535,2)", "3: found \"grid dim\" \"(2147483647,65535,2)\", want"),
        ("block dim = (128,1,1)", "block dim = (128,9,1)", "4: found \"block dim\" \"(128,9,1)\", want"),
        ("-nregs = 72\n", "", "14: found a header without \"nregs\", want all that Accel-Sim's tracer writes"),
        ("-nregs = 72\n", "-nregs = 72\n-nregs = 72\n", "7: found \"nregs\" twice, want it once"),
        ("thread block = 1,0,0", "thread block = 6,0,0", "found CTA 6,0,0, want one of the grid 6,1,1"),
        ("thread block = 1,0,0", "thread block = 0,0,0", "found CTA \"0,0,0\" again, want each CTA once"),
        ("warp = 1\n", "warp = 4\n", "found warp 4, want one of 4 warps of a CTA"),
        ("warp = 1\n", "warp = 0\n", "found warp 0 twice, want each warp of a CTA once"),
        ("insts = 17", "insts = 1000000000", "want 1000000000 instructions of warp 0, of which 17 are there"),
        ("insts = 17", "insts = 16", "found \"0100 ffffffff 0 EXIT 0 0 0\", want `thread block = x,y,z`, `warp = n`, or #END_TB"),
        ("0x7f4000000000 16 0", "0x2000000000000 16 0", "25: found address 0x2000000000000, want one below 2^49"),
        ("0x7f4000000000 16 0", "0x7f4000000000 q 0", "25: found \"q\", want the distance between lanes, a whole number"),
        ("0x7f4000000000 16 0", "0x7f4000000000 16", "25: found the end of the line, want an immediate"),
        ("0x7f4000000000 16 0", "0x7f4000000000 16 0 0", "25: found \"0\" behind it, want the end of the instruction"),
        ("LDG.E.128 1 R2 16 1", "LDG.E.128 1 R2 16 3", "25: found \"3\", want how addresses are written, a whole number up to 2"),
        ("8 8 8 8 8 8 8 8 0\n", "8 8 8 8 8 8 8\n", "26: found the end of the line, want a distance for each active lane but the first"),
        ("1 R0 S2R", "1 Q0 S2R", "23: found \"Q0\", want a register, such as R12, UR4 or P0"),
        ("1 R0 S2R", "99 R0 S2R", "23: found \"99\", want the number of destinations, a whole number up to 64"),
        ("0000 ffffffff", "0000 1ffffffff", "23: found 0x1ffffffff, want a mask of 32 lanes"),
        ("#END_TB", "#END", "103: found \"#END\", want `thread block = x,y,z`, `warp = n`, or #END_TB"),
    ] {
        let said = said(grouped, from, to, Choice::default());
        assert!(said.starts_with(&format!("{grouped}:")) && said.contains(problem), "{from} → {to}: {said}");
    }
    let raw = "kernel-1.v6.trace";
    for (from, to, problem) in [
        ("\n1 0 0 0 0 0 0 1 0 0 1 0000", "\n7 0 0 0 0 0 0 1 0 0 1 0000", "17: found CTA 7,0,0, want one of the grid 6,1,1"),
        ("\n1 0 0 0 0 0 0 1 0 0 1 0000", "\n1 0 0 9 0 0 0 1 0 0 1 0000", "17: found warp 9, want one of 4 warps of a CTA"),
        ("\n1 0 0 0 0 0 0 1 0 0 1 0000", "\n#BEGIN_TB\n1 0 0 0 0 0 0 1 0 0 1 0000", "18: found"),
        ("EXIT 0 0 0 0 NoVal", "EXIT 0 0 0 0 Nov", "found \"Nov\", want NoVal or Val"),
        ("EXIT 0 0 0 0 NoVal", "NOP 0 0 0 0 NoVal", "found the end of the file before warp"),
        ("16 0x200 0 1024 0 4", "16 0x200 0 1024 0 5", "found \"5\", want how addresses of a bulk copy are written, 3 or 4"),
        ("7f4020000000 8 128", "7f4020000000 999999 128", "found \"999999\", want the number of addresses, a whole number up to 65536"),
    ] {
        let said = said(raw, from, to, Choice::default());
        assert!(said.starts_with(&format!("{raw}:")) && said.contains(problem), "{from} → {to}: {said}");
    }
}

#[test]
fn opcodes_of_a_future_gpu_get_a_class_and_are_refused_if_asked() {
    let text = String::from_utf8(sample("kernel-1.v5.traceg")).expect("text").replace("DADD", "DSQRT.RN").replace("STS.128", "STQ.128");
    let (_, summary, notes) = imported("kernel", text.clone().into_bytes(), Choice::default()).unwrap();
    assert!(notes.contains(&"opcodes that are not known got a class by how they begin: DSQRT (double), STQ (store)".into()), "{notes:?}");
    assert_eq!(json(&summary)["by_opcode"]["DSQRT"], 24);
    let strict = Choice { strict: true, ..Choice::default() };
    let said = imported("kernel", text.into_bytes(), strict).unwrap_err();
    assert_eq!(said, "kernel:28: found opcode STQ.128, want one that is known, or no --strict");
}

#[test]
fn what_grows_without_end_is_refused() {
    let name = "kernel-1.v5.traceg";
    let (header, body) = (sample(name), vec![b'\n'; 3 << 20]);
    let silent = gzip(&[&header[..], &body].concat());
    assert!(silent.len() < 10_000);
    assert!(imported(name, silent, Choice::default()).unwrap_err().contains("found 1048576 empty lines, want a trace"));
    let long = xz(&[&header[..], &vec![b'1'; 3 << 20]].concat());
    assert!(imported(name, long, Choice::default()).unwrap_err().contains("found a line of more than 1048576 bytes"));
    let no_end = [b"-kernel name = a\n".to_vec(), vec![b'\n'; 3 << 20]].concat();
    assert!(imported(name, gzip(&no_end), Choice::default()).unwrap_err().contains("found a header of more than 1048576 bytes"));
}

/// The bytes of a `.tracez` with a number of 32 bits replaced.
fn patched(bytes: &[u8], at: usize, n: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 4].copy_from_slice(&n.to_le_bytes());
    bytes
}

#[test]
fn a_tracez_that_contradicts_itself_is_refused() {
    let bytes = sample("kernel-1.plain.tracez");
    let data = bytes.iter().position(|byte| *byte == 0).expect("the end of the header") + 1;
    let index = u64::from_le_bytes(bytes[bytes.len() - 8..].try_into().expect("eight bytes")) as usize;
    for (at, n, problem) in [
        (bytes.len() - 8, 7, "found an index at byte 7, want one from byte"),
        (bytes.len() - 4, 1, "found an index at byte 42949"),
        (data, 1 << 30, "found a dictionary of 1073741824 bytes, want at most 16777216"),
        (data, 5, "found a dictionary that zstd did not train"),
        // The first warp: its instructions, its chunks, the size of its first chunk.
        (data + 8, 20, "found other counts of warp 0 of CTA [0, 0, 0] than its index has, want 21 instructions in 3 chunks"),
        (data + 16, 1 << 28, "found a chunk of 268435456 bytes, want at most 67108864"),
        (data + 16, 1 << 20, "found a chunk of 1048576 bytes that go beyond"),
        (data + 16, 40, "want a whole frame of zstd"),
        (data + 20, 0, "want a frame of zstd"),
        // The index: CTAs, x of the first, its rank, its warps; the first warp's instructions, place, and those of its first chunk.
        (index, 7, "found a place of a CTA of 4 bytes that go beyond"),
        (index, 5, "found more in the index than its CTAs"),
        (index + 4, 6, "found CTA 6,0,0, want one of the grid 6,1,1"),
        (index + 4, 1, "found CTA [1, 0, 0] again, want each CTA once"),
        (index + 44, 5, "found 5 warps of a CTA, want at most 4"),
        (index + 48, 22, "want 22 instructions in 3 chunks"),
        (index + 56, 1 << 30, "found a warp at byte 1073741824, want one from byte"),
        (index + 64, 9, "found 8 instructions, want 9, as the index has"),
    ] {
        let said = imported("a.tracez", patched(&bytes, at, n), Choice::default()).unwrap_err();
        assert!(said.starts_with("a.tracez at byte ") && said.contains(problem), "{at} {n}: {said}");
    }
}

/// Text as people have it: ends of lines of another system, several blanks, none at the end, and a warp without instructions.
#[test]
fn text_may_be_written_otherwise() {
    let expected = expected();
    for name in ["kernel-1.v6.traceg", "kernel-1.v6.trace", "kernel-1.v0.traceg", "kernel-1.v0.trace"] {
        let text = String::from_utf8(sample(name)).expect("text");
        let blanks = |line: &str| if line.contains(['=', '#']) { line.to_owned() } else { line.replace(' ', " \t ") };
        let other = text.lines().map(|line| blanks(line) + "\n").collect();
        for text in [other, text.replace('\n', "\r\n"), text.trim_end().to_owned(), text.replace('\n', "\n\n")] {
            let (_, summary, _) = imported(name, text.into_bytes(), Choice::default()).unwrap();
            same(&json(&summary), &expected[name], name);
        }
    }
    let text = String::from_utf8(sample("kernel-1.v5.traceg")).expect("text");
    let (before, after) = text.split_once("warp = 1\n").expect("a warp");
    let (_, after) = after.split_once("warp = 2\n").expect("a warp");
    let none = format!("{before}warp = 1\ninsts = 0\n\nwarp = 2\n{after}");
    let (recording, summary, _) = imported("kernel", none.into_bytes(), Choice::default()).unwrap();
    assert_eq!((summary.counts.warps, summary.counts.instructions), (24, 404));
    assert_eq!(read(&recording).unwrap().kernels[0].counts, summary.counts);
}

/// The header of version 6 with a body of one warp.
fn one_warp(grouped: bool, lines: &[&str]) -> Vec<u8> {
    let header = String::from_utf8(sample("kernel-1.v6.traceg")).expect("text");
    let (header, _) = header.split_once("#BEGIN_TB").expect("a body");
    let header = header.replace("(6,1,1)", "(1,1,1)").replace("(128,1,1)", "(32,1,1)");
    let body = if grouped {
        format!("#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = {}\n{}\n#END_TB\n", lines.len(), lines.join("\n"))
    } else {
        lines.iter().map(|line| format!("0 0 0 0 0 0 0 0 0 0 0 {line}\n")).collect()
    };
    (header + body.as_str()).into_bytes()
}

#[test]
fn what_the_format_hides_is_read_as_accel_sim_reads_it() {
    let counts = |grouped, lines: &[&str]| imported("kernel", one_warp(grouped, lines), Choice::default()).unwrap();
    let exit = "0100 ffffffff 0 EXIT 0 0 0 0 NoVal";
    // The tracer's own width is not that of the opcode.
    let (_, wide, _) = counts(true, &["0000 ffffffff 1 R4 LDG.E.64 1 R2 4 1 0x1000 8 0 0 NoVal"]);
    assert_eq!((wide.counts.global_load_bytes, wide.counts.lines_of_128), (256, 2));
    // A lane by itself, with all its distances: none.
    let (_, single, _) = counts(true, &["0000 00000100 1 R4 LDG.E 1 R2 4 2 0x1000 0 0 NoVal"]);
    assert_eq!((single.counts.global_load_bytes, single.counts.active_lanes), (4, 1));
    // Behind a gap a stride says nothing.
    let (recording, gap, notes) = counts(true, &["0000 f0f0f0f0 1 R4 LDG.E 1 R2 4 1 0x1000 256 0 0 NoVal"]);
    assert_eq!((gap.counts.global_load_bytes, gap.counts.active_lanes, gap.counts.lines_of_128), (16, 16, 4));
    assert!(notes.contains(&"1 memory instructions have no address for lanes behind a gap: those do nothing".into()), "{notes:?}");
    assert_eq!(read(&recording).unwrap().kernels[0].counts, gap.counts);
    // No lane: nothing is touched.
    let (_, none, _) = counts(true, &["0000 00000000 0 STG.E 2 R2 R28 4 1 0x0 0 0 0 NoVal"]);
    assert_eq!((none.counts.instructions, none.counts.global_store_bytes), (1, 0));
    // A raw trace has an asynchronous copy for each of its addresses; the second one is that in global memory.
    let copy =
        ["0000 ffffffff 1 R4 LDGSTS.E.128 1 R2 16 1 0x100 16 0 0 NoVal", "0000 ffffffff 1 R4 LDGSTS.E.128 1 R2 16 1 0x2000 32 0 0 NoVal"];
    let (_, raw, notes) = counts(false, &[copy[0], copy[1], exit]);
    assert_eq!((raw.counts.instructions, raw.counts.global_load_bytes, raw.counts.lines_of_128), (2, 512, 8));
    assert!(notes.iter().any(|note| note.starts_with("1 asynchronous copies stand twice")), "{notes:?}");
    let (_, grouped, _) = counts(true, &[copy[1], exit]);
    assert_eq!(grouped, raw);
    let odd = imported("kernel", one_warp(false, &[copy[0], exit]), Choice::default()).unwrap_err();
    assert!(odd.contains("found an odd number of asynchronous copies in warp 0 of CTA 0, want each of them twice"), "{odd}");
    // Values of registers, one for all lanes or one for each.
    let values = format!("0000 ffffffff 1 R4 IADD3 1 R2 0 0 0 Val 1 0x10 32{}", " 7f".repeat(32));
    assert_eq!(counts(true, &[&values]).1.counts.instructions, 1);
    // Generic addresses in the window of shared memory are of no global memory.
    let (_, generic, _) = counts(true, &["0000 ffffffff 1 R4 LD.E 1 R2 4 1 0x7f0000000100 4 0 0 NoVal"]);
    assert_eq!((generic.counts.global_load_bytes, generic.counts.lines_of_128), (0, 0));
    // Atomic operations are neither loads nor stores; two lanes on a line are one access of it.
    let (_, atomic, _) = counts(true, &["0000 00000003 1 R4 ATOMG.E.ADD.64.STRONG.GPU 1 R2 8 1 0x1000 0 0 0 NoVal"]);
    assert_eq!((atomic.counts.atomic_bytes, atomic.counts.line_accesses, atomic.counts.global_load_bytes), (16, 1, 0));
}

#[test]
fn lines_of_source_before_instructions_are_passed_over() {
    let exit = "0100 ffffffff 0 EXIT 0 0 0 0 NoVal";
    for grouped in [true, false] {
        let lines = ["17 0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x1000 4 0 0 NoVal", &format!("18 {exit}")];
        let text = String::from_utf8(one_warp(grouped, &lines)).expect("text").replace("lineinfo = 0", "lineinfo = 1");
        let (_, summary, _) = imported("kernel", text.into_bytes(), Choice::default()).unwrap();
        assert_eq!((summary.counts.instructions, summary.counts.lines_of_128), (2, 1));
        let said = imported("kernel", one_warp(grouped, &lines), Choice::default()).unwrap_err();
        assert!(said.contains("found"), "{said}");
    }
}

/// A long warp is stored in parts, and code of more kernels than have room for their instructions begins anew.
#[test]
fn long_warps_and_long_code_come_back() {
    let load = |n: usize| format!("{:04x} ffffffff 1 R4 LDG.E 1 R2 4 1 0x{:x} 4 0 0 NoVal", n % 70_000 * 16, 0x1000 + n * 128);
    let lines: Vec<String> = (0..140_000).map(load).collect();
    let text = one_warp(true, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let mut recorder = Recorder::new(Vec::new(), Choice::default()).expect("memory");
    let long = import::kernel(Cursor::new(text), "long", None, &mut recorder).unwrap().expect("a kernel");
    let sample = import::kernel(Cursor::new(sample("kernel-1.v6.trace")), "short", None, &mut recorder).unwrap().expect("a kernel");
    assert_eq!((long.counts.instructions, long.counts.lines_of_128), (140_000, 140_000));
    let (recording, ..) = recorder.finish().unwrap();
    let again = read(&recording).unwrap();
    assert_eq!(again.kernels.iter().map(json).collect::<Vec<_>>(), [&long, &sample].map(json));
    let mut last = 0;
    recording::read(&recording[..], "a.corun", |step| {
        if step.opcode == "LDG.E" && step.form.pc == 16 {
            last = step.executed.addresses[1];
        }
    })
    .unwrap();
    // Its pages come in their order, so that addresses are as they were.
    assert_eq!(last, 0x1000 + 70_001 * 128 + 4);
}

#[test]
fn warps_come_back_as_they_were() {
    let name = "kernel-1.v6.traceg";
    let (recording, ..) = imported(name, sample(name), Choice::default()).unwrap();
    let mut steps = Vec::new();
    recording::read(&recording[..], "a.corun", |step| {
        steps.push((step.cta, step.warp, step.opcode.to_owned(), step.form.pc, step.executed.mask, step.executed.addresses.to_vec()));
    })
    .unwrap();
    let text = String::from_utf8(sample(name)).expect("text");
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).filter(|words: &Vec<&str>| words.len() > 7).collect();
    let lines = &lines[1..];
    assert_eq!(steps.len(), lines.len());
    let mut pages: Vec<u64> = Vec::new();
    for ((_, _, opcode, pc, mask, addresses), words) in steps.iter().zip(lines) {
        let hex = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).expect("hexadecimal");
        let at = 4 + words[2].parse::<usize>().expect("a number");
        assert_eq!((opcode.as_str(), u64::from(*pc), u64::from(*mask)), (words[at - 1], hex(words[0]), hex(words[1])));
        if opcode == "LDG.E.CONSTANT" {
            let listed: Vec<u64> = words.iter().filter(|word| word.starts_with("0x")).map(|word| hex(word)).collect();
            let mut page = |address: u64| {
                let page = address >> 21;
                let known = pages.iter().position(|other| *other == page).unwrap_or_else(|| {
                    pages.push(page);
                    pages.len() - 1
                });
                known as u64
            };
            let numbers: Vec<u64> = listed.iter().map(|address| page(*address)).collect();
            // Pages 0 and 1 are those of the two loads before it.
            assert!(addresses.iter().zip(&listed).all(|(a, b)| a % (1 << 21) == b % (1 << 21)));
            assert!(addresses.iter().zip(numbers).all(|(address, number)| (address >> 21 == 1) == (number == 0)), "{addresses:x?}");
        }
    }
    assert_eq!(steps.iter().map(|step| (step.0, step.1)).max(), Some((5, 3)));
}

/// A launch that is made ready has looked at each pattern once: it counts what all its warps do.
#[test]
fn warps_that_share_a_pattern_are_counted_each() {
    for name in ["kernel-1.v6.traceg", "kernel-1.v6.trace", "kernel-1.plain.tracez"] {
        let (recording, summary, _) = imported(name, sample(name), Choice::default()).unwrap();
        let mut end = 0;
        recording::read(&recording[..], "a.corun", |step| {
            for address in step.executed.addresses.iter().filter(|address| **address < 1 << 40) {
                end = end.max(address + u64::from(step.form.width));
            }
        })
        .unwrap();
        let launches = launch::read(&recording[..], "a.corun").unwrap();
        let trace = &launches.traces[0];
        assert_eq!((trace.thread_instructions, trace.bytes), (summary.counts.active_lanes, end), "{name}");
        assert!(trace.patterns.len() < trace.chunks.len(), "{name}: no pattern is shared");
    }
}

#[test]
fn ctas_can_be_chosen_and_a_kernel_by_its_number() {
    for name in ["kernel-1.v6.traceg", "kernel-1.v6.trace", "kernel-1.plain.tracez"] {
        let choice = Choice { ctas: Some(1..3), ..Choice::default() };
        let (recording, summary, notes) = imported(name, sample(name), choice).unwrap();
        assert_eq!((summary.counts.ctas, summary.counts.warps, summary.counts.instructions), (2, 8, 160), "{name}");
        assert!(!notes.iter().any(|note| note.contains("early")), "{name}");
        assert_eq!(read(&recording).unwrap().kernels[0].counts, summary.counts);
        let beyond = Choice { ctas: Some(6..9), ..Choice::default() };
        let said = imported(name, sample(name), beyond).unwrap_err();
        assert!(said.contains("found a grid of 6 CTAs and --ctas 6..9, want a range that has CTAs of it"), "{said}");
        let mut recorder = Recorder::new(Vec::new(), Choice::default()).expect("memory");
        let other = import::kernel(Cursor::new(sample(name)), name, Some(2), &mut recorder).unwrap();
        assert!(other.is_none() && recorder.kernels() == 0);
    }
}
