// What the editor of scripts offers at a place, and which line a message names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { completionsAt, lineOf } from "../src/engine/script/complete.ts";
import { hasScript } from "../src/engine/script/given.ts";
import type { ControlEntry, ScriptWords } from "../src/model/types.ts";

const name = (one: string, unit = ""): { name: string; unit: string; doc: string } => ({
  name: one,
  unit,
  doc: `What ${one} is`,
});
const words: ScriptWords = {
  hooks: [{ name: "interval", params: ["seen", "controls"], doc: "Called" }],
  functions: [{ call: "log(text)", doc: "Logs" }],
  run: [name("now", "cycles")],
  kernel: [name("ipc"), name("index")],
  sm: [name("index")],
  on_sm: [name("resident", "CTAs")],
  counters: [name("l1_hits", "lines"), name("l1_reads", "lines")],
  examples: [],
};
const controls = [
  { key: "cta_target", title: "CTA target", scope: "kernel on SM", doc: "CTAs", neutral: "no limit" },
  { key: "credit_interval", title: "Credit interval", scope: "SM", doc: "Time", neutral: "200" },
] as ControlEntry[];

/** The labels that are offered where the text ends, and the text with the first of them. */
function offered(text: string): { labels: string[]; first: string } {
  const found = completionsAt(text, text.length, words, controls);
  return {
    labels: found?.options.map((o) => o.label) ?? [],
    first: found ? text.slice(0, found.from) + (found.options[0]?.text ?? "") : text,
  };
}

test("names are offered of what stands before the point", () => {
  assert.deepEqual(offered("  seen.").labels, ["kernels", "sms", "now"]);
  assert.deepEqual(offered("seen.kernels[0].l1").labels, ["l1_hits", "l1_reads"]);
  assert.deepEqual(offered("let x = k.total.l1_h").labels, ["l1_hits"]);
  assert.deepEqual(offered("seen.sms[3].").labels, ["index", "kernels"]);
  assert.deepEqual(offered("for k in seen.kernels { k.i").labels, ["ipc", "index"]);
  assert.equal(offered("controls.c").first, "controls.cta_target[");
  assert.equal(offered("controls.sms[3].cred").first, "controls.sms[3].credit_interval");
});

test("functions are offered where a word begins, and nothing in a comment or after a whole word", () => {
  assert.deepEqual(offered("lo").labels, ["log(text)"]);
  assert.equal(offered("lo").first, "log(");
  assert.equal(offered("fn int").first, "fn interval(seen, controls) {");
  for (const text of ["", "l", "// seen.", "k.ipc", "this.", "1 + 2"]) assert.deepEqual(offered(text).labels, [], text);
});

test("a message names its line", () => {
  assert.equal(lineOf("line 12: Unexpected ';'"), 12);
  assert.equal(lineOf("found line 3: x"), null);
  assert.equal(lineOf("policy.source: found line 3: x"), 3);
  assert.equal(lineOf("no function that is called"), null);
});

test("an experiment with a script is known by its policy", () => {
  assert.ok(hasScript({ policy: { name: "script", source: "" } }) && hasScript('{"policy":"script"}'));
  // One without a program is a problem that every engine can name.
  for (const policy of [{ name: "even" }, { name: "script" }, "script", undefined])
    assert.ok(!hasScript({ policy, name: "script" }));
});
