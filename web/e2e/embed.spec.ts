// What leaves the page: a run and a figure as one file each, opened from a folder; a theme that an address pins.
import { pathToFileURL } from "node:url";
import type { Browser, Download, Page, TestInfo } from "@playwright/test";
import { expect, is, noViolations, open, picture, share, state, test } from "./corun.ts";
import { fixture } from "./figures-document.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&cycles=4000";

/** Opens a saved file where there is no network, and watches that it asks for none. */
async function opened(
  browser: Browser,
  download: Download,
  to: TestInfo,
): Promise<{ file: Page; close(): Promise<void> }> {
  const path = to.outputPath(download.suggestedFilename());
  await download.saveAs(path);
  const context = await browser.newContext({ offline: true, serviceWorkers: "block" }),
    file = await context.newPage();
  const asked: string[] = [],
    errors: string[] = [];
  file.on("request", (request) => asked.push(request.url()));
  file.on("pageerror", (error) => errors.push(error.message));
  file.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  const address = pathToFileURL(path).href;
  await file.goto(address);
  return {
    file,
    close: async () => {
      expect(errors).toEqual([]);
      expect(asked.filter((url) => url !== address && !url.startsWith("blob:"))).toEqual([]);
      await context.close();
    },
  };
}

test(
  "two runs are one file: their picture and numbers at once, and live to the same digests without a network",
  {
    tag: "@core",
  },
  async ({ page, browser }, info) => {
    await open(page, `${TINY}&b.policy=spatial`);
    await is(page, "Finished");
    // Their kernels alone are measured beside them: then the sentence is of slowdowns, which 4,000 cycles are too few for.
    await expect(page.locator(".answer-says")).toContainText("The run is too short to say whether BP and CFD suffer.");
    const said = await page.locator(".answer-says").textContent();
    const [download] = await Promise.all([page.waitForEvent("download"), share(page, "Save as one HTML file")]);
    expect(download.suggestedFilename()).toMatch(/^corun-run-[0-9a-f]{8}-s1-c4000\.html$/);
    const { file, close } = await opened(browser, download, info);
    const flat = (text: string | null): string =>
      (text ?? "")
        .replaceAll(/\s+/g, " ")
        .replaceAll(/ ± [\d.]+/g, "")
        .trim();
    expect(flat(await file.locator(".says").textContent())).toContain(flat(said));
    await expect(file.locator("figure svg")).toBeVisible();
    await expect(file.locator("figure svg text").filter({ hasText: "×" })).toHaveCount(4);
    await file.getByText("Numbers", { exact: true }).click();
    await expect(file.locator("table tbody tr")).toHaveCount(10);
    await noViolations(file);
    await picture(file, "saved-run", true);
    await file.getByRole("button", { name: "Run it here" }).click();
    await expect(file.locator("#same")).toHaveText("The run ended as the picture says, bit for bit.");
    await noViolations(file);
    await picture(file, "saved-run-live", true);
    await close();
  },
);

test("a figure is one file, and each of its runs is made again in it", async ({ page, browser }, info) => {
  const { text } = await fixture();
  await page.route("**/papers/ccbp.json", (route) => route.fulfill({ contentType: "application/json", body: text }));
  await page.goto("./figures.html?paper=ccbp&figure=fig2a");
  await expect(page.locator("svg [data-point]")).toHaveCount(2);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "One HTML file" }).click(),
  ]);
  const { file, close } = await opened(browser, download, info);
  await expect(file.locator("figure svg [data-point]")).toHaveCount(2);
  await file.getByText("Numbers", { exact: true }).click();
  await expect(file.locator("table tbody tr")).toHaveCount(2);
  await file.getByLabel("Run").selectOption({ index: 1 });
  await file.getByRole("button", { name: "Run it here" }).click();
  await expect(file.locator("#same")).toHaveText("The run ended as the picture says, bit for bit.");
  await expect(file.locator("#live .stamp")).toContainText("digest ");
  await noViolations(file);
  await picture(file, "saved-figure", true);
  await close();
});

test("an address pins a theme over what was chosen and what the system says", async ({ page }) => {
  const theme = (): Promise<string | undefined> => page.evaluate(() => document.documentElement.dataset["theme"]);
  await page.emulateMedia({ colorScheme: "dark" });
  for (const [query, expected] of [
    ["?embed=1&theme=light", "light"],
    ["?embed=1&theme=blue", "dark"],
  ] as const) {
    await page.goto(`./${query}${TINY}`);
    expect(await theme()).toBe(expected);
  }
  await page.goto(`./?embed=1&theme=light${TINY}`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await theme(), "nor does it follow the system").toBe("light");
});

test("a copied link has a title, a sentence and a picture where the run is an example's, and leads to it", async ({
  page,
  request,
}) => {
  const copied = async (): Promise<string> => {
    await share(page, "Copy the link");
    await expect(page.locator("#toast")).toContainText("The link is copied");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  // Without scripts there is no run yet, and all that a host of links reads.
  const html = await (await request.get("./share/sad-tight-memory.html")).text();
  const tag = (name: string): string =>
    new RegExp(`<meta property="og:${name}" content="([^"]+)">`).exec(html)?.[1] ?? "";
  expect(tag("title")).toContain("SAD");
  expect(tag("description")).toMatch(/\.$/);
  const png = await request.get(`./share/${tag("image")}`);
  expect((await png.body()).subarray(1, 4).toString()).toBe("PNG");
  await page.goto("./share/sad-tight-memory.html");
  await page.waitForURL(/folder\/#v=1&/);
  await expect(page.locator(".answer-says")).toContainText(tag("description").split(" ").slice(0, 3).join(" "));
  await expect(page.locator("corun-dock")).toBeVisible();
  await expect(page.locator("#pictures corun-gpu canvas")).toBeVisible();
  // The run has a hash once it has begun.
  await expect(state(page)).toHaveText(/Running|Finished/);
  expect(await copied()).toMatch(/\/some\/sub\/folder\/share\/sad-tight-memory\.html$/);
  // Anything else has the link itself.
  await open(page, TINY);
  await is(page, "Finished");
  expect(await copied()).toContain("/some/sub/folder/#v=1&gpu=tiny-2sm");
});
