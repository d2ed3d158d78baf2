// The place Schemes, as a person asks it: which is best for a mix, in a picture and a table that sorts; and the oracles.
import type { Locator, Page } from "@playwright/test";
import { pack } from "../src/model/link.ts";
import { choose, expect, is, noViolations, openAt, picture, test } from "./corun.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=VADD+ccbp/SAD&policy=even&seed=1&cycles=8000";
const open = async (page: Page, hash = ""): Promise<void> => {
  await page.goto("about:blank");
  await page.goto(`./sweeps.html${hash}`);
  await expect(page.locator("html")).toHaveAttribute("data-sweep", /ready|done/);
};
const mix = async (page: Page, experiment: object): Promise<void> =>
  open(page, `#v=1&z=${await pack(JSON.stringify(experiment))}`);
const table = (page: Page) => page.getByRole("table", { name: "The schemes compared" });
const row = (page: Page, name: string) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("button", { name, exact: true }) });
/** The numbers of a column, from top to bottom. */
const column = (page: Page, n: number): Promise<number[]> =>
  table(page)
    .locator(`tbody tr td:nth-of-type(${n}).num .value`)
    .allTextContents()
    .then((texts) => texts.map(Number).filter((v) => Number.isFinite(v)));
const runThem = (page: Page) => page.getByRole("button", { name: /^Run (them|it)$/ });
/** Leaves only these. */
async function only(page: Page, ...names: RegExp[]): Promise<void> {
  await page.getByText(/^Schemes: \d+ of \d+$/).click();
  await page.getByRole("button", { name: "None", exact: true }).click();
  await expect(page.getByText(/^Schemes: 0 of \d+$/)).toBeVisible();
  for (const name of names) await page.getByRole("checkbox", { name }).check();
  await expect(page.getByText(new RegExp(`^Schemes: ${names.length} of \\d+$`))).toBeVisible();
}

test("the first mix is answered before anything runs, with the forms that papers compare", { tag: "@core" }, async ({
  page,
}) => {
  await open(page);
  await expect(page.getByRole("heading", { name: "Which scheme is best for" })).toBeVisible();
  await expect(page.locator(".place-best")).toHaveText(/^(Best by HSpeedup|By HSpeedup (so far )?no scheme is best)/);
  await expect(row(page, "CCBP").locator(".value").first()).toHaveText(/^\d/);
  // On a phone the heading of the column that sorts is there as a whole.
  await page.setViewportSize({ width: 390, height: 844 });
  const right = (of: Locator): Promise<number> => of.evaluate((one) => one.getBoundingClientRect().right);
  const heading = table(page).getByRole("button", { name: "HSpeedup", exact: true }).first();
  expect(await right(heading)).toBeLessThanOrEqual(
    await right(page.getByRole("region", { name: "The schemes compared" })),
  );
  await page.setViewportSize({ width: 1280, height: 720 });
  for (const name of ["SMK without quotas", "Warped-Slicer, online", "CCBP, shares alone", "CCBP, offline"])
    await expect(row(page, name)).toHaveCount(1);
  // Nothing stands there as an error.
  await expect(table(page)).not.toContainText("found");
  await page.getByText(/more do not apply to this mix/).click();
  const cannot = page.locator(".place-compared li");
  await expect(cannot.filter({ hasText: /^HeteroCore: .*: needs a GPU with two SM classes/ })).toHaveCount(1);
  await expect(cannot.filter({ hasText: /^MIG: needs .*a100-40gb, / })).toHaveCount(1);
  await noViolations(page);
  await picture(page, "schemes-first", true);
});

test("the button that runs all schemes stays where it is when the first of them are there", async ({ page }) => {
  await page.addInitScript(() => {
    const tops = new Set<number>();
    Object.assign(window, { tops });
    // Before its first frame nobody sees it.
    let seen = false;
    const look = (): void => {
      const button = document.querySelector(".schemes-left button"),
        picture = button?.closest(".schemes-picture"),
        visible = button?.checkVisibility() === true;
      if (picture && visible && seen)
        tops.add(Math.round(button.getBoundingClientRect().top - picture.getBoundingClientRect().top));
      seen = visible;
      requestAnimationFrame(look);
    };
    look();
  });
  await page.goto(`./${TINY}`);
  await expect(page.locator(".schemes-picture [role=option]")).not.toHaveCount(0);
  await expect(runThem(page)).toBeVisible();
  expect(await page.evaluate(() => [...(window as typeof window & { tops: Set<number> }).tops])).toHaveLength(1);
});

test("one press runs all schemes of a mix; the table sorts; a scheme opens beside the mix's own", async ({ page }) => {
  await openAt(page, TINY.replace("&cycles=8000", ""), 100);
  await page.getByRole("link", { name: "Schemes", exact: true }).click();
  await expect(page).toHaveURL(/sweeps\.html#v=1&gpu=tiny-2sm&mix=VADD\+SAD&policy=even&seed=1/);
  await expect(page.getByLabel("Length")).toHaveValue("500000");
  await page.getByLabel("Length").fill("8000");
  await page.getByLabel("Length").press("Enter");
  await expect.poll(() => page.url()).toContain("cycles=8000");
  await runThem(page).click();
  await expect(runThem(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);
  await expect(table(page)).not.toContainText("not run");
  await expect(table(page)).not.toContainText("waiting");
  await expect(table(page).getByRole("columnheader")).toHaveText([
    /^Scheme/,
    /^Slowdown of VADD/,
    /^Slowdown of SAD/,
    /^HSpeedup/,
    /^STP/,
    /^ANTT/,
    /^Fairness/,
    /^NoC/,
    /^DRAM/,
    /^Instructions per watt/,
  ]);
  // What has not acted yet says when it will.
  await expect(page.getByTitle(/CCBP, offline acts from 900,000 on/)).toBeVisible();
  const sort = table(page).getByRole("button", { name: "STP", exact: true });
  await sort.click();
  await expect(table(page).getByRole("columnheader", { name: /^STP/ })).toHaveAttribute("aria-sort", "ascending");
  const up = await column(page, 4);
  expect(up.length).toBeGreaterThan(20);
  expect(up).toEqual([...up].sort((a, b) => a - b));
  await sort.click();
  await expect(table(page).getByRole("columnheader", { name: /^STP/ })).toHaveAttribute("aria-sort", "descending");
  expect(await column(page, 4)).toEqual([...up].reverse());
  await expect(sort).toBeFocused();
  // A question has one scheme for an answer, in words.
  const fairest = page.locator(".schemes-picture header").getByRole("button", { name: "fairest" });
  await fairest.click();
  await expect(fairest).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".schemes-picture [role=status]")).toHaveText(
    / is fairest of \d+ that ran: VADD \d.*×, SAD \d/,
  );
  await page.locator(".schemes-picture [role=status] .term", { hasText: "fairest" }).hover();
  await expect(page.locator(".term-tip")).toContainText("The least progress of a kernel over the greatest");
  await expect(page.locator(".schemes-picture .point.active")).toHaveCount(1);
  await noViolations(page);
  await picture(page, "schemes", true);
  // What has run is not run again.
  await page.reload();
  await expect(table(page)).not.toContainText("not run");

  await row(page, "Spatial partitioning").getByRole("button", { name: "Spatial partitioning" }).click();
  await expect.poll(() => page.url()).toContain("policy=even&seed=1&cycles=8000&b.policy=spatial");
  await is(page, "Finished");
});

test("the oracles are searched here: all combinations for a short time, the best of them at length", async ({
  page,
}) => {
  await open(page, TINY);
  await only(page, /^Even split/);
  await page.getByRole("button", { name: "Search the oracles" }).click();
  await expect(row(page, "CTA oracle (1 + 1 CTAs)")).toBeVisible();
  await expect(table(page).getByRole("row", { name: /^Spatial oracle \(\d \+ \d CTAs\)/ })).toBeVisible();
  await expect(page.locator(".place-best")).toContainText(/CTA oracle \(1 \+ 1 CTAs\): \d/);
  await expect(page.getByText(/^Of 2 combinations of CTAs on every SM, and 8 of CTAs on SMs apart/)).toBeVisible();
  // Another mix has none yet.
  await choose(page, "Kernel 2", "CFD");
  await expect.poll(() => page.url()).toContain("mix=VADD+ccbp/CFD");
  await expect(table(page)).not.toContainText("oracle");
});

test("where a kernel has a goal: whether each scheme keeps it, what it leaves for the others, and the forms of QoS", {
  tag: "@core",
}, async ({ page }) => {
  await mix(page, {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: [{ kernel: "ccbp/SAD", qos: 0.8 }, "VADD"],
    policy: "even",
    seed: 1,
    stop: { cycles: 20_000 },
  });
  await page.getByText(/^Schemes: \d+ of \d+$/).click();
  await page.getByRole("button", { name: "Those that keep goals" }).click();
  await expect(page.getByRole("checkbox", { name: "QoS rollover, no history" })).toBeChecked();
  await expect(page.getByRole("checkbox", { name: /^Even split/ })).not.toBeChecked();
  await page.getByRole("button", { name: "None", exact: true }).click();
  for (const name of [/^Even split/, /^QoS rollover$/, /^QoS rollover, CTAs stay$/])
    await page.getByRole("checkbox", { name }).check();
  await runThem(page).click();
  await expect(table(page)).not.toContainText("not run");
  await expect(table(page)).not.toContainText("waiting");
  await expect(table(page).getByRole("columnheader").nth(1)).toHaveText(/^SAD: of its goal/);
  await expect(table(page).getByRole("columnheader").nth(2)).toHaveText(/^VADD: of its IPC alone/);
  await expect(row(page, "Even split")).toContainText("keeps no goals");
  // The words, the part of the goal, and the slowdown say the same.
  for (const name of ["Even split", "QoS rollover"]) {
    const [reached, left, , slower] = (await row(page, name).locator(".value").allTextContents()).map((text) =>
      Number.parseFloat(text),
    ) as [number, number, number, number];
    await expect(row(page, name)).toContainText(
      reached >= 100
        ? `reached, ${(reached - 100).toFixed(1)} % to spare`
        : `missed by ${(100 - reached).toFixed(1)} %`,
    );
    expect(left).toBeCloseTo(100 / slower, 0);
  }
  await noViolations(page);
  await picture(page, "schemes-goals", true);
});

test("chosen schemes for a chosen length; stopping ends at once", async ({ page }) => {
  await open(page, TINY.replace("8000", "90000000"));
  await only(page, /^Even split/, /^Spatial/);
  await runThem(page).click();
  await expect(page.getByText(/2 more are running/)).toBeVisible();
  await expect.poll(() => page.workers().length).toBeGreaterThan(1);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(runThem(page)).toBeFocused();
  await expect(row(page, "Even split")).toContainText("not run");
});

test("a fresh mix is a race: who is far behind is dropped, says so, and runs to its end where it is asked to", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const said = new Set<string>();
    Object.assign(window, { said });
    new MutationObserver(() => {
      said.add(document.querySelector(".schemes-left span")?.textContent ?? "");
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await open(page, TINY.replace("8000", "400000"));
  await only(page, /^Even split/, /^Leftover/, /^Spatial/);
  await runThem(page).click();
  const again = page.getByRole("button", { name: "Run them to the end" });
  await expect(again).toBeVisible({ timeout: 120_000 });
  const said = await page.evaluate(() => [...(window as typeof window & { said: Set<string> }).said]);
  expect(said.some((text) => /^\d of 3 still race: /.test(text))).toBe(true);
  const dropped = /dropped at 100,000 cycles: \d+ % behind/;
  await expect(row(page, "Leftover")).toContainText(dropped);
  await expect(row(page, "Spatial partitioning")).not.toContainText("dropped");
  await expect(page.getByRole("option", { name: /^Leftover;.*dropped at 100,000 cycles/ })).toHaveCount(1);
  await expect(page.getByText("2 were dropped", { exact: true })).toBeVisible();
  await noViolations(page);
  await picture(page, "schemes-race", true);
  // It is remembered, opens in Run as any other, and runs whole.
  await page.reload();
  await expect(row(page, "Leftover")).toContainText(dropped);
  await only(page, /^Even split/, /^Leftover/, /^Spatial/);
  await again.click();
  await expect(row(page, "Leftover")).not.toContainText("dropped", { timeout: 60_000 });
  await expect(page.locator(".schemes-left")).toHaveCount(0, { timeout: 60_000 });
  await row(page, "Leftover").getByRole("button", { name: "Leftover" }).click();
  await expect.poll(() => page.url()).toContain("b.policy=leftover");
});

test("the place's name leads to all schemes of a run's mix", async ({ page }) => {
  await openAt(page, TINY, 100);
  await page.getByRole("link", { name: "Schemes", exact: true }).click();
  await expect(page).toHaveURL(/sweeps\.html#v=1&gpu=tiny-2sm&mix=VADD\+SAD/);
});

for (const scheme of ["light", "dark"] as const)
  test(`the place has room from 360 to 1,440 pixels, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await open(page);
    for (const width of [1440, 1024, 390, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
        .toBeLessThanOrEqual(0);
      await noViolations(page);
      await picture(page, `schemes-${width}-${scheme}`, true);
    }
  });

test("the time left of all schemes, as it is said and as it comes out", async ({ page }) => {
  test.slow();
  await page.addInitScript(() => {
    const said: [number, string][] = [];
    Object.assign(window, { said });
    new MutationObserver(() => {
      const text = document.querySelector(".schemes-left span")?.textContent ?? "";
      if (/running|still race/.test(text) && said.at(-1)?.[1] !== text) said.push([performance.now(), text]);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  // Nothing is judged by it: how even a machine's speed is depends on what else it does.
  await open(page, "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&cycles=300000&policy=even&seed=7");
  await runThem(page).click();
  await expect(page.locator(".schemes-left progress")).toBeVisible();
  await expect(page.locator(".schemes-left progress")).toHaveCount(0, { timeout: 500_000 });
  const { said, end } = await page.evaluate(() => ({
    said: (window as typeof window & { said: [number, string][] }).said,
    end: performance.now(),
  }));
  const began = said[0]?.[0] ?? end;
  const lines = [0.25, 0.5, 0.75].map((part) => {
    const at = began + part * (end - began),
      [, number, unit] =
        /(?:about|at most) (\d+) (s|min) left/.exec(said.filter(([when]) => when <= at).at(-1)?.[1] ?? "") ?? [],
      left = (end - at) / 1000;
    if (number === undefined) return `at ${100 * part} % nothing, ${left.toFixed(0)} s were left`;
    const told = Number(number) * (unit === "min" ? 60 : 1);
    return `at ${100 * part} % ${told} s, ${left.toFixed(1)} s were left (${(100 * (told / left - 1)).toFixed(0)} %)`;
  });
  console.log(`${((end - began) / 1000).toFixed(0)} s; ${lines.join("; ")}`);
  expect(said.some(([, text]) => text.includes("left"))).toBe(true);
});
