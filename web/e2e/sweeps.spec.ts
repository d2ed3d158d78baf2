// Sweeps in the page as a person uses them: the runner's lines, stopping and going on, links, wrong input, the keyboard.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { pack } from "../src/model/link.ts";
import { expect, is, noViolations, picture, result, saved, test } from "./corun.ts";
import { pick } from "./menu.ts";

/** The native build of the same engine. */
const CORUN = process.env["CORUN"] ?? "../target/debug/corun";

/** Mixes of different sizes that share runs alone, a zip, and runs whose length nobody knows. */
const MIXED = {
  corun: 1,
  sweep: {
    name: "Mixed",
    base: { corun: 1, gpu: "tiny-2sm", restart: false },
    axes: [
      {
        zip: [
          { path: "kernels", values: [["ccbp/BP", "ccbp/SAD"], ["ccbp/SAD", "ccbp/CFD", "ccbp/BP"], ["ccbp/CFD"]] },
          { path: "policy", values: ["even", "spatial", "leftover"] },
        ],
      },
      { path: "stop", values: [{ cycles: 3000 }, { kernels_done: true, cycles: 5000 }] },
    ],
  },
};
/** More than a test waits for, however fast the engine is. */
const LONG = {
  corun: 1,
  sweep: {
    name: "Long",
    base: { corun: 1, gpu: "tiny-2sm", kernels: ["ccbp/BP"], alone: false },
    axes: [{ path: "stop.cycles", values: [2000, 3000, 4000, 900_000_000_000, 900_000_000_001] }],
  },
};

async function open(page: Page, hash = ""): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`./sweeps.html${hash}`);
}
const sweep = async (page: Page, of: object): Promise<void> => open(page, `#v=1&z=${await pack(JSON.stringify(of))}`);
const phase = (page: Page, is: string): Promise<void> => expect(page.locator("html")).toHaveAttribute("data-sweep", is);
/** Opens what the sweep is as data. */
const asData = (page: Page): Promise<void> => page.getByText("As data", { exact: true }).click();
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const done = async (page: Page): Promise<string[]> =>
  page
    .locator("#results tbody tr")
    .evaluateAll((rows) => rows.map((row) => row.querySelector("td:nth-last-child(2)")?.textContent ?? ""));

async function lines(page: Page): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Lines (JSONL)").click()]);
  return (await saved(download)).text;
}

/** What the runner writes for the same sweep. */
function runner(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "corun-sweep-"));
  const file = join(folder, "sweep.json"),
    out = join(folder, "sweep.jsonl");
  writeFileSync(file, text);
  execFileSync(CORUN, ["sweep", file, "--out", out, "--jobs", "2"], { stdio: "pipe" });
  return readFileSync(out, "utf8");
}

test("a run leads to the sweeps and back", async ({ page }) => {
  await page.goto("./");
  await page.getByRole("link", { name: "Schemes", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Which scheme is best for" })).toBeVisible();
  await phase(page, "ready");
  await page.getByRole("link", { name: "Run", exact: true }).click();
  await expect(page.locator("corun-dock")).toBeVisible();
});

for (const [name, text] of [
  ["an example", readFileSync("../examples/sweeps/bandwidth.json", "utf8")],
  ["mixes and open ends", JSON.stringify(MIXED)],
] as const) {
  test(`the lines are the runner's, byte for byte: ${name}`, { tag: "@core" }, async ({ page }) => {
    await sweep(page, JSON.parse(text) as object);
    await phase(page, "ready");
    await button(page, "Run").click();
    await phase(page, "done");
    expect(await lines(page)).toBe(runner(text));
  });
}

test("stopping ends all workers at once, and keeps what is done", async ({ page }) => {
  await sweep(page, LONG);
  await phase(page, "ready");
  await button(page, "Run").click();
  await expect.poll(async () => (await done(page)).filter((cell) => cell.startsWith("at ")).length).toBe(3);
  await expect(page.locator(".sweep-progress")).toContainText(/3 of 5 points, about .* left/);
  expect(page.workers().length).toBeGreaterThan(1);
  // In the click itself: nobody has to wait for a worker to look up.
  const after = await page.evaluate(() => {
    const stop = [...document.querySelectorAll("button")].find((b) => b.textContent === "Stop") as HTMLButtonElement;
    stop.click();
    return document.documentElement.dataset["sweep"];
  });
  expect(after).toBe("stopped");
  // Who answers questions stays.
  await expect.poll(() => page.workers().length).toBe(1);
  const kept = await lines(page);
  expect(
    kept
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { index: number }).index),
  ).toEqual([0, 1, 2]);
  await expect(page.locator("#results a").first()).toHaveAttribute("href", /#v=1/);

  // What is done is not run again, also when another sweep was looked at in between.
  await page.getByLabel("Open an example").selectOption("bandwidth");
  await phase(page, "ready");
  await asData(page);
  await page.getByLabel("The whole sweep as JSON").fill(JSON.stringify(LONG));
  await phase(page, "stopped");
  expect(await lines(page)).toBe(kept);
  await button(page, "Go on").click();
  await phase(page, "running");
  await expect(page.getByLabel("The whole sweep as JSON")).not.toBeEditable();
  await button(page, "Stop").click();
  expect(await lines(page)).toBe(kept);
});

test("a stopped sweep goes on to the same bytes", async ({ page }) => {
  const text = readFileSync("../examples/sweeps/bandwidth.json", "utf8").replace("20000", "100000");
  await sweep(page, JSON.parse(text) as object);
  await phase(page, "ready");
  await asData(page);
  await page.getByLabel("Simulations at once").fill("1");
  // In the moment in which the first point is done: a person may come too late for the last.
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      const points = [...document.querySelectorAll("#results tbody tr td:nth-last-child(2)")];
      if (!points.some((cell) => cell.textContent?.startsWith("at "))) return;
      observer.disconnect();
      [...document.querySelectorAll("button")].find((b) => b.textContent === "Stop")?.click();
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true });
  });
  await button(page, "Run").click();
  await phase(page, "stopped");
  const first = (await done(page)).filter((cell) => cell.startsWith("at ")).length;
  expect(first, "of six points").toBeGreaterThan(0);
  expect(first).toBeLessThan(6);
  await page.getByLabel("Simulations at once").fill("3");
  await button(page, "Go on").click();
  await phase(page, "done");
  expect(await lines(page)).toBe(runner(text));
});

test("a point opens in the simulator as the same experiment", async ({ page }) => {
  await sweep(page, MIXED);
  await phase(page, "ready");
  await button(page, "Run").click();
  await phase(page, "done");
  const all = (await lines(page))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { config_hash: string; result: { digest: string; cycles: number } });
  await page.getByRole("link", { name: "Open point 2 in the simulator" }).click();
  await is(page, "Finished");
  const there = await result(page);
  expect(there.config_hash).toBe(all[2]?.config_hash);
  expect(there.cycles).toBe(all[2]?.result.cycles);
});

test("the chart compares along any axis, and is in the link", async ({ page }) => {
  await open(page, "#v=1&example=bandwidth&y=ipc&x=1");
  await phase(page, "ready");
  await expect(page.getByLabel("Figure")).toHaveValue("ipc");
  await expect(page.getByLabel("across", { exact: true })).toHaveValue("1");
  await button(page, "Run").click();
  await phase(page, "done");
  await page.getByLabel("across", { exact: true }).selectOption("0");
  await expect.poll(() => page.url()).toMatch(/#v=1&example=bandwidth&y=ipc$/);
  const canvas = page.locator("corun-sweep-chart canvas");
  // The address is of the new axis before its picture is drawn.
  await expect(async () => {
    await canvas.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await expect(page.locator("corun-sweep-chart > [role=status]")).toContainText(
      /^lrr, NoC: MHz, DRAM: MHz 1400, 924: IPC \d/,
      { timeout: 1000 },
    );
  }).toPass();
  await pick(page.locator("corun-sweep-chart"), "The points of the sweep as a table");
  expect(await page.locator("corun-sweep-chart tbody tr").count()).toBe(3);
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, "Table (CSV)").click()]);
  const csv = (await saved(download)).text
    .trim()
    .split("\r\n")
    .filter((line) => !line.startsWith("#"));
  expect(csv.length).toBe(7);
  expect(csv[0]).toMatch(/^index,gpu\.noc\.mhz,gpu\.dram\.mhz,warp_order,config_hash,digest,cycles,stop,/);
  const columns = new Set(csv.map((line) => line.split(",").length));
  expect(columns.size, "as many cells in each row").toBe(1);
});

test("what is wrong is named, and nothing of it runs", async ({ page }) => {
  await open(page);
  await phase(page, "ready");
  await asData(page);
  const box = page.getByLabel("The whole sweep as JSON");
  const problems = page.locator("#f-sweep-problem");
  for (const [text, said] of [
    ["{", "JSON"],
    [
      JSON.stringify({
        corun: 1,
        sweep: {
          base: { corun: 1, kernels: ["ccbp/BP"] },
          axes: [
            { path: "policy", values: ["even", "evenn"] },
            { path: "gpu.dram.mhz", values: [924, 1] },
          ],
        },
      }),
      "sweep.axes[1].values[1]: found 1",
    ],
    [
      JSON.stringify({
        corun: 1,
        sweep: {
          base: { corun: 1, kernels: ["ccbp/BP"] },
          axes: [{ path: "seed", values: Array.from({ length: 5001 }, (_, i) => i) }],
        },
      }),
      "5,001 points",
    ],
    // Only some combinations cannot run.
    [
      JSON.stringify({
        corun: 1,
        sweep: {
          base: { corun: 1, kernels: ["ccbp/BP"], policy: { name: "fixed", combination: [1] } },
          axes: [
            { path: "kernels", values: [["ccbp/BP"], ["ccbp/BP", "ccbp/CFD"]] },
            { path: "policy", values: [{ name: "fixed", combination: [1] }, "even"] },
          ],
        },
      }),
      "combination",
    ],
  ] as const) {
    await box.fill(text);
    await phase(page, "bad");
    await expect(problems).toContainText(said);
    await expect(button(page, "Run")).toBeDisabled();
    await expect(box).toHaveAttribute("aria-invalid", "true");
  }
  await noViolations(page);
  for (const hash of [
    "#v=1&example=nothing",
    "#v=2&example=bandwidth",
    "#v=1&z=AAAA",
    "#v=1&example=bandwidth&z=AAAA",
    "#v=1&example=bandwidth&q=1",
  ]) {
    await open(page, hash);
    await expect(page.getByRole("heading", { name: "This link cannot be opened" })).toBeInViewport();
  }
  await page.getByRole("button", { name: "Open the first example" }).click();
  await phase(page, "ready");
});

test("files: in and out, and the command", async ({ page }) => {
  await open(page);
  await phase(page, "ready");
  await page.setInputFiles("#f-open", {
    name: "mine.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(LONG)),
  });
  await expect(page.locator("#points-title")).toHaveText("Long");
  await expect.poll(() => page.url()).toContain("#v=1&z=");
  await asData(page);
  await button(page, "Copy the command").click();
  await expect(page.locator("#toast")).toContainText("copied");
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain(JSON.stringify(LONG));
  expect(command).toMatch(
    /target\/release\/corun sweep corun-sweep-[0-9a-f]{8}\.json --resume --out corun-sweep-[0-9a-f]{8}\.jsonl/,
  );
});

test("keyboard alone is enough", async ({ page }) => {
  await open(page, "#v=1&example=bandwidth");
  await phase(page, "ready");
  // What a link is of stands first: the way over the header leads into the sweep.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.locator("#vary :focus")).toHaveCount(1);
  for (let i = 0; i < 30 && !(await button(page, "Run").evaluate((e) => e === document.activeElement)); i += 1)
    await page.keyboard.press("Tab");
  await expect(button(page, "Run")).toBeFocused();
  await page.keyboard.press("Enter");
  await phase(page, "done");
  for (
    let i = 0;
    i < 40 && !(await page.getByLabel("across", { exact: true }).evaluate((e) => e === document.activeElement));
    i += 1
  )
    await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => page.url()).toContain("x=1");
  for (
    let i = 0;
    i < 12 &&
    !(await page
      .getByRole("link", { name: "Open point 0 in the simulator" })
      .evaluate((e) => e === document.activeElement));
    i += 1
  )
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.locator("corun-dock")).toBeVisible();
});

for (const scheme of ["light", "dark"] as const) {
  test(`nothing stands in the way of anybody, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await open(page, "#v=1&example=bandwidth");
    await phase(page, "ready");
    await button(page, "Run").click();
    await phase(page, "done");
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
        .toBeLessThanOrEqual(0);
      await noViolations(page);
      await picture(page, `sweeps-${width}-${scheme}`, true);
    }
  });
}

test("a sweep is changed in a form, and its results outlive a reload", async ({ page }) => {
  const base = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["ccbp/BP", "ccbp/SAD"],
    policy: "even",
    stop: { cycles: 100_000 },
  };
  await sweep(page, { corun: 1, sweep: { base, axes: [{ path: "seed", values: [2, 4, 8] }] } });
  await expect(page.getByLabel("Field 1", { exact: true })).toHaveValue("seed");
  await expect(page.getByLabel("Values of field 1, with commas")).toHaveValue("2, 4, 8");
  await page.getByRole("button", { name: "Vary something else too" }).click();
  await expect(page.getByLabel("Field 2", { exact: true })).toBeFocused();
  await page.getByLabel("Field 2", { exact: true }).selectOption("Cycles");
  await expect(page.getByLabel("Values of field 2, with commas")).toHaveValue("50000, 100000, 200000");
  await page.getByLabel("Values of field 2, with commas").fill("2000, 3000");
  await page.getByLabel("Values of field 2, with commas").press("Tab");
  await expect(page.locator(".sweep-progress")).toHaveText("6 points");
  await expect(page.getByRole("columnheader", { name: "Cycles" })).toHaveAttribute("title", "stop.cycles");
  await noViolations(page);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-sweep", "done");
  const cells = (): Promise<string[]> => page.locator("#results tbody tr").allTextContents();
  const before = await cells();
  expect(before).toHaveLength(6);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-sweep", "done");
  await expect.poll(cells).toEqual(before);
});
