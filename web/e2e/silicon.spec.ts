// A GPU that was measured: its file is dropped on the page, and the same kernels are simulated beside it.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { drop, expect, form, noViolations, open, openAt, picture, test } from "./corun.ts";

const H100 = readFileSync(new URL("../../silicon/h100.csv", import.meta.url), "utf8");
const TINY_RUN = "#v=1&gpu=tiny-2sm&mix=ccbp/SAD&seed=1";

const dialog = (page: Page) => page.locator("dialog[open]");
const heat = (page: Page, at: number) => dialog(page).locator(".heat").nth(at);
const cells = (page: Page) => heat(page, 1).locator("td a");
const button = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true });

/** Two kernels of a GPU that was never built, as large as the smallest preset. */
const TINY = `# corun silicon 1
# gpu: Tiny
# sms: 2
# core_mhz: 1000
# date: 2026-11-26
study,kernel,beside,ctas,threads,bytes,chains,passes,ms,ms_least,ms_most,mhz,shared_sms
alone,fma,,2,128,0,4,1000,20,19,21,1000,0
alone,sleep,,2,64,0,0,1000,20,19,21,1000,0
pair,fma,fma,2,128,0,4,1000,40,39,41,1000,2
pair,fma,sleep,2,128,0,4,1000,20,19,21,1000,2
pair,sleep,fma,2,64,0,0,1000,20,19,21,1000,2
pair,sleep,sleep,2,64,0,0,1000,20,19,21,1000,2
`;

test("an H100's file shows what was measured, on a preset by its name, and what is simulated run by run until it is stopped", async ({
  page,
}) => {
  await openAt(page, TINY_RUN, 100);
  await drop(page, ["gpu.csv", H100]);
  await expect(dialog(page).getByRole("heading", { level: 2 })).toHaveText(
    "NVIDIA H100 80GB HBM3: 132 SMs, 1980 MHz, measured 2026-11-26",
  );
  await expect(page.locator("#editor")).toBeHidden();
  await expect(heat(page, 0).locator("tbody tr").nth(3).locator("td").nth(6)).toHaveText("31");
  const preset = dialog(page).getByLabel("Simulated on");
  await expect(preset).toHaveValue("h100-sxm5");
  await expect(preset.locator("option")).toHaveCount(3);
  await expect(dialog(page).locator(".silicon-bar")).toContainText("1/4 of it");
  await button(page, "Simulate").click();
  await expect(dialog(page).locator(".silicon-progress")).toContainText("of 72 runs");
  await expect.poll(() => cells(page).count()).toBeGreaterThan(0);
  await button(page, "Stop").click();
  await expect(button(page, "Simulate the rest")).toBeEnabled();
  const done = await cells(page).count();
  await expect(cells(page).first()).toHaveAttribute("title", /^sleep beside sleep: 1\.00 measured\. Opens the run$/);
  await expect(cells(page).first()).toHaveAttribute("href", /^\.\/#v=1&/);
  await expect(dialog(page)).not.toContainText("Not simulated");
  await picture(page, "silicon-h100");
  await noViolations(page);
  // On another preset nothing has run; what has, stands there again.
  await preset.selectOption("h200-sxm");
  await expect(button(page, "Simulate")).toBeEnabled();
  await expect(cells(page)).toHaveCount(0);
  await preset.selectOption("h100-sxm5");
  await expect(cells(page)).toHaveCount(done);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
});

test("when all has run, the summary has the runner's words", async ({ page }) => {
  await open(page, TINY_RUN);
  await form(page);
  await page.setInputFiles("#f-open-file", { name: "tiny.csv", mimeType: "text/csv", buffer: Buffer.from(TINY) });
  await expect(dialog(page).getByLabel("Simulated on")).toBeDisabled();
  await button(page, "Simulate").click();
  await expect(
    dialog(page).getByText(/^Right: who of two suffers more \d of \d, whether a kernel suffers/),
  ).toBeVisible();
  await expect(cells(page)).toHaveCount(4);
  await expect(
    dialog(page).getByText(/^Alone, simulated time over measured: fma \d+\.\d\d, sleep \d+\.\d\d$/),
  ).toBeVisible();
  const errors = dialog(page).getByRole("region", { name: "Error of the slowdown" });
  await expect(errors.getByRole("columnheader")).toContainText([
    "Error",
    "pairs",
    "mean",
    "nine in ten within",
    "worst",
  ]);
  await expect(errors.getByRole("row", { name: /^all 4 / })).toBeVisible();
  await expect(button(page, "Simulate")).toBeDisabled();
  await picture(page, "silicon-done");
});

test("what is wrong with such a file is named by its line, and a GPU of another size is only shown", async ({
  page,
}) => {
  await openAt(page, TINY_RUN, 100);
  const said = dialog(page).getByRole("alert");
  for (const [text, want] of [
    [
      TINY.replace("pair,fma,fma,2,128,0,4,1000,40", "pair,fma,fma,2,128,0,4,1000,-4"),
      'line 9, ms: found "-4", want a time in ms',
    ],
    [TINY.replace("study,kernel", "study;kernel"), "the columns: found study;kernel,beside,"],
    [
      TINY.replace("pair,sleep,sleep", "slots,sleep,sleep"),
      "(file): found no pair of sleep beside sleep, want a row of each",
    ],
  ] as const) {
    await drop(page, ["mine.csv", text]);
    await expect(dialog(page).getByRole("heading", { level: 2 })).toHaveText("“mine.csv” cannot be compared");
    await expect(said).toContainText(want);
    await button(page, "Close").click();
    await expect(dialog(page)).toHaveCount(0);
  }
  await drop(page, ["mine.csv", TINY.replace("# sms: 2", "# sms: 5")]);
  await expect(dialog(page)).toContainText("No preset has as many SMs as this GPU");
  await expect(dialog(page).locator(".heat")).toHaveCount(1);
  await expect(button(page, "Simulate")).toHaveCount(0);
  // More shared memory than the preset has.
  await button(page, "Close").click();
  await drop(page, ["mine.csv", TINY.replace("# date", "# shared_bytes: 9999999\n# date")]);
  await expect(said).toContainText("# shared_bytes: found 9999999, want at most L1D and shared memory of tiny-2sm");
  await button(page, "Close").click();
  // The place Schemes takes it, too.
  await page.goto("./sweeps.html");
  await expect(page.locator("html")).toHaveAttribute("data-sweep", "ready");
  await drop(page, ["mine.csv", TINY]);
  await expect(heat(page, 0).locator("tbody tr")).toHaveCount(2);
});
