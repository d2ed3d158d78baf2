// The form without its page: fields by their paths, policies in turn, and JSON as it is typed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decodeLink, encodeLink } from "../src/model/link.ts";
import { fieldOf, plainFields, stopFields } from "../src/make/fields.ts";
import { GALLERY } from "../src/make/gallery.ts";
import { mostOf } from "../src/model/shape.ts";
import { brokenAt, jsonError } from "../src/model/file.ts";
import { jsonMarks, jsonNames, jsonSays, scan } from "../src/make/json.ts";
import { FormState, placed, type EditorEvents } from "../src/make/state.ts";
import type { Catalogue, Experiment, PolicyParam } from "../src/model/types.ts";
import { CONTROLS } from "./controls.ts";

type RecordField = Catalogue["records"][number]["fields"][number];
const field = (name: string, kind: string, more: object = {}): RecordField =>
  ({ name, kind, unit: "", doc: `What ${name} is`, required: false, default: null, ...more }) as RecordField;
const param = (name: string, kind: PolicyParam["kind"], more: Partial<PolicyParam> = {}): PolicyParam => ({
  name,
  kind,
  unit: "",
  doc: `What ${name} is`,
  required: false,
  default: null,
  ...more,
});
const policy = (name: string, params: PolicyParam[]): Catalogue["policies"][number] => ({
  name,
  title: name.toUpperCase(),
  doc: "",
  source: "",
  keeps_goals: false,
  params,
});
const CATALOGUE = {
  gpus: [
    { name: "tiny", title: "", doc: "", source: "" },
    { name: "big", title: "", doc: "", source: "" },
  ],
  gpu_fields: [
    { path: "sm.count", unit: "SMs", doc: "SMs", kind: "int", min: 0, max: 256, values: { tiny: 2, big: 16 } },
    {
      path: "l2.policy",
      unit: "",
      doc: "Who leaves",
      kind: "choice",
      choices: ["lru", "plru"],
      values: { tiny: "lru" },
    },
  ],
  kernels: [{ name: "ccbp/BP" }, { name: "ccbp/CFD" }],
  policies: [
    policy("even", []),
    policy("ws", [
      param("window", "int", { min: 1, default: 5000, unit: "cycles" }),
      param("combination", "per_kernel_int", { min: 1, max: 64 }),
      param("curves", "per_kernel_list"),
    ]),
    policy("ucp", [param("sampled", "bool", { default: true })]),
    policy("time-slice", [
      param("timeslice", "choice", { choices: ["short", "long"], default: "short, if `slice` says nothing" }),
    ]),
    policy("manual", [param("controls", "record")]),
  ],
  controls: CONTROLS,
  warp_orders: [{ name: "lrr", doc: "Round robin" }],
  cta_orders: [{ name: "round-robin", doc: "", source: "", params: [] }],
  metrics: [],
  records: [
    {
      name: "Experiment",
      doc: "",
      rules: [],
      fields: [
        field("corun", "int"),
        field("seed", "int", { min: 0, default: 1 }),
        field("policy", "forms", { of: [{ kind: "entry" }, { kind: "list", min: 1, max: 4 }] }),
        field("warm_up", "int", { default: 0, unit: "cycles" }),
        field("scale", "choice", { default: "1", choices: ["1", "1/2", "1/4"] }),
        field("restart", "bool", { default: true }),
      ],
    },
    {
      name: "KernelUse",
      doc: "",
      rules: [],
      fields: [
        field("ctas_per_sm", "forms", {
          of: [
            { kind: "int", min: 1, max: 64 },
            { kind: "map", of: { kind: "int" } },
          ],
        }),
        field("qos", "forms", {
          of: [{ kind: "number" }, { kind: "one", fields: [field("of_alone", "number", { min: 0.001, max: 1 })] }],
        }),
        field("launches", "int", { min: 1 }),
      ],
    },
    { name: "StopAfter", doc: "", rules: [], fields: [field("cycles", "int", { min: 1 })] },
    {
      name: "Kernel",
      doc: "",
      rules: [],
      fields: [field("name", "text"), field("launches", "list", { of: { kind: "record", of: "Launch" } })],
    },
    {
      name: "Launch",
      doc: "",
      rules: [],
      fields: [
        field("threads", "int", { unit: "threads", min: 1, max: 2048 }),
        field("program", "list", {
          of: {
            kind: "forms",
            of: [
              { kind: "choice", choices: ["barrier"] },
              { kind: "one", fields: [field("alu", "record", { of: "Alu" })] },
            ],
          },
        }),
      ],
    },
    { name: "GpuChange", doc: "", rules: [], fields: [field("preset", "name", { of: "a preset" })] },
  ],
} as unknown as Catalogue;

/** A form, and the experiments that it has told of. */
function form(experiment: Partial<Experiment>): { state: FormState; told: Experiment[] } {
  const told: Experiment[] = [];
  const state = new FormState(CATALOGUE, { change: (next: Experiment) => told.push(next) } as unknown as EditorEvents);
  state.show({ corun: 1, gpu: "tiny", kernels: ["BP", "CFD"], ...experiment });
  return { state, told };
}

test("a field is what the catalogue says of its path, and sets what the path names", () => {
  const { state, told } = form({ policy: "ws" });
  const put = (path: string, value: unknown): Experiment => {
    fieldOf(state, path).put(value);
    return told.at(-1) as Experiment;
  };
  const { kind, label, unit, none, min } = fieldOf(state, "policy.window");
  assert.deepEqual([kind, label, unit, none, min], ["int", "Window of a measurement", "cycles", 5000, 1]);
  assert.deepEqual(put("policy.window", 7).policy, { name: "ws", window: 7 });
  assert.deepEqual(put("policy.window", undefined).policy, { name: "ws" });
  assert.deepEqual(put("gpu.sm.count", 4).gpu, { preset: "tiny", "sm.count": 4 });
  assert.equal(put("gpu.sm.count", 2).gpu, "tiny", "what the preset has is not said again");
  assert.equal(fieldOf(state, "gpu.sm.count").unit, "", "SMs in SMs");
  assert.deepEqual(put("kernels.1.ctas_per_sm", 3).kernels, ["BP", { kernel: "CFD", ctas_per_sm: 3 }]);
  assert.deepEqual(put("kernels.0.launches", 2).kernels[0], { kernel: "BP", launches: 2 });
  assert.equal(put("kernels.0.launches", undefined).kernels[0], "BP");
  assert.deepEqual(put("kernels.0.qos", "percent").kernels[0], { kernel: "BP", qos: 0.8 });
  const goal = fieldOf(state, "kernels.0.goal");
  assert.deepEqual([goal.min, goal.max, goal.value, goal.slider?.placeOf(80)], [0.1, 100, 80, 80]);
  assert.equal(put("restart", false)["restart"], false);
  assert.deepEqual(put("stop.cycles", 500).stop, { cycles: 500 });
  assert.deepEqual(put("stop", "settled").stop, { settled: 0.01, at_most: 500 });
  assert.deepEqual(stopFields(state), ["stop", "stop.settled", "stop.at_most"]);
  assert.deepEqual(plainFields(CATALOGUE, "Experiment", ["corun", "seed"]), ["warm_up", "scale", "restart"]);
  const scale = fieldOf(state, "scale");
  assert.deepEqual(
    [scale.kind, scale.none, scale.options?.map(({ value }) => value)],
    ["choice", "1", ["1", "1/2", "1/4"]],
  );
  assert.equal(put("scale", "1/4")["scale"], "1/4");
});

test("a choice that is left out for none of its values has an entry for that, to which one can come back", () => {
  const { state, told } = form({ policy: { name: "time-slice", timeslice: "long" } });
  const length = fieldOf(state, "policy.timeslice"),
    [left] = length.options ?? [];
  assert.equal(left?.text, "Short, if slice says nothing");
  assert.equal(left?.value, length.none, "which is what the form takes away");
  length.put(undefined);
  assert.deepEqual((told.at(-1) as Experiment).policy, { name: "time-slice" });
});

test("a list by kernel is filled where one is set, and goes where none is", () => {
  const { state, told } = form({ policy: { name: "ws" } }),
    entry = (k: number, value: unknown): unknown => {
      fieldOf(state, `policy.combination.${k}`).put(value);
      return told.at(-1)?.policy;
    };
  assert.deepEqual(entry(1, 6), { name: "ws", combination: [1, 6] });
  entry(0, 3);
  assert.equal(fieldOf(state, "policy.combination.0").value, 3);
  entry(0, undefined);
  assert.deepEqual(entry(1, undefined), { name: "ws", combination: [1, 1] });
  fieldOf(state, "policy.curves.0").put([1, 2]);
  assert.deepEqual(told.at(-1)?.policy, { name: "ws", combination: [1, 1], curves: [[1, 2], []] });
});

test("a control of the manual policy has an entry for each kernel, or one for all SMs", () => {
  const { state, told } = form({ policy: { name: "manual" } });
  fieldOf(state, "policy.controls.cta_target.1").put(3);
  assert.deepEqual(told.at(-1)?.policy, { name: "manual", controls: { cta_target: [null, 3] } });
  fieldOf(state, "policy.controls.cta_target.1").put(undefined);
  assert.deepEqual(told.at(-1)?.policy, { name: "manual" });
  assert.equal(fieldOf(state, "policy.controls.sm_mask.0").max, 1, "SMs of this GPU");
});

test("policies in turn are set by themselves, travel in a link, and may be four", async () => {
  const { state, told } = form({ policy: ["ws", { name: "ucp" }] });
  assert.deepEqual([fieldOf(state, "policy.1.name").label, fieldOf(state, "policy.1.name").value], ["Policy 2", "ucp"]);
  fieldOf(state, "policy.1.sampled").put(false);
  assert.deepEqual(told.at(-1)?.policy, [{ name: "ws" }, { name: "ucp", sampled: false }]);
  fieldOf(state, "policy.0.name").put("even");
  assert.deepEqual(told.at(-1)?.policy, [{ name: "even" }, { name: "ucp", sampled: false }]);
  assert.equal(mostOf(CATALOGUE, "policy"), 4);
  const experiment = told.at(-1) as Experiment;
  assert.deepEqual((await decodeLink(await encodeLink({ experiment, view: {} })))?.experiment, experiment);
});

test("a problem is said at the field that its path leads to", () => {
  const problem = (path: string) => ({ path, found: "1", want: "2" });
  const at = placed(
    [problem("kernels[1].launches[0].threads"), problem("gpu.sm.count"), problem("nowhere")],
    ["kernels", "kernels.1", "gpu", "gpu.sm.count"],
  );
  assert.deepEqual(
    [...at],
    [
      ["kernels.1", ["launches.0.threads: found 1, want 2"]],
      ["gpu.sm.count", ["found 1, want 2"]],
    ],
  );
});

// ---------------------------------------------------------------- JSON

const TEXT = '{\n  "name": "x",\n  "launches": [\n    { "threads": 0, "program": ["barrier", { "al';

test("JSON is read as far as it goes", () => {
  const { places, open, text } = scan(TEXT);
  assert.deepEqual(
    places.map(({ path }) => path.join(".")),
    [
      "name",
      "launches",
      "launches.0",
      "launches.0.threads",
      "launches.0.program",
      "launches.0.program.0",
      "launches.0.program.1",
    ],
  );
  assert.equal(open.length, 5);
  assert.equal(text, TEXT.indexOf('"al'));
  for (let end = 0; end < TEXT.length; end += 1) scan(TEXT, end);
  for (const bad of ["", "}", "]]", '{"a" "b"', "[,,]", '"\\', "{:,}"]) scan(bad);
});

test("what can stand at a place in JSON", () => {
  const offered = (text: string, record = "Kernel"): string[] =>
    (jsonNames(text.replace("|", ""), text.indexOf("|"), CATALOGUE, record)?.options ?? []).map((one) => one.text);
  assert.deepEqual(offered("{ | }"), ['"name": ', '"launches": ']);
  assert.deepEqual(offered('{ "name": "x", "la|" }'), ['"launches']);
  assert.deepEqual(offered('{ "launches": [{ "program": [|] }] }'), ['"barrier"']);
  assert.deepEqual(offered('{ "launches": [{ "program": [{ "a|'), ['"alu": ']);
  assert.deepEqual(offered('{ "preset": "|" }', "GpuChange"), ['"tiny', '"big']);
  assert.deepEqual(offered('{ "preset": "tiny", "l2.policy": | }', "GpuChange"), ['"lru"', '"plru"']);
  assert.deepEqual(offered('{ "preset": "big", | }', "GpuChange"), ['"sm.count": ']);
  assert.deepEqual(offered('{ "name": "|'), []);
  assert.deepEqual(offered("|"), []);
});

test("what is said of a field of JSON, and where its problem stands", () => {
  const at = TEXT.indexOf('"threads"');
  assert.deepEqual(jsonSays(TEXT, at + 1, CATALOGUE, "Kernel"), {
    from: at,
    to: at + 9,
    doc: "What threads is. Unit: threads. From 1 to 2,048.",
  });
  assert.equal(jsonSays(TEXT, 0, CATALOGUE, "Kernel"), null);
  const problem = (path: string) => ({ path, found: "0", want: "1" });
  assert.deepEqual(jsonMarks(TEXT, [problem("kernels[0].launches[0].threads"), problem("seed")], "kernels.0"), [
    { from: at, to: at + 9, message: "found 0, want 1" },
  ]);
  assert.deepEqual(jsonMarks(TEXT, [problem("kernels[0].kernel.arrays")], "kernels.0"), [
    { from: 0, to: 1, message: "found 0, want 1" },
  ]);
  const gpu = '{ "preset": "tiny", "sm.count": 0 }';
  assert.equal(jsonMarks(gpu, [problem("gpu.sm.count")], "gpu")[0]?.from, gpu.indexOf('"sm'));
});

test("the gallery has examples that there are, and draws the kernels that they have", () => {
  assert.equal(new Set(GALLERY.map(({ example }) => example)).size, 8);
  for (const { example, mark } of GALLERY) {
    const file = new URL(`../../../../examples/experiments/${example}.json`, import.meta.url),
      { kernels } = JSON.parse(readFileSync(file, "utf8")) as Experiment;
    const drawn = new Set(mark.join("").replaceAll(".", ""));
    assert.deepEqual(
      [...drawn].sort(),
      kernels.map((_, k) => String(k)),
      example,
    );
    assert.equal(new Set(mark.map((row) => row.length)).size, 1, `${example}: every row has a place for each SM`);
  }
});

test("a text that is no JSON says the line and the column where it stops being one", () => {
  const said = (text: string): string => {
    try {
      JSON.parse(text);
    } catch (error) {
      return jsonError(error, text);
    }
    return `none, read to ${brokenAt(text)}`;
  };
  const good = JSON.stringify({ a: [1, -2.5e-3, [], {}], b: 'x\n"é', c: { d: null, e: [true, false] } }, null, 2);
  assert.equal(said(good), `none, read to ${good.length}`);
  const broken: [string, RegExp][] = [
    ['{\n  "a": 1,\n  "b": x\n}', /^line 3, column 8: Unexpected token 'x'$/],
    ['{\n  "a": [1, 2,]\n}', /^line 2, column 14: Unexpected token '\]'$/],
    ['{\n  "a": 1\n  "b": 2\n}', /^line 3, column 3: /],
    ['{"a": 1,}', /^line 1, column 9: /],
    ["{'a': 1}", /^line 1, column 2: /],
    ['{"a": 1]', /^line 1, column 8: /],
    ['{"a"\n 1}', /^line 2, column 2: /],
    ['{"a": "no end\n}', /^line 1, column 7: /],
    ['{"a": 01}', /^line 1, column 8: /],
    ["{} 1", /^line 1, column 4: /],
    ['{\n"a": ', /^line 2, column 6: Unexpected end of JSON input$/],
  ];
  for (const [text, want] of broken) assert.match(said(text), want);
  // However long the text is.
  assert.match(said(`[${"[1, 2], ".repeat(1e5)}x]`), /^line 1, column 800002: /);
});
