import assert from "node:assert/strict";
import { test } from "node:test";
import { withText } from "../src/draw/png.ts";
import { toSvg } from "../src/draw/svg.ts";
import { isPicture, linkIn } from "../src/teach/reopen.ts";

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
