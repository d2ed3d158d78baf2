// What the texts of Learn say, by the engine that the page has: each number in them is one that their runs give, or stands in `CONSTANTS`.
// `CORUN_BLESS=1 npm run test:unit` writes anew what differs, and fails.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { measure, type Outcome } from "../src/engine/lab/measure.ts";
import { STORIES } from "../src/learn/stories.ts";
import type { Story } from "../src/learn/story.ts";
import type { Try } from "../src/learn/tries.ts";
import type { Answer, Experiment, Result } from "../src/model/types.ts";

/** Numbers that no run gives, in phrases as they stand in the texts, by why. */
const CONSTANTS: Record<string, readonly string[]> = {
  "a paper's or a law's year": [", 2019)", ", 2020.)", "ISCA 2017", "MICRO 2012", "et al., 2019", "In 1961"],
  "a setting of the runs": [
    "here 2,000 cycles",
    "L1D](#term-l1d) of 8 KB each",
    "slices of 100,000 cycles",
    "slices of 10,000",
    "is promised 60 % of its speed alone",
    "where it is 90 %",
  ],
  "a position of the knob": [
    "At 32 warps",
    "At 40 it",
    "At 64 they",
    "up to 16 warps",
    "From 32 on",
    "Up to 60 %",
    "a promise of 30 %",
    "at 60 % it",
    "From 70 % on",
    "At 20 KB",
    "hit at 20 KB",
    "% at 64",
  ],
};
/** A number, and what is said behind it. */
const MARK = /([\d.,]*\d)?\{\{([=?])(.*?)\}\}( %)?/g;

const WASM = new URL("../../../src/wasm/", import.meta.url);
const corun = (await import(new URL("corun.js", WASM).href)) as typeof import("../src/wasm/corun.js");
corun.initSync({ module: readFileSync(new URL("corun_bg.wasm", WASM)) });

/** A run to its end, with what its kernels do alone where it asks for that. */
function ran(experiment: Experiment): Result {
  const run = new corun.Simulation(experiment),
    answers: Record<string, Answer> = {};
  while (run.advance(1_000_000) === "budget");
  if (experiment.alone)
    for (const { hash, experiment: alone } of corun.plan(experiment).alone) answers[hash] = answer(hash, alone);
  run.tell(answers);
  const result = run.result() as Result;
  run.free();
  return result;
}
const known = new Map<string, Answer>();
function answer(hash: string, alone: Experiment): Answer {
  let found = known.get(hash);
  if (!found) {
    const one = corun.Simulation.withAnswers(alone, {});
    while (one.advance(1_000_000) === "budget");
    found = one.answer() as Answer;
    one.free();
    known.set(hash, found);
  }
  return found;
}

/** What a mark of a story can name. */
function ofStory(story: Story): Record<string, unknown> {
  const outcomes = new Map<number, Outcome[]>();
  const runs = (value: number): Outcome[] => {
    const found = outcomes.get(value) ?? story.jobs(value).map((job) => measure(corun, job));
    outcomes.set(value, found);
    return found;
  };
  const at = (value: number): unknown => story.known(runs(value), value).point;
  const all = (of: (point: unknown) => number): number[] => story.knob.values.map((value) => of(at(value)));
  return {
    runs,
    at,
    all,
    /** The position with the most. */
    most: (of: (point: unknown) => number) =>
      story.knob.values[all(of).reduce((i, x, k, xs) => (x > (xs[i] as number) ? k : i), 0)],
    /** A position's first run, with something else in it. */
    changed: (value: number, change: object) => ran({ ...(story.jobs(value)[0]?.experiment as Experiment), ...change }),
  };
}
/** What a mark of a thing to try can name. */
const ofTry = (one: Try): Record<string, unknown> => ({
  a: ran(one.experiment),
  b: one.other && ran(one.other),
  /** The first kernel of a run on the GPU of that run, by itself. */
  alone: (name: "a" | "b") => {
    const { gpu, kernels, stop } = (name === "a" ? one.experiment : one.other) as Experiment;
    return ran({ corun: 1, gpu, kernels: [kernels[0]], stop, alone: false } as Experiment);
  },
});

/** What is wrong with a text, and the text with its numbers written anew. */
function held(text: string, names: Record<string, unknown>): { wrong: string[]; anew: string } {
  const wrong: string[] = [],
    covered: [number, number][] = [];
  const anew = text.replaceAll(
    MARK,
    (mark, number: string | undefined, kind: string, said: string, unit = "", place: number) => {
      const value = (new Function(...Object.keys(names), `return ${said};`) as (...of: unknown[]) => unknown)(
        ...Object.values(names),
      );
      covered.push([place + (number ?? "").length, place + mark.length - unit.length]);
      if (kind === "?") {
        // A bound that the text names.
        if (number !== undefined && said.includes(` ${number}`)) covered.push([place, place + number.length]);
        if (value !== true) wrong.push(`found a conclusion that does not hold:${said}`);
        return mark;
      }
      if (number === undefined || typeof value !== "number") {
        wrong.push(`found ${String(value)} behind ${number ?? "no number"}, want a number behind one:${said}`);
        return mark;
      }
      covered.push([place, place + number.length]);
      const want = ((unit === "" ? 1 : 100) * value).toFixed(number.split(".")[1]?.length ?? 0);
      if (want !== number) wrong.push(`found ${number}, want ${want}:${said}`);
      return `${want}{{${kind}${said}}}${unit}`;
    },
  );
  for (const phrase of Object.values(CONSTANTS).flat())
    for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1))
      covered.push([at, at + phrase.length]);
  for (const { 0: numeral, index } of text
    .replaceAll(/\(#.*?\)/g, (link) => " ".repeat(link.length))
    .matchAll(/(?<![\p{L}\d.,])\d[\d.,]*/gu))
    if (!covered.some(([from, to]) => from <= index && index < to))
      wrong.push(`found ${numeral} without a source, want a mark or a constant`);
  return { wrong, anew };
}

/** Holds the texts of a file, and writes them anew where that is asked for. */
function holds(file: string, texts: readonly string[], names: Record<string, unknown>): void {
  const found = texts.map((text) => ({ text, ...held(text, names) })),
    wrong = found.flatMap((one) => one.wrong);
  if (process.env["CORUN_BLESS"] !== undefined && process.env["CI"] === undefined) {
    const whole = readFileSync(file, "utf8");
    writeFileSync(
      file,
      found.reduce((text, one) => text.replace(one.text, () => one.anew), whole),
    );
  }
  assert.deepEqual(wrong, [], file);
}

for (const story of STORIES)
  test(`${story.title}: its figure shows the numbers of its text`, () => {
    for (const value of story.knob.values) {
      const { experiment, other } = story.opens(value);
      for (const one of other ? [experiment, other] : [experiment]) assert.deepEqual(corun.validate(one), []);
    }
    holds("src/learn/stories.ts", story.text, ofStory(story));
  });

for (const one of JSON.parse(readFileSync("src/learn/tries.json", "utf8")) as Try[])
  test(`${one.title}: what it says happens`, () => {
    for (const experiment of one.other ? [one.experiment, one.other] : [one.experiment])
      assert.deepEqual(corun.validate(experiment), []);
    holds("src/learn/tries.json", [one.press, one.watch, one.why], ofTry(one));
  });

test("every constant stands in a text", () => {
  const texts = [...STORIES.flatMap((story) => story.text), readFileSync("src/learn/tries.json", "utf8")].join("\n");
  for (const phrase of Object.values(CONSTANTS).flat()) assert.ok(texts.includes(phrase), phrase);
});

test("a stale number, a false conclusion and a number without a source are found", () => {
  const of = (text: string): string[] => held(text, { a: { ipc: 0.754 } }).wrong;
  assert.deepEqual(of("75{{= a.ipc}} %, 0.8{{= a.ipc}}, most{{? a.ipc > 0.5}}, over 0.7{{? a.ipc > 0.7}}"), []);
  assert.deepEqual(of("74{{= a.ipc}} %"), ["found 74, want 75: a.ipc"]);
  assert.deepEqual(of("least{{? a.ipc < 0.5}}"), ["found a conclusion that does not hold: a.ipc < 0.5"]);
  assert.deepEqual(of("75 %, L2"), ["found 75 without a source, want a mark or a constant"]);
  assert.equal(held("74{{= a.ipc}} %", { a: { ipc: 0.754 } }).anew, "75{{= a.ipc}} %");
});
