// Do the page's rooms keep their floors? A room uses what is on the floors below it, and rooms of one floor use each other in one direction. What is on
// the two lowest floors knows no document, but where a host must.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const SRC = fileURLToPath(new URL("../../../src", import.meta.url));

/** From below. What stands loose starts the page. */
const FLOORS: Readonly<Record<string, number>> = { model: 1, engine: 2, parts: 3, picture: 4, "": 6 };
const ROOMS_OF_THE_PAGE = 5;

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !file.startsWith("wasm"),
);
const roomOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] as string) : "");
const floorOf = (file: string): number => FLOORS[roomOf(file)] ?? ROOMS_OF_THE_PAGE;
const text = (file: string): string => readFileSync(join(SRC, file), "utf8");

/** Each file with the files of the page that it imports, also late. */
const arrows = files.flatMap((file) =>
  [...text(file).matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)]
    .map(([, path]) => relative(SRC, normalize(join(SRC, dirname(file), path as string))))
    .filter((to) => files.includes(to))
    .map((to) => [file, to] as const),
);

test("every room of the page uses only the floors below", () => {
  assert.ok(files.length > 100 && arrows.length > 300, "the page is found");
  assert.deepEqual(
    arrows.filter(([from, to]) => floorOf(to) > floorOf(from)),
    [],
  );
});

test("rooms of one floor use each other in one direction", () => {
  const uses = new Map<string, Set<string>>();
  for (const [from, to] of arrows)
    if (roomOf(from) !== roomOf(to) && floorOf(from) === floorOf(to))
      uses.set(roomOf(from), (uses.get(roomOf(from)) ?? new Set()).add(roomOf(to)));
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(uses.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  assert.deepEqual(
    [...uses.keys()].filter((room) => reaches(room, room)),
    [],
  );
});

test("nothing stands loose but what starts the page", () => {
  assert.deepEqual(files.filter((file) => roomOf(file) === "").sort(), ["main.ts", "vite-env.d.ts"]);
});

test("the model knows no document", () => {
  const knows = files.filter((file) => roomOf(file) === "model" && /\bdocument\.|\bHTMLElement\b/.test(text(file)));
  assert.deepEqual(knows, []);
});
