// What the panels of numbers and of decisions say, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Decided } from "../src/decisions/decisions.ts";
import { COST, Numbers, cellOf, gapOf, union, type Column } from "../src/model/numbers.ts";
import type { Catalogue, Decision, MetricEntry, Result, ShownRun, ShownTable } from "../src/model/types.ts";

const SHOWN = { mark: "", title: "Even split", kernels: ["BP", "CFD"], goals: [false, false] };
const CATALOGUE = { metrics: [] } as unknown as Catalogue;
const figure = (key: string, digits: number): MetricEntry =>
  ({ key, title: key, unit: "", digits }) as unknown as MetricEntry;
const ipc = figure("ipc", 1),
  slowdown = figure("slowdown", 2),
  stp = figure("stp", 3);

const ran = (value: number, ends: [number, number] | null, cycles = 4000): Result =>
  ({
    cycles,
    gpu: {},
    kernels: [
      { name: "BP", ipc: value, counters: { ctas_launched: 3 }, thread_instructions: 9 },
      { name: "CFD", ipc: 2, counters: { ctas_launched: 3 }, thread_instructions: 9 },
    ],
    ci95: { kernels: [{ ipc: ends }, {}], gpu: {}, metrics: {} },
  }) as unknown as Result;

function numbers(...results: Result[]): Numbers {
  const all = new Numbers();
  all.setRuns(
    CATALOGUE,
    results.map((_, i) => ({ ...SHOWN, mark: results.length > 1 ? ("AB"[i] ?? "") : "" })),
  );
  all.update(results);
  return all;
}

test("a number has its interval beside it, and one that is missing its reason", () => {
  const all = numbers(ran(10, [9, 11])),
    [run] = all.runs.value;
  assert.ok(run);
  assert.deepEqual(cellOf(run, 0, ipc), {
    text: "10.0",
    missing: false,
    title: "",
    beside: "±1.0",
    besideTitle: "95 % interval: 9.0 to 11.0",
  });
  const none = cellOf(run, 0, slowdown);
  assert.deepEqual([none.text, none.missing, none.title], ["–", true, "IPC alone is being measured in the background"]);
  assert.equal(cellOf(run, "metrics", stp).title, "IPC alone of BP is being measured in the background");
  assert.equal(all.note.value, "IPC alone of BP is being measured in the background; slowdowns follow.");
  all.aloneProgress(0, 1, 0.5);
  assert.equal(all.note.value, "IPC alone of CFD is being measured in the background, 50 % done; slowdowns follow.");
  all.alone(0, 0, 20, "");
  all.alone(0, 1, null, "it is stuck");
  assert.equal(all.note.value, "IPC alone is missing: it is stuck.");
});

test("a slowdown has what its share and its neighbours cost, once the kernels have run in their shares", () => {
  const [share, neighbours] = COST.map((key) => figure(key, 2)) as [MetricEntry, MetricEntry],
    ended = ran(10, null);
  const all = numbers(ended),
    cell = (figure: MetricEntry) => cellOf(all.runs.value[0] as Column, 0, figure);
  Object.assign(ended.kernels[0] as object, { ipc_alone: 26 });
  assert.deepEqual(
    [cell(share).text, cell(share).title],
    ["–", "known by a run in its share, once this one has ended"],
  );
  Object.assign(ended.kernels[0] as object, { share_cost: 2.2, neighbour_cost: 1.1818 });
  assert.deepEqual([cell(share).text, cell(neighbours).text], ["2.20", "1.18"]);
});

test("a difference is clear where the intervals cannot explain it", () => {
  const gap = (a: Result, b: Result) => {
    const [one, other] = numbers(a, b).runs.value;
    return one && other && gapOf([one, 0], [other, 0], ipc);
  };
  const far = gap(ran(10, [9, 11]), ran(20, [19, 21]));
  assert.deepEqual([far?.text, far?.clear, far?.beside], ["+10.0", true, "±1.4"]);
  assert.equal(far?.title, "100.0 %, more than the intervals explain");
  const near = gap(ran(10, [9, 11]), ran(11, [10, 12]));
  assert.deepEqual([near?.text, near?.clear], ["+1.0", false]);
  assert.match(near?.title ?? "", /it may be chance/);
  const same = gap(ran(10, [9, 11]), ran(10, [9, 11]));
  assert.deepEqual([same?.text, same?.beside], ["0.0", ""]);
});

test("what was before stays until it is dismissed, and a run that has not begun leaves nothing", () => {
  const fresh = numbers(ran(10, null, 0));
  fresh.keep(0);
  assert.equal(fresh.before.value, null);
  const all = numbers(ran(10, null));
  all.keep(0);
  all.setRuns(CATALOGUE, [SHOWN]);
  assert.equal(all.before.value?.result?.kernels[0]?.ipc, 10);
  assert.equal(all.runs.value[0]?.result, null);
  all.dismiss();
  assert.equal(all.before.value, null);
});

test("kernels of two mixes go together by name, the first of two with the first", () => {
  assert.deepEqual(
    union([
      ["BP", "CFD"],
      ["CFD", "CFD"],
    ]),
    [
      { name: "BP", places: [0, null] },
      { name: "CFD", places: [1, 0] },
      { name: "CFD", places: [null, 1] },
    ],
  );
});

test("of decisions, those of later cycles wait, and the list has them all", () => {
  const of = new Decided({ mark: "", title: "", layout: { kernels: ["BP"], sms: [{}] } } as unknown as ShownRun, []);
  const said = (cycle: number, topic: string): Decision => ({
    cycle,
    kernel: 0,
    topic,
    text: `${topic} set`,
    values: {},
  });
  of.log.value = [said(0, "quota"), said(400, "quota"), said(800, "sm_ctas")];
  assert.deepEqual(
    [0, 399, 400, 900].map((cycle) => of.until(cycle).length),
    [1, 1, 2, 3],
  );
  assert.deepEqual(
    of.listed.map(({ cycle }) => cycle),
    [800, 400, 0],
  );
  of.kind.value = "decisions: SM CTAs";
  assert.deepEqual(
    of.listed.map(({ cycle }) => cycle),
    [800],
  );
  of.log.value = [];
  assert.equal(of.kinds.at(-1)?.value, "decisions: SM CTAs", "what is chosen stays");
  of.log.value = [said(5, "quota")];
  // Algorithm 1 turn by turn is Learn's.
  const table = (key: string): ShownTable => ({
    key,
    title: key,
    doc: "",
    row: "",
    course: null,
    columns: [],
    rows: [],
  });
  assert.equal(of.worksOut, false);
  of.tables.value = [table("ccbp"), table("algorithm_1")];
  assert.deepEqual([of.shown.map(({ key }) => key), of.worksOut], [["ccbp"], true]);
  assert.deepEqual(of.table().rows, [[5, "decisions: quota", "BP", "quota set"]]);
});
