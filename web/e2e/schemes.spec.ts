// The mix under every scheme, as a person asks for it: one press, a table that sorts, rows that open; and the heat map of a sweep.
import type { Page } from "@playwright/test";
import { pack } from "../src/link.ts";
import { colours, cycle, dock, expect, form, is, noViolations, openAt, picture, result, show, test } from "./corun.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=VADD+SAD&policy=even&seed=1";
const schemes = (page: Page) => page.locator("corun-schemes");
const table = (page: Page) => page.getByRole("table", { name: "The schemes compared" });
const row = (page: Page, name: string) =>
  table(page)
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) });
/** The numbers of a column, from top to bottom. */
const column = (page: Page, n: number): Promise<number[]> =>
  table(page)
    .locator(`tbody tr td:nth-of-type(${n}).num .value`)
    .allTextContents()
    .then((texts) => texts.map(Number).filter((v) => Number.isFinite(v)));

test("one press runs all schemes; the table sorts by any column; one that cannot run says why; rows open as B and as A", async ({
  page,
}) => {
  await openAt(page, TINY, 4000);
  await show(page, "schemes");
  const length = schemes(page).getByLabel("Length");
  await expect(length).toHaveValue("500000");
  await length.fill("8000");
  await form(page);
  await page.getByRole("button", { name: "All schemes", exact: true }).click();
  await expect(page.locator("#tab-schemes")).toHaveAttribute("aria-selected", "true");
  await expect(schemes(page).locator(".schemes-progress")).toHaveText(/^Done: \d+ of \d+ schemes$/);
  await expect(schemes(page)).toContainText("VADD + SAD on tiny-2sm, seed 1, 8,000 cycles each");
  const offered = await page.getByLabel("Policy", { exact: true }).locator("option").count();
  await expect(table(page).locator("tbody tr")).toHaveCount(offered);
  await expect(row(page, "fixed")).toContainText(
    "It cannot run this mix. policy.combination: found nothing, want a list of 1 to 8 entries",
  );
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
    "Open as",
  ]);
  // Numbers are those of the same experiment by itself.
  const even = (await row(page, "even").locator(".value").allTextContents()).map(Number);

  const sort = table(page).getByRole("button", { name: "STP", exact: true });
  await sort.click();
  await expect(table(page).getByRole("columnheader", { name: /^STP/ })).toHaveAttribute("aria-sort", "ascending");
  const up = await column(page, 4);
  expect(up.length).toBeGreaterThan(6);
  expect(up).toEqual([...up].sort((a, b) => a - b));
  await sort.click();
  await expect(table(page).getByRole("columnheader", { name: /^STP/ })).toHaveAttribute("aria-sort", "descending");
  expect(await column(page, 4)).toEqual([...up].reverse());
  await expect(sort).toBeFocused();
  await schemes(page).getByLabel("Bars show").selectOption("fairness");
  const bars = page.locator("corun-scheme-chart canvas");
  await bars.scrollIntoViewIfNeeded();
  expect(await colours(bars)).toBeGreaterThan(3);
  await bars.focus();
  await page.keyboard.press("Home");
  await expect(page.locator("corun-scheme-chart > [role=status]")).toHaveText(/: Fairness \d\.\d{3}/);
  await noViolations(page);
  await picture(schemes(page), "schemes");

  await row(page, "spatial").getByRole("button", { name: "Open spatial as B" }).click();
  await expect(page.locator("#tab-compare")).toBeVisible();
  await expect.poll(() => page.url()).toContain("policy=even&seed=1&b.policy=spatial");
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("4,000");
  await row(page, "leftover").getByRole("button", { name: "Open leftover as A" }).click();
  await expect.poll(() => page.url()).toContain("policy=leftover&seed=1&b.policy=spatial");
  await show(page, "compare");
  await page.getByRole("button", { name: "Only A" }).click();
  await expect(page.getByLabel("Policy", { exact: true })).toHaveValue("leftover");

  // The even split by itself for as long has the slowdown that the table says.
  await openAt(page, `${TINY}&show=numbers`, 8000);
  await expect(
    page.locator("#numbers table.numbers").first().locator("tbody tr").first().locator("td").nth(2).locator(".value"),
  ).toHaveText(/\d/);
  const ipc = (await result(page)).kernels[0] as unknown as { slowdown: number };
  expect(Math.abs(ipc.slowdown / (even[0] ?? 0) - 1), "alone for as long, or for longer").toBeLessThan(0.5);
});

test("where a kernel has a goal: whether each scheme keeps it, what it leaves for the others, as columns and against the line", {
  tag: "@core",
}, async ({ page }) => {
  const experiment = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: [{ kernel: "SAD", qos: 0.8 }, "VADD"],
    policy: "even",
    seed: 1,
  };
  await openAt(page, `#v=1&z=${await pack(JSON.stringify(experiment))}&show=schemes`, 100);
  await schemes(page)
    .getByText(/^Schemes: \d+ of \d+$/)
    .click();
  await schemes(page).getByRole("button", { name: "Those that keep goals" }).click();
  const chosen = schemes(page).locator("label.check", { has: page.locator("input:checked") });
  await expect(chosen.filter({ hasText: /^Even split/ })).toHaveCount(0);
  expect(await chosen.count()).toBeGreaterThan(3);
  await schemes(page).getByRole("button", { name: "None" }).click();
  for (const name of [/^Even split/, /^QoS rollover:/]) await schemes(page).getByRole("checkbox", { name }).check();
  await schemes(page).getByLabel("Length").fill("20000");
  await page.getByRole("button", { name: "Run 2 schemes" }).click();
  await expect(schemes(page).locator(".schemes-progress")).toHaveText("Done: 2 of 2 schemes");
  await expect(table(page).getByRole("columnheader")).toHaveText([
    /^Scheme/,
    /^SAD: of its goal/,
    /^VADD: of its IPC alone/,
    /^Slowdown of SAD/,
    /^Slowdown of VADD/,
    /^HSpeedup/,
    /^STP/,
    /^ANTT/,
    /^Fairness/,
    /^NoC/,
    /^DRAM/,
    /^Instructions per watt/,
    "Open as",
  ]);
  await expect(table(page).getByRole("rowheader")).toHaveText(["evenkeeps no goals", "qos-rollover"]);
  // The words, the part of the goal, and the slowdown say the same.
  for (const name of ["even keeps no goals", "qos-rollover"]) {
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
  await expect(schemes(page).getByLabel("Bars show")).toHaveValue("goals");
  // The bars are drawn some time after the table.
  await expect(async () => {
    await page.locator("corun-scheme-chart canvas").press("Home");
    await expect(page.locator("corun-scheme-chart > [role=status]")).toHaveText(
      /^even, which keeps no goals: SAD: of its goal [\d.]+ %, (missed by|reached, )/,
      { timeout: 2000 },
    );
  }).toPass();
  await picture(schemes(page), "schemes-goals");
});

test("chosen schemes for a chosen length; cancelling ends at once and keeps what is done", async ({ page }) => {
  await openAt(page, TINY, 100);
  await show(page, "schemes");
  await schemes(page)
    .getByText(/^Schemes: \d+ of \d+$/)
    .click();
  await schemes(page).getByRole("button", { name: "None" }).click();
  await expect(page.locator("#f-schemes-run")).toBeDisabled();
  for (const name of [/^Even split/, /^Spatial/]) await schemes(page).getByRole("checkbox", { name }).check();
  await schemes(page).getByLabel("Length").fill("90000000");
  await page.getByRole("button", { name: "Run 2 schemes" }).click();
  await expect(schemes(page).locator(".schemes-progress")).toHaveText(/^0 of 2 schemes/);
  await expect.poll(() => page.workers().length).toBeGreaterThan(1);
  await schemes(page).getByRole("button", { name: "Cancel" }).click();
  await expect(schemes(page).locator(".schemes-progress")).toHaveText("Cancelled: 0 of 2 schemes are done");
  await expect(row(page, "even")).toContainText("not run");
  await expect(page.getByRole("button", { name: "Run 2 schemes" })).toBeFocused();
  // The page's own run goes on as before.
  await dock(page, "Step one cycle");
  await expect.poll(() => cycle(page)).toBe(101);
});

test("the picture of all schemes runs those that have no answer, tells each, and makes one B", async ({ page }) => {
  await openAt(page, `${TINY}&cycles=8000`, 4000);
  const all = page.locator("#all-schemes");
  await all.getByRole("button", { name: "Run them" }).click();
  const left = all.getByRole("button", { name: "Stop" });
  await expect(left).toBeFocused();
  await expect(left).toBeHidden();
  const schemes = all.getByRole("listbox", { name: /^All schemes/ });
  expect(await schemes.getByRole("option").count()).toBeGreaterThan(6);
  await expect(schemes.getByRole("option", { name: /^A: Even split/ })).toHaveCount(1);
  await schemes.focus();
  await page.keyboard.press("End");
  const chosen = await schemes.evaluate(
    (list) =>
      document.getElementById(list.getAttribute("aria-activedescendant") ?? "")?.getAttribute("aria-label") ?? "",
  );
  expect(chosen).toMatch(/slowdown of VADD [\d.]+.*slowdown of SAD/i);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toContain("&b.");
  await expect(schemes.getByRole("option", { name: `B: ${chosen}` })).toHaveAttribute("aria-selected", "true");
  await noViolations(page);
  await all.getByText(/^As a table/).click();
  await expect(all.getByRole("rowheader", { name: /^B: / })).toHaveCount(1);
  await noViolations(page);
});

test("the schemes have room at 1,440 and at 390 pixels, light and dark", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openAt(page, TINY, 400);
  await show(page, "schemes");
  await schemes(page)
    .getByText(/^Schemes: \d+ of \d+$/)
    .click();
  await schemes(page).getByRole("button", { name: "None" }).click();
  for (const name of [/^Even split/, /^Spatial/, /^Leftover/, /^Fixed/])
    await schemes(page).getByRole("checkbox", { name }).check();
  await schemes(page).getByLabel("Length").fill("20000");
  await page.getByRole("button", { name: "Run 4 schemes" }).click();
  await expect(schemes(page).locator(".schemes-progress")).toHaveText(/^Done: 3 of 4/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1440);
  await noViolations(page);
  await picture(schemes(page), "schemes-1440");
  await page.keyboard.press("Escape");
  await page.locator("main").focus();
  await page.keyboard.press("d");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.setViewportSize({ width: 390, height: 900 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await noViolations(page);
  await picture(schemes(page), "schemes-390");
});

test("a sweep of mixes and schemes has a heat map with its numbers, in every colour scheme", async ({ page }) => {
  const sweep = {
    corun: 1,
    sweep: {
      name: "Heat",
      base: { corun: 1, gpu: "tiny-2sm", stop: { cycles: 8000 } },
      axes: [
        {
          path: "kernels",
          values: [
            ["VADD", "SAD"],
            ["BP", "SAD"],
          ],
        },
        { path: "policy", values: ["leftover", "even", "spatial"] },
      ],
    },
  };
  await page.goto(`./sweeps.html#v=1&z=${await pack(JSON.stringify(sweep))}`);
  await expect(page.locator("html")).toHaveAttribute("data-sweep", "ready");
  const heat = page.getByRole("table", { name: /^STP of each mix under each scheme$/ });
  await expect(heat.getByRole("cell")).toHaveText(Array.from({ length: 6 }, () => "not run"));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-sweep", "done");
  await expect(heat.getByRole("columnheader")).toHaveText(["Mix", "leftover", "even", "spatial"]);
  await expect(heat.getByRole("rowheader")).toHaveText(["VADD + SAD", "BP + SAD"]);
  // The numbers of the table of points, and one best of each mix.
  const points = await page.locator("#results table.numbers tbody tr td:nth-of-type(3)").allTextContents();
  const cells = await heat.getByRole("cell").allTextContents();
  expect(cells.map((text) => text.replace("★ ", ""))).toEqual(points);
  for (const mix of [cells.slice(0, 3), cells.slice(3)]) {
    const values = mix.map((text) => Number(text.replace("★ ", ""))).filter(Number.isFinite);
    expect(
      mix.filter((text) => text.startsWith("★")).every((text) => Number(text.slice(2)) === Math.max(...values)),
    ).toBe(true);
    expect(mix.some((text) => text.startsWith("★"))).toBe(true);
  }
  await noViolations(page);
  await picture(page, "heat-light", true);
  await page.getByLabel("Figure", { exact: true }).selectOption("antt");
  await expect(page.getByText(/less is better/)).toBeVisible();
  await page.getByRole("button", { name: "Dark or light" }).click();
  await noViolations(page);
  await picture(page, "heat-dark", true);
});
