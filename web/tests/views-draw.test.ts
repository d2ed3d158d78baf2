// Drawings: numbers on axes, SVG that parses, patterns that differ, text inside a PNG.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawing, fitText, patternTile, textWidth } from "../src/picture/drawing.ts";
import { crc32, withText } from "../src/picture/png.ts";
import { figure, niceMax, niceStep, percent, short, ticks, whole } from "../src/model/scale.ts";
import { escapeXml, toSvg } from "../src/picture/svg.ts";
import { kernelPaint, LIGHT } from "../src/picture/theme.ts";
import { KERNEL_STYLES } from "../src/parts/palette.ts";
import { framed } from "../src/picture/framed.ts";

test("ticks are round numbers inside the range", () => {
  assert.deepEqual(ticks(0, 100, 5), [0, 20, 40, 60, 80, 100]);
  assert.deepEqual(ticks(0, 0.3, 3), [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(ticks(1234, 5678, 4), [2000, 4000]);
  assert.deepEqual(ticks(5, 5, 4), []);
  assert.deepEqual(ticks(0, NaN, 4), []);
  for (let i = 0; i < 200; i++) {
    const from = i * 7.3,
      to = from + 1 + i * i;
    const t = ticks(from, to, 6);
    assert.ok(t.length <= 7 && t.every((v) => v >= from - 1e-6 && v <= to + 1e-6), `${from} ${to}: ${t.join()}`);
  }
});

test("axis ends hold their value", () => {
  assert.equal(niceStep(0.21), 0.5);
  for (const v of [0.003, 1, 7, 99, 100, 101, 12_345])
    assert.ok(niceMax(v) >= v && niceMax(v) <= v * 2.5, `${v}: ${niceMax(v)}`);
  assert.equal(niceMax(0), 1);
  assert.equal(niceMax(NaN), 1);
});

test("numbers read well, and no data is a dash", () => {
  assert.deepEqual([0, 0.01234, 1.234, 12.34, 123.4, 12345.6, NaN].map(figure), [
    "0",
    "0.012",
    "1.23",
    "12.3",
    "123",
    "12,346",
    "–",
  ]);
  assert.deepEqual([0, 950, 1500, 2_500_000, 1e9].map(short), ["0", "950", "1.5k", "2.5M", "1G"]);
  assert.deepEqual([percent(1, 2), percent(1, 1000), percent(0, 5), percent(1, 0)], ["50 %", "<1 %", "0 %", "–"]);
  assert.equal(whole(1234567), "1,234,567");
});

test("each of sixteen kernels has a colour with a pattern and a number of its own, and eight in a row no pattern twice", () => {
  const different = (of: (s: (typeof KERNEL_STYLES)[number]) => string, from = 0, to = 16): number =>
    new Set(KERNEL_STYLES.slice(from, to).map(of)).size;
  assert.equal(KERNEL_STYLES.length, 16);
  for (const [from, to] of [
    [0, 8],
    [8, 16],
  ] as const)
    assert.equal(
      different((s) => JSON.stringify(patternTile(s.pattern)), from, to),
      8,
    );
  assert.equal(
    different((s) => `${s.light} ${s.pattern}`),
    16,
  );
  assert.equal(
    different((s) => `${s.dark} ${s.pattern}`),
    16,
  );
  assert.equal(
    different((s) => s.number),
    16,
  );
});

test("text is shortened until it fits", () => {
  assert.equal(fitText("Registers", 12, 200), "Registers");
  const cut = fitText("Registers", 12, 40);
  assert.ok(cut.endsWith("…") && textWidth(cut, 12) <= 40, cut);
  assert.equal(fitText("Registers", 12, 3), "");
  // Uses of one kernel differ by their number, which stays.
  assert.match(fitText("MATVEC #10 IPC", 11, 90), /^M\w*… #10 IPC$/);
  assert.match(fitText("MATVEC #10", 11, 52), /^M\w*… #10$/);
  assert.match(fitText("MATVEC #10", 11, 30), /^M\w*…$/);
});

/** A small check that tags nest and attributes are quoted: what an XML parser would refuse. */
function wellFormed(svg: string): void {
  const open: string[] = [];
  const body = svg.replace(/^<\?xml[^>]*\?>\n/, "");
  let rest = body.replace(
    /<(\/?)([a-z]+)((?:\s+[a-zA-Z:-]+="[^"<]*")*)\s*(\/?)>/g,
    (_, close: string, name: string, _attributes: string, self: string) => {
      if (close) assert.equal(open.pop(), name);
      else if (!self) open.push(name);
      return "";
    },
  );
  assert.deepEqual(open, []);
  rest = rest.replace(/&(amp|lt|gt|quot);/g, "");
  assert.ok(!/[<>&]/.test(rest), rest.slice(0, 200));
}

test("SVG is well formed, whatever the names, and holds each shape once", () => {
  const d = new Drawing(200, 100, "#fff", LIGHT.font, LIGHT.mono);
  d.rect(1, 2, 3, 4, { fill: kernelPaint(1, LIGHT), stroke: "red", radius: 2 });
  d.rect(5, 2, 3, 4, { fill: kernelPaint(1, LIGHT) });
  d.rect(5, 2, 0, 4, { fill: "red" });
  d.line(0, 0, 10.123456, 10, "#000", 1, [2, 3]);
  d.path([0, 0, 1, 1, 2, 0], { closed: true, fill: kernelPaint(2, LIGHT), opacity: 0.5 });
  d.text(4, 4, `<script>"&' \u0007`, "#123", 12, { rotate: -90, halo: "#fff" });
  const svg = toSvg(d, { title: "A & B <x>", description: "d", metadata: { config: '</metadata>"' } });
  wellFormed(svg);
  assert.equal(svg.match(/<pattern /g)?.length, 2);
  assert.equal(svg.match(/url\(#corun-diagonal-0\)/g)?.length, 2);
  assert.ok(svg.includes("&lt;script&gt;") && !svg.includes("\u0007"));
  assert.ok(svg.includes("10.12 10"));
  assert.equal(escapeXml('a<b>"c"&'), "a&lt;b&gt;&quot;c&quot;&amp;");
});

test("text goes into a PNG as a chunk with a right checksum, before the picture", () => {
  assert.equal(crc32(new TextEncoder().encode("IEND")), 0xae426082);
  const png = new Uint8Array(33 + 12);
  png.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
  png.set(new TextEncoder().encode("IHDR"), 12);
  png.set(new TextEncoder().encode("IEND"), 37);
  const out = withText(png, { Corun: "config é" });
  const view = new DataView(out.buffer);
  assert.equal(new TextDecoder().decode(out.subarray(37, 41)), "iTXt");
  const length = view.getUint32(33);
  assert.equal(view.getUint32(33 + 8 + length), crc32(out.subarray(37, 41 + length)));
  assert.ok(new TextDecoder().decode(out.subarray(41, 41 + length)).endsWith("config é"));
  assert.equal(new TextDecoder().decode(out.subarray(out.length - 8, out.length - 4)), "IEND");
  const other = Uint8Array.of(1, 2, 3);
  assert.equal(withText(other, { a: "b" }), other);
});

test("a picture leaves the page under a heading and a legend, as well formed SVG", () => {
  const drawing = new Drawing(300, 100, "#fff", "sans-serif", "monospace");
  drawing.rect(10, 10, 20, 20, { fill: kernelPaint(1, LIGHT) });
  const out = framed(
    drawing,
    { title: "a < b", legend: [{ name: "k0", paint: kernelPaint(0, LIGHT) }, { name: "words" }], stamp: "Corun" },
    LIGHT,
  );
  assert.deepEqual(
    out.shapes.flatMap((shape) => (shape.kind === "text" ? [shape.text] : [])),
    ["a < b", "k0", "words", "Corun"],
  );
  assert.ok(out.height > drawing.height);
  wellFormed(toSvg(out, { title: "", description: "" }));
});
