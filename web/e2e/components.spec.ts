// The component lab as a person uses it: curves over theory, links, wrong input, exports, the keyboard.
import type { Page } from "@playwright/test";
import { expect, noViolations, picture, saved, test } from "./corun.ts";
import { pick } from "./menu.ts";

async function lab(page: Page, hash = ""): Promise<void> {
  await page.goto("about:blank");
  await page.goto(`./components.html${hash}`);
}
const settled = (page: Page, how = "Measured"): Promise<void> =>
  expect(page.locator(".lab-progress")).toContainText(`${how}:`);
const card = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true });
const rows = async (page: Page, title: string): Promise<string[][]> => {
  await pick(card(page, title), /as a table$/);
  return card(page, title)
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
};

test("Learn leads to the lab, and the lab to a run", async ({ page }) => {
  await page.goto("./learn.html");
  await page.locator("main").locator("a[href*='components.html']").first().click();
  await expect(page.getByRole("heading", { name: "Components" })).toBeVisible();
  // It measures at once; other tests wait for curves.
  await expect(page.locator(".lab-progress")).toContainText(/\d of 20/);
  await page.getByRole("link", { name: "Run", exact: true }).click();
  await expect(page.locator("corun-dock")).toBeVisible();
});

test("a crossbar's curves lie on theory, and saturate where it says", { tag: "@core" }, async ({ page }) => {
  await lab(page, "#v=1&part=noc&flits=1&points=0.1:0.9:0.2");
  await settled(page);
  const throughput = await rows(page, "Throughput");
  expect(throughput.map((row) => row[0])).toEqual(["0.100", "0.300", "0.500", "0.700", "0.900"]);
  for (const [, measured, theory] of throughput)
    expect(Math.abs(Number(measured) - Number(theory))).toBeLessThan(0.006);
  expect(Number(throughput[4]?.[1])).toBeCloseTo(0.602, 2);
  const latency = await rows(page, "Mean latency");
  expect(latency.slice(0, 3).map((row) => Number(row[1]))).toEqual([1.06, 1.31, 2.73]);
  expect(latency[4]?.[2], "beyond saturation there is no mean").toBe("–");
});

test("presets, options and the address bar say the same", async ({ page }) => {
  await lab(page, "#v=1&part=noc&flits=1&points=0.1:0.3:0.1");
  await settled(page);
  await page.getByLabel("Part", { exact: true }).selectOption("Cache");
  await settled(page);
  await page.getByLabel("Begin with").selectOption("24 KB, forwards and backwards");
  await settled(page);
  expect(page.url()).toContain("part=cache&pattern=zigzag");
  await page.getByRole("textbox", { name: "ways" }).fill("4");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect.poll(() => page.url()).toContain("ways=4");
  await expect(page.getByLabel("Begin with")).toHaveValue("-1");
  await page.reload();
  await settled(page);
  await expect(page.getByRole("textbox", { name: "ways" })).toHaveValue("4");
  const steady = await rows(page, "Steady miss rate");
  expect(steady.length).toBeGreaterThan(5);
  for (const [, measured, theory] of steady) expect(measured).toBe(theory);
  await page.getByRole("button", { name: "Copy the command" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    "target/release/corun probe cache --pattern zigzag --ways 4 --capacities 0.25:2.5:0.125\n",
  );
});

test("wrong input is named at its field, and a wrong link in words", async ({ page }) => {
  await lab(page, "#v=1&part=dram&tRC=much&banks=0&points=0:1:0.5");
  await settled(page, "Nothing measured");
  await expect(page.getByRole("alert")).toContainText('tRC: found "much", want a whole number from 0 to 10000');
  await expect(page.locator("#f-banks-problem")).toHaveText("found 0, want a whole number from 1 to 64");
  await page.getByRole("textbox", { name: "load" }).fill("1:0:0.1");
  await page.keyboard.press("Tab");
  await expect(page.locator("#f-load-problem")).toContainText("want FROM:TO:STEP");
  await lab(page, "#v=1&part=toaster");
  await expect(page.getByRole("alert")).toContainText("does not say which component");
  await page.getByRole("button", { name: "Open the crossbar" }).click();
  await settled(page);
});

test("a long measurement can be stopped, and keeps what it has", async ({ page }) => {
  await lab(page, "#v=1&part=noc&inputs=64&outputs=64&cycles=100000&points=0.05:1:0.05");
  await expect(page.locator(".lab-progress")).toContainText(/[1-9] of 20/);
  // Stopping ends the worker in the click itself: there is nothing to wait for but the page's next drawing.
  const said = await page.getByRole("button", { name: "Stop" }).evaluate(async (button: HTMLButtonElement) => {
    button.click();
    await new Promise((drawn) => setTimeout(drawn, 0));
    return document.querySelector(".lab-progress")?.textContent;
  });
  expect(said).toMatch(/Stopped: \d+ of 20/);
  expect((await rows(page, "Throughput")).length).toBeGreaterThan(0);
});

test("a curve's numbers leave the page, with the link that makes them again", async ({ page }) => {
  await lab(page, "#v=1&part=dram&points=0.25:0.75:0.25");
  await settled(page);
  const bandwidth = card(page, "Bandwidth");
  const [download] = await Promise.all([page.waitForEvent("download"), pick(bandwidth, /^CSV/)]);
  const { name, text } = await saved(download);
  expect(name).toMatch(/^corun-dram-bandwidth-/);
  const lines = text.trim().split("\r\n");
  expect(lines.slice(-4)[0]).toBe(
    "load (fraction of the bus),bandwidth (fraction of the bus's peak),theory.bandwidth (fraction of the bus's peak)",
  );
  expect(lines.some((line) => line.includes("components.html#v=1&part=dram"))).toBe(true);
  expect(lines.slice(-3).map((line) => line.split(",")[0])).toEqual(["0.25", "0.5", "0.75"]);
});

for (const scheme of ["light", "dark"] as const) {
  test(`nothing stands in the way of anybody, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    for (const [hash, width] of [
      ["#v=1&part=dram&stream=random&points=0.05:1:0.05", 1280],
      ["#v=1&part=noc&points=0.1:0.9:0.2", 360],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await lab(page, hash);
      await settled(page);
      await noViolations(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await picture(page, `components-${width}-${scheme}`);
    }
  });
}

test("the keyboard reaches every point", async ({ page }) => {
  await lab(page, "#v=1&part=cache&points=0.5:2:0.5");
  await settled(page);
  const canvas = page.locator("corun-curve canvas");
  await canvas.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("corun-curve > [role=status]")).toContainText(
    "capacities 1: 0 fraction of accesses; theory 0",
  );
  await page.keyboard.press("End");
  await expect(page.locator("corun-curve > [role=status]")).toContainText(
    "capacities 2: 1.00 fraction of accesses; theory 1.00",
  );
});
