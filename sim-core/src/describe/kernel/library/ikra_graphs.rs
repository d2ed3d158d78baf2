//! The four programs on graphs, each on two graphs: one skewed, one nearly even.
//!
//! A graph is generated. The degree of each vertex follows the shape that is known of the matrix, with vertices and edges exactly as many
//! as its arrays have in the paper. Neighbours are drawn, every second one near the vertex. Who is active in a round follows the number of
//! vertices that are, which the algorithms have on such graphs. A warp's loop runs as often as its active vertex with most edges asks for.

use super::ikra_parts::{GAP, atomic_by, constant, list, load_by, program, store_by, warps};
use super::parts::{ALL, alu, array, words};
use crate::describe::kernel::{Address, Array, Kernel, Launch, List, Op, Repeat, Scatter, Trips};
use crate::describe::rng::{below, draw, mix};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Threads of a CTA, a vertex each.
const THREADS: u32 = 256;

/// Seed of both graphs.
const SEED: u64 = 1;

/// A graph: how many edges each vertex has, each counted at one of its ends.
struct Graph {
    name: &'static str,
    degrees: Vec<u32>,
    /// Entries of an array of edges.
    slots: u64,
    /// Where the far neighbours of a vertex are: bytes from the start of an array of vertices, for each CTA, and over which they scatter.
    far: (i64, i64, Scatter),
}

fn hash(vertex: u32, what: u64) -> u64 {
    mix(mix(draw(SEED), what), vertex.into())
}

/// The value for a draw from 0 to 999 of a table of upper ends.
fn by_shape(draw: u64, shape: &[(u64, u32, u32)]) -> u32 {
    let (_, least, most) = shape.iter().copied().find(|&(end, ..)| draw < end).unwrap_or((0, 1, 1));
    least + (draw % u64::from(most - least + 1)) as u32
}

/// Half of the edges at each vertex, made as many as there are.
fn halves(whole: impl Fn(u32) -> u32, vertices: u32, edges: u64) -> Vec<u32> {
    let mut degrees: Vec<u32> = (0..vertices).map(|v| (whole(v) + (hash(v, 1) & 1) as u32) / 2).collect();
    let mut sum: u64 = degrees.iter().map(|&degree| u64::from(degree)).sum();
    // A vertex here and there has one more or one less.
    for turn in 0_u32.. {
        if sum == edges {
            break;
        }
        let degree = &mut degrees[below(hash(turn, 2), vertices.into()) as usize];
        if sum < edges {
            (*degree, sum) = (*degree + 1, sum + 1);
        } else if *degree > 1 {
            (*degree, sum) = (*degree - 1, sum - 1);
        }
    }
    degrees
}

/// Newman's cond-mat: authors of preprints. Degrees of the look-alike of docs/reference/kernels-ikra.md; the first 256 vertices have three times as many edges.
fn skewed() -> Graph {
    let shape =
        [(130, 1, 1), (300, 2, 2), (480, 3, 3), (590, 4, 4), (670, 5, 5), (870, 6, 10), (970, 11, 20), (998, 21, 50), (1000, 51, 107)];
    let whole = |v| {
        let degree = by_shape(below(hash(v, 0), 1000), &shape);
        if v < 256 { (3 * degree).min(107) } else { degree }
    };
    let far = (0, 0, Scatter::Skewed { bytes: 16_726 * 4 });
    Graph { name: "cond_mat", degrees: halves(whole, 16_726, 47_594), slots: 47_594, far }
}

/// GHS_indef/olesnik0: 61030 faces of a mesh, then 27233 elements with half as many edges. The array of edges has a slot for each face's diagonal too.
fn even() -> Graph {
    let whole = |v| {
        let of_face = [(331, 8, 8), (562, 9, 9), (1000, 10, 10)];
        let of_element = [(513, 4, 4), (1000, 5, 5)];
        by_shape(below(hash(v, 0), 1000), if v < 61_030 { &of_face[..] } else { &of_element[..] })
    };
    // The elements of a face lie where it does, in an order of their own.
    let far = (4 * 61_030, 4 * 114, Scatter::Lane { bytes: 2048 });
    Graph { name: "olesnik0", degrees: halves(whole, 88_263, 341_593), slots: 402_623, far }
}

impl Graph {
    fn of(is_skewed: bool) -> Graph {
        if is_skewed { skewed() } else { even() }
    }

    fn vertices(&self) -> u64 {
        self.degrees.len() as u64
    }

    fn ctas(&self) -> u32 {
        (self.vertices() as u32).div_ceil(THREADS)
    }

    fn of_vertices(&self, name: &str) -> Array {
        array(name, 4 * self.vertices())
    }

    /// An array of edges, each of them there once, or at both ends.
    fn of_edges(&self, name: &str, ends: u64) -> Array {
        constant(name, 4 * self.slots * ends)
    }

    /// A vertex's entry.
    fn own(&self, array: u8) -> Address {
        words(array, 1024, 128)
    }

    /// The entries of a vertex's edges, a pair of them for each trip of the second loop.
    fn edge(&self, array: u8, ends: i64, second: i64) -> Address {
        let mean = (self.slots as i64 * ends + self.vertices() as i64 / 2) / self.vertices() as i64;
        let cta = 4 * (256 * self.slots as i64 * ends / self.vertices() as i64);
        Address { array, offset: 4 * second, cta, warp: cta / 32 * 4, lane: 4 * mean.max(1), loops: [0, 8, 0], ..Address::default() }
    }

    /// A neighbour's entry: near the vertex, or far from it.
    fn neighbour(&self, array: u8, is_near: bool) -> Address {
        let (offset, cta, scatter) = if is_near { (-512, 1024, Scatter::Lane { bytes: 1024 }) } else { self.far };
        Address { array, offset, cta, warp: if is_near { 128 } else { 0 }, scatter, ..Address::default() }
    }

    /// Warps that have an active vertex, and pairs of edges of the active vertex with most, round by round; each edge counted at so many ends. And lanes that
    /// have an edge to look at, on average.
    fn lists(&self, ends: u32, rounds: &[Active]) -> (Vec<List>, u32) {
        let (mut some, mut pairs) = (Vec::new(), Vec::new());
        let (mut edges, mut slots) = (0_u64, 0_u64);
        let draws: Vec<u64> = (0..self.degrees.len() as u32).map(|v| hash(v, 3)).collect();
        for active in rounds {
            for warp in 0..self.ctas() * THREADS / 32 {
                let vertices = (warp * 32..warp * 32 + 32).take_while(|&v| u64::from(v) < self.vertices());
                let degrees: Vec<u32> =
                    vertices.filter(|&v| active.has(v, draws[v as usize])).map(|v| self.degrees[v as usize] * ends).collect();
                let most = degrees.iter().copied().max().unwrap_or(0).div_ceil(2);
                some.push(u32::from(!degrees.is_empty()));
                pairs.push(most);
                edges += degrees.iter().map(|&degree| u64::from(degree)).sum::<u64>();
                slots += u64::from(2 * most);
            }
        }
        (vec![list("active warps", some), list("pairs of edges", pairs)], ((edges + slots / 2) / slots.max(1)).clamp(1, 32) as u32)
    }

    fn kernel(&self, texts: [&str; 4], arrays: Vec<Array>, launches: (Vec<Launch>, Vec<Repeat>), lists: Vec<List>) -> Kernel {
        let [name, title, source, doc] = texts;
        let name = format!("ikra/{name}{}", if self.name == "cond_mat" { 1 } else { 2 });
        let title = format!("{title} of {}", self.name);
        let source = format!("{source}; graph and block of Huzaifa et al., Table 3");
        let doc = format!(
            "{doc} Free: the graph ({} vertices and {} edges at one end each, seed {SEED}; every second neighbour near the vertex), who is active, arithmetic, registers. \
             A warp has so many lanes with an edge as it has on average.",
            self.vertices(),
            self.degrees.iter().map(|&degree| u64::from(degree)).sum::<u64>(),
        );
        program(&name, &title, &source, &doc, arrays, launches, lists)
    }

    fn launch(&self, program: Vec<Op>) -> Launch {
        Launch { gap: GAP, ..super::ikra_parts::launch(self.ctas(), THREADS, 20, 0, program) }
    }
}

/// Which vertices are active in a round.
#[derive(Clone, Copy)]
enum Active {
    /// So many of so many: who is in a smaller set is in each larger one.
    Some(u32, u32),
    /// A front that moves through faces and elements: this step of so many.
    Front(u32, u32),
}

impl Active {
    fn has(self, vertex: u32, draw: u64) -> bool {
        match self {
            Active::Some(active, of) => below(draw, of.into()) < active.into(),
            Active::Front(step, steps) => {
                let (at, of) = if vertex < 61_030 { (vertex, 61_030) } else { (vertex - 61_030, 27_233) };
                // A tenth of all vertices, around where the front is.
                let (here, front) = (u64::from(at) * 1000 / of, (1000 * u64::from(step) + 500) / u64::from(steps));
                here.abs_diff(front) < 50
            }
        }
    }
}

fn rounds(counts: &[u32], of: u32) -> Vec<Active> {
    counts.iter().map(|&count| Active::Some(count, of)).collect()
}

fn load(address: Address) -> Op {
    load_by(32, address)
}

fn store(address: Address) -> Op {
    store_by(32, address)
}

/// Two edges a trip: `edge` is what is done for one of them, near or far.
fn edges(edge: impl Fn(i64, bool) -> Vec<Op>) -> Vec<Op> {
    let mut ops = vec![Op::Loop { trips: Trips::ListedPerWarp { list: 1 } }];
    ops.extend(edge(0, true));
    ops.extend(edge(1, false));
    ops.extend([alu(2), Op::End]);
    ops
}

fn repeated(first: Option<Launch>, launches: Vec<Launch>, times: usize) -> (Vec<Launch>, Vec<Repeat>) {
    let repeat = Repeat { first: usize::from(first.is_some()), launches: launches.len(), times: times as u32 };
    (first.into_iter().chain(launches).collect(), vec![repeat])
}

/// Shortest paths: relax the edges of a frontier, then take over what got smaller.
pub fn dijkstra(is_skewed: bool) -> Kernel {
    let graph = Graph::of(is_skewed);
    let rounds = if is_skewed {
        rounds(&[1, 107, 1111, 3302, 5073, 3161, 892, 168, 35, 7], 16_726)
    } else {
        (0..30).map(|step| Active::Front(step, 30)).collect()
    };
    let (lists, lanes) = graph.lists(1, &rounds);
    let (row, mask, cost, updated, column, weight) = (0, 1, 2, 3, 4, 5);
    let own = |array| graph.own(array);
    let mut relax = vec![alu(8), load(own(mask)), ALL, alu(2), warps(0), store(own(mask))];
    relax.extend([load(own(row)), load(Address { offset: 4, ..own(row) }), load(own(cost)), ALL, alu(4)]);
    relax.extend(edges(|second, is_near| {
        let edge = |array| load_by(lanes, graph.edge(array, 1, second));
        vec![edge(column), edge(weight), ALL, alu(5), atomic_by(lanes, graph.neighbour(updated, is_near))]
    }));
    relax.push(Op::End);
    let update = vec![
        alu(8),
        load(own(cost)),
        load(own(updated)),
        ALL,
        alu(4),
        warps(0),
        store(own(cost)),
        store(own(mask)),
        Op::End,
        store(own(updated)),
    ];
    let arrays = vec![
        Array { read_only: true, ..graph.of_vertices("rows") },
        graph.of_vertices("mask"),
        graph.of_vertices("cost"),
        graph.of_vertices("updated cost"),
        graph.of_edges("columns", 1),
        graph.of_edges("weights", 1),
    ];
    graph.kernel(
        [
            "DJ",
            "Shortest paths",
            "Harish and Narayanan, HiPC 2007: the two kernels with a mask, which the bytes of the paper fit",
            "Two launches a round; each edge takes an atomic minimum. On cond_mat these are the ten rounds of a search from its largest \
             vertex. On olesnik0 they are 30 rounds of a front that goes through the vertices, a tenth at a time (with weights of 1 to 8 \
             it would be some 300).",
        ],
        arrays,
        repeated(None, vec![graph.launch(relax), graph.launch(update)], rounds.len()),
        lists,
    )
}

/// Colouring: who has the largest or smallest value among its uncoloured neighbours takes a colour.
pub fn color(is_skewed: bool) -> Kernel {
    let graph = Graph::of(is_skewed);
    let rounds = if is_skewed {
        rounds(&[16_726, 8902, 5374, 3537, 2371, 1586, 1050, 700, 460, 300, 200, 130, 85, 50, 25, 10], 16_726)
    } else {
        rounds(&[88_263, 66_110, 48_262, 31_556, 17_330, 7518, 3300, 1400, 600, 250, 100, 40], 88_263)
    };
    let (lists, lanes) = graph.lists(2, &rounds);
    let (row, value, colour, max, min, column) = (0, 1, 2, 3, 4, 5);
    let own = |array| graph.own(array);
    let mut first =
        vec![alu(8), load(own(colour)), ALL, alu(2), warps(0), load(own(row)), load(Address { offset: 4, ..own(row) }), ALL, alu(4)];
    first.extend(edges(|second, is_near| {
        let of = |array| load_by(lanes, graph.neighbour(array, is_near));
        vec![load_by(lanes, graph.edge(column, 2, second)), ALL, of(colour), of(value), ALL, alu(5)]
    }));
    first.extend([store(own(max)), store(own(min)), Op::End]);
    let mut second = vec![alu(8), load(own(colour)), ALL, alu(2), warps(0)];
    second.extend([value, max, min].map(|array| load(own(array))));
    second.extend([ALL, alu(4), store(own(colour)), Op::End]);
    let begin = vec![alu(8), store(own(colour)), alu(1)];
    let mut arrays: Vec<Array> = ["rows", "values", "colours", "largest", "smallest"].map(|name| graph.of_vertices(name)).into();
    arrays[..2].iter_mut().for_each(|array| array.read_only = true);
    arrays.push(graph.of_edges("columns", 2));
    graph.kernel(
        [
            "CL",
            "Colouring",
            "Pannotia, graph_app/color, the variant of maximum and minimum",
            "Two launches a round, after one that begins. From the source: arrays, loads and stores for each vertex and edge, edges at both ends. Vertices left in each round: as counted on \
             look-alikes of the graphs for the first six, then falling on.",
        ],
        arrays,
        repeated(Some(graph.launch(begin)), vec![graph.launch(first), graph.launch(second)], rounds.len()),
        lists,
    )
}

/// Maximal independent set.
pub fn mis(is_skewed: bool) -> Kernel {
    let graph = Graph::of(is_skewed);
    let rounds =
        if is_skewed { rounds(&[16_726, 3943, 392, 33, 3, 0], 16_726) } else { rounds(&[88_263, 18_633, 3639, 427, 22, 0], 88_263) };
    let (lists, lanes) = graph.lists(1, &rounds);
    let (row, value, set, state, next, min, column) = (0, 1, 2, 3, 4, 5, 6);
    let own = |array| graph.own(array);
    let rows = || [load(own(row)), load(Address { offset: 4, ..own(row) }), ALL, alu(4)];
    let col = |second| load_by(lanes, graph.edge(column, 1, second));
    let mut first = vec![alu(8), load(own(state)), ALL, alu(2), warps(0)];
    first.extend(rows());
    first.extend(edges(|second, is_near| {
        let of = |array| load_by(lanes, graph.neighbour(array, is_near));
        vec![col(second), ALL, of(state), of(value), ALL, alu(5)]
    }));
    first.extend([store(own(min)), Op::End]);
    let mut second =
        vec![alu(8), load(own(state)), load(own(value)), load(own(min)), ALL, alu(3), warps(0), store(own(set)), store(own(state))];
    second.extend(rows());
    second.extend(edges(|second, is_near| {
        let of = |array| graph.neighbour(array, is_near);
        vec![col(second), ALL, load_by(lanes, of(state)), ALL, alu(4), store_by(lanes, of(next))]
    }));
    second.push(Op::End);
    let third = vec![alu(8), load(own(next)), ALL, alu(2), warps(0), store(own(state)), alu(1), Op::End];
    let begin = vec![alu(8), store(own(set)), store(own(state)), store(own(next)), alu(1)];
    let mut arrays: Vec<Array> = ["rows", "values", "set", "state", "next state", "smallest"].map(|name| graph.of_vertices(name)).into();
    arrays[..2].iter_mut().for_each(|array| array.read_only = true);
    arrays.push(graph.of_edges("columns", 1));
    graph.kernel(
        [
            "MI",
            "Maximal independent set",
            "Pannotia, graph_app/mis",
            "Three launches a round, after one that begins. From the source: arrays, loads and stores for each vertex and edge. Six rounds with as many vertices left as on look-alikes of \
             the graphs; every active vertex looks at its edges in the second launch, not only those that join the set.",
        ],
        arrays,
        repeated(Some(graph.launch(begin)), vec![graph.launch(first), graph.launch(second), graph.launch(third)], rounds.len()),
        lists,
    )
}

/// PageRank that pushes: each vertex adds to its neighbours' next rank.
pub fn page_rank(is_skewed: bool) -> Kernel {
    let graph = Graph::of(is_skewed);
    let all = graph.vertices() as u32;
    let (lists, lanes) = graph.lists(1, &rounds(&[all], all));
    let (row, rank, next, column) = (0, 1, 2, 3);
    let own = |array| graph.own(array);
    let mut push = vec![alu(8), load(own(row)), load(Address { offset: 4, ..own(row) }), load(own(rank)), ALL, alu(4), warps(0), alu(1)];
    push.extend(edges(|second, is_near| {
        vec![load_by(lanes, graph.edge(column, 1, second)), ALL, alu(5), atomic_by(lanes, graph.neighbour(next, is_near))]
    }));
    push.push(Op::End);
    let damp = vec![alu(8), load(own(next)), ALL, alu(4), store(own(rank)), store(own(next))];
    let begin = vec![alu(8), store(own(rank)), store(own(next)), alu(1)];
    let mut arrays: Vec<Array> = ["rows", "rank", "next rank"].map(|name| graph.of_vertices(name)).into();
    arrays[0].read_only = true;
    arrays.push(graph.of_edges("columns", 1));
    graph.kernel(
        [
            "PR",
            "PageRank",
            "Pannotia, graph_app/pagerank, the version that pushes",
            "20 rounds of two launches, after one that begins; all vertices are active. From the source: arrays, order, rounds, loads, stores and atomic addition for each vertex and edge.",
        ],
        arrays,
        repeated(Some(graph.launch(begin)), vec![graph.launch(push), graph.launch(damp)], 20),
        lists,
    )
}
