// How sure the numbers are: the interval beside each, and a run that stops when it is settled.
import { decodeLink, encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import { dock, expect, form, is, noViolations, open, openAt, picture, result, show, test } from "./corun.ts";

const MIX: Experiment = { corun: 1, gpu: "tiny-2sm", kernels: ["VADD", "ccbp/SAD"], policy: { name: "even" }, seed: 1 };

test("every number has its interval, and the form's rule stops the run when it is settled", async ({ page }) => {
  await openAt(
    page,
    await encodeLink({ experiment: { ...MIX, stop: { cycles: 900_000_000_000 }, alone: false }, view: {} }),
    1000,
  );
  await form(page);
  await show(page, "numbers");
  const numbers = page.locator(".all-numbers"),
    beside = numbers.locator(".beside");
  const height = (): Promise<number> => numbers.evaluate((e) => e.getBoundingClientRect().height);
  await expect(numbers).toContainText("It comes with the tenth window of 400 cycles.");
  for (const text of await beside.allTextContents()) expect(text).toBe("");
  const before = await height();
  await dock(page, "Reset");
  // A run that was changed before it is back would keep its numbers in view.
  await expect(page.locator("#cycle")).toHaveText("0");

  await page.getByLabel("Stop", { exact: true }).selectOption("settled");
  await page.getByLabel("Known to").fill("12");
  await page.getByLabel("Known to").press("Tab");
  await expect
    .poll(async () => (await decodeLink(new URL(page.url()).hash))?.experiment["stop"])
    .toEqual({ settled: 0.12, at_most: 900_000_000_000 });
  await expect(page.locator("#f-stop-help")).toHaveText(
    "When IPC of every kernel is known that well, and each has shown a whole launch.",
  );
  await is(page, "Paused");
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Settled");
  await expect(numbers).toContainText(/Settled, as asked: ±12\s%\. IPC of (VADD|SAD) is known least: ±\d+(\.\d)?\s%\./);
  const ended = (await result(page)) as unknown as {
    stop: string;
    kernels: { ipc: number }[];
    ci95: { kernels: { ipc: [number, number] }[] };
  };
  expect(ended.stop).toBe("settled");
  // What stands beside a number is the engine's.
  const [low, high] = ended.ci95.kernels[1]?.ipc ?? [0, 0],
    ipc = numbers.getByRole("row", { name: /SAD/ }).first().getByRole("cell").nth(1);
  await expect(ipc.locator(".value")).toHaveText((ended.kernels[1]?.ipc ?? 0).toFixed(1));
  await expect(ipc.locator(".beside")).toHaveText(`±${((high - low) / 2).toFixed(1)}`);
  await expect(ipc.locator(".beside")).toHaveAttribute(
    "title",
    `95 % interval: ${low.toFixed(1)} to ${high.toFixed(1)}`,
  );
  expect(await height(), "nothing has moved").toBe(before);

  await page.getByRole("button", { name: "What is a 95 % interval?" }).click();
  await expect(page.getByRole("dialog", { name: "a 95 % interval" })).toContainText(
    "Source: batch means after Schmeiser",
  );
  await noViolations(page);
  await picture(page, "settled", true);
});

for (const scheme of ["light", "dark"] as const) {
  test(`intervals have room at 360 pixels, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, await encodeLink({ experiment: { ...MIX, stop: { settled: 0.12 } }, view: {} }));
    await is(page, "Settled");
    await show(page, "numbers");
    const numbers = page.locator(".all-numbers");
    // With what kernels do alone, which is measured by the same rule, slowdowns and speedups have intervals too.
    await expect(numbers.locator(".tile .beside")).toHaveText([/^±0\.\d{3}$/, /^±0\.\d{3}$/, /^±\d\.\d{3}$/]);
    await expect(numbers.getByRole("row", { name: /VADD/ }).first().locator(".beside")).toHaveText([
      /^±[\d.]+$/,
      /^±[\d.]+$/,
      /^±[\d.]+$/,
    ]);
    // And on the first screen beside each bar.
    await expect(page.locator("#slows .slow-give")).toHaveText([/^± (<0\.01|\d\.\d\d)$/, /^± (<0\.01|\d\.\d\d)$/]);
    await picture(numbers, `settled-360-${scheme}`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    // No table of the numbers has to be scrolled sideways for them.
    expect(
      await numbers.locator(".scroll-x").evaluateAll((all) => all.map((e) => e.scrollWidth - e.clientWidth)),
    ).toEqual([0, 0, 0]);
    await noViolations(page);
  });
}
