// The page ends where the native build ends: the same experiments, the same cycles, the same digests (tests/suite/determinism.rs). Its way to the
// engine changes nothing: links, the worker, profiles.
import { readFileSync } from "node:fs";
import { encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import { expect, is, open, result, test } from "./corun.ts";

interface Goldens {
  cycles: number;
  experiments: Record<string, { config_hash: string; digest: string }>;
}
const goldens = JSON.parse(readFileSync("../tests/golden/digests.json", "utf8")) as Goldens;

// One page opens one link after the other, so that it is loaded once.
test("the page ends like the native build, in every experiment of the goldens", async ({ page }) => {
  await open(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP&policy=even&seed=1&c=1");
  await is(page, "Paused");
  const all = Object.entries(goldens.experiments);
  expect(all.length).toBeGreaterThanOrEqual(8);
  for (const [name, golden] of all) {
    await test.step(name, async () => {
      const experiment = JSON.parse(readFileSync(`../examples/experiments/${name}.json`, "utf8")) as Experiment;
      const link = await encodeLink({ experiment, view: { cycle: goldens.cycles } });
      await page.evaluate((hash) => {
        location.hash = hash;
      }, link);
      // The experiments' hashes differ, so this one's is not read off the one before.
      const there = async (): Promise<unknown> => {
        const { config_hash, cycles } = await result(page);
        return { config_hash, cycles };
      };
      await expect
        .poll(there, { message: name, intervals: [200, 500] })
        .toEqual({ config_hash: golden.config_hash, cycles: goldens.cycles });
      await is(page, "Paused");
      expect.soft((await result(page)).digest, name).toBe(golden.digest);
    });
  }
});
