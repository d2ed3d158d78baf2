// Words that explain themselves: which they are in a text, and that the glossary has each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readGlossary } from "../src/model/glossary.ts";
import { TERMS, termsOf } from "../src/model/terms.ts";

test("the glossary has every word that explains itself", () => {
  const known = new Set(readGlossary(readFileSync("../docs/glossary.md", "utf8")).map(({ name }) => name));
  assert.deepEqual(
    Object.values(TERMS).filter((term) => !known.has(term)),
    [],
  );
});

test("a word is found whole, in its plural, and once in a text; a name that contains it is none", () => {
  const found = (text: string): [string, string][] =>
    termsOf(text).flatMap((part): [string, string][] => (part.term === null ? [] : [[part.text, part.term]]));
  const text = "With a NoC without limits, of which its share 1.43; two CTAs wait for the NoC on SMs.";
  assert.deepEqual(found(text), [
    ["NoC", "NoC"],
    ["share", "Share"],
    ["CTAs", "CTA"],
    ["SMs", "SM"],
  ]);
  assert.equal(
    termsOf(text)
      .map((part) => part.text)
      .join(""),
    text,
    "nothing is lost",
  );
  assert.deepEqual(found("WS + UCP"), [
    ["WS", "Warped-Slicer (WS)"],
    ["UCP", "UCP"],
  ]);
  assert.deepEqual(found("SMALL, SMV and L2X, shared by all"), []);
  assert.deepEqual(termsOf(""), []);
});
