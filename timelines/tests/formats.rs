//! Is each form that profilers write taken for what it says, and what is none of them refused by a line that helps?

use corun_timelines::report::report;
use corun_timelines::timeline::{Ended, Kernel, Launched, MOST_LAUNCHES, Shape, Timeline, Tool};
use corun_timelines::{read, stored};
use flate2::{Compression, write::GzEncoder};
use serde::Deserialize;
use std::io::Write;

fn read(text: &str) -> Timeline {
    read::timeline(text.as_bytes(), "file").expect(text)
}

/// The line that refuses it.
fn refused(text: impl AsRef<[u8]>) -> String {
    read::timeline(text.as_ref(), "file").expect_err("a problem").to_string()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).expect("memory");
    packer.finish().expect("memory")
}

const A100: &str =
    r#""deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108, "computeMajor": 8, "computeMinor": 0}]"#;

const SHAPE: &str = r#""grid": [864, 1, 2], "block": [256, 1, 1], "registers per thread": 47, "shared memory": 1024"#;

/// A kernel's event with these times and arguments.
fn kernel(ts: &str, dur: &str, args: &str) -> String {
    format!(
        r#"{{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": {ts}, "dur": {dur}, "args": {{"device": 0, "stream": 7, {args}}}}}"#
    )
}

fn trace(events: &[String]) -> String {
    format!(r#"{{"schemaVersion": 1, {A100}, "traceEvents": [{}]}}"#, events.join(", "))
}

fn times(timeline: &Timeline) -> Vec<(u64, u64)> {
    timeline.launches.iter().map(|launch| (launch.start, launch.duration)).collect()
}

// Kineto

#[test]
fn times_are_microseconds_to_the_nanosecond_whatever_is_displayed() {
    for unit in ["ms", "ns"] {
        let events = [
            kernel("1745263461938401.875", "41.407", SHAPE),
            kernel("1745263461938402", "3", SHAPE),
            kernel("\"1745263461938401.876\"", "0", SHAPE),
        ];
        let text = trace(&events).replace("\"traceEvents\"", &format!("\"displayTimeUnit\": \"{unit}\", \"traceEvents\""));
        // By their starts, which is not how they are written.
        assert_eq!(times(&read(&text)), [(0, 41_407), (1, 0), (125, 3000)], "{unit}");
    }
}

#[test]
fn a_kernel_is_an_event_of_the_category_in_either_spelling() {
    let other = |cat: &str| kernel("1", "1", SHAPE).replace("\"kernel\"", &format!("\"{cat}\""));
    let events = ["Kernel", "cpu_op", "gpu_memcpy", "gpu_memset", "cuda_runtime", "gpu_user_annotation"].map(other);
    let begins = kernel("1", "1", SHAPE).replace("\"X\"", "\"B\"");
    let timeline = read(&trace(&[&events[..], &[kernel("2", "1", SHAPE), begins, "{\"name\": \"kernel\"}".into()]].concat()));
    assert_eq!(timeline.launches.len(), 2);
    assert_eq!(timeline.notes, ["2 copies and fills of memory are left out"]);
    let shape = Shape { grid: [864, 1, 2], block: [256, 1, 1], registers: 47, shared_bytes: 1024 };
    assert_eq!(timeline.kernels.iter().map(|kernel| kernel.shape).collect::<Vec<_>>(), [Some(shape)]);
}

#[test]
fn an_estimated_occupancy_is_kept_as_it_is_written_and_less_than_0_is_none() {
    // What is above 48 KB of shared memory has 0; -100 is written where the calculator fails; newer traces have its results besides.
    let estimates = [
        r#""est. achieved occupancy %": 0"#,
        r#""est. achieved occupancy %": -100"#,
        r#""est. achieved occupancy %": 62.5"#,
        r#""context": 1"#,
    ];
    let object = r#""occupancy": {"activeBlocksPerMultiprocessor": 0, "limitingFactors": "SMEM", "blockLimitRegs": 5}"#;
    let events = estimates.map(|estimate| kernel("0", "1", &format!("{SHAPE}, {estimate}, {object}")));
    let timeline = read(&trace(&events));
    let seen: Vec<_> = timeline.launches.iter().map(|launch| timeline.kernels[launch.kernel as usize].estimated_occupancy).collect();
    assert_eq!(seen, [Some(0), None, Some(63), None]);
}

#[test]
fn launches_without_a_shape_are_kept_and_counted() {
    let amd = r#"{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "AMD Instinct MI250", "numSms": 104, "computeMajor": 9, "computeMinor": 0, "warpSize": 64}], "traceEvents": ["#;
    // Newer traces of AMD GPUs have grid and block, never registers.
    let events = [r#""queue": 0"#, r#""grid": [8, 1, 1], "block": [64, 1, 1]"#].map(|args| kernel("1", "2.5", args)).join(", ");
    let timeline = read(&format!("{amd}{events}]}}"));
    assert_eq!(times(&timeline), [(0, 2500), (0, 2500)]);
    assert!(timeline.kernels.iter().all(|kernel| kernel.shape.is_none()));
    assert!(timeline.notes[0].starts_with("2 of 2 launches have no shape"), "{:?}", timeline.notes);
    // What AMD calls major and minor is no compute capability.
    assert_eq!((timeline.devices[0].sms, timeline.devices[0].capability), (Some(104), None));
}

#[test]
fn gpus_may_be_described_behind_the_events_and_each_has_its_launches() {
    let second = kernel("5", "1", SHAPE).replace(r#""device": 0, "#, "").replace(r#""pid": 0"#, r#""pid": 1"#);
    let third = kernel("6", "1", SHAPE).replace(r#""device": 0"#, r#""device": "3""#);
    let text = format!(r#"{{"traceEvents": [{}, {second}, {third}], "traceName": "a", {A100}}}"#, kernel("4", "1", SHAPE));
    let timeline = read(&text);
    let devices: Vec<_> = timeline.devices.iter().map(|device| (device.id, device.sms)).collect();
    assert_eq!(devices, [(0, Some(108)), (1, None), (3, None)]);
    assert_eq!(timeline.launches.iter().map(|launch| launch.device).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn launches_that_end_before_they_start_are_left_out_and_named() {
    let timeline = read(&trace(&[kernel("1", "1", SHAPE), kernel("2", "-0.512", SHAPE), kernel("3", "-1", SHAPE)]));
    assert_eq!(times(&timeline), [(0, 1000)]);
    assert_eq!(timeline.notes, ["2 launches that end before they start are left out, the first traceEvents[1], of -512 ns"]);
}

#[test]
fn an_absurd_shape_is_a_problem_of_an_event_and_a_field() {
    for (field, absurd, place, found) in [
        ("864, 1, 2", "0, 1, 1", "args.grid", "found [0, 1, 1], want three numbers of CTAs"),
        ("864, 1, 2", "2147483648, 1, 1", "args.grid", "found [2147483648, 1, 1]"),
        ("864, 1, 2", "1, 65536, 1", "args.grid", "found [1, 65536, 1]"),
        ("864, 1, 2", "1, 1", "args.grid", "found \"[1, 1]\", want three whole numbers"),
        ("864, 1, 2", "-1, 1, 1", "args.grid", "found \"[-1, 1, 1]\", want three whole numbers"),
        ("256, 1, 1", "64, 32, 1", "args.block", "found 2048 threads, want at most 1024 threads in a CTA"),
        ("thread\": 47", "thread\": 256", "args[\"registers per thread\"]", "found 256, want registers of a thread, 0 to 255"),
        ("memory\": 1024", "memory\": -4", "args[\"shared memory\"]", "found \"-4\", want a whole number"),
        ("memory\": 1024", "memory\": 1048577", "args[\"shared memory\"]", "found 1048577, want bytes of shared memory of a CTA"),
        ("\"ts\": 9", "\"ts\": \"soon\"", "ts", "found \"\\\"soon\\\"\", want microseconds"),
        ("\"ts\": 9", "\"at\": 9", "ts", "found nothing, want microseconds"),
        ("\"stream\": 7", "\"stream\": -1", "args.stream", "found \"-1\", want a whole number"),
    ] {
        let event = kernel("9", "1", SHAPE).replace(field, absurd);
        let said = refused(trace(&[kernel("1", "1", SHAPE), event]));
        assert!(said.starts_with(&format!("file: traceEvents[1].{place}: ")) && said.contains(found), "{absurd}: {said}");
    }
}

#[test]
fn of_a_file_that_ends_early_what_was_read_is_good() {
    let events: Vec<String> = (0..50).map(|at| kernel(&at.to_string(), "0.5", SHAPE)).collect();
    let whole = trace(&events);
    let until = whole.rfind("\"gemm\"").expect("the last event");
    let cut = read(&whole[..until]);
    assert_eq!(cut.launches.len(), 49);
    assert_eq!(cut.ended, Some(Ended { launches: 49, last: 48_000, lost: vec![], broken: None }));
    let broken = read(&format!("{}}}}}", &whole[..until])).ended.and_then(|ended| ended.broken).expect("an end without a beginning");
    assert_eq!((broken.0, &*broken.1), (format!("byte {}", until + 1), "\"}\""));
    // A packed one gives what could be unpacked.
    let packed = gzip(&trace(&(0..5000).map(|at| kernel(&format!("{at}.{}", at * 7919 % 1000), "0.5", SHAPE)).collect::<Vec<_>>()));
    let cut = read::timeline(&packed[..packed.len() / 2], "file").expect("half of it");
    assert!((1000..4000).contains(&cut.launches.len()), "{}", cut.launches.len());
    assert!(cut.ended.is_some_and(|ended| ended.launches == cut.launches.len() as u64 && ended.broken.is_none()));
    let whole = read::timeline(&*packed, "file").expect("all of it");
    assert_eq!((whole.launches.len(), whole.ended), (5000, None));
    // And where nothing was read, the file is refused.
    for cut in [refused(&trace(&events)[..120]), refused(&packed[..20])] {
        assert!(cut.starts_with("file: found a file that ends before its first kernel, want all of it: copy it again"), "{cut}");
    }
}

#[test]
fn an_event_that_is_no_json_is_left_out_and_named() {
    let infinite = kernel("2", "1", &format!("{SHAPE}, \"blocks per SM\": inf"));
    let timeline = read(&trace(&[kernel("1", "1", SHAPE), infinite.clone(), kernel("3", "1", SHAPE), infinite.clone()]));
    assert_eq!((times(&timeline), timeline.ended), (vec![(0, 1000), (2000, 1000)], None));
    let [note] = &timeline.notes[..] else { panic!("one note: {:?}", timeline.notes) };
    assert!(note.starts_with("2 events that are no JSON are left out, the first traceEvents[1]: expected value"), "{note}");
    assert!(refused(trace(&[infinite])).contains("found 1 events, 1 of them no JSON and none a kernel"));
}

#[test]
fn of_a_long_trace_the_earliest_launches_are_kept() {
    let most = MOST_LAUNCHES as u64;
    // The latest first: 2.1 times as many as are kept, each of a shape of its own among a thousand.
    let all = most * 21 / 10;
    let event = |at: u64| kernel(&at.to_string(), "0.5", &SHAPE.replace("864", &(1 + at % 1000).to_string()));
    let timeline = read(&trace(&(0..all).rev().map(event).collect::<Vec<_>>()));
    assert_eq!(timeline.launches.len() as u64, most);
    assert!(timeline.launches.iter().zip(0..).all(|(launch, at)| launch.start == at * 1000));
    let grid = |launch: &Launched| timeline.kernels[launch.kernel as usize].shape.expect("a shape").grid[0];
    assert!(timeline.launches.iter().zip(0..).all(|(launch, at)| grid(launch) == 1 + at % 1000));
    assert_eq!(timeline.notes, [format!("{} launches are left out, behind the first {most}", all - most)]);
}

#[test]
fn no_name_of_a_host_a_user_or_a_process_is_kept() {
    let secret = r#""hostname": "secret", "traceName": "/home/secret/trace.json", "distributedInfo": {"backend": "secret"}"#;
    let named = r#"{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "secret", "labels": "secret kernel"}}"#;
    let text = format!(
        r#"{{{secret}, {A100}, "traceEvents": [{named}, {}]}}"#,
        kernel("1", "1", &format!(r#"{SHAPE}, "Process Group Name": "secret""#))
    );
    let timeline = read(&text[..text.len() - 1]);
    let mut out = Vec::new();
    stored::write(&timeline, &mut out).expect("memory");
    assert!(!String::from_utf8(out).expect("text").contains("secret"));
}

// Nsight Systems

/// Headings with units of shared memory, and with a column for green contexts or without.
fn headings(time: &str, memory: &str, green: &str) -> String {
    format!(
        "Start ({time}),Duration ({time}),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem ({memory}),DymSMem ({memory}),Bytes (MB),\
         Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,{green}Strm,Name\n"
    )
}

const ROW: &str = "1000,5000,101,160,1,2,256,1,1,32,512,49152,,,,,NVIDIA A10G (1),1,7,\"burn<int, 2>(float *, int)\"\n";

#[test]
fn a_table_has_units_in_its_headings_and_commas_in_its_names() {
    let in_bytes = read(&(headings("ns", "B", "") + ROW));
    assert_eq!((in_bytes.tool, times(&in_bytes), in_bytes.launches[0].stream), (Tool::Nsys, vec![(0, 5000)], 7));
    assert_eq!((in_bytes.devices[0].id, &*in_bytes.devices[0].name), (1, "NVIDIA A10G"));
    let shape = Shape { grid: [160, 1, 2], block: [256, 1, 1], registers: 32, shared_bytes: 49_664 };
    assert_eq!(
        (&*in_bytes.kernels[0].name, in_bytes.kernels[0].shape, in_bytes.notes.len()),
        ("burn<int, 2>(float *, int)", Some(shape), 0)
    );
    // As `nsys stats` writes raw columns.
    let raw = headings("ns", "B", "GreenCtx,")
        .replace("Start (ns)", "Start:ts_ns")
        .replace("Duration (ns)", "Duration:dur_ns")
        .replace("SMem (B)", "SMem:mem_B");
    assert_eq!(read(&(raw + ROW.replace(",7,\"", ",,7,\"").as_str())), in_bytes);
    // Kilobytes of 1,024, microseconds, and quoted headings behind what the program prints.
    let other = headings("us", "KiB", "").trim_end().split(',').map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(",");
    let other = format!("Processing [a.sqlite] with [cuda_gpu_trace.py]...\n\n ** CUDA GPU Trace (cuda_gpu_trace):\n\n{other}\n");
    let row = ROW.replace("1000,5000", "1.000,5.000").replace("512,49152", "0.500,48.000");
    assert_eq!(read(&(other + row.as_str())).kernels, in_bytes.kernels);
}

/// `text` as PowerShell's `>` writes it, and with a mark as some editors do.
fn written_by_windows(text: &str) -> [Vec<u8>; 3] {
    let numbers = || "\u{feff}".encode_utf16().chain(text.encode_utf16());
    let (little, big) = (numbers().flat_map(u16::to_le_bytes), numbers().flat_map(u16::to_be_bytes));
    [format!("\u{feff}{text}").into_bytes(), little.collect(), big.collect()]
}

#[test]
fn a_file_may_be_utf_16_or_have_a_byte_order_mark() {
    let json = trace(&[kernel("1", "1", SHAPE)]);
    let table = format!("Processing [a.sqlite]... \n\n{}{ROW}", headings("ns", "B", "")).replace('\n', "\r\n");
    let mut stored = Vec::new();
    stored::write(&read(&json), &mut stored).expect("memory");
    for text in [json, table, String::from_utf8(stored).expect("text")] {
        let want = read(&text);
        for bytes in written_by_windows(&text) {
            assert!(read::is_timeline(&bytes));
            assert_eq!(read::timeline(&*bytes, "file").expect(&text), want);
        }
    }
    for bytes in written_by_windows("Time (%),Total Time (ns),Instances\n") {
        assert!(refused(bytes).contains("found a summary of Nsight Systems, want"));
    }
}

#[test]
fn a_table_may_have_other_separators_and_ends_of_lines() {
    let want = read(&(headings("ns", "B", "") + ROW));
    for separator in [";", "\t"] {
        // A name keeps its commas.
        let row = ROW.split('"').enumerate().map(|(at, part)| if at == 1 { format!("\"{part}\"") } else { part.replace(',', separator) });
        let text = headings("ns", "B", "").replace(',', separator) + row.collect::<String>().as_str();
        assert_eq!(read(&text), want);
        assert_eq!(read(&text.replace('\n', "\r\n")), want);
        assert_eq!(read(text.trim_end()), want, "the last line may have no end");
    }
    // A bar that a program draws over itself, and what it says of an export that is there.
    let bar = "Generating SQLite file app.sqlite from app.nsys-rep\n\rExporting 1 events: [0%\r[100%]\nNOTICE: Existing SQLite export found: app.sqlite\n\
               Processing [app.sqlite] with [/opt/nvidia/nsys/reports/cuda_gpu_trace.py]... \n";
    assert_eq!(read(&(bar.to_owned() + headings("ns", "B", "").as_str() + ROW)), want);
}

#[test]
fn megabytes_are_rounded_and_that_is_said() {
    let timeline =
        read(&(headings("ns", "MB", "GreenCtx,") + ROW.replace("512,49152", "0.001,0.049").replace(",7,\"", ",3,7,\"").as_str()));
    assert_eq!(timeline.kernels[0].shape.expect("a shape").shared_bytes, 50_000);
    assert_eq!(
        timeline.notes,
        [
            "1 launch is of a green context; which SMs it has, the table does not say",
            "shared memory is rounded to 1000 bytes; `nsys stats --format csv:mem=B` prints all of them"
        ]
    );
}

#[test]
fn rows_without_a_grid_are_copies() {
    let copy = "500,40,7,,,,,,,,,,8.389,167.0,Pageable,Device,NVIDIA A10G (1),1,7,[CUDA memcpy Host-to-Device]\n";
    let timeline = read(&(headings("ns", "B", "") + copy + ROW + copy));
    assert_eq!((timeline.launches.len(), &*timeline.notes), (1, &["2 copies and fills of memory are left out".to_owned()][..]));
    assert!(refused(headings("ns", "B", "") + copy).contains("found a table without kernels, and 1 copies and fills of memory"));
}

#[test]
fn a_stream_of_another_context_is_another_stream() {
    let other = ROW.replace("(1),1,7", "(1),4,7");
    let timeline = read(&(headings("ns", "B", "") + ROW + other.as_str() + ROW));
    assert_eq!(timeline.launches.iter().map(|launch| launch.stream).collect::<Vec<_>>(), [7, 7 + (1 << 32), 7]);
    assert_eq!(timeline.notes, ["streams of context 4 of GPU 1 have 4294967296 added to their numbers"]);
}

#[test]
fn a_cell_that_is_wrong_has_a_line_and_a_column() {
    for (cell, wrong, said) in [
        ("1000,5000", "\"1,000\",5000", "line 2, Start: found \"1,000\", want a time, such as 1000, with a point for decimals"),
        ("512,49152", "512,\"0,049\"", "line 2, DymSMem: found \"0,049\", want shared memory, such as 0.049, with a point for decimals"),
        ("160,1,2", "\"1\u{a0}600\",1,2", "line 2, GrdX: found \"1\\u{a0}600\", want a whole number without a sign or separators"),
        ("256,1,1", "2048,1,1", "line 2, BlkX, BlkY, BlkZ: found [2048, 1, 1], want three numbers of threads"),
        (",7,", ",seven,", "line 2, Strm: found \"seven\", want the number of a stream"),
    ] {
        let said_of_it = refused(headings("ns", "B", "") + ROW.replacen(cell, wrong, 1).as_str());
        assert!(said_of_it.starts_with(&format!("file: {said}")), "{said_of_it}");
    }
    assert!(refused(headings("ns", "furlongs", "") + ROW).contains("found \"StcSMem (furlongs)\", want one of these units: B, "));
    let without = headings("ns", "B", "").replace("BlkZ", "BlockZ");
    assert!(refused(without + ROW).contains("line 1: found no column BlkZ, want a trace of PyTorch's profiler, or a table"));
}

#[test]
fn a_table_that_ends_early_keeps_what_was_read() {
    let timeline = read(&(headings("ns", "B", "") + ROW + "2000,50,101,160,1"));
    assert_eq!(timeline.launches.len(), 1);
    assert_eq!(timeline.ended, Some(Ended { launches: 1, last: 0, lost: vec![], broken: None }));
    let broken = read(&(headings("ns", "B", "") + ROW + "2000,50,101,160,1\n" + ROW)).ended.and_then(|ended| ended.broken);
    assert_eq!(broken, Some(["line 3", "5 cells", "20 cells as in the headings"].map(str::to_owned).into()));
    // Another report behind it is no end.
    let behind = "\n ** CUDA API Summary (cuda_api_sum):\n\nTime (%),Total Time (ns),Num Calls\n50.0,100,1\n";
    let timeline = read(&(headings("ns", "B", "") + ROW + behind));
    assert_eq!((timeline.launches.len(), timeline.ended), (1, None));
}

// Anything else

/// What is no timeline, by the name of its file: what it is, and what of all that is wanted the line has. The page is held to it, too.
#[derive(Deserialize)]
struct Refused {
    file: String,
    text: String,
    found: String,
    want: Vec<String>,
}

#[test]
fn what_is_no_timeline_gets_a_line_with_what_it_is_and_what_makes_one() {
    let all: Vec<Refused> = serde_json::from_str(include_str!("refused.json")).expect("a table");
    for Refused { file, text, found, want } in &all {
        for bytes in [text.clone().into_bytes(), gzip(text)] {
            let said = read::timeline(&*bytes, file).expect_err(file).to_string();
            let begins = said.starts_with(&format!("{file}: found {found}"));
            assert!(begins && want.iter().all(|want| said.contains(want)) && said.lines().count() == 1, "{said}");
        }
    }
    assert!(refused(gzip("Time (%),Total Time (ns),Instances")).contains("a summary of Nsight Systems, packed, want"));
}

#[test]
fn a_run_of_corun_s_own_is_known() {
    let experiment =
        sim_core::describe::value::Value::from_json(r#"{"corun": 1, "kernels": ["ccbp/BP", "ccbp/CFD"], "stop": {"cycles": 2000}}"#)
            .expect("JSON");
    let experiment = sim_core::run::experiment::Experiment::decode(&experiment).expect("an experiment");
    let mut simulation = sim_core::study::profile::start(&experiment).expect("a run");
    let mut trace = sim_core::run::trace::Trace::start(&mut simulation);
    simulation.advance(2000);
    trace.append(&mut simulation);
    trace.finish(&simulation);
    let said = refused(trace.take());
    assert!(
        said.starts_with("file: found a run of Corun's, as `corun run --trace` writes it, want a trace of PyTorch's profiler"),
        "{said}"
    );
}

#[test]
fn a_timeline_that_is_written_is_read_back_and_checked() {
    let args = [r#""queue": 1"#.to_owned(), format!("{SHAPE}, \"est. achieved occupancy %\": 50")];
    let whole = trace(&args.map(|args| kernel("7.25", "-0.0", &args)));
    let cut = read(&whole[..whole.len() - 2]);
    assert!(cut.ended.is_some() && cut.notes.len() == 1);
    let nsys = read(&(headings("ns", "MB", "") + ROW.replace("512,49152", "0.001,0.01").as_str()));
    let mut text = String::new();
    for timeline in [nsys, cut] {
        let mut out = Vec::new();
        stored::write(&timeline, &mut out).expect("memory");
        text = String::from_utf8(out).expect("text");
        assert_eq!(read(&text), timeline);
        assert_eq!(read::timeline(&*gzip(&text), "file").expect("a timeline"), timeline);
    }
    for (from, to, said) in [
        ("{\"corun_timeline\":1", "{\"corun_timeline\":2", "corun_timeline: found 2, want 1, the version that is read"),
        ("\"launches\":[[0,0,", "\"launches\":[[9,0,", "launches[0]: found [9, 0, 7, 0, 0], want a known kernel"),
        (
            "\"launches\":[[0,0,7,0,0]",
            "\"launches\":[[0,0,7,5,0]",
            "launches[1]: found [1, 0, 7, 0, 0], want a known kernel on a known device, in the order",
        ),
        ("[864,1,2]", "[864,0,2]", "kernels[1], grid: found [864, 0, 2]"),
        ("\"launches\":", "\"launched\":", "unknown field `launched`"),
        ("]}\n", "", "want a timeline of Corun's"),
    ] {
        let changed = if to.is_empty() { text[..text.len() / 2].to_owned() } else { text.replacen(from, to, 1) };
        assert_ne!(changed, text, "{from}");
        assert!(refused(&changed).contains(said), "{from}: {}", refused(&changed));
    }
}

#[test]
fn a_timeline_of_as_many_kernels_as_launches_is_read_back() {
    let mut timeline = read(&trace(&[kernel("0", "1", SHAPE)]));
    let (kernel, launch) = (timeline.kernels[0].clone(), timeline.launches[0]);
    let named = |at| Kernel { name: format!("{}{at}", "at::native::".repeat(20)), ..kernel.clone() };
    timeline.kernels = (0..MOST_LAUNCHES).map(named).collect();
    timeline.launches = (0..MOST_LAUNCHES as u32).map(|at| Launched { kernel: at, start: 2000 * u64::from(at), ..launch }).collect();
    let mut out = Vec::new();
    stored::write(&timeline, &mut out).expect("memory");
    assert!(read::timeline(&*out, "file").expect("a timeline") == timeline);
}

/// Profilers write by buffers: where the file ends, what is missing may lie between what was read.
#[test]
fn of_a_file_that_ends_early_what_was_not_read_is_not_idle() {
    let at = |ts: u64| kernel(&ts.to_string(), "5", SHAPE);
    // From 900 to 1,000 µs, then from 0 on; the GPU is busy for half of the time.
    let starts = (90..100).chain(0..30).map(|at| 10 * at).chain([300]);
    let whole = trace(&starts.map(at).collect::<Vec<_>>());
    let cut = read(&whole[..whole.rfind("\"gemm\"").expect("the last event")]);
    assert_eq!(cut.ended, Some(Ended { launches: 40, last: 290_000, lost: vec![(295_000, 900_000)], broken: None }));
    let said = report(&cut, None);
    let gpu = &said.gpus[0];
    assert_eq!((gpu.ns, gpu.lost_ns, gpu.busy_ns, gpu.longest_gap_ns), (390_000, 605_000, 200_000, 5000));
    assert!(said.loss.starts_with("For 49 % of 390 µs that were read, the GPU runs no kernel"), "{}", said.loss);
    assert_eq!(
        said.notes[0],
        "The file ends early, behind launch 40, which starts at 290 µs. What comes after it is missing. Nor was anything read of 295 µs to 900 µs. All \
         numbers here are of what was read. To have the rest, copy it again; a profiler that is stopped before it has written leaves half a file, too."
    );
}

/// What is cut or changed anywhere is read as far as it is good, or refused in one line.
#[test]
fn no_byte_that_is_cut_or_changed_stops_the_program() {
    let json = trace(&[kernel("1.5", "1", SHAPE), kernel("2", "1", "\"est. achieved occupancy %\": 5")]);
    let table = format!("Processing...\n\n{}{ROW}{ROW}", headings("us", "MB", "GreenCtx,"))
        .replace(",7,\"", ",,7,\"")
        .replace("512,49152", "0,0.1");
    let mut stored = Vec::new();
    stored::write(&read(&json), &mut stored).expect("memory");
    let (mut good, mut bad) = (0, 0);
    for whole in [json.into_bytes(), table.into_bytes(), stored] {
        for at in 0..whole.len() {
            let changed = [b'9', b'-', b'"', b'}', b',', b'\n', 0xff].map(|byte| [&whole[..at], &[byte], &whole[at + 1..]].concat());
            for bytes in std::iter::once(whole[..at].to_vec()).chain(changed) {
                match read::timeline(&*bytes, "file") {
                    Ok(timeline) => good += usize::from(timeline.launches.len() <= 2),
                    Err(problem) => bad += usize::from(problem.to_string().lines().count() == 1),
                }
            }
        }
        assert!(good > 0 && bad > 0);
    }
}
