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

test("a kernel that gets nothing is ∞ times slower, with the reason", async ({ page }) => {
  await openAt(page, await encodeLink({ experiment: short("leftover"), view: {} }), 15_000);
  const reason = "no CTA placed since cycle 0: leftover gives CFD room only when BP has none left to place";
  await expect(page.locator("corun-verdict .prose")).toContainText(`2CFD gets nothing (${reason}); 1BP runs`);
  await expect(page.locator("corun-verdict .slow-bar").nth(1)).toContainText("∞");
  const slowdown = page.locator('#numbers [data-stands=".slowdown.1"]');
  await expect(slowdown).toHaveText("∞");
  await expect(slowdown).toHaveAttribute("title", `CFD gets nothing: ${reason}.`);
  await expect(page.locator("#numbers .note").first()).toHaveText(`CFD gets nothing: ${reason}.`);
  // BP alone may be known only now.
  await expect(page.locator("#numbers .tile-value .value")).toHaveText(["0.000", /^0\.[89]|^1\.0/, "∞"]);
});
