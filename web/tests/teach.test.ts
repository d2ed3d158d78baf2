import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { withText } from "../src/draw/png.ts";
import { toSvg } from "../src/draw/svg.ts";
import { corunBibtex } from "../src/teach/cite.ts";
import { readInline, readMarkdown, without } from "../src/teach/markdown.ts";
import { isPicture, linkIn } from "../src/teach/reopen.ts";
import { endWarnings, setupWarnings } from "../src/teach/warnings.ts";
import type { Experiment, Result } from "../src/types.ts";

const HASH = "#v=1&gpu=tiny-2sm&mix=BP+CFD&policy=even&seed=1&c=500";
const STAMP = { engine: "0", config: "c", seed: 1, cycle: 500, link: `https://somewhere.else/corun/${HASH}` };
const file = (content: string | Uint8Array, name: string): File => new File([content as BlobPart], name);

test("a file that the page saved has its run in it, whatever kind it is", async () => {
  const header = new Uint8Array(33);
  header.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  new DataView(header.buffer).setUint32(8, 13);
  const png = withText(header, { Title: "T “ü”", "Corun stamp": JSON.stringify(STAMP) });
  assert.equal(await linkIn(file(png, "a.png")), HASH);
  const svg = toSvg({ width: 1, height: 1, shapes: [], background: "#fff", font: "x", mono: "x" } as unknown as Parameters<typeof toSvg>[0], { title: "<t>", description: "d", metadata: STAMP });
  assert.equal(await linkIn(file(svg, "a.svg")), HASH);
  assert.equal(await linkIn(file(JSON.stringify({ title: "t", stamp: STAMP, rows: [] }), "table.json")), HASH);
  assert.equal(await linkIn(file(JSON.stringify({ corun: 1, kernels: [], link: STAMP.link }), "result.json")), HASH);
  // An experiment has no link, and neither have pictures of others, or damaged ones.
  const damaged = png.slice();
  damaged[png.length - 10] = (damaged[png.length - 10] as number) ^ 1;
  for (const [content, name] of [["{\"corun\":1,\"kernels\":[\"BP\"]}", "e.json"], ["<svg><metadata>no</metadata></svg>", "b.svg"], ["no", "c.txt"], [header, "d.png"], [damaged, "e.png"], [png.slice(0, 60), "f.png"], ["{\"link\":\"https://x/\"}", "g.json"], ["null", "h.json"]] as const) {
    assert.equal(await linkIn(file(content, name)), null, name);
  }
  assert.deepEqual(["a.png", "b.SVG", "c.json"].map((name) => isPicture(file("", name))), [true, true, false]);
});

test("every page of docs/schemes is read whole, with its BibTeX apart", () => {
  const folder = new URL("../../../../docs/schemes/", import.meta.url);
  const pages = readdirSync(folder).filter((name) => name !== "README.md");
  assert.ok(pages.length > 12);
  for (const name of pages) {
    const blocks = readMarkdown(readFileSync(new URL(name, folder), "utf8"));
    assert.equal(blocks[0]?.kind, "heading", name);
    for (const block of blocks) {
      if (block.kind === "table") for (const row of block.rows) assert.equal(row.length, block.head.length, `${name}: a row of ${row.length} cells: ${JSON.stringify(row)}`);
      if (block.kind === "paragraph") assert.ok(!block.text.some((part) => part.kind === "text" && /^\||\]\(|\*\*/.test(part.text)), `${name}: ${JSON.stringify(block.text)}`);
    }
    const { rest, code } = without(blocks, "Cite");
    assert.ok(rest.length < blocks.length ? code.every((entry) => /^@\w+\{\w+,\n/.test(entry)) && code.length > 0 : code.length === 0, name);
  }
});

test("lines of Markdown", () => {
  assert.deepEqual(readInline("A **b** and *c*, `d*e*`, [f](g.md)."), [
    { kind: "text", text: "A " }, { kind: "bold", text: "b" }, { kind: "text", text: " and " }, { kind: "italic", text: "c" }, { kind: "text", text: ", " },
    { kind: "code", text: "d*e*" }, { kind: "text", text: ", " }, { kind: "link", text: "f", to: "g.md" }, { kind: "text", text: "." }]);
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

test("what a run cannot show is said in words", () => {
  const explained = { kernels: [
    { name: "BP", occupancy: [{ launch: 0, sm_class: "sm", ctas_per_sm: 8, ctas: 100 }, { launch: 1, sm_class: "sm", ctas_per_sm: 8, ctas: 10 }] },
    { name: "CFD", occupancy: [{ launch: 0, sm_class: "sm", ctas_per_sm: 4, ctas: 64 }] },
  ] };
  const normal = (more: Record<string, unknown>): Experiment => ({ corun: 1, kernels: ["BP", "CFD"], gpu: { preset: "x", "sm.count": 16 }, stop: { cycles: 1000 }, ...more } as unknown as Experiment);
  assert.deepEqual(setupWarnings(normal({}), explained), ["BP has few CTAs for this GPU: 10 in each of its launches, at the least, where 128 fit. So 6 of the 16 SMs get none of them."]);
  const fewer = { kernels: [{ name: "CFD", occupancy: [{ launch: 0, sm_class: "big", ctas_per_sm: 4, ctas: 40 }, { launch: 0, sm_class: "small", ctas_per_sm: 2, ctas: 40 }] }] };
  const classes = { gpu: { preset: "x", "sm.big.count": 8, "sm.small.count": 8 } };
  assert.deepEqual(setupWarnings(normal(classes), fewer), ["CFD has few CTAs for this GPU: 40, where 48 fit. So it cannot fill the GPU even alone."]);
  assert.deepEqual(setupWarnings(normal({ warm_up: 5000 }), { kernels: [] }), ["The warm-up is longer than the run: 5,000 cycles pass before the 1,000 that are measured."]);
  assert.deepEqual(setupWarnings(normal({ warm_up: 1000 }), { kernels: [] }), []);
  const result = { cycles: 1000, kernels: [{ runs_done: 0, ctas_done: 100 }, { runs_done: 0, ctas_done: 63 }] } as unknown as Result;
  assert.deepEqual(endWarnings(normal({}), explained, result), ["CFD never reached its second launch: 63 of the 64 CTAs of its first were done at cycle 1,000. What it does from then on is not in these numbers; let it run longer."]);
});
