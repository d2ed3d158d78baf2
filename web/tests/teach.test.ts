import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { withText } from "../src/picture/png.ts";
import { toSvg } from "../src/picture/svg.ts";
import { corunBibtex } from "../src/teach/cite.ts";
import { hidden } from "../src/teach/embed.tsx";
import { readInline, readMarkdown, without } from "../src/model/markdown.ts";
import { isPicture, linkIn } from "../src/teach/reopen.ts";
import { presets, presetsOf, shortTitle, titleOf, withPreset, type Preset, type Shape } from "../src/model/vendors.ts";
import { endWarnings, setupWarnings } from "../src/teach/warnings.ts";
import type { Experiment, PolicyChoice, Result } from "../src/model/types.ts";
import { VENDORS } from "./vendors.ts";

const HASH = "#v=1&gpu=tiny-2sm&mix=BP+CFD&policy=even&seed=1&c=500";
const STAMP = { engine: "0", config: "c", seed: 1, cycle: 500, link: `https://somewhere.else/corun/${HASH}` };
const file = (content: string | Uint8Array, name: string): File => new File([content as BlobPart], name);

test("a file that the page saved has its run in it, whatever kind it is", async () => {
  const header = new Uint8Array(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  new DataView(header.buffer).setUint32(8, 13);
  const png = withText(header, { Title: "T “ü”", "Corun stamp": JSON.stringify(STAMP) });
  assert.equal(await linkIn(file(png, "a.png")), HASH);
  const svg = toSvg(
    { width: 1, height: 1, shapes: [], background: "#fff", font: "x", mono: "x" } as unknown as Parameters<
      typeof toSvg
    >[0],
    { title: "<t>", description: "d", metadata: STAMP },
  );
  assert.equal(await linkIn(file(svg, "a.svg")), HASH);
  assert.equal(await linkIn(file(JSON.stringify({ title: "t", stamp: STAMP, rows: [] }), "table.json")), HASH);
  assert.equal(await linkIn(file(JSON.stringify({ corun: 1, kernels: [], link: STAMP.link }), "result.json")), HASH);
  // An experiment has no link, and neither have pictures of others, or damaged ones.
  const damaged = png.slice();
  damaged[png.length - 10] = (damaged[png.length - 10] as number) ^ 1;
  for (const [content, name] of [
    ['{"corun":1,"kernels":["BP"]}', "e.json"],
    ["<svg><metadata>no</metadata></svg>", "b.svg"],
    ["no", "c.txt"],
    [header, "d.png"],
    [damaged, "e.png"],
    [png.slice(0, 60), "f.png"],
    ['{"link":"https://x/"}', "g.json"],
    ["null", "h.json"],
    [`${'{"stamp":'.repeat(100_000)}1${"}".repeat(100_000)}`, "i.json"],
  ] as const) {
    assert.equal(await linkIn(file(content, name)), null, name);
  }
  assert.deepEqual(
    ["a.png", "b.SVG", "c.json"].map((name) => isPicture(file("", name))),
    [true, true, false],
  );
});

test("a frame hides panels by their names, and what every object has is no panel", () => {
  const none = ["constructor", "__proto__", "toString", "flowers"];
  const { rules, known, unknown } = hidden(new URLSearchParams({ hide: ` gpu, ${none.join()},gpu,why,` }), [
    { id: "why" },
    { id: "numbers" },
  ]);
  assert.deepEqual([...rules.keys()], ["gpu", "why"]);
  assert.deepEqual(unknown, none);
  assert.ok(known.includes("numbers") && known.includes("schemes"));
});

test("every page of docs/reference/schemes is read whole, with its BibTeX apart", () => {
  const folder = new URL("../../../../docs/reference/schemes/", import.meta.url);
  const pages = readdirSync(folder).filter((name) => name !== "README.md");
  assert.ok(pages.length > 12);
  for (const name of pages) {
    const blocks = readMarkdown(readFileSync(new URL(name, folder), "utf8"));
    assert.equal(blocks[0]?.kind, "heading", name);
    for (const block of blocks) {
      if (block.kind === "table")
        for (const row of block.rows)
          assert.equal(row.length, block.head.length, `${name}: a row of ${row.length} cells: ${JSON.stringify(row)}`);
      if (block.kind === "paragraph")
        assert.ok(
          !block.text.some((part) => part.kind === "text" && /^\||\]\(|\*\*/.test(part.text)),
          `${name}: ${JSON.stringify(block.text)}`,
        );
    }
    const { rest, code } = without(blocks, "Cite");
    assert.ok(
      rest.length < blocks.length
        ? code.every((entry) => /^@\w+\{\w+,\n/.test(entry)) && code.length > 0
        : code.length === 0,
      name,
    );
  }
});

test("lines of Markdown", () => {
  assert.deepEqual(readInline("A **b** and *c*, `d*e*`, [f](g.md)."), [
    { kind: "text", text: "A " },
    { kind: "bold", text: "b" },
    { kind: "text", text: " and " },
    { kind: "italic", text: "c" },
    { kind: "text", text: ", " },
    { kind: "code", text: "d*e*" },
    { kind: "text", text: ", " },
    { kind: "link", text: "f", to: "g.md" },
    { kind: "text", text: "." },
  ]);
  assert.deepEqual(readInline("2 * 3 * 4"), [{ kind: "text", text: "2 * 3 * 4" }]);
  const { rest, code } = without(readMarkdown("# T\n\n## Cite\n\n```bibtex\nx\n```\n\n## After\n\np\n"), "Cite");
  assert.deepEqual([rest.map((block) => block.kind), code], [["heading", "heading", "paragraph"], ["x"]]);
});

test("Corun's BibTeX is what CITATION.cff says", () => {
  const cff = readFileSync(new URL("../../../../CITATION.cff", import.meta.url), "utf8");
  const text = corunBibtex(cff, "0.1.0-12345678");
  assert.match(text, /title {3}= \{\{Corun: one GPU, several kernels, [^}]+\}\}/);
  assert.match(text, /author {2}= \{\{The Corun authors\}\}/);
  assert.match(text, /Engine 0\.1\.0-12345678/);
});

const A100: Shape = { gpu: "a100-40gb", sms: 108, channels: 40, coreMhz: 1410, vendors: VENDORS };
const H100: Shape = { gpu: "h100-sxm5", sms: 132, channels: 80, coreMhz: 1980, vendors: VENDORS };
const SMALL: Shape = { gpu: "ccbp-16sm", sms: 16, channels: 16, coreMhz: 1800, vendors: VENDORS };
const titled = (kernels: number, shape: Shape, title: RegExp): Record<string, unknown> => {
  const found = presets(kernels, shape).filter((one) => title.test(one.title));
  assert.equal(found.length, 1, `${title} is ${found.length} presets`);
  return (found[0] as { policy: Record<string, unknown> }).policy;
};

test("vendors' words become the settings that they publish", () => {
  assert.deepEqual(titled(4, A100, /as the manual advises/), { name: "mps", percentage: [50, 50, 50, 50] });
  assert.deepEqual(titled(3, A100, /uniform/), { name: "mps", percentage: [33.3, 33.3, 33.3] });
  assert.deepEqual(titled(2, A100, /^3g\.20gb each/), { name: "mig", profiles: ["3g.20gb", "3g.20gb"] });
  assert.deepEqual(titled(2, H100, /^4g\.40gb \+ 3g\.40gb/), { name: "mig", profiles: ["4g.40gb", "3g.40gb"] });
  assert.deepEqual(titled(7, H100, /^1g\.10gb each/), {
    name: "mig",
    profiles: Array(7).fill("1g.10gb"),
  });
  assert.deepEqual(titled(2, H100, /in chunks of 8/), { name: "spatial", split: [64, 64] });
  assert.deepEqual(titled(2, H100, /: the least/), { name: "green-context", sms: [120, 8] });
  assert.deepEqual(titled(2, A100, /^2 ms/), { name: "time-slice", slice_ms: 2 });
  assert.deepEqual(titled(3, A100, /^−5 for the last/), { name: "priority", level: [0, 0, -5] });
  // No parts are more than the GPU has, and each kernel has one.
  for (const shape of [A100, H100])
    for (let n = 1; n <= 16; n += 1)
      for (const { policy } of presets(n, shape)) {
        const sum = (key: string): number => ((policy[key] ?? []) as number[]).reduce((all, one) => all + one, 0);
        assert.ok(sum("split") <= shape.sms && sum("sms") <= shape.sms, JSON.stringify(policy));
        for (const key of ["split", "sms", "profiles", "percentage", "level"])
          if (policy[key] !== undefined) assert.equal((policy[key] as number[]).length, n);
      }
});

test("a scheme is called as in its results, by the vendor's words", () => {
  const title = (policy: PolicyChoice): string | null => titleOf(VENDORS.words, policy, 2);
  assert.equal(title({ name: "mig", profiles: ["3g.20gb", "4g.20gb"] }), "MIG 3g.20gb + 4g.20gb");
  assert.equal(title({ name: "mps", percentage: [50, 50] }), "MPS 50 % each");
  assert.equal(title({ name: "mps", percentage: 50 }), "MPS 50 % each");
  assert.equal(title({ name: "green-context", sms: [96, 32] }), "Green contexts 96 + 32 SMs");
  assert.equal(title({ name: "time-slice", slice: 100_000 }), "Time slicing 100,000 cycles");
  assert.equal(title({ name: "mig" }), null);
  assert.equal(title({ name: "spatial", split: [8, 8] }), null);
});

test("a preset is known again by what it set, and MIG brings its GPU", () => {
  const experiment = (policy: Experiment["policy"]): Experiment => ({
    corun: 1,
    gpu: "a100-40gb",
    kernels: ["BP", "CFD"],
    ...(policy === undefined ? {} : { policy }),
  });
  assert.deepEqual(
    presetsOf(experiment({ name: "spatial", split: [54, 54] }), A100).map((one) => one.group),
    ["MPS, static SM partitions"],
  );
  assert.deepEqual(
    presetsOf(experiment({ name: "mig", profiles: "3g.20gb" }), A100).map((one) => one.title),
    ["3g.20gb each"],
  );
  assert.deepEqual(presetsOf(experiment({ name: "even" }), A100), []);
  const small = SMALL;
  const mig = presets(2, small).filter((one) => one.group.startsWith("MIG"));
  assert.ok(mig.length > 3 && mig.every((one) => one.gpu === "a100-40gb"));
  assert.ok(
    presets(2, small)
      .filter((one) => !one.group.startsWith("MIG"))
      .every((one) => one.gpu === undefined),
  );
  // What every object has is no GPU with MIG.
  assert.deepEqual(presets(2, { ...small, gpu: "constructor" }), presets(2, { ...small, gpu: "nosuch" }));
});

test("a preset brings its GPU, and a run that is long enough for its turns", () => {
  const experiment: Experiment = { corun: 1, gpu: "ccbp-16sm", kernels: ["BP", "CFD"], stop: { cycles: 500_000 } };
  const of = (title: string): Experiment => {
    const found = presets(2, SMALL).filter((one) => shortTitle(one) === title);
    assert.equal(found.length, 1, `${title} is ${found.length} presets`);
    return withPreset(experiment, found[0] as Preset);
  };
  assert.deepEqual(of("Time slicing 2 ms").stop, { cycles: 4 * 3_600_000 });
  assert.deepEqual(of("Time slicing 100,000 cycles").stop, experiment.stop);
  const { gpu, policy } = of("MIG 3g.20gb each");
  assert.deepEqual([gpu, (policy as PolicyChoice)["profiles"]], ["a100-40gb", ["3g.20gb", "3g.20gb"]]);
  assert.deepEqual(of("MPS 50 % each").gpu, "ccbp-16sm");
});

test("the words of one GPU and mix are told apart by few", () => {
  for (const shape of [A100, H100, { ...SMALL, gpu: "tiny-2sm", sms: 2, channels: 2 }])
    for (let n = 1; n <= 16; n += 1) {
      const titles = presets(n, shape).map(shortTitle);
      assert.equal(new Set(titles).size, titles.length, titles.join(", "));
    }
});

test("what a run cannot show is said in words", () => {
  const explained = {
    kernels: [
      {
        name: "BP",
        occupancy: [
          { launch: 0, sm_class: "sm", ctas_per_sm: 8, ctas: 100 },
          { launch: 1, sm_class: "sm", ctas_per_sm: 8, ctas: 10 },
        ],
      },
      { name: "CFD", occupancy: [{ launch: 0, sm_class: "sm", ctas_per_sm: 4, ctas: 64 }] },
    ],
  };
  const normal = (more: Record<string, unknown>): Experiment =>
    ({
      corun: 1,
      kernels: ["BP", "CFD"],
      gpu: { preset: "x", "sm.count": 16 },
      stop: { cycles: 1000 },
      ...more,
    }) as unknown as Experiment;
  assert.deepEqual(setupWarnings(normal({}), explained), [
    "BP has few CTAs for this GPU: 10 in each of its launches, at the least, where 128 fit. So 6 of the 16 SMs get none of them.",
  ]);
  const fewer = {
    kernels: [
      {
        name: "CFD",
        occupancy: [
          { launch: 0, sm_class: "big", ctas_per_sm: 4, ctas: 40 },
          { launch: 0, sm_class: "small", ctas_per_sm: 2, ctas: 40 },
        ],
      },
    ],
  };
  const classes = { gpu: { preset: "x", "sm.big.count": 8, "sm.small.count": 8 } };
  assert.deepEqual(setupWarnings(normal(classes), fewer), [
    "CFD has few CTAs for this GPU: 40, where 48 fit. So it cannot fill the GPU even alone.",
  ]);
  assert.deepEqual(setupWarnings(normal({ warm_up: 5000 }), { kernels: [] }), [
    "The warm-up is longer than the run: 5,000 cycles pass before the 1,000 that are measured.",
  ]);
  assert.deepEqual(setupWarnings(normal({ warm_up: 1000 }), { kernels: [] }), []);
  const slip = {
    kernels: [],
    warnings: [
      {
        path: "kernels[0].qos",
        found: "a goal for BP, which policy even does not know",
        want: "a policy that keeps goals, or none",
      },
    ],
  };
  assert.deepEqual(setupWarnings(normal({}), slip), [
    "Kernel 1: goal: found a goal for BP, which policy even does not know. Wanted is a policy that keeps goals, or none.",
  ]);
  const result = {
    cycles: 1000,
    kernels: [
      { runs_done: 0, ctas_done: 100 },
      { runs_done: 0, ctas_done: 63 },
    ],
  } as unknown as Result;
  assert.deepEqual(endWarnings(normal({}), explained, result), [
    "CFD never reached its second launch: 63 of the 64 CTAs of its first were done at cycle 1,000. What it does from then on is not in these numbers; let it run longer.",
  ]);
});
