//! Files of other tools: what they are, by how they begin, and what can be done with them here.

use alloc::string::String;

/// Bytes of a file that are looked at.
pub const LOOKED_AT: usize = 1 << 16;

/// A kind of file that another tool writes.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    /// What it is.
    pub what: &'static str,
    /// What can be done with it.
    pub takes: &'static str,
    looks: Looks,
}

/// How a kind of file is known.
#[derive(Clone, Copy, Debug)]
enum Looks {
    /// The file begins with these bytes.
    Begins(&'static [u8]),
    /// A text that has all of these.
    Has(&'static [&'static str]),
    /// JSON that has all of these and is none of Corun's.
    Json(&'static [&'static str]),
    /// By how its name ends: its content says nothing that is documented.
    Named(&'static [&'static str]),
}

use Looks::{Begins, Has, Json, Named};

/// What of a profile Corun's kernels are made of.
pub const UNREAD: &str = "no command reads it yet: its grids, blocks, registers and shared memory go into the `launches` of a kernel";

/// What can be done with a timeline of launches.
const TIMELINE: &str = "`corun import timeline FILE` reads it";

/// What can be done with what Nsight Systems makes tables of.
const LAUNCHES: &str = "`nsys stats --report cuda_gpu_trace --format csv FILE` prints its launches, which `corun import timeline` reads";

/// What can be done with a trace of instructions.
const RECORDED: &str = "`corun import accelsim FILE --out FILE.corun` records it";

/// What can be done with other reports of Nsight Systems.
const OTHER_REPORT: &str = "it has no shapes of launches: `nsys stats --report cuda_gpu_trace --format csv FILE.nsys-rep` prints them, and \
                            `corun import timeline` reads that";

/// A trace that has kernels and their shapes, and does not say of which GPU.
pub const XLA: &str = "a trace of XLA's profiler (JAX, TensorFlow)";

const WEB_PAGE: &str = "the page that it was to be downloaded from wants a login or another link";

const UNPACK: &str = "unpack it first; what is in it may be another tool's";

const fn of(what: &'static str, takes: &'static str, looks: Looks) -> Foreign {
    Foreign { what, takes, looks }
}

/// The kinds that are known; the first that a file looks like.
static FOREIGN: &[Foreign] = &[
    of("a database of Nsight Systems", LAUNCHES, Begins(b"SQLite format 3\0")),
    of("a report of Nsight Systems", LAUNCHES, Named(&[".nsys-rep", ".qdrep"])),
    of(
        "a report of Nsight Compute",
        "`ncu --import FILE --csv --page details` prints it; grids, blocks, registers and shared memory go into the `launches` of a kernel",
        Begins(b"NVR\0"),
    ),
    of("a gzip archive", UNPACK, Begins(b"\x1f\x8b")),
    of("an xz archive", UNPACK, Begins(b"\xfd7zXZ\0")),
    of("a zip archive", UNPACK, Begins(b"PK\x03\x04")),
    of("a zstd archive", UNPACK, Begins(b"\x28\xb5\x2f\xfd")),
    of(
        "a program or a cubin",
        "Corun runs no machine code: `cuobjdump -res-usage FILE` prints registers and shared memory for a kernel's `launches`. \
         From sm_90 on 1,024 bytes of the driver's are in it, which a GPU adds here; what a launch asks for is not",
        Begins(b"\x7fELF"),
    ),
    of(
        "a trace of PyTorch's profiler (Kineto) from an AMD GPU",
        "`corun import timeline FILE` reads it; `hipLaunchKernel` of the host has grid, block and shared memory, joined to a kernel by \
         `correlation`, and registers are not in it",
        Json(&["\"deviceProperties\"", "\"name\": \"AMD"]),
    ),
    of("a trace of PyTorch's profiler (Kineto)", TIMELINE, Json(&["\"deviceProperties\""])),
    of("a trace of PyTorch's profiler (Kineto)", TIMELINE, Json(&["\"traceEvents\"", "\"schemaVersion\""])),
    of(
        XLA,
        "`nsys profile PROGRAM` records its launches, and `nsys stats --report cuda_gpu_trace --format csv FILE.nsys-rep` prints what \
         `corun import timeline` takes",
        Json(&["\"displayTimeUnit\": \"ns\"", "\"highres-ticks\"", "\"traceEvents\""]),
    ),
    of(
        "a timeline of GPU-interfere",
        "its launches have no registers; `nsys stats --report cuda_gpu_trace --format csv` of its .nsys-rep prints all that \
         `corun import timeline` takes",
        Json(&["\"sm_count\"", "\"kernels\"", "\"launches\""]),
    ),
    of("launches of another tool, as JSON", UNREAD, Json(&["\"name\"", "\"launches\""])),
    of("a table of Nsight Compute", UNREAD, Has(&["\"ID\",\"Process ID\"", "\"Kernel Name\""])),
    of("a table of Nsight Compute", UNREAD, Has(&["Block Size,Grid Size", "Registers Per Thread"])),
    of("a report of Nsight Compute, as text", UNREAD, Has(&[", Context ", ", Stream ", ", Device ", ", CC "])),
    of("launches of Nsight Systems (cuda_gpu_trace)", TIMELINE, Has(&["Duration", "CorrId,GrdX,GrdY"])),
    of("a summary of Nsight Systems", OTHER_REPORT, Has(&["Time (%),Total Time ("])),
    of("another report of Nsight Systems", OTHER_REPORT, Has(&["Start (ns),"])),
    of(
        "a profile of Orion",
        "its times and numbers of SMs can be held against `corun curve sms KERNEL`; it has no grids to make kernels from",
        Has(&["Name,Profile,Memory_footprint,SM_usage,Duration"]),
    ),
    of("a kernel's trace of Accel-Sim", RECORDED, Has(&["-kernel name = ", "-grid dim = "])),
    of("a list of Accel-Sim's traces", RECORDED, Has(&["MemcpyHtoD,", "kernel-"])),
    of("a list of Accel-Sim's traces", RECORDED, Has(&["kernel-1.trace"])),
    of("a profile of nvprof", UNREAD, Has(&["NVPROF is profiling process"])),
    of(
        "resources of kernels, as ptxas prints them",
        "registers and shared memory go into the `launches` of a kernel, and `corun probe occupancy` says how many CTAs fit",
        Has(&["ptxas info"]),
    ),
    of("a log of GPGPU-Sim", UNREAD, Has(&["GPGPU-Sim PTX:"])),
    of("a log of GPGPU-Sim", UNREAD, Has(&["GPGPU-Sim uArch:"])),
    of("PTX", "Corun runs no machine code: a kernel is data, as `corun show kernel NAME` prints one", Has(&[".version ", ".target sm_"])),
    of("CUDA source", "Corun runs no code: a kernel is data, as `corun show kernel NAME` prints one", Has(&["__global__"])),
    of("a web page", WEB_PAGE, Begins(b"<!DOCTYPE html")),
    of("a web page", WEB_PAGE, Begins(b"<!doctype html")),
    of("a web page", WEB_PAGE, Begins(b"<html")),
    of(
        "a configuration of Kubernetes",
        "its words are those of policies: `corun show policy time-slice`, `mps` and `mig`",
        Has(&["apiVersion:", "kind:"]),
    ),
];

/// What a file is by its first bytes, of which at most `LOOKED_AT` matter; nothing where it may be one of Corun's own, or of no known kind.
pub fn recognise(head: &[u8]) -> Option<&'static Foreign> {
    let head = &head[..head.len().min(LOOKED_AT)];
    let text = String::from_utf8_lossy(head);
    // Some write a space behind each colon, others none.
    let json = is_json(&text).then(|| text.replace("\":\"", "\": \""));
    let has = |text: &str, all: &[&str]| all.iter().all(|part| text.contains(part));
    if json.as_deref().is_some_and(|json| OWN.iter().any(|key| json.contains(key))) {
        return None;
    }
    FOREIGN.iter().find(|foreign| match foreign.looks {
        Begins(bytes) => head.starts_with(bytes),
        Has(all) => json.is_none() && has(&text, all),
        Json(all) => json.as_deref().is_some_and(|json| has(json, all)),
        Named(_) => false,
    })
}

/// What a file is by its name, where its first bytes do not say it.
pub fn named(file: &str) -> Option<&'static Foreign> {
    FOREIGN.iter().find(|foreign| matches!(foreign.looks, Named(ends) if ends.iter().any(|end| file.ends_with(end))))
}

/// Fields by which JSON of Corun's is known.
const OWN: &[&str] = &["\"corun\"", "\"corun_timeline\"", "\"arrays\"", "\"otherData\"", "\"behaviour\"", "\"index\":"];

/// Whether a text is JSON.
fn is_json(text: &str) -> bool {
    let space = ['\u{feff}', ' ', '\n', '\r', '\t'];
    let text = text.trim_start_matches(space);
    // What begins with a number in brackets is a line of a report.
    let list = text.strip_prefix('[').is_some_and(|rest| rest.trim_start_matches(space).starts_with(['{', '[', '"']));
    list || text.starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Option<&'static str> {
        recognise(text.as_bytes()).map(|foreign| foreign.what)
    }

    /// The beginnings of files as people hold them.
    #[test]
    fn each_kind_is_known_by_how_it_begins() {
        for (head, what) in [
            ("\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"", "a table of Nsight Compute"),
            ("==PROF== Connected to process 1\n\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\"", "a table of Nsight Compute"),
            ("Benchmark,ID,Kernel,Block Size,Grid Size,Registers Per Thread,Static Shared Memory Per Block", "a table of Nsight Compute"),
            (
                "[1] app@host\n  k(float *) (188, 250, 1)x(16, 16, 1), Context 1, Stream 7, Device 0, CC 8.6\n",
                "a report of Nsight Compute, as text",
            ),
            ("{\n \"schemaVersion\": 1,\n \"deviceProperties\": [\n  {\"name\": \"NVIDIA A100\"", "a trace of PyTorch's profiler (Kineto)"),
            (
                "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"AMD Radeon Graphics\"",
                "a trace of PyTorch's profiler (Kineto) from an AMD GPU",
            ),
            ("{\"name\": \"llama3_prefill\", \"sm_count\": 170, \"kernels\": {}, \"launches\": [", "a timeline of GPU-interfere"),
            ("{\"name\": \"mine\", \"launches\": [{\"grid\": [1]}]}", "launches of another tool, as JSON"),
            ("Name,Profile,Memory_footprint,SM_usage,Duration\nConv,1,0,98,100480", "a profile of Orion"),
            ("-kernel name = _Z6samplePKf\n-kernel id = 1\n-grid dim = (6,1,1)\n", "a kernel's trace of Accel-Sim"),
            ("MemcpyHtoD,0x00007f4000000000,65536\nkernel-1.v5.traceg.xz\n", "a list of Accel-Sim's traces"),
            ("kernel-1.traceg\nkernel-2.traceg\n", "a list of Accel-Sim's traces"),
            ("==1== NVPROF is profiling process 1, command: ./app 4096\n", "a profile of nvprof"),
            ("ptxas info    : Compiling entry function '_Z1k' for 'sm_60'", "resources of kernels, as ptxas prints them"),
            ("GPGPU-Sim PTX: Kernel '_Z10testKernel' : regs=15", "a log of GPGPU-Sim"),
            ("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX", "launches of Nsight Systems (cuda_gpu_trace)"),
            ("Start (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX", "launches of Nsight Systems (cuda_gpu_trace)"),
            ("Time (%),Total Time (ns),Instances,Avg (ns)", "a summary of Nsight Systems"),
            ("Start (ns),Duration (ns),Name,Result,CorrId,Pid,Tid", "another report of Nsight Systems"),
            ("<!doctype html>\n<html lang=\"en\">", "a web page"),
            ("SQLite format 3\0\u{10}", "a database of Nsight Systems"),
            ("#include <cuda.h>\n__global__ void k() {}\n", "CUDA source"),
            ("version: v1\napiVersion: v1\nkind: ConfigMap\n", "a configuration of Kubernetes"),
        ] {
            assert_eq!(known(head), Some(what), "{head}");
        }
        assert_eq!(named("app.nsys-rep").map(|foreign| foreign.what), Some("a report of Nsight Systems"));
        assert!(named("app.json").is_none());
        assert_eq!(recognise(b"\x1f\x8b\x08\x08").map(|foreign| foreign.what), Some("a gzip archive"));
    }

    /// What Corun reads is no other tool's, whatever a name in it says, and nothing is guessed.
    #[test]
    fn corun_s_own_are_left_alone() {
        for own in [
            "{\"corun\": 1, \"name\": \"GPGPU-Sim PTX: __global__\", \"kernels\": [{\"name\": \"k\", \"launches\": [\"deviceProperties\"]}]}",
            "{\"name\": \"k\", \"arrays\": [], \"launches\": []}",
            "{\"corun_timeline\":1,\"kernels\":[{\"name\":\"k\"}],\"launches\":[]}",
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"engine\":\"0.2.0\"},\"traceEvents\":[",
            "{\"index\": 0, \"points\": 1, \"result\": {\"name\": \"a\", \"launches\": 1}}",
            "// even out the pace\nfn interval(seen, controls) {}",
            "",
            "anything",
            "# corun silicon 1\n# gpu: NVIDIA H100 80GB HBM3\n",
        ] {
            assert_eq!(known(own), None, "{own}");
        }
    }
}
