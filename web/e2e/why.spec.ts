// Who suffers, and why: read as a person reads it, and held against the result that the page saves.
import { encodeLink } from "../src/link.ts";
import type { Experiment } from "../src/types.ts";
import { expect, openAt, result, test } from "./corun.ts";

/** A short run, so that the kernels alone are short too. */
const short = (policy: string, cycles = 20_000): Experiment => ({ corun: 1, gpu: "ccbp-16sm", kernels: ["BP", "CFD"], policy: { name: policy }, seed: 1, stop: { cycles } });

test("the verdict says who suffers and why, and its numbers lead to where they stand", async ({ page }) => {
  await openAt(page, await encodeLink({ experiment: short("even"), view: {} }), 15_000);
  const verdict = page.locator("corun-verdict");
  await expect(verdict.locator(".prose").last()).toContainText(/BP runs [\d.]+ times slower than alone; 2CFD( runs)? [\d.]+ times.*\. 1BP waits for memory \d+ % of its time: the reply NoC is full of 2CFD’s lines \(\d+ % of its flits\)\./);
  const bars = verdict.locator(".slow-bar");
  await expect(bars).toHaveCount(2);
  const { kernels } = await result(page), slowdown = (kernels[0] as { slowdown?: number }).slowdown ?? 0;
  await expect(bars.first()).toContainText(`${slowdown.toFixed(2)}×`);
  const number = verdict.getByRole("button", { name: slowdown.toFixed(2) });
  await number.click();
  await expect(page.locator("#numbers :focus")).toHaveText(slowdown.toFixed(2));
});
