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
//! Where lanes lie in rows of a matrix, an address has a `tile` instead of `lane` and `scatter`: `columns`, `rows` and the `pitch` of the matrix, the `lanes`
//! of a row, and for the column `x` and the row `y` of lane 0 a start (`at`) and what is added for each CTA along x, y and z (`grid`), warp, iteration
//! and repeat; `{"columns": 256, "rows": 256, "pitch": 1024, "lanes": 16, "x": {"at": -1, "grid": [14]}, "y": {"at": -1, "grid": [0, 14], "warp": 2}}`.
//! Beyond an edge is the edge. Trips that follow from data are in `lists` of the kernel, `{"name": "degrees", "values": [3, 1, …]}`, to which trips refer as
//! `{"listed_per_cta": "degrees"}` or `{"listed_per_warp": "degrees"}`.
//!
//! A grid of more dimensions is `"grid": [x, y, z]` instead of `ctas`. An array with `"read_only": true` is never written. A launch begins `gap` cycles
//! after the end of the one before. Launches that repeat are an item of `launches`, in which grids grow by `grid_step` and addresses by `repeat` bytes
//! each time:
//!
//! ```json
//! { "repeat": 10, "launches": [{ "grid": [19, 19], "grid_step": [-1, -1], "threads": 256, "gap": 1000, "program": [
//!   { "load": { "array": "a", "cta": 512, "warp": 128, "lane": 4, "repeat": 262144 } }] }] }
//! ```

use super::tile::MAX_TERM;
use super::validate::{self, MAX_ALU, MAX_EXTENT, MAX_GAP, MAX_LISTED, MAX_LISTS, MAX_OPS};
use super::{Address, Array, Dim3, Kernel, Launch, List, MAX_LAUNCHES, MAX_LOOPS, MAX_SEQUENCE, Op, Repeat, Scatter, Terms, Tile, Trips};
use crate::describe::decode::{Fields, element, field, int, list, text};
use crate::describe::error::Problems;
use crate::describe::value::Value;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

const WORD: i64 = 1 << 40;

impl Kernel {
    /// Reads a full kernel at `path`.
    pub fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Kernel> {
        let before = problems.0.len();
        let mut fields = Fields::of(value, path, "a kernel's name, or a full kernel: an object with name, arrays and launches", problems)?;
        let name = fields.need("name", "the kernel's name", problems).and_then(|value| text(value, &fields.path("name"), 40, problems));
        let title = fields.text("title", 200, problems).unwrap_or_default();
        let doc = fields.text("doc", 4000, problems).unwrap_or_default();
        let source = fields.text("source", 400, problems).unwrap_or_default();
        let arrays_path = fields.path("arrays");
        let arrays: Vec<Array> = match fields.take("arrays") {
            Some(value) => {
                let items = list(value, &arrays_path, 0..=64, "arrays", problems).unwrap_or_default();
                items.iter().enumerate().filter_map(|(i, item)| read_array(item, &element(&arrays_path, i), problems)).collect()
            }
            None => Vec::new(),
        };
        let lists_path = fields.path("lists");
        let lists = fields.take("lists").and_then(|value| list(value, &lists_path, 0..=MAX_LISTS, "lists", problems)).unwrap_or_default();
        let lists: Vec<List> =
            lists.iter().enumerate().filter_map(|(i, item)| read_list(item, &element(&lists_path, i), problems)).collect();
        let names = Names { arrays: &arrays, lists: &lists };
        let launches_path = fields.path("launches");
        let launches = fields.need("launches", &format!("a list of 1 to {MAX_LAUNCHES} launches"), problems);
        let items = launches.and_then(|value| list(value, &launches_path, 1..=MAX_LAUNCHES, "launches", problems)).unwrap_or_default();
        let (mut launches, mut repeats) = (Vec::new(), Vec::new());
        for (i, item) in items.iter().enumerate() {
            read_item(item, names, &element(&launches_path, i), &mut launches, &mut repeats, problems);
        }
        fields.finish(problems);
        let kernel = Kernel { name: name?, title, doc, source, arrays, launches, repeats, lists };
        if problems.0.len() == before {
            validate::check(&kernel, path, problems);
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
        Value::object(core::iter::once(("name", Value::from(self.key()))).chain(self.shape()))
    }

    /// Arrays, launches and lists.
    fn shape(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let arrays = self.arrays.iter().map(|array| {
            let read_only = array.read_only.then_some(("read_only", Value::from(true)));
            Value::object([("name", Value::from(array.name.as_str())), ("bytes", array.bytes.into())].into_iter().chain(read_only))
        });
        let launches = self.groups().map(|Repeat { first, launches, times }| {
            let mut each = self.launches[first..first + launches].iter().map(|launch| write_launch(launch, &self.lists));
            match self.repeats.iter().any(|repeat| repeat.first == first) {
                true => Value::object([("repeat", Value::from(times)), ("launches", Value::array(each))]),
                false => each.next().unwrap_or_default(),
            }
        });
        let lists = self
            .lists
            .iter()
            .map(|list| Value::object([("name", Value::from(list.name.as_str())), ("values", Value::array(list.values.iter().copied()))]));
        let lists = (!self.lists.is_empty()).then(|| ("lists", Value::array(lists)));
        [("arrays", Value::array(arrays)), ("launches", Value::array(launches))].into_iter().chain(lists)
    }
}

/// What operations name.
#[derive(Clone, Copy)]
struct Names<'k> {
    arrays: &'k [Array],
    lists: &'k [List],
}

fn read_list(value: &Value, path: &str, problems: &mut Problems) -> Option<List> {
    let mut fields = Fields::of(value, path, "a list of trips: {\"name\", \"values\"}", problems)?;
    let name = fields.need("name", "the list's name", problems).and_then(|value| text(value, &fields.path("name"), 40, problems));
    let path = fields.path("values");
    let values = fields.need("values", "trips", problems).and_then(|value| list(value, &path, 1..=MAX_LISTED, "trips", problems));
    fields.finish(problems);
    let values: Option<Vec<u32>> =
        values?.iter().enumerate().map(|(i, item)| Some(int(item, &element(&path, i), 0..=1 << 24, problems)? as u32)).collect();
    Some(List { name: name?, values: values? })
}

fn read_array(value: &Value, path: &str, problems: &mut Problems) -> Option<Array> {
    let mut fields = Fields::of(value, path, "an array: {\"name\", \"bytes\"}", problems)?;
    let name = fields.need("name", "the array's name", problems).and_then(|value| text(value, &fields.path("name"), 40, problems));
    let bytes = fields.int("bytes", 128..=1 << 35, None, problems);
    let read_only = fields.flag("read_only", false, problems);
    fields.finish(problems);
    Some(Array { name: name?, bytes: bytes? as u64, read_only })
}

/// Reads an item of `launches`: a launch, or some that repeat.
fn read_item(value: &Value, names: Names, path: &str, launches: &mut Vec<Launch>, repeats: &mut Vec<Repeat>, problems: &mut Problems) {
    if value.get("repeat").is_none() {
        launches.extend(read_launch(value, names, path, problems));
        return;
    }
    let Some(mut fields) = Fields::of(value, path, "launches that repeat: {\"repeat\", \"launches\"}", problems) else { return };
    let times = fields.int("repeat", 1..=MAX_SEQUENCE as i64, None, problems);
    let path = fields.path("launches");
    let given = fields.need("launches", &format!("a list of 1 to {MAX_LAUNCHES} launches"), problems);
    let items = given.and_then(|value| list(value, &path, 1..=MAX_LAUNCHES, "launches", problems)).unwrap_or_default();
    fields.finish(problems);
    let first = launches.len();
    for (i, item) in items.iter().enumerate() {
        if item.get("repeat").is_some() {
            problems.add(format!("{}.repeat", element(&path, i)), "repeats inside repeats", "a launch");
        } else {
            launches.extend(read_launch(item, names, &element(&path, i), problems));
        }
    }
    repeats.extend(times.map(|times| Repeat { first, launches: launches.len() - first, times: times as u32 }));
}

/// Reads the extents of a grid, or what is added to them: a number for x, or up to three for x, y and z.
fn read_extents(value: &Value, path: &str, range: core::ops::RangeInclusive<i64>, rest: i64, problems: &mut Problems) -> Option<[i64; 3]> {
    let mut extents = [rest; 3];
    if let Value::Int(_) | Value::Float(_) = value {
        extents[0] = int(value, path, range, problems)?;
        return Some(extents);
    }
    let items = list(value, path, 1..=3, "numbers, for x, y and z", problems)?;
    for (i, item) in items.iter().enumerate() {
        extents[i] = int(item, &element(path, i), range.clone(), problems)?;
    }
    Some(extents)
}

fn read_launch(value: &Value, names: Names, path: &str, problems: &mut Problems) -> Option<Launch> {
    let mut fields =
        Fields::of(value, path, "a launch: an object with ctas or grid, threads, registers, shared_bytes and program", problems)?;
    const EXTENT: i64 = MAX_EXTENT as i64;
    let grid = match fields.take("grid") {
        Some(value) => read_extents(value, &fields.path("grid"), 1..=EXTENT, 1, problems),
        None => fields.int("ctas", 1..=EXTENT, None, problems).map(|x| [x, 1, 1]),
    };
    let grid_step = match fields.take("grid_step") {
        Some(value) => read_extents(value, &fields.path("grid_step"), -EXTENT..=EXTENT, 0, problems),
        None => Some([0; 3]),
    };
    let gap = fields.int("gap", 0..=MAX_GAP.into(), Some(0), problems);
    let threads = fields.int("threads", 1..=2048, None, problems);
    let registers = fields.int("registers", 1..=255, Some(16), problems);
    let shared_bytes = fields.int("shared_bytes", 0..=1 << 20, Some(0), problems);
    let mut program = Vec::new();
    if let Some(value) = fields.need("program", "a list of operations", problems) {
        read_ops(value, names, &fields.path("program"), 0, &mut program, problems);
    }
    fields.finish(problems);
    Some(Launch {
        grid: Dim3::from(grid?.map(|extent| extent as u32)),
        grid_step: grid_step?.map(|step| step as i32),
        gap: gap? as u32,
        threads: threads? as u32,
        registers: registers? as u32,
        shared_bytes: shared_bytes? as u32,
        program,
    })
}

fn read_ops(value: &Value, names: Names, path: &str, depth: usize, ops: &mut Vec<Op>, problems: &mut Problems) {
    let Some(items) = list(value, path, 1..=MAX_OPS, "operations", problems) else { return };
    for (i, item) in items.iter().enumerate() {
        read_op(item, names, &element(path, i), depth, ops, problems);
    }
}

const OPS: &str =
    "\"barrier\", or one of {\"alu\"}, {\"sfu\"}, {\"shared\"}, {\"load\"}, {\"store\"}, {\"atomic\"}, {\"wait\"}, {\"loop\"}";

fn read_op(value: &Value, names: Names, path: &str, depth: usize, ops: &mut Vec<Op>, problems: &mut Problems) {
    if value.as_str() == Some("barrier") {
        ops.push(Op::Barrier);
        return;
    }
    let (kind, inner) = match value {
        Value::Object(pairs) if pairs.len() == 1 => (pairs[0].0.as_str(), &pairs[0].1),
        other => {
            problems.add(path, other.describe(), OPS);
            return;
        }
    };
    let inner_path = field(path, kind);
    if !["alu", "sfu", "shared", "load", "store", "atomic", "wait", "loop"].contains(&kind) {
        problems.add(inner_path, "an unknown operation", OPS);
        return;
    }
    let Some(mut fields) = Fields::of(inner, &inner_path, "an object", problems) else { return };
    let mut whole = |key, from, to, default| fields.int(key, from..=to, default, problems).unwrap_or(from) as u32;
    match kind {
        "alu" | "sfu" => {
            let usual = if kind == "alu" { 4 } else { 16 };
            let (count, latency, lanes) =
                (whole("count", 1, MAX_ALU.into(), Some(1)), whole("latency", 1, 63, Some(usual)), whole("lanes", 1, 32, Some(32)));
            ops.push(if kind == "alu" { Op::Alu { count, latency, lanes } } else { Op::Sfu { count, latency, lanes } });
        }
        "shared" => {
            let (count, stride, lanes) =
                (whole("count", 1, 1 << 24, Some(1)), whole("stride", 0, 4096, Some(1)), whole("lanes", 1, 32, Some(32)));
            ops.push(Op::Shared { count, stride, lanes });
        }
        "load" | "store" | "atomic" => {
            let lanes = whole("lanes", 1, 32, Some(32));
            let address = read_address(&mut fields, names.arrays, problems);
            ops.push(match kind {
                "load" => Op::Load { address, lanes },
                "store" => Op::Store { address, lanes },
                _ => Op::Atomic { address, lanes },
            });
        }
        "wait" => {
            let loads = whole("loads", 0, 255, Some(0));
            ops.push(Op::Wait { loads });
        }
        _ => {
            if depth >= MAX_LOOPS {
                problems.add(&inner_path, "another loop inside", alloc::format!("at most {MAX_LOOPS} nested"));
                return;
            }
            let trips =
                fields.need("trips", TRIPS, problems).and_then(|value| read_trips(value, &fields.path("trips"), names.lists, problems));
            ops.push(Op::Loop { trips: trips.unwrap_or(Trips::Fixed(1)) });
            if let Some(body) = fields.need("body", "a list of operations", problems) {
                read_ops(body, names, &fields.path("body"), depth + 1, ops, problems);
            }
            ops.push(Op::End);
        }
    }
    fields.finish(problems);
}

const TRIPS: &str = "a whole number, {\"per_warp\": [min, max]}, {\"per_cta\": [min, max]}, {\"some_warps\": [trips, one_in]}, \
                     {\"listed_per_cta\": list} or {\"listed_per_warp\": list}";

fn read_trips(value: &Value, path: &str, lists: &[List], problems: &mut Problems) -> Option<Trips> {
    if let Value::Int(_) | Value::Float(_) = value {
        return int(value, path, 0..=1 << 24, problems).map(|n| Trips::Fixed(n as u32));
    }
    let mut fields = Fields::of(value, path, TRIPS, problems)?;
    if let Some((key, name)) = ["listed_per_cta", "listed_per_warp"].into_iter().find_map(|key| Some((key, fields.take(key)?))) {
        let found = name.as_str().and_then(|name| lists.iter().position(|list| list.name == name));
        if found.is_none() {
            let names = lists.iter().map(|list| list.name.as_str()).collect::<Vec<_>>().join(", ");
            problems.add(fields.path(key), name.describe(), format!("one of the kernel's lists: {names}"));
        }
        fields.finish(problems);
        let list = found? as u8;
        return Some(if key == "listed_per_cta" { Trips::ListedPerCta { list } } else { Trips::ListedPerWarp { list } });
    }
    let kinds = ["per_warp", "per_cta", "some_warps"].map(|key| fields.take(key).map(|pair| (key, pair)));
    let mut kinds = kinds.into_iter().flatten();
    let (Some((key, pair)), None) = (kinds.next(), kinds.next()) else {
        problems.add(path, value.describe(), TRIPS);
        return None;
    };
    let path = fields.path(key);
    let want = if key == "some_warps" { "numbers: trips, and of how many warps one runs them" } else { "numbers: least and most trips" };
    let pair = list(pair, &path, 2..=2, want, problems)?;
    let number = |i: usize, problems: &mut Problems| int(&pair[i], &element(&path, i), 0..=1 << 24, problems).map(|n| n as u32);
    let (first, second) = (number(0, problems), number(1, problems));
    fields.finish(problems);
    let (first, second) = (first?, second?);
    Some(match key {
        "per_warp" => Trips::PerWarp { min: first, max: second },
        "per_cta" => Trips::PerCta { min: first, max: second },
        _ => Trips::SomeWarps { trips: first, one_in: second },
    })
}

fn read_address(fields: &mut Fields, arrays: &[Array], problems: &mut Problems) -> Address {
    let path = fields.path("array");
    let names =
        || alloc::format!("one of the kernel's arrays: {}", arrays.iter().map(|array| array.name.as_str()).collect::<Vec<_>>().join(", "));
    let array = match fields.take("array") {
        None if arrays.is_empty() => {
            problems.add(path, "nothing", "an array; the kernel has none");
            None
        }
        None => Some(0),
        Some(Value::Str(name)) => {
            let found = arrays.iter().position(|array| array.name == *name);
            if found.is_none() {
                problems.add(path, Value::from(name.as_str()).describe(), names());
            }
            found
        }
        Some(value) => int(value, &path, 0..=arrays.len() as i64 - 1, problems).map(|n| n as usize),
    };
    let mut loops = [0; MAX_LOOPS];
    let loops_path = fields.path("loops");
    if let Some(value) = fields.take("loops")
        && let Some(items) = list(value, &loops_path, 0..=MAX_LOOPS, "strides, outermost loop first", problems)
    {
        for (i, item) in items.iter().enumerate() {
            loops[i] = int(item, &element(&loops_path, i), -WORD..=WORD, problems).unwrap_or(0);
        }
    }
    let scatter_path = fields.path("scatter");
    let scatter = fields.take("scatter").and_then(|value| read_scatter(value, &scatter_path, problems)).unwrap_or_default();
    let mut stride = |key| fields.int(key, -WORD..=WORD, Some(0), problems).unwrap_or(0);
    let (offset, repeat) = (stride("offset"), stride("repeat"));
    let (cta, warp, lane) = (stride("cta"), stride("warp"), stride("lane"));
    let tile_path = fields.path("tile");
    let tile = fields.take("tile").and_then(|value| read_tile(value, &tile_path, problems));
    Address { array: array.unwrap_or(0) as u8, offset, repeat, cta, warp, loops, lane, scatter, tile }
}

fn read_tile(value: &Value, path: &str, problems: &mut Problems) -> Option<Tile> {
    let mut fields = Fields::of(value, path, "a tile: columns, rows, pitch, lanes, x and y", problems)?;
    let mut size = |key, most: i64, default| fields.int(key, 1..=most, default, problems).map(|n| n as u32);
    let (columns, rows) = (size("columns", MAX_TERM, None), size("rows", MAX_TERM, Some(1)));
    let (pitch, lanes) = (size("pitch", 1 << 30, Some(4)), size("lanes", 32, Some(32)));
    let [x, y] = ["x", "y"].map(|key| match fields.take(key) {
        Some(value) => read_terms(value, &fields.path(key), problems),
        None => Some(Terms::default()),
    });
    fields.finish(problems);
    Some(Tile { columns: columns?, rows: rows?, pitch: pitch?, lanes: lanes?, x: x?, y: y? })
}

fn read_terms(value: &Value, path: &str, problems: &mut Problems) -> Option<Terms> {
    let mut fields = Fields::of(value, path, "terms: at, grid, warp, loops and repeat", problems)?;
    let mut three = |key| {
        let path = fields.path(key);
        let mut terms = [0; 3];
        let items = fields.take(key).and_then(|value| list(value, &path, 0..=3, "numbers", problems)).unwrap_or_default();
        for (i, item) in items.iter().enumerate() {
            terms[i] = int(item, &element(&path, i), -MAX_TERM..=MAX_TERM, problems).unwrap_or(0) as i32;
        }
        terms
    };
    let (grid, loops) = (three("grid"), three("loops"));
    let mut one = |key| fields.int(key, -MAX_TERM..=MAX_TERM, Some(0), problems).map(|n| n as i32);
    let (at, warp, repeat) = (one("at"), one("warp"), one("repeat"));
    fields.finish(problems);
    Some(Terms { at: at?, grid, warp: warp?, loops, repeat: repeat? })
}

fn read_scatter(value: &Value, path: &str, problems: &mut Problems) -> Option<Scatter> {
    const WANT: &str = "{\"warp\": bytes}, {\"lane\": bytes} or {\"skewed\": bytes}";
    let mut fields = Fields::of(value, path, WANT, problems)?;
    let mut bytes = |key| fields.take(key).map(|value| int(value, &fields.path(key), 4..=1 << 35, problems).unwrap_or(4) as u64);
    let found = (bytes("warp"), bytes("lane"), bytes("skewed"));
    fields.finish(problems);
    match found {
        (Some(bytes), None, None) => Some(Scatter::Warp { bytes }),
        (None, Some(bytes), None) => Some(Scatter::Lane { bytes }),
        (None, None, Some(bytes)) => Some(Scatter::Skewed { bytes }),
        _ => {
            problems.add(path, value.describe(), WANT);
            None
        }
    }
}

fn write_launch(launch: &Launch, lists: &[List]) -> Value {
    let [x, y, z] = launch.grid.into();
    let grid = if (y, z) == (1, 1) { ("ctas", x.into()) } else { ("grid", Value::array([x, y, z])) };
    let step = (launch.grid_step != [0; 3]).then(|| ("grid_step", Value::array(launch.grid_step)));
    let gap = (launch.gap > 0).then(|| ("gap", launch.gap.into()));
    let rest = [
        ("threads", Value::from(launch.threads)),
        ("registers", launch.registers.into()),
        ("shared_bytes", launch.shared_bytes.into()),
        ("program", write_ops(&mut launch.program.iter(), lists)),
    ];
    Value::object([grid].into_iter().chain(step).chain(gap).chain(rest))
}

/// Writes operations up to the end of the enclosing loop.
fn write_ops<'k>(ops: &mut impl Iterator<Item = &'k Op>, lists: &[List]) -> Value {
    let mut out = Vec::new();
    while let Some(op) = ops.next() {
        let one = |kind: &str, pairs: &[(&str, u32)]| Value::object([(kind, Value::object(pairs.iter().copied()))]);
        out.push(match op {
            Op::Alu { count, latency, lanes } => one("alu", &[("count", *count), ("latency", *latency), ("lanes", *lanes)]),
            Op::Sfu { count, latency, lanes } => one("sfu", &[("count", *count), ("latency", *latency), ("lanes", *lanes)]),
            Op::Shared { count, stride, lanes } => one("shared", &[("count", *count), ("stride", *stride), ("lanes", *lanes)]),
            Op::Load { address, lanes } => Value::object([("load", write_address(address, *lanes))]),
            Op::Store { address, lanes } => Value::object([("store", write_address(address, *lanes))]),
            Op::Atomic { address, lanes } => Value::object([("atomic", write_address(address, *lanes))]),
            Op::Wait { loads } => one("wait", &[("loads", *loads)]),
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
    let mut pairs: Vec<(String, Value)> = alloc::vec![("array".to_string(), address.array.into()), ("lanes".to_string(), lanes.into())];
    let strides =
        [("offset", address.offset), ("cta", address.cta), ("warp", address.warp), ("lane", address.lane), ("repeat", address.repeat)];
    pairs.extend(strides.into_iter().filter(|stride| stride.1 != 0).map(|(key, n)| (key.to_string(), n.into())));
    if address.loops != [0; MAX_LOOPS] {
        pairs.push(("loops".to_string(), Value::array(address.loops)));
    }
    let scatter = match address.scatter {
        Scatter::None => None,
        Scatter::Warp { bytes } => Some(("warp", bytes)),
        Scatter::Lane { bytes } => Some(("lane", bytes)),
        Scatter::Skewed { bytes } => Some(("skewed", bytes)),
    };
    pairs.extend(scatter.map(|pair| ("scatter".to_string(), Value::object([pair]))));
    pairs.extend(address.tile.map(|tile| ("tile".to_string(), write_tile(&tile))));
    Value::Object(pairs)
}

fn write_tile(tile: &Tile) -> Value {
    let terms = |terms: &Terms| {
        let ones = [("at", terms.at), ("warp", terms.warp), ("repeat", terms.repeat)];
        let threes = [("grid", terms.grid), ("loops", terms.loops)];
        let threes = threes.into_iter().filter(|three| three.1 != [0; 3]).map(|(key, three)| (key, Value::array(three)));
        Value::object(ones.into_iter().filter(|one| one.1 != 0).map(|(key, one)| (key, Value::from(one))).chain(threes))
    };
    Value::object([
        ("columns", Value::from(tile.columns)),
        ("rows", tile.rows.into()),
        ("pitch", tile.pitch.into()),
        ("lanes", tile.lanes.into()),
        ("x", terms(&tile.x)),
        ("y", terms(&tile.y)),
    ])
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
