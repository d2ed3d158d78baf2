//! What a kernel looks like in JSON, each of its parts once.

use super::MAX_LOOPS;
use super::tile::TILE;
use super::validate::{
    CUT_LAUNCHES, MAX_ALU, MAX_EXTENT, MAX_GAP, MAX_LATENCY, MAX_LAUNCHES, MAX_LINES, MAX_LISTS, MAX_OPS, MAX_SEQUENCE, MAX_SLEEP,
};
use crate::describe::digest::{hex, of_hex};
use crate::describe::record::{Absent, Datum, Field, One, Pattern, Shape, choice, int, list, record, rule, text};
use crate::describe::recorded::Recorded;
use crate::describe::value::Value;
use Absent::{Int, Name, Needed, Words};

/// Strides of addresses, either way, bytes.
const STRIDE: Shape = int!(-(1_i64 << 40), 1_i64 << 40);

/// Trips of a loop.
const TRIP: Shape = int!(0, 1 << 24);

const LANES: Shape = int!(1, 32);

/// Names in a kernel are short.
const NAME: Shape = text!(40);

rule! {
    /// An operation names an array or a list that its kernel has.
    pub NAMED = "named";

    /// A launch has ctas or grid, and not both.
    pub ONE_GRID = "one_grid";

    /// A launch has a program or is recorded, and not both.
    pub ONE_BODY = "one_body";

    /// A kernel compiles and ends. Its grids have 1 to 2^24 CTAs in every repeat, and change only where launches repeat.
    /// At most 3 loops are nested, and each has an instruction of its own. No barrier stands in a loop whose trips differ within a CTA.
    /// No store goes to a read-only array; arrays are of whole words and fit the address space.
    /// With each repeat counted there are at most 2^14 launches and 2^18 operations.
    pub RUNS = "runs";
}

/// CTAs along x, or along x, y and z.
const EXTENTS: Shape = Shape::Forms {
    of: &[int!(1, MAX_EXTENT), list!(int!(1, MAX_EXTENT), 1, 3, "numbers, for x, y and z")],
    want: "a whole number, or a list of up to three",
};

/// What is added to them.
const STEPS: Shape = Shape::Forms {
    of: &[int!(-(MAX_EXTENT as i64), MAX_EXTENT), list!(int!(-(MAX_EXTENT as i64), MAX_EXTENT), 1, 3, "numbers, for x, y and z")],
    want: "a whole number, or a list of up to three",
};

record! {
    /// A kernel: a sequence of launches over arrays in global memory.
    pub static KERNEL "Kernel", "a kernel's name, or a full kernel: an object with name, arrays and launches", rules [&NAMED, &ONE_GRID, &ONE_BODY, &RUNS];
    /// Name, such as `ccbp/BP`.
    name = NAME, Needed;
    /// What it is, in a few words.
    title = text!(200), Name("");
    /// What the real kernel does and how the Program follows it.
    doc = text!(4000), Name("");
    /// Where its shape comes from.
    source = text!(400), Name("");
    /// Arrays in global memory, which all launches share.
    arrays = list!(Shape::Record(&super::ARRAY), 0, 64, "arrays"), Words("none");
    /// Lists of trips, for work that follows from data.
    lists = list!(Shape::Record(&super::LIST), 0, MAX_LISTS, "lists"), Words("none");
    /// Launches in order; each starts when the one before has finished.
    launches = list!(LAUNCHES, 1, MAX_LAUNCHES, "launches", CUT_LAUNCHES), Needed;
}

const LAUNCHES: Shape = Shape::Forms { of: &[Shape::Record(&REPEAT), Shape::Record(&LAUNCH)], want: WANT_LAUNCH };

const WANT_LAUNCH: &str = "a launch: an object with ctas or grid, threads, registers, shared_bytes, and program or recorded";

record! {
    /// Launches that run several times: all of them in order, then all of them again.
    pub static REPEAT "Repeat", "launches that repeat: {\"repeat\", \"launches\"}", tag "repeat";
    /// How often they run.
    repeat ["times"] = int!(1, MAX_SEQUENCE), Needed;
    /// The launches.
    launches = list!(Shape::Record(&LAUNCH), 1, MAX_LAUNCHES, "launches", CUT_LAUNCHES), Needed;
}

record! {
    /// A launch: its grid, what a CTA takes, and what each warp does.
    pub static LAUNCH "Launch", WANT_LAUNCH;
    /// CTAs of a grid of one dimension.
    ctas ["CTAs"] = int!(1, MAX_EXTENT), Words("see grid");
    /// CTAs along x, or along x, y and z.
    grid ["CTAs"] = EXTENTS, Words("see ctas");
    /// What is added to the grid with each repeat of the launch.
    grid_step ["CTAs"] = STEPS, Words("nothing");
    /// Time from the end of the launch before to the first cycle in which a CTA may be placed.
    gap ["cycles"] = int!(0, MAX_GAP), Int(0);
    /// Threads of a CTA.
    threads ["threads"] = int!(1, 2048), Needed;
    /// Registers of a thread.
    registers ["registers"] = int!(1, 255), Int(16);
    /// Shared memory of a CTA.
    shared_bytes ["bytes"] = int!(0, 1 << 20), Int(0);
    /// Shared memory of an SM that it prefers: a size that the GPU has, or a part of the most that it has, rounded up to one. L1D is the rest.
    carve_out ["bytes"] = CARVE_OUT, Words("as much as the CTAs need that an SM has room for");
    /// What each warp does.
    program = program(), Words("see recorded");
    /// What the warps of a real launch did, instead of a program.
    recorded = Shape::Record(&RECORDED), Words("see program");
}

/// A recording's name.
static HASH: Pattern = Pattern { regex: "^[0-9a-f]{16}$", holds: |text| of_hex(text).is_some(), want: "sixteen hexadecimal digits" };

record! {
    /// A launch of a recording, which `corun import` makes.
    pub static RECORDED "RecordedLaunch", "a recorded launch: {\"recording\", \"launch\"}";
    /// The recording: the hash of its bytes, as `corun explain --json` writes it of an experiment with the file.
    recording = Shape::Pattern(&HASH), Needed;
    /// Which of its launches, from 0.
    launch = int!(0, MAX_LAUNCHES), Int(0);
}

impl Datum for Recorded {
    fn read(value: &Value) -> Self {
        let of = |key| RECORDED.taken(value, key);
        Recorded::of(of("recording").as_str().and_then(of_hex).unwrap_or_default(), Datum::read(&of("launch")))
    }

    fn write(&self) -> Value {
        Value::object([("recording", Value::from(hex(self.recording))), ("launch", self.launch.into())])
    }
}

const CARVE_OUT: Shape = Shape::Forms { of: &[int!(0, 1 << 20), Shape::One(&PART)], want: "bytes, or {\"percent\": part}" };

/// A part of the shared memory that an SM can have.
static PART: One = One {
    name: "CarveOut",
    of: &[op("percent", int!(0, 100), "Of the most shared memory that the GPU's SMs can have")],
    want: "{\"percent\": part}",
    unknown: "an unknown way to say it",
};

/// Operations in order; a loop holds its own in `body`. A function and no constant, because a loop's record comes back to it.
const fn program() -> Shape {
    list!(OP, 1, MAX_OPS, "operations")
}

const WANT_OP: &str = "\"barrier\", or one of {\"alu\"}, {\"sfu\"}, {\"fp64\"}, {\"shared\"}, {\"load\"}, {\"store\"}, {\"atomic\"}, {\"wait\"}, {\"sleep\"}, {\"loop\"}";

static OP: Shape = Shape::Forms { of: &[choice!("barrier"), Shape::One(&OPS)], want: WANT_OP };

/// An operation by name.
const fn op(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, shape, unit: "", absent: Needed, doc }
}

/// The operations of a Program but for the barrier.
pub static OPS: One = One {
    name: "Operation",
    of: &[
        op("alu", Shape::Record(&ALU), "Dependent arithmetic instructions"),
        op("sfu", Shape::Record(&SFU), "Dependent instructions on the special-function unit"),
        op("fp64", Shape::Record(&FP64), "Dependent double-precision instructions"),
        op("shared", Shape::Record(&SHARED), "Accesses of shared memory"),
        op("load", Shape::Record(&ACCESS), "A global load; only a wait waits for it"),
        op("store", Shape::Record(&ACCESS), "A global store; nothing waits for it"),
        op("atomic", Shape::Record(&ACCESS), "A global atomic operation; nothing waits for it"),
        op("wait", Shape::Record(&WAIT), "Waits until few enough loads of the warp are outstanding"),
        op("sleep", Shape::Record(&SLEEP), "One instruction, after which the warp issues nothing for a while"),
        op("loop", Shape::Record(&LOOP), "Repeats its body"),
    ],
    want: WANT_OP,
    unknown: "an unknown operation",
};

record! {
    /// Dependent arithmetic instructions.
    pub static ALU "Alu", "an object";
    /// How many, one after the other.
    count ["instructions"] = int!(1, MAX_ALU), Int(1);
    /// From one to the next.
    latency ["cycles"] = int!(1, MAX_LATENCY), Int(4);
    /// Active lanes.
    lanes ["lanes"] = LANES, Int(32);
}

record! {
    /// Dependent instructions on the special-function unit.
    pub static SFU "Sfu", "an object";
    /// How many, one after the other.
    count ["instructions"] = int!(1, MAX_ALU), Int(1);
    /// From one to the next.
    latency ["cycles"] = int!(1, MAX_LATENCY), Int(16);
    /// Active lanes.
    lanes ["lanes"] = LANES, Int(32);
}

record! {
    /// Dependent double-precision instructions.
    pub static FP64 "Fp64", "an object";
    /// How many, one after the other.
    count ["instructions"] = int!(1, MAX_ALU), Int(1);
    /// From one to the next.
    latency ["cycles"] = int!(1, MAX_LATENCY), Int(8);
    /// Active lanes.
    lanes ["lanes"] = LANES, Int(32);
}

record! {
    /// Accesses of shared memory.
    pub static SHARED "Shared", "an object";
    /// How many, one after the other.
    count ["accesses"] = int!(1, 1 << 24), Int(1);
    /// Distance of the words of neighbouring lanes; 0: all lanes read one word.
    stride ["words"] = int!(0, 4096), Int(1);
    /// Active lanes.
    lanes ["lanes"] = LANES, Int(32);
}

record! {
    /// A wait for the warp's loads.
    pub static WAIT "Wait", "an object";
    /// Loads that may stay outstanding.
    loads ["loads"] = int!(0, 255), Int(0);
}

record! {
    /// A pause of the warp, which keeps its place.
    pub static SLEEP "Sleep", "an object";
    /// Until its next instruction.
    cycles ["cycles"] = int!(1, MAX_SLEEP), Needed;
}

record! {
    /// A loop.
    pub static LOOP "Loop", "an object";
    /// How often the body runs.
    trips ["trips"] = TRIPS, Needed;
    /// Operations in order.
    body = program(), Needed;
}

const WANT_TRIPS: &str = "a whole number, {\"per_warp\": [min, max]}, {\"per_cta\": [min, max]}, {\"some_warps\": [trips, one_in]}, \
                          {\"listed_per_cta\": list} or {\"listed_per_warp\": list}";

const TRIPS: Shape = Shape::Forms { of: &[TRIP, Shape::One(&DRAWN_TRIPS)], want: WANT_TRIPS };

const ENDS: Shape = list!(TRIP, 2, 2, "numbers: least and most trips");

/// Trips that differ between CTAs or warps.
pub static DRAWN_TRIPS: One = One {
    name: "Trips",
    of: &[
        op("per_warp", ENDS, "The least and the most trips; each warp draws"),
        op("per_cta", ENDS, "The least and the most trips; each CTA draws"),
        op(
            "some_warps",
            list!(TRIP, 2, 2, "numbers: trips, and of how many warps one runs them"),
            "Trips of one warp of so many; the others run none",
        ),
        op("listed_per_cta", NAME, "A list of the kernel, an entry for each CTA"),
        op("listed_per_warp", NAME, "A list of the kernel, an entry for each warp"),
    ],
    want: WANT_TRIPS,
    unknown: "an unknown way to count trips",
};

record! {
    /// A global access: the byte address of each lane's word is the sum of the terms, modulo the array's size.
    pub static ACCESS "Access", "an object";
    /// The array, by name or by number.
    array = Shape::Forms { of: &[NAME, int!(0, 63)], want: "an array's name or number" }, Words("the first");
    /// Active lanes.
    lanes ["lanes"] = LANES, Int(32);
    /// Where it starts.
    offset ["bytes"] = STRIDE, Int(0);
    /// What each CTA of the grid adds.
    cta ["bytes"] = STRIDE, Int(0);
    /// What each warp of the CTA adds.
    warp ["bytes"] = STRIDE, Int(0);
    /// What each lane adds.
    lane ["bytes"] = STRIDE, Int(0);
    /// What each repeat of the launch adds.
    repeat ["bytes"] = STRIDE, Int(0);
    /// What each iteration of the enclosing loops adds, outermost first.
    loops ["bytes"] = list!(STRIDE, 0, MAX_LOOPS, "strides, outermost loop first"), Words("0");
    /// A random part.
    scatter ["bytes"] = Shape::One(&SCATTER), Words("none");
    /// A position in a matrix, in place of lane and scatter.
    tile = Shape::Record(&TILE), Words("none");
}

const BYTES: Shape = int!(4, 128 * MAX_LINES);

/// A random part of an address.
pub static SCATTER: One = One {
    name: "Scatter",
    of: &[
        op("warp", BYTES, "One draw for the warp, in whole lines, over so many bytes"),
        op("lane", BYTES, "A draw for each lane, in words, over so many bytes"),
        op("skewed", BYTES, "The smallest of three draws for each lane, in words, over so many bytes"),
    ],
    want: "{\"warp\": bytes}, {\"lane\": bytes} or {\"skewed\": bytes}",
    unknown: "an unknown way to scatter",
};
