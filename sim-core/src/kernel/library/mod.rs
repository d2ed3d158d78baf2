//! First kernels: shapes to run the whole path with; replaced by the library proper in the next step.
#![allow(missing_docs)]
use super::Kernel;
use super::*;
use alloc::vec;
pub fn names() -> &'static [&'static str] {
    &["BP", "CFD", "SAD"]
}
pub fn find(name: &str) -> Option<Kernel> {
    let k = |name: &str, ctas, threads, bytes, program| Kernel {
        name: name.into(),
        title: "".into(),
        doc: "".into(),
        source: "".into(),
        arrays: vec![Array { name: "a".into(), bytes }],
        launches: vec![Launch { ctas, threads, registers: 20, shared_bytes: 1024, program }],
    };
    let load = |n: i64| Address { lane: 4, warp: 128, cta: 1024, offset: n * (8 << 20), loops: [1 << 22, 0, 0], ..Address::default() };
    let gather = |n: i64| Address { scatter: Scatter::Lane { bytes: 4096 }, offset: n << 20, loops: [1 << 16, 0, 0], ..load(0) };
    match name {
        "BP" => Some(k(
            "BP",
            4096,
            256,
            64 << 20,
            vec![
                Op::Load { address: load(0), lanes: 32 },
                Op::Load { address: load(1), lanes: 32 },
                Op::Wait { loads: 0 },
                Op::Loop { trips: Trips::Fixed(4) },
                Op::Shared { count: 2, stride: 1, lanes: 32 },
                Op::Alu { count: 40, latency: 4, lanes: 32 },
                Op::Barrier,
                Op::End,
                Op::Store { address: load(2), lanes: 32 },
            ],
        )),
        "CFD" => Some(k(
            "CFD",
            1000,
            192,
            2 << 20,
            vec![
                Op::Loop { trips: Trips::Fixed(4) },
                Op::Load { address: gather(0), lanes: 32 },
                Op::Load { address: gather(1), lanes: 32 },
                Op::Wait { loads: 0 },
                Op::Alu { count: 30, latency: 4, lanes: 32 },
                Op::End,
            ],
        )),
        "SAD" => Some(k(
            "SAD",
            4000,
            64,
            64 << 20,
            vec![
                Op::Loop { trips: Trips::Fixed(16) },
                Op::Load { address: load(0), lanes: 32 },
                Op::Alu { count: 5, latency: 4, lanes: 32 },
                Op::Store { address: load(8), lanes: 32 },
                Op::Wait { loads: 1 },
                Op::End,
            ],
        )),
        _ => None,
    }
}
impl Kernel {
    pub fn decode(_v: &crate::value::Value, path: &str, problems: &mut crate::error::Problems) -> Option<Kernel> {
        problems.add(path, "", "");
        None
    }
    pub fn encode(&self) -> crate::value::Value {
        self.name.as_str().into()
    }
}
