import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readGlossary, termId } from "../src/model/glossary.ts";
import { fakeLab, heard } from "./fake-lab.ts";
import { keyOf, Runs } from "../src/learn/runs.ts";
import { measure, type Engine, type Job, type Outcome } from "../src/engine/lab/measure.ts";
import { linear } from "../src/model/scale.ts";
import { Drawing } from "../src/picture/drawing.ts";
import { line } from "../src/picture/marks.ts";
import { STORIES } from "../src/learn/stories.ts";
import { shown } from "../src/learn/story.ts";
import type { Try } from "../src/learn/tries.ts";
import { decodeLink, encodeLink } from "../src/model/link.ts";
import { LIGHT } from "../src/picture/theme.ts";
import { readInline } from "../src/model/markdown.ts";

const GLOSSARY = readFileSync("../docs/glossary.md", "utf8");
const TRIES = JSON.parse(readFileSync("src/learn/tries.json", "utf8")) as Try[];
const words = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
const plain = (text: string): string =>
  readInline(shown(text))
    .map((part) => part.text)
    .join("");

test("six stories of at most 150 words, with a knob of at most nine positions", () => {
  assert.equal(STORIES.length, 6);
  for (const story of STORIES) {
    const count = words(story.text.map(plain).join(" "));
    assert.ok(count <= 150, `${story.id} has ${count} words`);
    assert.ok(story.knob.values.length <= 9, story.id);
    assert.ok(story.knob.first < story.knob.values.length, story.id);
  }
});

test("every term of the glossary is read, and stories link to terms that are there", () => {
  const terms = readGlossary(GLOSSARY),
    ids = terms.map((term) => term.id);
  assert.equal(terms.length, GLOSSARY.split("\n").filter((line) => line.startsWith("**")).length);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(termId("Little's law"), "term-littles-law");
  assert.equal(terms.find((term) => term.name === "CTA")?.means[0]?.text.startsWith("Cooperative thread array"), true);
  for (const story of STORIES)
    for (const part of story.text.map(shown).flatMap(readInline))
      if (part.kind === "link") assert.ok(ids.includes(part.to.slice(1)), `${story.id}: ${part.to}`);
});

test("links open what the figure has run, and A beside B where there are two", async () => {
  const opened = [
    ...STORIES.flatMap((story) => story.knob.values.map((value) => story.opens(value))),
    ...TRIES.map(({ experiment, other }) => (other ? { experiment, other } : { experiment })),
  ];
  for (const { experiment, other } of opened) {
    const back = await decodeLink(await encodeLink({ experiment, ...(other ? { other } : {}), view: {} }));
    assert.deepEqual(back?.experiment, experiment);
    assert.deepEqual(back?.other, other);
  }
  for (const story of STORIES)
    for (const value of story.knob.values) {
      const { experiment, other } = story.opens(value),
        ran = story.jobs(value).map((job) => JSON.stringify({ ...job.experiment, alone: null }));
      for (const one of other ? [experiment, other] : [experiment])
        assert.ok(ran.includes(JSON.stringify({ ...one, alone: null })), `${story.id} ${value}`);
    }
});

test("ten things to try", () => {
  assert.equal(TRIES.length, 10);
  assert.equal(new Set(TRIES.map((one) => one.id)).size, 10);
});

// ---------------------------------------------------------------- who runs next

const job = (seed: number): Job => ({ experiment: { corun: 1, seed, kernels: ["VADD"] } as Job["experiment"] });
const outcome = { result: {}, held: {} } as unknown as Outcome;

function started() {
  const { lab, asked } = fakeLab();
  let starts = 0;
  const runs = new Runs(
    () => {
      starts += 1;
      return Promise.resolve(lab);
    },
    () => undefined,
  );
  return { runs, asked, ran: () => asked.map(({ of }) => (of as Job).experiment.seed), starts: () => starts };
}

test("what is looked at now runs first, and nothing runs twice", async () => {
  const { runs, asked, ran, starts } = started();
  runs.want([job(1), job(2), job(3)]);
  runs.want([job(1)]);
  await heard();
  assert.deepEqual(ran(), [1]);
  runs.want([job(3), job(1)]);
  assert.equal(runs.outcomes([job(1)]), null);
  for (let i = 0; i < 3; i += 1) {
    asked[i]?.give(outcome);
    await heard();
  }
  assert.deepEqual(ran(), [1, 3, 2]);
  assert.deepEqual(runs.outcomes([job(1), job(2)]), [outcome, outcome]);
  runs.want([job(2)]);
  await heard();
  assert.deepEqual([ran().length, starts()], [3, 1]);
});

test("after a failure nothing runs, and the reason is kept", async () => {
  const { runs, asked, ran } = started();
  runs.want([job(1), job(2)]);
  await heard();
  asked[0]?.fail("no memory");
  await heard();
  runs.want([job(3)]);
  await heard();
  assert.deepEqual(ran(), [1]);
  assert.equal(runs.failure, "no memory");
  assert.notEqual(keyOf(job(1)), keyOf(job(2)));
});

// ---------------------------------------------------------------- runs and pictures

test("samples are the mean of an SM, a bank or a channel, once queues have had time to fill", () => {
  let freed = false;
  class Simulation {
    cycle = 0;
    advance(cycles: number): string {
      this.cycle += cycles;
      return this.cycle < 4_000 ? "budget" : "cycles";
    }
    frame(): Uint32Array {
      // Two channels of two kernels; before cycle 2,000 something that must not count.
      return this.cycle < 2_000 ? new Uint32Array([0, 9, 9, 9, 9]) : new Uint32Array([0, 1, 2, 3, 4]);
    }
    frameLayout(): unknown {
      return { sections: [{ name: "dram.queue", offset: 1, shape: [2, 2], doc: "" }] };
    }
    result(): unknown {
      return { cycles: this.cycle };
    }
    free(): void {
      freed = true;
    }
  }
  const found = measure({ Simulation } as unknown as Engine, { ...job(1), sample: ["dram.queue"] });
  assert.deepEqual(found, { result: { cycles: 4_000 }, held: { "dram.queue": 5 } });
  assert.equal(freed, true);
});

test("a line has a gap where nothing is known yet", () => {
  const d = new Drawing(100, 100, "#fff", "sans-serif", "monospace"),
    plot = { x: 0, y: 0, w: 100, h: 100, up: linear(0, 10) };
  line(d, plot, LIGHT, {
    id: "a",
    colour: "#000",
    points: [1, 2, null, 4, null, 5, 6].map((value, i) => (value === null ? null : { x: 10 * i, value, says: String })),
  });
  assert.deepEqual(
    d.shapes.flatMap((shape) => (shape.kind === "path" ? [shape.points] : [])),
    [
      [0, 90, 10, 80],
      [50, 50, 60, 40],
    ],
  );
  assert.equal(d.spots.length, 5, "each value is a dot");
});

test("every figure is drawn before anything has run, within its width", () => {
  for (const story of STORIES)
    for (const width of [280, 560]) {
      const none = story.knob.values.map(() => null),
        drawing = story.draw(none, story.knob.first, width, LIGHT);
      assert.equal(drawing.width, width);
      for (const shape of drawing.shapes)
        if (shape.kind === "rect") assert.ok(shape.x >= -1 && shape.x + shape.w <= width + 1, `${story.id} ${width}`);
    }
});
