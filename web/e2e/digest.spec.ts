// The page ends where the native build ends: the same experiments, the same cycles, the same digests (tests/determinism.rs).
import { readFileSync } from "node:fs";
import { encodeLink } from "../src/link.ts";
import type { Experiment } from "../src/types.ts";
import { expect, is, open, result, test } from "./corun.ts";

interface Goldens { cycles: number; experiments: Record<string, { config_hash: string; digest: string }> }
const goldens = JSON.parse(readFileSync("../tests/golden/digests.json", "utf8")) as Goldens;

test("the goldens are at least eight experiments", () => {
  expect(Object.keys(goldens.experiments).length).toBeGreaterThanOrEqual(8);
});

for (const [name, golden] of Object.entries(goldens.experiments)) {
  test(`the page ends like the native build: ${name}`, async ({ page }) => {
    const experiment = JSON.parse(readFileSync(`../examples/experiments/${name}.json`, "utf8")) as Experiment;
    await open(page, await encodeLink({ experiment, view: { cycle: goldens.cycles } }));
    await expect(page.locator("#cycle")).toHaveText(goldens.cycles.toLocaleString("en"), { timeout: 40_000 });
    await is(page, "Paused");
    const there = await result(page);
    expect(there.cycles).toBe(goldens.cycles);
    expect(there.config_hash).toBe(golden.config_hash);
    expect(there.digest).toBe(golden.digest);
  });
}
