// The pages that shared links lead to: what they say stands in the stored answers, and where they lead is the example.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { sharedHtml, sharedPages } from "../build/share.ts";
import { decodeLink } from "../src/model/link.ts";
import { mixKey } from "../src/model/stored.ts";
import type { Experiment } from "../src/model/types.ts";

const ROOT = new URL("../../../../", import.meta.url);

test("each example with stored answers has a page of its own", async () => {
  const pages = await sharedPages(ROOT);
  assert.ok(pages.length > 20);
  assert.equal(new Set(pages.map(({ hash }) => hash)).size, pages.length, "a run has one page");
  for (const { name, title, says, link } of pages) {
    assert.ok(title !== "" && says.endsWith("."), name);
    const linked = await decodeLink(link);
    if (name === "first") continue;
    const example = JSON.parse(readFileSync(new URL(`examples/experiments/${name}.json`, ROOT), "utf8")) as Experiment;
    assert.equal(mixKey(linked?.experiment ?? {}), mixKey(example));
    assert.deepEqual(linked?.experiment.policy, example.policy);
  }
  const first = pages.find(({ name }) => name === "first");
  assert.match(first?.hash ?? "", /^[0-9a-f]{16}\+[0-9a-f]{16}$/);
});

test("its picture is a PNG of the size that it says, with a colour for each kernel", async () => {
  const page = (await sharedPages(ROOT)).find(({ name }) => name === "four-kernels");
  const png = page?.png as Buffer;
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
  const at = png.indexOf("IDAT"),
    lines = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  assert.equal(lines.length, 1201 * 630);
  const used = new Set(lines);
  // The sheet, what is empty, the line, and a colour a kernel, three of them with stripes.
  assert.ok(used.size >= 3 + 4);
});

test("a page's picture has its whole address where that is known, and no title becomes markup", async () => {
  const [page] = await sharedPages(ROOT);
  assert.ok(page);
  assert.match(sharedHtml(page, ""), /og:image" content="\.\/first\.png"/);
  assert.match(
    sharedHtml(page, "https://your.host/corun/"),
    /content="https:\/\/your\.host\/corun\/share\/first\.png"/,
  );
  assert.ok(!sharedHtml({ ...page, title: "<script>" }, "").includes("<script>"));
});
