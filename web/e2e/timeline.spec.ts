// A program's timeline: its file is dropped on the page, which says who overlaps, why others do not, and runs a pair.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { drop, expect, noViolations, openAt, test } from "./corun.ts";

const TINY_RUN = "#v=1&gpu=tiny-2sm&mix=SAD&seed=1";
const DDP = readFileSync(new URL("../../timelines/tests/data/kineto_ddp_a100.json.gz", import.meta.url));

const dialog = (page: Page) => page.locator("dialog[open]");

test("a dropped profile says what is lost, who could run beside whom, and opens a run of two kernels that stand for a pair", async ({
  page,
}) => {
  await openAt(page, TINY_RUN, 100);
  await drop(page, ["ddp.json.gz", DDP]);
  await expect(dialog(page).getByRole("heading", { name: "ddp.json.gz" })).toBeVisible();
  await expect(dialog(page)).toContainText(/For \d+ % of 661 ms, the GPU runs no kernel/);
  await expect(dialog(page)).toContainText("2,700 launches of 194 kernels on NVIDIA A100-PG509-200 (as a100-40gb)");
  await noViolations(page);
  const pairs = dialog(page).locator(".timeline-pairs");
  await expect(pairs).toContainText(/never overlap: their nearest launches are \d/);
  await dialog(page).getByRole("button", { name: "Next overlap" }).click();
  await expect(dialog(page).getByText(/^\d.* from \d.* ms on$/)).toBeVisible();
  await pairs.locator("summary").first().click();
  await expect(pairs).toContainText("MPS 50 % each:");
  for (const [at, kernel] of ["BP", "CFD"].entries()) {
    await pairs.locator(`#timeline-kernel-${at}`).click();
    await page.keyboard.type(kernel);
    await page.keyboard.press("Enter");
  }
  const [run] = await Promise.all([
    page.waitForEvent("popup"),
    pairs.getByRole("link", { name: "Run them, streams against MPS" }).click(),
  ]);
  await expect(run.locator("#choose-gpu")).toContainText("108 SMs");
});

test("what fits follows the GPU that is chosen", async ({ page }) => {
  await openAt(page, TINY_RUN, 100);
  await drop(page, ["ddp.json.gz", DDP]);
  await dialog(page).locator("#f-timeline-gpu").selectOption("h200-sxm");
  await expect(dialog(page)).toContainText("(as h200-sxm, as asked for)");
});

test("a file that is no timeline, and one that ends early, say so", async ({ page }) => {
  await openAt(page, TINY_RUN, 100);
  await drop(page, ["cut.json", '{"traceEvents": [], "schemaVersion": 1']);
  await expect(dialog(page)).toContainText("cut.json");
  await dialog(page).getByRole("button", { name: "Close" }).click();
  await drop(page, ["half.json.gz", DDP.subarray(0, DDP.length / 2)]);
  await expect(dialog(page)).toContainText("The file ends early");
});
