//! Kernels as data: a Program is a list of operations, loops hold theirs in a `body`.
//!
//! ```json
//! { "name": "copy", "arrays": [{ "name": "a", "bytes": 1048576 }, { "name": "b", "bytes": 1048576 }],
//!   "launches": [{ "ctas": 64, "threads": 128, "registers": 16, "shared_bytes": 0, "program": [
//!     { "loop": { "trips": 8, "body": [
//!       { "load": { "array": "a", "cta": 512, "warp": 128, "lane": 4, "loops": [32768] } },
//!       { "wait": { "loads": 0 } },
//!       { "store": { "array": "b", "cta": 512, "warp": 128, "lane": 4, "loops": [32768] } },
//!       { "alu": { "count": 4, "latency": 4 } } ] } },
//!     "barrier" ] }] }
//! ```
//!
//! Left out, `count` is 1, `latency` 4, `lanes` 32, a shared-memory `stride` 1 word, and everything in an address 0. `trips` is a number,
//! `{"per_warp": [min, max]}`, `{"per_cta": [min, max]}`, or `{"some_warps": [trips, one_in]}`: so many for one warp in `one_in`, none for the
//! others. An `atomic` operation has an address as a `store` has. `scatter` is `{"warp": bytes}`, `{"lane": bytes}` or `{"skewed": bytes}`.
//!
//! Where lanes lie in rows of a matrix, an address has a `tile` instead of `lane` and `scatter`. It has `columns`, `rows` and the `pitch`
//! of the matrix, and the `lanes` of a row. For the column `x` and the row `y` of lane 0 it has a start (`at`) and what is added for each
//! CTA along x, y and z (`grid`), warp, iteration and repeat: `{"columns": 256, "rows": 256, "pitch": 1024, "lanes": 16, "x": {"at": -1,
//! "grid": [14]}, "y": {"at": -1, "grid": [0, 14], "warp": 2}}`. Beyond an edge is the edge. Trips that follow from data are in `lists` of
//! the kernel, `{"name": "degrees", "values": [3, 1, …]}`, to which trips refer as `{"listed_per_cta": "degrees"}` or `{"listed_per_warp":
//! "degrees"}`.
//!
//! A grid of more dimensions is `"grid": [x, y, z]` instead of `ctas`. An array with `"read_only": true` is never written. A launch begins `gap` cycles
//! after the end of the one before. Launches that repeat are an item of `launches`, in which grids grow by `grid_step` and addresses by `repeat` bytes
//! each time:
//!
//! ```json
//! { "repeat": 10, "launches": [{ "grid": [19, 19], "grid_step": [-1, -1], "threads": 256, "gap": 1000, "program": [
//!   { "load": { "array": "a", "cta": 512, "warp": 128, "lane": 4, "repeat": 262144 } }] }] }
//! ```

use super::records::{ACCESS, ALU, FP64, SFU, SHARED, SLEEP, WAIT};
use super::records::{KERNEL, LAUNCH, LOOP, NAMED, ONE_BODY, ONE_GRID, RUNS};
use super::validate;
use super::{Address, Array, CarveOut, Dim3, Kernel, Launch, List, MAX_LOOPS, Op, Repeat, Scatter, Trips};
use crate::describe::error::Problems;
use crate::describe::path::{element, field};
use crate::describe::record::Datum;
use crate::describe::recorded::Recorded;
use crate::describe::value::Value;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl Kernel {
    /// Reads a full kernel at `path`.
    pub fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Kernel> {
        if KERNEL.check(value, path, problems) { Kernel::read(value, path, problems) } else { None }
    }

    /// Reads a full kernel whose shape is right.
    pub fn read(value: &Value, path: &str, problems: &mut Problems) -> Option<Kernel> {
        let before = problems.0.len();
        let of = |key| KERNEL.taken(value, key);
        let (arrays, lists): (Vec<Array>, Vec<List>) = (Datum::read(&of("arrays")), Datum::read(&of("lists")));
        let names = Names { arrays: &arrays, lists: &lists };
        let (mut launches, mut repeats) = (Vec::new(), Vec::new());
        for (i, item) in of("launches").items().iter().enumerate() {
            let path = element(&field(path, "launches"), i);
            let first = launches.len();
            match item.get("repeat") {
                None => launches.extend(read_launch(item, names, &path, problems)),
                Some(times) => {
                    let inner = field(&path, "launches");
                    for (i, item) in item.get("launches").into_iter().flat_map(Value::items).enumerate() {
                        launches.extend(read_launch(item, names, &element(&inner, i), problems));
                    }
                    repeats.push(Repeat { first, launches: launches.len() - first, times: Datum::read(times) });
                }
            }
        }
        let text = |key| String::read(&of(key));
        let (name, title, doc, source) = (text("name"), text("title"), text("doc"), text("source"));
        let kernel = Kernel { name, title, doc, source, arrays, launches, repeats, lists };
        if problems.0.len() == before {
            problems.by(&RUNS, |problems| validate::check(&kernel, path, problems));
        }
        (problems.0.len() == before).then_some(kernel)
    }

    /// The canonical form, which `decode` reads back.
    pub fn encode(&self) -> Value {
        let texts = [("name", &self.name), ("title", &self.title), ("doc", &self.doc), ("source", &self.source)];
        Value::object(texts.map(|(key, text)| (key, Value::from(text.as_str()))).into_iter().chain(self.shape()))
    }

    /// What decides a run, for hashes: the canonical form with the key as the name, and without the texts for people.
    pub fn encode_decisive(&self) -> Value {
        Value::object(core::iter::once(("name", Value::from(self.name.as_str()))).chain(self.shape()))
    }

    /// Arrays, launches and lists.
    fn shape(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let launches = self.groups().map(|(Repeat { first, launches, times }, repeats)| {
            let mut each = self.launches[first..first + launches].iter().map(|launch| write_launch(launch, &self.lists));
            match repeats {
                true => Value::object([("repeat", Value::from(times)), ("launches", Value::array(each))]),
                false => each.next().unwrap_or_default(),
            }
        });
        let lists = (!self.lists.is_empty()).then(|| ("lists", self.lists.write()));
        [("arrays", self.arrays.write()), ("launches", Value::array(launches))].into_iter().chain(lists)
    }
}

/// What operations name.
#[derive(Clone, Copy)]
struct Names<'k> {
    arrays: &'k [Array],
    lists: &'k [List],
}

/// The place of a name or a number among `names`; 0 and a problem if it is none of them.
fn place<'n>(given: &Value, names: impl Iterator<Item = &'n str>, what: &str, path: String, problems: &mut Problems) -> u8 {
    let names: Vec<&str> = names.collect();
    let found = match given {
        Value::Str(name) => names.iter().position(|known| known == name),
        Value::Null => Some(0),
        number => number.as_int().map(|n| n as usize),
    };
    let found = found.filter(|&place| place < names.len());
    if found.is_none() {
        let found = if *given == Value::Null { "nothing".into() } else { given.describe() };
        problems.by(&NAMED, |problems| problems.add(path, found, format!("one of the kernel's {what}: {}", names.join(", "))));
    }
    found.unwrap_or(0) as u8
}

/// The extents of a grid, or what is added to them: a number for x, or up to three for x, y and z.
fn extents(value: &Value, rest: i64) -> [i64; 3] {
    let mut extents = [rest; 3];
    match value {
        Value::Array(items) => extents.iter_mut().zip(items).for_each(|(extent, item)| *extent = i64::read(item)),
        Value::Null => {}
        one => extents[0] = i64::read(one),
    }
    extents
}

fn read_launch(value: &Value, names: Names, path: &str, problems: &mut Problems) -> Option<Launch> {
    let of = |key| LAUNCH.taken(value, key);
    let mut program = Vec::new();
    read_ops(&of("program"), names, &field(path, "program"), 0, &mut program, problems);
    let recorded = Option::<Recorded>::read(&of("recorded"));
    if recorded.is_some() != program.is_empty() {
        let found = if recorded.is_some() { "a program besides" } else { "nothing" };
        problems.by(&ONE_BODY, |problems| problems.add(field(path, "program"), found, "program or recorded, one of them"));
        return None;
    }
    let grid = match (of("grid"), of("ctas")) {
        (Value::Null, Value::Null) => Err("nothing"),
        (Value::Null, one) | (one, Value::Null) => Ok(one),
        _ => Err("a grid besides"),
    };
    let grid = match grid {
        Ok(grid) => extents(&grid, 1),
        Err(found) => {
            problems.by(&ONE_GRID, |problems| problems.add(field(path, "ctas"), found, "ctas or grid, one of them"));
            return None;
        }
    };
    Some(Launch {
        grid: Dim3::from(grid.map(|extent| extent as u32)),
        grid_step: extents(&of("grid_step"), 0).map(|step| step as i32),
        gap: Datum::read(&of("gap")),
        threads: Datum::read(&of("threads")),
        registers: Datum::read(&of("registers")),
        shared_bytes: Datum::read(&of("shared_bytes")),
        carve_out: Datum::read(&of("carve_out")),
        program,
        recorded,
    })
}

fn read_ops(value: &Value, names: Names, path: &str, depth: usize, ops: &mut Vec<Op>, problems: &mut Problems) {
    for (i, item) in value.items().iter().enumerate() {
        read_op(item, names, &element(path, i), depth, ops, problems);
    }
}

fn read_op(value: &Value, names: Names, path: &str, depth: usize, ops: &mut Vec<Op>, problems: &mut Problems) {
    let Value::Object(pairs) = value else { return ops.push(Op::Barrier) };
    let Some((kind, inner)) = pairs.first() else { return };
    let path = field(path, kind);
    let record = match kind.as_str() {
        "alu" => &ALU,
        "sfu" => &SFU,
        "fp64" => &FP64,
        "shared" => &SHARED,
        "wait" => &WAIT,
        "sleep" => &SLEEP,
        "loop" => &LOOP,
        _ => &ACCESS,
    };
    let whole = |key| u32::read(&record.taken(inner, key));
    let op = match kind.as_str() {
        "alu" => Op::Alu { count: whole("count"), latency: whole("latency"), lanes: whole("lanes") },
        "sfu" => Op::Sfu { count: whole("count"), latency: whole("latency"), lanes: whole("lanes") },
        "fp64" => Op::Fp64 { count: whole("count"), latency: whole("latency"), lanes: whole("lanes") },
        "shared" => Op::Shared { count: whole("count"), stride: whole("stride"), lanes: whole("lanes") },
        "wait" => Op::Wait { loads: whole("loads") },
        "sleep" => Op::Sleep { cycles: whole("cycles") },
        "load" => Op::Load { address: read_address(inner, names.arrays, &path, problems), lanes: whole("lanes") },
        "store" => Op::Store { address: read_address(inner, names.arrays, &path, problems), lanes: whole("lanes") },
        "atomic" => Op::Atomic { address: read_address(inner, names.arrays, &path, problems), lanes: whole("lanes") },
        _ => {
            if depth >= MAX_LOOPS {
                problems.by(&RUNS, |problems| problems.add(path, "another loop inside", format!("at most {MAX_LOOPS} nested")));
                return;
            }
            ops.push(Op::Loop { trips: read_trips(&LOOP.taken(inner, "trips"), names.lists, &field(&path, "trips"), problems) });
            read_ops(&LOOP.taken(inner, "body"), names, &field(&path, "body"), depth + 1, ops, problems);
            Op::End
        }
    };
    ops.push(op);
}

fn read_trips(value: &Value, lists: &[List], path: &str, problems: &mut Problems) -> Trips {
    let Value::Object(pairs) = value else { return Trips::Fixed(u32::read(value)) };
    let Some((kind, inner)) = pairs.first() else { return Trips::Fixed(0) };
    let [first, second] = <[u32; 2]>::read(inner);
    let mut list = || place(inner, lists.iter().map(|list| list.name.as_str()), "lists", field(path, kind), problems);
    match kind.as_str() {
        "per_warp" => Trips::PerWarp { min: first, max: second },
        "per_cta" => Trips::PerCta { min: first, max: second },
        "some_warps" => Trips::SomeWarps { trips: first, one_in: second },
        "listed_per_cta" => Trips::ListedPerCta { list: list() },
        _ => Trips::ListedPerWarp { list: list() },
    }
}

fn read_address(value: &Value, arrays: &[Array], path: &str, problems: &mut Problems) -> Address {
    let of = |key| ACCESS.taken(value, key);
    let stride = |key| i64::read(&of(key));
    let names = arrays.iter().map(|array| array.name.as_str());
    Address {
        array: place(&of("array"), names, "arrays", field(path, "array"), problems),
        offset: stride("offset"),
        repeat: stride("repeat"),
        cta: stride("cta"),
        warp: stride("warp"),
        loops: Datum::read(&of("loops")),
        lane: stride("lane"),
        scatter: Datum::read(&of("scatter")),
        tile: Datum::read(&of("tile")),
    }
}

impl Datum for Scatter {
    fn read(value: &Value) -> Self {
        let Value::Object(pairs) = value else { return Scatter::None };
        match pairs.first().map(|(kind, bytes)| (kind.as_str(), u64::read(bytes))) {
            Some(("warp", bytes)) => Scatter::Warp { bytes },
            Some(("lane", bytes)) => Scatter::Lane { bytes },
            Some((_, bytes)) => Scatter::Skewed { bytes },
            None => Scatter::None,
        }
    }

    fn write(&self) -> Value {
        match *self {
            Scatter::None => Value::Null,
            Scatter::Warp { bytes } => Value::object([("warp", bytes)]),
            Scatter::Lane { bytes } => Value::object([("lane", bytes)]),
            Scatter::Skewed { bytes } => Value::object([("skewed", bytes)]),
        }
    }
}

fn write_launch(launch: &Launch, lists: &[List]) -> Value {
    let [x, y, z] = launch.grid.into();
    let grid = if (y, z) == (1, 1) { ("ctas", x.into()) } else { ("grid", Value::array([x, y, z])) };
    let step = (launch.grid_step != [0; 3]).then(|| ("grid_step", Value::array(launch.grid_step)));
    let gap = (launch.gap > 0).then(|| ("gap", launch.gap.into()));
    let shape =
        [("threads", Value::from(launch.threads)), ("registers", launch.registers.into()), ("shared_bytes", launch.shared_bytes.into())];
    let carve_out = (launch.carve_out != CarveOut::Default).then(|| ("carve_out", launch.carve_out.write()));
    let program = match &launch.recorded {
        Some(recorded) => ("recorded", recorded.write()),
        None => ("program", write_ops(&mut launch.program.iter(), lists)),
    };
    Value::object([grid].into_iter().chain(step).chain(gap).chain(shape).chain(carve_out).chain([program]))
}

/// Writes operations up to the end of the enclosing loop.
fn write_ops<'k>(ops: &mut impl Iterator<Item = &'k Op>, lists: &[List]) -> Value {
    let mut out = Vec::new();
    while let Some(op) = ops.next() {
        let one = |kind: &str, pairs: &[(&str, u32)]| Value::object([(kind, Value::object(pairs.iter().copied()))]);
        out.push(match op {
            Op::Alu { count, latency, lanes } => one("alu", &[("count", *count), ("latency", *latency), ("lanes", *lanes)]),
            Op::Sfu { count, latency, lanes } => one("sfu", &[("count", *count), ("latency", *latency), ("lanes", *lanes)]),
            Op::Fp64 { count, latency, lanes } => one("fp64", &[("count", *count), ("latency", *latency), ("lanes", *lanes)]),
            Op::Shared { count, stride, lanes } => one("shared", &[("count", *count), ("stride", *stride), ("lanes", *lanes)]),
            Op::Load { address, lanes } => Value::object([("load", write_address(address, *lanes))]),
            Op::Store { address, lanes } => Value::object([("store", write_address(address, *lanes))]),
            Op::Atomic { address, lanes } => Value::object([("atomic", write_address(address, *lanes))]),
            Op::Wait { loads } => one("wait", &[("loads", *loads)]),
            Op::Sleep { cycles } => one("sleep", &[("cycles", *cycles)]),
            Op::Barrier => "barrier".into(),
            Op::Loop { trips } => {
                Value::object([("loop", Value::object([("trips", write_trips(*trips, lists)), ("body", write_ops(ops, lists))]))])
            }
            Op::End => break,
        });
    }
    out.into()
}

fn write_trips(trips: Trips, lists: &[List]) -> Value {
    let name = |list: u8| lists[usize::from(list)].name.as_str();
    match trips {
        Trips::ListedPerCta { list } => Value::object([("listed_per_cta", name(list))]),
        Trips::ListedPerWarp { list } => Value::object([("listed_per_warp", name(list))]),
        Trips::Fixed(n) => n.into(),
        Trips::PerCta { min, max } => Value::object([("per_cta", Value::array([min, max]))]),
        Trips::PerWarp { min, max } => Value::object([("per_warp", Value::array([min, max]))]),
        Trips::SomeWarps { trips, one_in } => Value::object([("some_warps", Value::array([trips, one_in]))]),
    }
}

fn write_address(address: &Address, lanes: u32) -> Value {
    let strides =
        [("offset", address.offset), ("cta", address.cta), ("warp", address.warp), ("lane", address.lane), ("repeat", address.repeat)];
    let mut pairs: Vec<(&str, Value)> = alloc::vec![("array", address.array.into()), ("lanes", lanes.into())];
    pairs.extend(strides.into_iter().filter(|stride| stride.1 != 0).map(|(key, n)| (key, n.into())));
    pairs.extend((address.loops != [0; MAX_LOOPS]).then(|| ("loops", address.loops.write())));
    pairs.extend((address.scatter != Scatter::None).then(|| ("scatter", address.scatter.write())));
    pairs.extend(address.tile.map(|tile| ("tile", tile.write())));
    Value::object(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::kernel::library;

    #[test]
    fn library_kernels_are_valid_and_read_back_equal() {
        for name in library::names() {
            let kernel = library::find(name).unwrap();
            let mut problems = Problems::default();
            validate::check(&kernel, name, &mut problems);
            let again = Kernel::decode(&kernel.encode(), name, &mut problems);
            assert_eq!(problems, Problems::default(), "{name}");
            assert_eq!(again, Some(kernel), "{name}");
        }
    }

    fn problems_of(program: Value) -> Vec<String> {
        let launch = Value::object([("ctas", Value::from(1)), ("threads", 32.into()), ("program", program)]);
        let array = Value::object([("name", Value::from("a")), ("bytes", 4096.into())]);
        let kernel = Value::object([("name", Value::from("k")), ("arrays", Value::array([array])), ("launches", Value::array([launch]))]);
        let mut problems = Problems::default();
        Kernel::decode(&kernel, "k", &mut problems);
        problems.0.into_iter().map(|problem| problem.path).collect()
    }

    fn looped(trips: Value, body: Vec<Value>) -> Value {
        Value::object([("loop", Value::object([("trips", trips), ("body", body.into())]))])
    }

    #[test]
    fn what_would_hang_or_break_a_machine_is_refused_by_name() {
        let alu = || Value::object([("alu", Value::object([("count", 1)]))]);
        let wait = Value::object([("wait", Value::object([("loads", 0)]))]);
        let uneven = || Value::object([("per_warp", Value::array([1, 3]))]);
        let some = |trips, one_in| Value::object([("some_warps", Value::array([trips, one_in]))]);
        let cases = [
            (Value::array([Value::object([("alu", Value::object([("count", 0)]))])]), "k.launches[0].program[0].alu.count"),
            (Value::array([Value::object([("alu", Value::object([("latency", 64)]))])]), "k.launches[0].program[0].alu.latency"),
            (Value::array([Value::object([("load", Value::object([("array", "b")]))])]), "k.launches[0].program[0].load.array"),
            (Value::array([Value::object([("jump", Value::Null)])]), "k.launches[0].program[0].jump"),
            (Value::array([looped(5.into(), alloc::vec![wait])]), "k.launches[0].program[0]"),
            (Value::array([looped(uneven(), alloc::vec![alu(), "barrier".into()])]), "k.launches[0].program[0].loop.body[1]"),
            (Value::array([looped(some(1, 8), alloc::vec![alu(), "barrier".into()])]), "k.launches[0].program[0].loop.body[1]"),
            (Value::array([looped(some(1, 0), alloc::vec![alu()])]), "k.launches[0].program[0].trips"),
            (Value::array(Vec::<Value>::new()), "k.launches[0].program"),
        ];
        for (program, path) in cases {
            assert_eq!(problems_of(program), [path]);
        }
        let deep = looped(
            1.into(),
            alloc::vec![
                alu(),
                looped(1.into(), alloc::vec![alu(), looped(1.into(), alloc::vec![alu(), looped(1.into(), alloc::vec![alu()])])])
            ],
        );
        assert_eq!(problems_of(Value::array([deep])).len(), 1);
    }
}
