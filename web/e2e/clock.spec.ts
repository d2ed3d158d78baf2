// One clock on one screen: what the page says is of the end, or of the cycle at which the user has stopped to look; and Play goes on where a run has ended.
import type { Page } from "@playwright/test";
import { encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import { bars, cycle, expect, is, noted, open, openAt, result, results, show, test } from "./corun.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1";
const verdict = (page: Page) => page.locator("#verdict");
const goTo = async (page: Page, to: number): Promise<void> => {
  await page.getByLabel("Go to cycle").fill(String(to));
  await page.keyboard.press("Enter");
  await expect(page.locator("#cycle")).toHaveText(to.toLocaleString("en"));
  await is(page, "Paused");
};
/** Slowdowns as the numbers have them. */
const numbers = async (page: Page): Promise<number[]> =>
  (await page.locator('#numbers [data-stands*=".slowdown."]').allTextContents()).map((text) => Number.parseFloat(text));
/** The numbers have a digit more than the bars: both are rounded, so that 1.347 is 1.35 here and 1.3 there. */
const alike = async (page: Page): Promise<void> => {
  // How many there are is asked each time: what a kernel does alone may come later.
  await expect
    .poll(async () => {
      const [all, other] = [await numbers(page), await bars(page)],
        near = other.every(([low, high]) => all.some((one) => low < one && one < high));
      return all.length > 0 && all.length === other.length && near ? "alike" : [all, other];
    })
    .toBe("alike");
};

test("on the way all that is said is of the stored end, or says that it is not; at rest all is of that cycle", async ({
  page,
}) => {
  await open(page);
  await expect(verdict(page)).toContainText("Stored answer of the end, 500,000 cycles: the run here is not there yet.");
  await show(page, "why");
  await expect(page.locator("#drawer-why")).toContainText("Of the end, by the stored answer.");
  const link = (await verdict(page).locator(".answer-number").first().textContent()) ?? "";
  await show(page, "numbers");
  await expect(page.locator("#numbers")).toContainText(
    "These are of the run so far. What the sentence above is of stands under it.",
  );
  // Before anything can be said of the run here, a stop takes nothing away.
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await is(page, "Paused");
  await expect(verdict(page).locator(".answer-number").first()).toHaveText(link);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => cycle(page)).toBeGreaterThan(150_000);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await is(page, "Paused");
  const here = (await page.locator("#cycle").textContent()) ?? "";
  await expect(verdict(page)).toContainText(`Paused here: ${here} cycles so far.`);
  await expect(verdict(page)).not.toContainText("Stored answer");
  await expect(page.locator("#numbers")).not.toContainText("so far; the sentence");
  await alike(page);
  await show(page, "why");
  await expect(page.locator("#drawer-why")).not.toContainText("stored answer");
  await expect(page.locator("#drawer-why h4").last()).toContainText("Cycles of a warp per instruction of BP");
  // What runs on is to confirm the end again.
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(verdict(page)).toContainText("Stored answer of the end, 500,000 cycles: the run here is not there yet.");
  await expect(verdict(page).locator(".answer-number").first()).toHaveText(link);
});

test("going back from the end takes the sentence along", async ({ page }) => {
  await open(page, `${TINY}&cycles=20000`);
  await is(page, "Finished");
  await expect(verdict(page)).toContainText("Run here: 20,000 cycles.");
  const end = await verdict(page).locator("h2").textContent();
  await show(page, "numbers");
  await alike(page);
  await goTo(page, 7_000);
  await expect(verdict(page)).toContainText("Paused here: 7,000 cycles so far.");
  await expect(verdict(page).locator("h2")).not.toHaveText(end ?? "");
  await alike(page);
  await page.keyboard.press("Escape");
  await page.locator("#main").focus();
  await page.keyboard.press(",");
  await expect(verdict(page)).toContainText("Paused here: 6,999 cycles so far.");
});

test("what is selected is said of these cycles alone, as by a run that measures from there on; Escape takes it back", {
  tag: "@core",
}, async ({ page }) => {
  const hash = `${TINY}&cycles=20000`,
    all = page.locator("#numbers"),
    cells = (): Promise<string[]> =>
      all
        .locator('[data-stands^=".ipc."]')
        .or(all.getByRole("table", { name: "What each kernel uses" }).locator(".value"))
        .or(all.locator("dl.stats").first().locator(".value"))
        .allTextContents();
  await open(page, `${hash}&c=20000&from=8000&show=numbers`);
  await expect(page.locator(".dk-stretch")).toHaveText("8k to 20k");
  await expect(verdict(page).locator("h2")).toContainText("From cycle 8,000 to 20,000, BP is ");
  await expect(verdict(page)).toContainText("Shares, causes and intervals are of whole runs.");
  await expect(page.locator("#numbers")).toContainText("Intervals are of whole runs, not of a stretch.");
  await alike(page);
  const stretch = await cells();
  expect(stretch.length).toBeGreaterThan(5);
  // What a kernel takes alone is measured from its own start.
  const read = async (): Promise<string> =>
    ((await page.locator("#reads").textContent()) ?? "").replaceAll(/,? alone \d+/g, "");
  const reads = await read();

  // Its own end is not taken for that of the whole run.
  await page.getByRole("slider", { name: "Time" }).focus();
  await page.keyboard.press("Escape");
  await expect(page.locator(".dk-stretch")).toBeHidden();
  await expect(verdict(page)).toContainText("Run here: 20,000 cycles.");
  await expect.poll(() => page.url()).not.toContain("from=");
  expect(await cells()).not.toEqual(stretch);
  // By the keys, from the cursor: again the same.
  await goTo(page, 8000);
  await page.getByRole("slider", { name: "Time" }).focus();
  await page.keyboard.press("Shift+End");
  await expect(page.locator(".dk-stretch")).toHaveText("8k to 20k");
  await expect.poll(cells).toEqual(stretch);
  // Whoever goes elsewhere selects nothing any more.
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator(".dk-stretch")).toBeHidden();
  await expect(verdict(page)).toContainText("Paused here: 19,600 cycles so far.");

  const late: Experiment = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["ccbp/BP", "ccbp/CFD"],
    policy: { name: "even" },
    seed: 1,
    warm_up: 8000,
    // What is measured.
    stop: { cycles: 12_000 },
  };
  await open(page, await encodeLink({ experiment: late, view: { tab: "numbers" } }));
  await is(page, "Finished");
  await expect.poll(cells).toEqual(stretch);
  await expect.poll(read).toBe(reads);
});

test("while a run goes on, the number in the sentence is that of its bar", async ({ page }) => {
  await open(page, "#v=1&gpu=ccbp-16sm&mix=ccbp/SMV+ccbp/HG&policy=even&seed=2&cycles=5000000");
  await expect(verdict(page).locator(".answer-number").first()).toBeVisible();
  const seen = new Set<string>(),
    apart: unknown[] = [];
  // Both are read at once, over more than one change.
  await expect
    .poll(async () => {
      const [numbers, all] = await page.evaluate(() =>
        ["#verdict .answer-number", "#slows .slow-value"].map((of) =>
          [...document.querySelectorAll(of)].map((one) => one.textContent),
        ),
      );
      const number = numbers?.[0]?.split(" ")[0] ?? "";
      if (!all?.includes(`${number}×`)) apart.push([number, all]);
      return seen.add(number).size;
    })
    .toBeGreaterThan(1);
  expect(apart).toEqual([]);
});

test("Play on what has ended goes on, as the run that is twice as long, and every cycle of it can be gone to", {
  tag: "@core",
}, async ({ page }) => {
  const short = `${TINY}&cycles=20000&b.policy=ccbp&b.cycles=20000`,
    told = await noted(page, ".answer-sure");
  await open(page, short);
  await is(page, "Finished");
  await expect(page.locator("#cycle")).toHaveText("20,000");
  await page.getByRole("button", { name: "Play: go on to 40,000 cycles", exact: true }).click();
  await expect.poll(() => cycle(page)).toBeGreaterThan(20_000);
  await is(page, "Finished");
  await expect(page.locator("#cycle")).toHaveText("40,000");
  // On the way there, what had been said stood.
  const all = await told();
  expect(all.slice(all.findIndex((text) => text.includes("20,000"))).filter((text) => text.includes("so far"))).toEqual(
    [],
  );
  await expect.poll(() => page.url()).toContain("cycles=40000");
  const gone = await results(page);
  // A moment of before its first end does not end there any more.
  await goTo(page, 10_000);
  const back = await results(page);
  await goTo(page, 30_000);
  await page.getByRole("button", { name: /^Play/ }).click();
  await is(page, "Finished");
  await expect(page.locator("#cycle")).toHaveText("40,000");

  await open(page, short.replaceAll("=20000", "=40000"));
  await is(page, "Finished");
  const whole = await results(page);
  const of = (all: typeof whole) =>
    ["A", "B"].map((mark) => [all[mark]?.config_hash, all[mark]?.digest, all[mark]?.cycles]);
  expect(of(gone)).toEqual(of(whole));
  await openAt(page, short.replaceAll("=20000", "=40000"), 10_000);
  expect(of(back)).toEqual(of(await results(page)));
});

test("one run alone goes on, too", async ({ page }) => {
  await open(page, `${TINY}&cycles=20000`);
  await is(page, "Finished");
  await page.getByRole("button", { name: /^Play/ }).click();
  await expect.poll(() => cycle(page)).toBeGreaterThan(20_000);
  await is(page, "Finished");
  const gone = await result(page);
  expect(gone.cycles).toBe(40_000);
  await open(page, `${TINY}&cycles=40000`);
  await is(page, "Finished");
  expect((await result(page)).digest).toBe(gone.digest);
});

test("B of another mix says what its own run says: no answer of A's mix, no place among its schemes", {
  tag: "@core",
}, async ({ page }) => {
  // The first mix has stored answers, also of B's scheme.
  const first = "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&cycles=500000";
  await openAt(page, `${first}&b.policy=ccbp&b.mix=ccbp/BP+ccbp/HG`, 20_000);
  await expect(verdict(page)).toContainText("Paused here: 20,000 cycles so far.");
  await page.getByRole("button", { name: "The pictures show A: show B" }).click();
  await expect(page.locator("#reads .read")).toContainText("behind HG");
  await expect(page.locator("#all-schemes")).toContainText("B differs from A in more than its scheme");
  await expect(page.locator("#all-schemes [role=option][aria-selected=true]")).toHaveCount(0);
  const { A, B } = (await results(page)) as unknown as Record<"A" | "B", { kernels: { slowdown: number }[] }>;
  const slowdowns = [...A.kernels, ...B.kernels].map(({ slowdown }) => slowdown),
    said = await bars(page);
  expect(said).toHaveLength(slowdowns.length);
  for (const [at, [low, high]] of said.entries()) {
    expect(slowdowns[at]).toBeGreaterThan(low);
    expect(slowdowns[at]).toBeLessThan(high);
  }
});

test("under MIG the vendor's words stand everywhere, and no read waits behind the other instance", async ({ page }) => {
  const policy = { name: "mig", profiles: ["3g.20gb", "4g.20gb"] };
  const experiment: Experiment = {
    corun: 1,
    gpu: "a100-40gb",
    kernels: ["ccbp/BP", "ccbp/CFD"],
    seed: 1,
    alone: false,
  };
  await openAt(
    page,
    await encodeLink({
      experiment: { ...experiment, policy: { name: "even" } },
      other: { ...experiment, policy },
      view: {},
    }),
    4_000,
  );
  const words = "MIG 3g.20gb + 4g.20gb";
  await expect(page.locator("#choose-scheme-B")).toHaveText(words);
  await expect(page).toHaveTitle(/^BP \+ CFD on 108 SMs · Even split vs MIG 3g\.20gb \+ 4g\.20gb · /);
  await expect(page.getByRole("list", { name: `B ${words}` })).toBeVisible();
  await expect(page.locator("#gpu canvas")).toContainText(`B, ${words}: `);
  const read = page.locator("#reads .read");
  await expect(read).toContainText(/takes [\d,]+ cycles/);
  await page.getByRole("button", { name: "The pictures show A: show B" }).click();
  await expect(read).toHaveAttribute("aria-label", /^B: /);
  await expect(read).toContainText(/takes [\d,]+ cycles/);
  await expect(read).not.toContainText("behind");
});
