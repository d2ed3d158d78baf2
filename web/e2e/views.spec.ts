// The pictures as a person uses them: pointer, keyboard, tables, exports.
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { pack } from "../src/model/link.ts";
import {
  axisFile,
  axisMore,
  colours,
  countColours,
  cycle,
  expect,
  form,
  is,
  noViolations,
  openAt,
  result,
  saved,
  show,
  test,
  closeDrawer,
} from "./corun.ts";
import { more, pick } from "./menu.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1";
const spoken = (page: Page, view: string): Locator => page.locator(`${view} > [role=status]`);
async function exported(
  page: Page,
  within: Locator,
  kind: "csv" | "json" | "svg" | "png",
): Promise<{ name: string; path: string; text: string }> {
  await more(within).click();
  const [download] = await Promise.all([page.waitForEvent("download"), within.locator(`[data-kind=${kind}]`).click()]);
  return { path: await download.path(), ...(await saved(download)) };
}

test("an SM opens with a click and with the keyboard, and is in the link", { tag: "@core" }, async ({ page }) => {
  await openAt(page, TINY, 6000);
  const canvas = page.locator("corun-gpu canvas");
  expect(await colours(canvas)).toBeGreaterThan(5);
  await canvas.click({ position: { x: 20, y: 40 } });
  const detail = page.locator("corun-sm-detail");
  await expect(detail.getByRole("heading", { name: "SM 0" })).toBeVisible();
  await expect.poll(() => page.url()).toContain("sm=0");
  await expect(detail.locator(".cv-value").first()).toHaveText(/of .* \(\d+ %\) · BP\s.* · CFD\s/);
  await expect(detail.locator(".cv-warp[title*='BP']").first()).toBeVisible();
  // It stands in the place of all SMs, to which a key leads back.
  await expect(canvas).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(canvas).toBeFocused();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(spoken(page, "corun-gpu")).toContainText(
    /^SM 1: CTAs \d+ of BP, \d+ of CFD, in \d+ of \d+ slots; schedulers issued in/,
  );
  await page.keyboard.press("Enter");
  await expect(detail.getByRole("heading", { name: "SM 1" })).toBeVisible();
  await expect.poll(() => page.url()).toContain("sm=1");
  await page.reload();
  await expect(detail.getByRole("heading", { name: "SM 1" })).toBeVisible();
  await detail.getByRole("button", { name: "All SMs" }).click();
  await expect(detail).toBeHidden();
  await expect.poll(() => page.url()).not.toContain("sm=");
});

test("behind each picture is a table with the same numbers", async ({ page }) => {
  await openAt(page, TINY, 8000);
  await pick(page.locator("corun-gpu"), "GPU as a table");
  const sms = page.locator("corun-gpu table");
  await expect(sms.locator("tbody tr")).toHaveCount(2);
  const spots = page.locator("corun-sm-detail");
  await expect(spots).toBeHidden();
  await show(page, "path");
  await pick(page.locator("corun-memory-path"), "Memory path as a table");
  await expect(page.locator("corun-memory-path table tbody tr").first()).toContainText("request queue of SM");
  const time = await axisMore(page);
  await time.getByRole("button", { name: "Over time as a table" }).click();
  await expect(time.locator("tbody tr")).toHaveCount(20);
  await expect(time.locator("tbody tr").last()).toContainText("8,000");
  await noViolations(page);
});

test("exported data are what the engine counted, and every export is stamped", { tag: "@core" }, async ({ page }) => {
  await openAt(page, TINY, 20_000);
  const run = await result(page);
  const csv = await saved(await axisFile(page, "csv"));
  expect(csv.name).toBe(`corun-time-${run.config_hash.slice(0, 8)}-s1-c20000.csv`);
  const lines = csv.text.trim().split("\r\n");
  expect(lines[1]).toBe(`# corun ${run.engine}; config ${run.config_hash}; seed 1; cycle 20000`);
  const rows = lines
    .filter((l) => !l.startsWith("#"))
    .slice(1)
    .map((l) => l.split(",").map(Number));
  expect(rows.length).toBe(50);
  for (const k of [0, 1]) {
    const sum = rows.reduce((s, r) => s + r[2 + k]! * (r[1]! - r[0]!), 0);
    expect(Math.abs(sum - run.kernels[k]!.thread_instructions)).toBeLessThan(1e-3);
  }
  const more = await axisMore(page);
  await more.getByLabel("Issue slots", { exact: true }).check();
  for (const other of ["IPC", "NoC reply bandwidth", "DRAM bandwidth"])
    await more.getByLabel(other, { exact: true }).uncheck();
  await expect.poll(() => page.url()).toContain("lanes=stalls");
  const json = JSON.parse((await saved(await axisFile(page, "json"))).text) as {
    stamp: { config: string; cycle: number; link: string };
    columns: { key: string }[];
    rows: Record<string, number>[];
  };
  expect(json.stamp).toMatchObject({ config: run.config_hash, cycle: 20_000, link: page.url() });
  expect(json.rows.length).toBe(50);
  for (const row of json.rows) {
    const sum = json.columns.slice(2).reduce((s, c) => s + row[c.key]!, 0);
    expect(Math.abs(sum - 100), `slots of a window add up: ${JSON.stringify(row)}`).toBeLessThan(1e-6);
  }
  for (const [of, open] of [
    [null, () => page.keyboard.press("Escape")],
    [page.locator("corun-gpu"), () => closeDrawer(page)],
    [page.locator("corun-memory-path"), () => show(page, "path")],
  ] as const) {
    await open();
    const file = async (kind: "svg" | "png"): Promise<{ path: string; text: string }> => {
      if (of) return exported(page, of, kind);
      const download = await axisFile(page, kind);
      return { path: await download.path(), ...(await saved(download)) };
    };
    const svg = await file("svg");
    expect(svg.text).toContain(run.config_hash);
    const drawn = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
      return parsed.querySelector("parsererror")
        ? 0
        : parsed.querySelectorAll("rect, path, line, polyline, polygon, circle, text").length;
    }, svg.text);
    expect(drawn, "an XML parser takes it, and there is a drawing in it").toBeGreaterThan(10);
    const png = await file("png");
    const bytes = await readFile(png.path);
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect(bytes.includes(run.config_hash)).toBe(true);
    const image = await page.evaluateHandle(
      async (data) => {
        const bitmap = await createImageBitmap(new Blob([Uint8Array.from(data)], { type: "image/png" }));
        const canvas = Object.assign(document.createElement("canvas"), { width: bitmap.width, height: bitmap.height });
        canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
        return canvas;
      },
      [...bytes],
    );
    expect(await image.evaluate((canvas) => canvas.width)).toBeGreaterThan(1000);
    expect(await image.evaluate(countColours), "a picture").toBeGreaterThan(5);
  }
});

test("a picture has one control beside itself, a menu that works with the keyboard", async ({ page }) => {
  await openAt(page, TINY, 2000);
  // But for words that explain themselves.
  const controls = (of: string): Locator => page.locator(of).getByRole("button").and(page.locator(":not(.term)"));
  await expect(controls("corun-gpu")).toHaveCount(1);
  await show(page, "path");
  await expect(controls("corun-memory-path")).toHaveCount(1);
  const of = page.locator("corun-memory-path");
  await more(of).focus();
  await page.keyboard.press("Enter");
  const table = of.getByRole("menuitemcheckbox", { name: /^Memory path.* as a table$/ });
  await expect(table).toBeFocused();
  await noViolations(page);
  await page.keyboard.press("ArrowDown");
  await expect(of.getByRole("menuitem", { name: "CSV" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(of.getByRole("menu")).toBeHidden();
  await expect(more(of)).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: /^the numbers of Memory path/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await more(of).click();
  await table.click();
  await expect(of.getByRole("table")).toBeVisible();
  await expect(more(of)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(table).toHaveAttribute("aria-checked", "true");
  await page.keyboard.press("Enter");
  await expect(of.locator("canvas")).toBeVisible();
});

test("of two runs one GPU is shown large, which a press changes; both where there is room", async ({ page }) => {
  await openAt(page, `${TINY}&b.policy=spatial`, 4000);
  const grid = page.locator("corun-gpu"),
    canvas = grid.locator("canvas");
  await expect(canvas).toContainText(/^A, .* B, /s);
  const reads = page.locator("#reads .read"),
    detail = page.locator("corun-sm-detail");
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await expect(reads).toHaveCount(1);
    await page.getByRole("button", { name: "The pictures show A: show B" }).click();
    const back = page.getByRole("button", { name: "The pictures show B: show A" });
    await expect(back).toBeFocused();
    await canvas.press("Home");
    await expect(spoken(page, "corun-gpu")).toHaveText(/^SM 0: CTAs \d+ of BP, 0 of CFD/);
    await canvas.press("Enter");
    await expect(detail.locator(".side-heading")).toHaveText(/^B\s*Spatial partitioning/);
    await expect(detail.getByRole("button", { name: "All SMs" })).toBeFocused();
    await noViolations(page);
    await back.click();
    await expect(detail.locator(".side-heading")).toHaveText(/^A\s*Even split/);
    await page.keyboard.press("Escape");
    await expect(canvas).toBeVisible();
  }
  await page.setViewportSize({ width: 1680, height: 900 });
  await expect(reads).toHaveCount(2);
  await expect(page.getByRole("button", { name: /^The pictures show/ })).toHaveCount(0);
});

test("no window and no decision is lost where a frame comes while another run is built", async ({ page }) => {
  // A slow page, which says half a second late what is to be built.
  await page.addInitScript(() => {
    const next = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw): number =>
      next(() =>
        setTimeout(() => {
          draw(performance.now());
        }, 80),
      );
    const post = Worker.prototype.postMessage;
    Object.assign(window, { hold: false });
    Worker.prototype.postMessage = function (this: Worker, message: { t: string }, ...more: []): void {
      const { hold } = window as typeof window & { hold: boolean };
      setTimeout(() => post.call(this, message, ...more), hold && message.t === "load" ? 500 : 0);
    };
  });
  const whole = async (): Promise<void> => {
    await is(page, "Finished");
    const { rows } = JSON.parse((await saved(await axisFile(page, "json"))).text) as {
        rows: Record<string, number>[];
      },
      { cycles } = await result(page);
    expect(rows.length).toBe(Math.floor(cycles / 400));
    await show(page, "decisions");
    await page.locator(".all-decisions summary").click();
    // The list is written once the browser says that it is open.
    await expect(page.locator(".all-decisions ol.log li"), "the split of SMs, for each kernel").toHaveCount(2);
    await page.locator(".all-decisions summary").click();
    await closeDrawer(page);
  };
  const hold = (is: boolean): Promise<void> =>
    page.evaluate((hold) => {
      Object.assign(window, { hold });
    }, is);
  await openAt(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=leftover&seed=1", 2000);
  await form(page);
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Running");
  await hold(true);
  await page.getByLabel("Policy", { exact: true }).selectOption("even");
  await hold(false);
  await whole();

  await openAt(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1", 2000);
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Running");
  await hold(true);
  await page.evaluate(() => {
    location.hash = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+NOSUCH&policy=even&seed=1";
  });
  await expect(page.locator(".problems, .notices, main").getByText("NOSUCH").first()).toBeVisible();
  await hold(false);
  await is(page, "Paused");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await whole();
});

test("SMs of a GPU with classes are named by class; one that drains says so on the grid, in its card and in the table", async ({
  page,
}) => {
  const experiment = {
    corun: 1,
    gpu: "hetero-8b8s",
    kernels: ["ccbp/BP", "ccbp/CFD"],
    policy: { name: "time-slice", slice: 1500 },
    seed: 1,
    alone: false,
  };
  await openAt(page, `#v=1&z=${await pack(JSON.stringify(experiment))}&sm=9`, 1490);
  const grid = page.locator("corun-gpu"),
    card = page.locator("corun-sm-detail");
  await expect(card.getByRole("heading", { name: "SM 9 (small)" })).toBeVisible();
  await expect(card.getByText(/^It drains/)).toBeHidden();
  await card.getByRole("button", { name: "All SMs" }).click();
  await expect(grid.locator("canvas")).toContainText(/^16 SMs \(8 big, 8 small\) at cycle 1,490\. /);
  await grid.locator("canvas").press("Home");
  await expect(grid.locator("> [role=status]")).toHaveText(
    /^SM 0 \(big\): CTAs \d+ of BP, \d+ of CFD, in \d+ of \d+ slots; schedulers/,
  );
  await grid.locator("canvas").press("Enter");
  // BP's turn is over, and its CTAs have not left.
  await page.getByLabel("Go to cycle").fill("1510");
  await page.getByLabel("Go to cycle").press("Enter");
  await expect.poll(() => cycle(page)).toBe(1510);
  await expect(card.getByText("It drains: BP holds more CTAs than may stay.")).toBeVisible();
  await card.getByRole("button", { name: "All SMs" }).click();
  await pick(grid, /table/i);
  await expect(grid.getByRole("columnheader", { name: "Drains" })).toBeVisible();
  const row = grid.getByRole("row").filter({ has: page.getByRole("cell", { name: "small", exact: true }) });
  await expect(row).toHaveCount(8);
  await expect(row.filter({ has: page.getByRole("cell", { name: "BP", exact: true }) })).toHaveCount(8);
});
