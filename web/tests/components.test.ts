// The component lab's link, command and curves, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fresh, presetOf, Probes } from "../src/components/probes.ts";
import { command, decodeLab, encodeLab, points, type LabState } from "../src/components/state.ts";
import { curveTop, stretches, type CurveData } from "../src/components/curve-data.ts";
import { LinkError } from "../src/link.ts";
import { fakeLab, heard } from "./fake-lab.ts";
import type { ProbeInfo } from "../src/types.ts";

const PROBES: ProbeInfo[] = [
  {
    name: "dram",
    title: "DRAM channel",
    doc: "",
    sweep: "load",
    points: "0:1:0.5",
    figures: [],
    presets: [],
    options: [
      { name: "load", unit: "", kind: "number", default: 1, doc: "" },
      { name: "banks", unit: "banks", kind: "int", default: 16, doc: "" },
      { name: "map", unit: "", kind: "choice", choices: ["row:bank:column", "xor"], default: "xor", doc: "" },
      { name: "alternate_writes", unit: "", kind: "bool", default: false, doc: "" },
    ],
  },
];

test("a link gives back the state that made it", () => {
  const states: LabState[] = [
    { component: "dram", options: {}, points: "0.1:0.9:0.1" },
    { component: "dram", options: { banks: 4, map: "row:bank:column", alternate_writes: true }, points: "0:1:0.5" },
  ];
  for (const state of states) assert.deepEqual(decodeLab(encodeLab(state), PROBES), state);
  assert.equal(decodeLab("", PROBES), null);
  assert.deepEqual(decodeLab("#v=1&part=dram", PROBES), { component: "dram", options: {}, points: "0:1:0.5" });
  assert.deepEqual(
    decodeLab("#v=1&part=dram&banks=many", PROBES)?.options,
    { banks: "many" },
    "the engine refuses it, by name",
  );
});

test("a damaged link is refused in words", () => {
  for (const [hash, why] of [
    ["#v=2&part=dram", /newer Corun/],
    ["#v=x&part=dram", /version/],
    ["#v=1&part=gpu", /component/],
    ["#v=1&part=dram&speed=1", /does not know: “speed”/],
    ["#v=1&part=dram&banks=1&banks=2", /twice/],
    ["#v=1&part=dram&map=%E0%A4%A", /damaged/],
    ["#v=1&part=dram&load=1", /does not know: “load”/],
    [`#v=1&part=dram&map=${"x".repeat(5000)}`, /longer/],
  ] as const) {
    assert.throws(
      () => decodeLab(hash, PROBES),
      (error) => error instanceof LinkError && why.test(error.message),
      hash,
    );
  }
});

test("the command has a flag for every option that is not the default", () => {
  assert.equal(
    command(
      { component: "dram", options: { banks: 4, alternate_writes: true, map: "row:bank:column" }, points: "0:1:0.5" },
      "load",
    ),
    "target/release/corun probe dram --banks 4 --alternate-writes --map row:bank:column --load 0:1:0.5",
  );
  assert.match(
    command({ component: "dram", options: { map: "a'b $(c)" }, points: "1:1:1" }, "load"),
    / --map 'a'\\''b \$\(c\)' /,
  );
});

test("ranges are read as the runner reads them", () => {
  assert.deepEqual(points("0.1:0.3:0.1"), [0.1, 0.2, 0.3]);
  assert.deepEqual(points("1:1:1"), [1]);
  for (const bad of [
    "",
    "1",
    "1:2",
    "2:1:1",
    "1:2:0",
    "1:2:-1",
    "0:1:0.0001",
    "a:b:c",
    "1:2:1:1",
    "0:Infinity:1",
    "::",
  ])
    assert.equal(points(bad), null, bad);
});

test("latency's axis ends where the curve becomes a wall; fractions fill theirs", () => {
  const data = (unit: string, values: number[]): CurveData => ({
    component: "noc",
    figure: { key: "f", title: "", unit, law: "" },
    sweep: { name: "load", unit: "" },
    from: 0,
    to: 1,
    points: values.map((measured, x) => ({ x, measured, theory: null })),
  });
  assert.equal(curveTop(data("cycles", [1, 2, 50_000])), 10);
  assert.equal(curveTop(data("cycles", [1, 2, 3])), 3);
  assert.equal(curveTop(data("fraction", [0.01, 0.5])), 1);
  assert.equal(curveTop(data("fraction", [])), 1);
  assert.equal(curveTop(data("cycles", [])), 1);
});

test("a line ends where it leaves the axis, and has a gap where nothing was measured", () => {
  const at = (...values: (number | null)[]) => values.map((measured, x) => ({ x, measured, theory: null }));
  assert.deepEqual(stretches(at(1, 3, 11, 12), "measured", 7), [
    [
      [0, 1],
      [1, 3],
      [1.5, 7],
    ],
  ]);
  assert.deepEqual(stretches(at(1, 2, null, 3, 4), "measured", 9), [
    [
      [0, 1],
      [1, 2],
    ],
    [
      [3, 3],
      [4, 4],
    ],
  ]);
  assert.deepEqual(stretches(at(null, 1, null), "measured", 9), []);
});

/** Probes that are measured when the test says so: the first was asked for by `begin`. */
async function started() {
  const { lab, asked, ends } = fakeLab(),
    probes = new Probes();
  const begun = probes.begin(lab);
  asked.shift()?.give({ probes: PROBES });
  await begun;
  const measured = async (n: number): Promise<void> => {
    asked[n]?.give({ load: n, theory: {} });
    await heard();
  };
  return { probes, asked, measured, ends };
}

test("a curve comes point by point, and says when it is whole", async () => {
  const { probes, asked, measured } = await started();
  assert.equal(probes.stamp, "1.0-01234567");
  probes.open({ component: "dram", options: {}, points: "0:1:0.5" });
  assert.deepEqual(
    asked.map(({ work, of }) => [work, of]),
    [0, 0.5, 1].map((load) => ["probe", { component: "dram", options: { load } }]),
  );
  assert.equal(probes.words.value, "Measuring…");
  await measured(0);
  assert.equal(probes.words.value, "1 of 3 points");
  await measured(1);
  await measured(2);
  assert.equal(probes.words.value, "Measured: 3 of 3 points");
});

test("a curve that is stopped or replaced says nothing any more, and keeps what it has", async () => {
  const { probes, asked, measured, ends } = await started();
  probes.open({ component: "dram", options: {}, points: "0:1:0.5" });
  await measured(0);
  const before = ends();
  probes.stop();
  assert.equal(ends(), before + 1, "what nobody waits for is not measured to its end");
  await measured(1);
  assert.equal(probes.words.value, "Stopped: 1 of 3 points");
  probes.measure();
  await measured(2);
  assert.equal(probes.results.value.length, 0);
  asked[3]?.fail("it broke");
  await heard();
  assert.deepEqual([probes.broken.value, probes.ended.value], ["it broke", "Stopped"]);
});

test("points that are none are refused before anything is measured, and so is what the engine refuses", async () => {
  const { probes, asked } = await started();
  probes.open({ component: "dram", options: {}, points: "1:0:0.1" });
  assert.equal(asked.length, 0);
  assert.equal(probes.words.value, "Nothing measured: 0 of 0 points");
  assert.equal(probes.problems.value[0]?.path, "load");
  probes.open({ component: "dram", options: {}, points: "0:1:0.5" });
  asked[0]?.fail("", [{ path: "banks", found: "0", want: "1 to 64" }]);
  await heard();
  assert.deepEqual([probes.problems.value[0]?.path, probes.broken.value], ["banks", ""]);
});

test("options are a preset by what they mean, not by how they are written", () => {
  const info: ProbeInfo = {
    ...(PROBES[0] as ProbeInfo),
    presets: [
      { name: "usual", options: { banks: 16 } },
      { name: "few", options: { banks: 4, map: "xor" } },
    ],
  };
  assert.deepEqual(fresh(info, 1), { component: "dram", options: { banks: 4 }, points: "0:1:0.5" });
  assert.equal(presetOf(info, {}), 0);
  assert.equal(presetOf(info, { banks: 4 }), 1);
  assert.equal(presetOf(info, { banks: 5 }), -1);
  assert.equal(presetOf(info, { banks: 4, map: "row:bank:column" }), -1);
});
