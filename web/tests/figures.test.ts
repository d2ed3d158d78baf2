import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import {
  compare,
  comparisonText,
  elementCode,
  frameCode,
  lengthOf,
  neighbour,
  pointName,
  pointText,
  readDocument,
  runsOf,
  sweepOf,
  tableOf,
  trimmed,
  windowsOf,
  type FigureDocument,
} from "../src/embed/figure-document.ts";
import { Again, Figures, type Awake } from "../src/papers/again.ts";
import type { RerunEvents } from "../src/papers/rerun.ts";
import { decodeLink, encodeLink } from "../src/model/link.ts";
import type { Experiment, Figure, Result } from "../src/model/types.ts";

const FIGURE: Figure = {
  id: "fig1",
  title: "Speed & more",
  kind: "bars",
  series: ["A", "B"],
  categories: ["x", "y"],
  measure: { path: "metrics.stp", reduce: "mean" },
  y: { label: "STP" },
  points: [
    { series: 0, x: 0, value: 1, runs: [0], baseline: [3], paper: 0.5 },
    { series: 0, x: 1, value: 2, runs: [1, 0] },
    { series: 1, x: 0, value: null, runs: [] },
    { series: 1, x: 1, value: 4, runs: [2] },
  ],
};
const experiment = (more: Partial<Experiment>): Experiment => ({ corun: 1, kernels: ["BP"], ...more });
const DOCUMENT: FigureDocument = {
  paper: "p",
  title: "P",
  citation: "C",
  stamp: { engine: "0", commit: "c", mode: "quick", cycles: 1, seed: 1 },
  figures: [FIGURE],
  runs: [0, 1, 2, 3].map((i) => ({ experiment: experiment({ seed: i }), hash: `h${i}`, digest: `d${i}` })),
};
const result = (digest: string): Result => ({ digest }) as Result;
const copy = (): { corun?: number } & FigureDocument => ({ corun: 1, ...structuredClone(DOCUMENT) });

test("the runs behind points are listed once", () => {
  assert.deepEqual(runsOf(FIGURE.points), [0, 1, 2, 3]);
  assert.deepEqual(runsOf([FIGURE.points[1]!]), [0, 1]);
  assert.equal(windowsOf(FIGURE, FIGURE.points), 0);
  const series: Figure = {
    ...FIGURE,
    points: [7, 12].map((w) => ({
      series: 0,
      x: w,
      runs: [0],
      measure: { path: `windows[${w}].kernels[0].ipc`, reduce: "value" as const },
    })),
  };
  assert.equal(windowsOf(series, series.points), 13);
  assert.deepEqual(trimmed({ ...result("d"), windows: [1, 2, 3] }, 2)["windows"], [1, 2]);
});

test("a figure says how long its own runs are, whatever the study's mode says of others", () => {
  assert.equal(lengthOf(DOCUMENT, FIGURE), "1 cycles");
  const long = {
    ...DOCUMENT,
    runs: DOCUMENT.runs.map((run, i) => ({
      ...run,
      experiment: experiment({ stop: { cycles: i === 0 ? 800_000 : 10_000_000 } }),
    })),
  };
  assert.equal(lengthOf(long, FIGURE), "800,000 to 10,000,000 cycles");
  assert.equal(lengthOf(long, { ...FIGURE, points: [{ series: 0, x: 0, runs: [2] }] }), "10,000,000 cycles");
});

test("experiments become one sweep: what they share is its base, what only some have is filled in", () => {
  const given = [
    experiment({ gpu: "tiny-2sm", policy: "even", seed: 1 }),
    experiment({ gpu: "tiny-2sm", policy: { name: "smk" }, seed: 1, warp_order: "gto" }),
  ];
  const asked: Experiment[] = [];
  const sweep = sweepOf(given, "S", (e) => {
    asked.push(e);
    return { ...e, warp_order: "lrr", kernels: ["a whole kernel"] };
  }) as { sweep: { base: object; axes: { zip: { path: string; values: unknown[] }[] }[] } };
  assert.deepEqual(asked, [given[0]]);
  assert.deepEqual(sweep.sweep.base, { corun: 1, gpu: "tiny-2sm", seed: 1 });
  assert.deepEqual(sweep.sweep.axes, [
    {
      zip: [
        { path: "kernels", values: [["BP"], ["BP"]] },
        { path: "policy", values: ["even", { name: "smk" }] },
        { path: "warp_order", values: ["lrr", "gto"] },
      ],
    },
  ]);
  // One run alone is a sweep too.
  assert.equal((sweepOf([experiment({})], "S", (e) => e) as typeof sweep).sweep.axes[0]?.zip.length, 1);
});

test("computed again is equal only to the last digit, with the same digests", () => {
  const results = new Map([0, 1, 3].map((i) => [i, result(`d${i}`)]));
  const some = compare(DOCUMENT, FIGURE, [1, 2, null, null], results);
  assert.deepEqual([some.points, some.equal, some.runs, some.same], [2, 2, 3, 3]);
  assert.equal(
    comparisonText(FIGURE, some),
    "Equal, to the last digit: 2 points of 4 computed here, and the digests of all 3 runs are equal.",
  );
  results.set(2, result("other"));
  const off = compare(DOCUMENT, FIGURE, [1 + Number.EPSILON, 2, null, 5], results);
  assert.deepEqual(
    off.differ.map((d) => d.point),
    [3, 0],
  );
  assert.equal(
    comparisonText(FIGURE, off),
    "2 points of 3 computed here differ; 1 run of 4 ended in another state. The worst: B, y, stored 4.000, here 5.000.",
  );
  // A point whose runs now have no value is not equal.
  assert.equal(compare(DOCUMENT, FIGURE, [null, 2, null, 4], results).differ[0]?.point, 0);
  assert.equal(
    comparisonText(FIGURE, compare(DOCUMENT, FIGURE, [], new Map([[1, result("d1")]]))),
    "1 run done here; no point is complete yet.",
  );
});

test("what the report computed stands, and its runs are held to their digests alone", () => {
  const points = FIGURE.points.map((p) => ({ ...p, measure: { path: "an error", reduce: "given" as const } }));
  const figure = { ...FIGURE, points },
    results = new Map([0, 1].map((i) => [i, result(`d${i}`)]));
  const some = compare(DOCUMENT, figure, [null, null, null, null], results);
  assert.deepEqual([some.points, some.runs, some.differ.length], [0, 2, 0]);
  assert.equal(
    comparisonText(figure, some),
    "The report computed these values from its runs; 2 runs done here, and the digests of all 2 runs are equal.",
  );
});

test("arrow keys walk the marks that are drawn", () => {
  const walk = (from: number | null, key: string): number | null => neighbour(FIGURE, from, key);
  assert.deepEqual(
    [walk(null, "ArrowRight"), walk(0, "ArrowRight"), walk(1, "ArrowRight"), walk(1, "ArrowLeft")],
    [0, 1, null, 0],
  );
  assert.deepEqual(
    [walk(1, "ArrowUp"), walk(3, "ArrowDown"), walk(0, "ArrowUp"), walk(0, "End"), walk(3, "Home")],
    [3, 1, null, 3, 0],
  );
  assert.equal(neighbour({ ...FIGURE, points: [] }, null, "Home"), null);
});

test("points in words, in fractions and in percent", () => {
  assert.equal(pointText(FIGURE, 0), "A, x: 1.000; the paper prints 0.500");
  assert.equal(
    pointName({ ...FIGURE, series: ["A"], categories: undefined as never, x: { label: "Cycle" } }, 1),
    "Cycle 1",
  );
  const percent: Figure = { ...FIGURE, y: { unit: "%" } };
  assert.equal(pointText(percent, 0), "A, x: 100.0 %; the paper prints 50.0 %");
  assert.deepEqual(tableOf(percent, [1, 2, null, 4]).rows[0], ["A", "x", 100, 50, 100, 1]);
  assert.deepEqual(tableOf(percent, null).rows[2], ["B", "x", null, null, 0]);
});

test("embed code is markup that a title cannot break", () => {
  const code = elementCode("https://host/corun/", "p", { ...FIGURE, title: 'A "b" <c>' });
  assert.ok(
    code.includes('<corun-figure paper="p" figure="fig1">') &&
      code.includes('alt="A &quot;b&quot; &lt;c&gt;"') &&
      code.includes('href="https://host/corun/figures.html?paper=p&amp;figure=fig1"'),
    code,
  );
  assert.ok(frameCode("https://host/", "p", FIGURE, 480.4).includes('height="481"'));
});

test("a document of another format is told", () => {
  assert.equal(readDocument(copy()).figures.length, 1);
  assert.throws(() => readDocument({ ...copy(), corun: 2 }), /^Error: corun: found 2, want 1$/);
  for (const value of [null, 3, []]) assert.throws(() => readDocument(value), /^Error: corun: found nothing, want 1$/);
});

test("what is shipped can be read, and every run of it is a link", async () => {
  const shipped = readdirSync("public/papers").filter((file) => file.endsWith(".json"));
  assert.ok(shipped.includes("ccbp.json"));
  for (const name of shipped) {
    const document = readDocument(JSON.parse(readFileSync(`public/papers/${name}`, "utf8")));
    for (const { experiment } of document.runs)
      assert.deepEqual((await decodeLink(await encodeLink({ experiment, view: {} })))?.experiment, experiment);
    assert.ok(document.figures.every((figure) => existsSync(`../docs/reports/${document.paper}/${figure.id}.svg`)));
  }
});

/** The figure of the document, with runs that end when the test says so. */
function again() {
  const figures = new Figures(DOCUMENT, false, ""),
    asked: { runs: readonly number[]; events: RerunEvents }[] = [];
  const values: (number | null)[] = [1, 2, null, 4];
  figures.awake.value = {
    engine: { figureValues: () => values, normalise: (one: Experiment) => one } as unknown as Awake["engine"],
    rerun: (runs, _, __, events) => {
      asked.push({ runs, events });
      return { stop: () => undefined, progress: () => ({ done: 0.5, left: 3000 }), all: runs.length, done: 1 };
    },
  };
  const of = new Again(figures, FIGURE);
  const ran = (digest: string): Result => ({ digest, kernels: [], gpu: {} }) as unknown as Result;
  return { figures, of, asked, values, ran };
}

test("a figure runs again, one at a time, and says whether it is equal", () => {
  const { figures, of, asked, ran } = again();
  assert.equal(of.words.value, "4 runs");
  of.start();
  assert.deepEqual(
    [figures.busy.value === of, of.can.value, of.words.value],
    [true, false, "1 of 4 runs, about 3 s left"],
  );
  const other = new Again(figures, FIGURE);
  other.start();
  assert.equal(asked.length, 1, "one figure at a time");
  assert.equal(other.title.value, "Another figure is running");
  for (const run of of.runs) asked[0]?.events.result(run, ran(DOCUMENT.runs[run]?.digest ?? ""));
  asked[0]?.events.over();
  assert.deepEqual([of.outcome.value?.kind, figures.busy.value], ["equal", null]);
  // What it has shown already is asked for anew; of a figure that has shown nothing, it is known.
  of.start();
  assert.equal(asked[1]?.runs.length, 4);
});

test("what was done before a stop is kept, and what differs or breaks is said", () => {
  const { of, asked, values, ran } = again();
  of.start();
  asked[0]?.events.result(0, ran("x"));
  of.stop();
  assert.equal(of.outcome.value?.kind, "stopped");
  assert.match(of.outcome.value?.text ?? "", /^Stopped\. /);
  of.start();
  assert.deepEqual(asked[1]?.runs.includes(0), false);
  asked[1]?.events.changed([1]);
  asked[1]?.events.broken("no room");
  values[0] = 3;
  asked[1]?.events.over();
  assert.equal(of.outcome.value?.kind, "broken");
  assert.match(
    of.outcome.value?.text ?? "",
    /1 of the experiments are not what they were.* Some could not run: no room$/,
  );
  of.start();
  asked[2]?.events.over();
  assert.equal(of.outcome.value?.kind, "different");
});
