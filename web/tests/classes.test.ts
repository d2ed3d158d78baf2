// SM classes of a GPU, as the form adds, sizes, names and removes them.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  baselineOf,
  besideText,
  changesOf,
  classesOf,
  emptyClasses,
  isClassName,
  shownFields,
  storageOf,
  withClass,
  withFilled,
  withName,
  withoutClass,
} from "../src/model/classes.ts";
import type { GpuField } from "../src/model/types.ts";

const BASE = { count: 16, ctas: 8, threads: 1536, registers: 32768, shared_bytes: 49152, schedulers: 2 };
const SMALL = { count: 8, ctas: 6, threads: 768, registers: 16384, shared_bytes: 32768, schedulers: 2 },
  BIG = { count: 8, ctas: 10, threads: 2304, registers: 49152, shared_bytes: 65536, schedulers: 2 };
const field = (path: string, preset: string, value: number): GpuField => ({
  path,
  unit: "",
  doc: "",
  kind: "int",
  values: { [preset]: value },
});
const under = (prefix: string, preset: string, of: object): GpuField[] =>
  Object.entries(of).map(([rest, value]) => field(`${prefix}.${rest}`, preset, value as number));
const FIELDS = [
  ...under("sm", "fermi-16sm", BASE),
  ...under("sm.big", "hetero-8b8s", BIG),
  ...under("sm.small", "hetero-8b8s", SMALL),
  field("dram.mhz", "fermi-16sm", 924),
];
const shown = (preset: string, gpu: Parameters<typeof changesOf>[0]): Record<string, unknown> =>
  Object.fromEntries(
    shownFields(FIELDS, preset, changesOf(gpu)).map(({ path, values }) => [
      path,
      changesOf(gpu)[path] ?? values[preset],
    ]),
  );
const names = (preset: string, gpu: Parameters<typeof changesOf>[0]): string[] =>
  classesOf(FIELDS, preset, changesOf(gpu)).map(({ name, own }) => `${name}${own ? "" : " added"}`);

test("a class is added with half of the first one's SMs, and removed again without a trace", () => {
  const two = withClass(FIELDS, "fermi-16sm", {}, "small");
  assert.deepEqual(two, { preset: "fermi-16sm", "sm.sm.count": 8, "sm.small.count": 8 });
  assert.deepEqual(names("fermi-16sm", two), ["sm", "small added"]);
  const all = shown("fermi-16sm", two);
  assert.deepEqual(
    [all["sm.sm.registers"], all["sm.small.registers"], all["sm.sm.count"], all["sm.registers"], all["dram.mhz"]],
    [32768, 32768, 8, undefined, 924],
  );
  assert.equal(withoutClass(FIELDS, "fermi-16sm", changesOf(two), "small"), "fermi-16sm");
  // What is changed of equal SMs holds for both; what is changed of one is lost with it.
  const changed = { preset: "fermi-16sm", "sm.count": 12, "sm.schedulers": 1, "dram.mhz": 900 },
    split = withClass(FIELDS, "fermi-16sm", changed, "small");
  assert.deepEqual(split, {
    preset: "fermi-16sm",
    "sm.sm.schedulers": 1,
    "sm.small.schedulers": 1,
    "dram.mhz": 900,
    "sm.sm.count": 6,
    "sm.small.count": 6,
  });
  assert.deepEqual(withoutClass(FIELDS, "fermi-16sm", { ...changesOf(split), "sm.small.registers": 4096 }, "small"), {
    preset: "fermi-16sm",
    "sm.schedulers": 1,
    "dram.mhz": 900,
    "sm.count": 12,
  });
  // Of a GPU that has classes, a third.
  const three = withClass(FIELDS, "hetero-8b8s", {}, "other");
  assert.deepEqual(three, { preset: "hetero-8b8s", "sm.big.count": 4, "sm.other.count": 4 });
  assert.equal(shown("hetero-8b8s", three)["sm.other.registers"], BIG.registers);
  assert.equal(withoutClass(FIELDS, "hetero-8b8s", changesOf(three), "other"), "hetero-8b8s");
  assert.deepEqual(withName(changesOf(three), "other", "odd"), {
    preset: "hetero-8b8s",
    "sm.big.count": 4,
    "sm.odd.count": 4,
  });
  assert.deepEqual(["big-2", "", "l1", "a b", "sm.x"].map(isClassName), [true, false, false, false, false]);
});

test("what all SMs hold, beside 16 baseline SMs; a class that is filled up takes what the others leave", () => {
  const want = [524288, 768, 24576, 768, 128];
  assert.deepEqual([storageOf(FIELDS, "fermi-16sm", {}), storageOf(FIELDS, "hetero-8b8s", {})], [want, want]);
  assert.deepEqual([baselineOf(FIELDS, "fermi-16sm"), baselineOf(FIELDS, "hetero-8b8s")], ["fermi-16sm", "fermi-16sm"]);
  // The sizes of 4B/12S and 12B/4S that the paper prints follow from small SMs.
  const split = (big: number) => ({ "sm.big.count": big, "sm.small.count": 16 - big }),
    of = (big: number) => changesOf(withFilled(FIELDS, "hetero-8b8s", split(big), "big"));
  const sizes = (big: number): unknown[] =>
    ["registers", "shared_bytes", "threads", "ctas"].map((rest) => of(big)[`sm.big.${rest}`]);
  assert.deepEqual(sizes(4), [81920, 96 * 1024, 3840, 14]);
  assert.deepEqual(sizes(12), [38229, 53 * 1024, 1792, 8]);
  assert.deepEqual(storageOf(FIELDS, "hetero-8b8s", of(4)), want);
  assert.deepEqual(
    storageOf(FIELDS, "hetero-8b8s", of(12)).map((value, i) => besideText(value, want[i] as number)),
    ["−4", "−0.5 %", "equal", "equal", "−6.3 %"],
  );
  // Eight and eight are what the preset is.
  assert.deepEqual(
    withFilled(FIELDS, "hetero-8b8s", { preset: "hetero-8b8s", "sm.big.registers": 1024 }, "big"),
    "hetero-8b8s",
  );
  // The others may leave nothing.
  assert.equal(
    changesOf(withFilled(FIELDS, "hetero-8b8s", { "sm.small.registers": 1048576 }, "big"))["sm.big.registers"],
    1,
  );
});

test("of a class without SMs the form keeps their number alone", () => {
  const gone = { preset: "hetero-8b8s", "sm.small.count": 0 },
    paths = Object.keys(shown("hetero-8b8s", gone));
  assert.deepEqual(
    [emptyClasses(FIELDS, "hetero-8b8s", gone), emptyClasses(FIELDS, "hetero-8b8s", {})],
    [["small"], []],
  );
  assert.deepEqual(
    paths.filter((path) => path.startsWith("sm.small.")),
    ["sm.small.count"],
  );
  assert.equal(paths.filter((path) => path.startsWith("sm.big.")).length, Object.keys(BIG).length);
  // What is changed of it is still there to be taken back, and added classes are as the preset's.
  assert.ok("sm.small.registers" in shown("hetero-8b8s", { ...gone, "sm.small.registers": 4096 }));
  const added = Object.keys(shown("fermi-16sm", { preset: "fermi-16sm", "sm.sm.count": 16, "sm.small.count": 0 }));
  assert.deepEqual(
    added.filter((path) => path.startsWith("sm.small.")),
    ["sm.small.count"],
  );
  // The others hold what there is.
  assert.deepEqual(storageOf(FIELDS, "hetero-8b8s", gone), [8 * BIG.registers, 8 * 64, 8 * BIG.threads, 8 * 72, 80]);
});

test("a preset that is none has no field, whatever it is called", () => {
  for (const preset of ["nosuch", "constructor", "toString", "__proto__"]) {
    assert.deepEqual(classesOf(FIELDS, preset, {}), [], preset);
    assert.deepEqual(shownFields(FIELDS, preset, {}), [], preset);
  }
});

test("a class may be called what every object has", () => {
  const two = withClass(FIELDS, "fermi-16sm", {}, "constructor");
  assert.deepEqual(names("fermi-16sm", two), ["sm", "constructor added"]);
  assert.equal(shown("fermi-16sm", two)["sm.constructor.registers"], 32768);
  assert.equal(withoutClass(FIELDS, "fermi-16sm", changesOf(two), "constructor"), "fermi-16sm");
});
