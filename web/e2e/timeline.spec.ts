// A program's timeline: its file is dropped on the page, which says who overlaps, why others do not, and runs a pair.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { drop, expect, noViolations, openAt, test } from "./corun.ts";

const TINY_RUN = "#v=1&gpu=tiny-2sm&mix=ccbp/SAD&seed=1";
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
  await pairs.getByRole("button", { name: "to win" }).focus();
  await expect(page.locator(".term-tip")).toContainText("could have shared");
  // A phone has all of its columns.
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width: 390, height: 844 });
  expect(
    await pairs.evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0)),
  ).toBeLessThanOrEqual(0);
  await page.setViewportSize({ width, height });
  await pairs.locator("summary").first().click();
  await expect(pairs).toContainText("MPS 50 % each:");
  for (const [at, kernel] of ["BP", "CFD"].entries()) {
    await pairs
      .getByRole("button", { name: /^Stands for/ })
      .nth(at)
      .click();
    await page.keyboard.type(kernel);
    await page.keyboard.press("Enter");
  }
  const [run] = await Promise.all([
    page.waitForEvent("popup"),
    pairs.getByRole("link", { name: "Open the run, streams against MPS" }).click(),
  ]);
  await expect(run.locator("#choose-gpu")).toContainText("108 SMs");
  // As the places were said of it.
  await expect(run.locator("#choose-scheme-B")).toHaveText("MPS 50 % each");
});

/** Two kernels on two streams, each three times alone, then beside each other; the second takes twice as long there, the first a little less. */
const table = (): string => {
  const row = (at: number, start: number, duration: number, stream: number, name: string): string =>
    `${start},${duration},${at},16,1,1,256,1,1,32,0,0,,,,,NVIDIA A100-SXM4-40GB (0),1,${stream},"${name}(float *)"`;
  const rows = [0, 1, 2].flatMap((n) => [
    row(n, 1000 * n, 400, 7, "gemm"),
    row(n, 1000 * n + 500, 200, 13, "norm"),
    row(n, 10_000 + 1000 * n, 360, 7, "gemm"),
    row(n, 10_000 + 1000 * n, 400 + 10 * n, 13, "norm"),
  ]);
  const head =
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (B),DymSMem (B),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name";
  return [head, ...rows].join("\r\n");
};

test("what co-runs cost is a map of what was measured, and what two kernels cost that stand for a pair stands beside it", async ({
  page,
}) => {
  await openAt(page, TINY_RUN, 100);
  // As PowerShell redirects it.
  await drop(page, ["trace.csv", Buffer.from(`\ufeff${table()}`, "utf16le")]);
  const map = dialog(page).locator(".heat");
  await expect(map).toContainText("2.05");
  await expect(map).toContainText("2.02 to 2.08");
  const one = dialog(page).locator(".timeline-one");
  await expect(one).toContainText("norm (16 CTAs) beside gemm: 2.05× as long as alone");
  await noViolations(page);
  const faster = map.getByRole("button", { name: /^0\.90/ });
  await faster.click();
  await expect(one).toContainText("gemm (16 CTAs) beside norm: 0.90× as long as alone");
  // Each way has a colour of its own, which the scale above says.
  await expect(map.locator("caption small")).toHaveText(/faster\s+3× slower/);
  const shades = await map.locator("td").evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  expect(new Set(shades).size).toBe(3);
  await dialog(page).locator("#f-timeline-gpu").selectOption("tiny-2sm");
  for (const [at, kernel] of ["BP", "CFD"].entries()) {
    await one
      .getByRole("button", { name: /^Stands for/ })
      .nth(at)
      .click();
    await page.keyboard.type(kernel);
    await page.keyboard.press("Enter");
  }
  await one.getByRole("button", { name: "Simulate" }).click();
  await expect(one).toContainText(
    /simulated on streams of tiny-2sm, times as long as alone: gemm \d+\.\d\d×, norm (\d+\.\d\d|∞)×/,
  );
  await expect(faster).toContainText(/; simulated \d+\.\d\d×/);
});

test("what fits follows the GPU that is chosen", async ({ page }) => {
  await openAt(page, TINY_RUN, 100);
  await drop(page, ["ddp.json.gz", DDP]);
  await dialog(page).locator("#f-timeline-gpu").selectOption("h200-sxm");
  await expect(dialog(page)).toContainText("(as h200-sxm, as asked for)");
});

test("a file that ends early says what is missing, and takes it for no idle time", async ({ page }) => {
  await openAt(page, TINY_RUN, 100);
  await drop(page, ["half.json.gz", DDP.subarray(0, DDP.length / 2)]);
  const said = dialog(page).getByText(/^The file ends early, behind launch \d+, which starts at \d+ ms\./);
  await expect(said).toBeInViewport();
  await expect(said).toContainText("copy it again");
  await expect(dialog(page)).toContainText(/For 7\d % of \d+ ms that were read, the GPU runs no kernel/);
});

/** What the reader of timelines is held to (timelines/tests/formats.rs). */
const REFUSED = JSON.parse(
  readFileSync(new URL("../../timelines/tests/refused.json", import.meta.url), "utf8"),
) as readonly { file: string; text: string; found: string; want: readonly string[] }[];

test("whatever is dropped that is no timeline gets a line with what it is and what makes one", async ({ page }) => {
  await openAt(page, TINY_RUN, 100);
  for (const { file, text, found, want } of REFUSED) {
    await drop(page, [file, text]);
    await expect(dialog(page).getByRole("heading", { name: `“${file}” cannot be read` })).toBeVisible();
    for (const part of [`${file}: found ${found}`, ...want])
      await expect(dialog(page).getByRole("alert")).toContainText(part);
    await dialog(page).getByRole("button", { name: "Close", exact: true }).click();
  }
  // The place Schemes takes them, too.
  await page.goto("./sweeps.html");
  await expect(page.locator("html")).toHaveAttribute("data-sweep", "ready");
  await drop(page, ["ddp.json.gz", DDP]);
  await expect(dialog(page)).toContainText("2,700 launches of 194 kernels");
});
