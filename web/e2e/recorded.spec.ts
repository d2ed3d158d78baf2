// A trace is dropped on the page: it becomes a kernel of the mix, ends as the runner ends, and stays in this browser.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { drop, expect, is, listed, noViolations, open, result, test } from "./corun.ts";

const CORUN = process.env["CORUN"] ?? "../target/debug/corun";
const SAMPLES = "../traces/tests/samples";
const MIX = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/SAD&policy=even&seed=3&cycles=20000";

const sample = (name: string): [string, Buffer] => [name, readFileSync(join(SAMPLES, name))];
const notice = (page: Page) => page.locator("#notices .notice");
const firstKernel = (page: Page) => page.locator("#choose-kernel-0");

/** What the runner makes of the same trace in the same mix. */
function native(name: string): { digest: string; recording: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "corun-recorded-")),
    file = join(folder, "mix.json"),
    out = join(folder, `${name.split(".").slice(0, 2).join(".")}.corun`);
  execFileSync(CORUN, ["import", "accelsim", join(SAMPLES, name), "--out", out], { stdio: "pipe" });
  const kernels = [`@${out}`, "ccbp/SAD"];
  writeFileSync(
    file,
    JSON.stringify({ corun: 1, gpu: "tiny-2sm", kernels, policy: "even", seed: 3, stop: { cycles: 20_000 } }),
  );
  const printed = execFileSync(CORUN, ["run", file, "--json", "--no-store"], { encoding: "utf8", stdio: "pipe" });
  return { digest: (JSON.parse(printed) as { digest: string }).digest, recording: readFileSync(out) };
}

test("a dropped trace runs as the runner runs it, is in the menu after a visit, and a link without it says what to drop", async ({
  page,
}) => {
  await open(page, MIX);
  await is(page, "Finished");
  for (const name of ["kernel-1.v5.traceg.xz", "kernel-1.dictionary.tracez"])
    await test.step(name, async () => {
      await drop(page, sample(name));
      const title = name.split(".").slice(0, 2).join(".");
      await expect(firstKernel(page)).toContainText(title);
      await expect(notice(page)).toContainText("sent nowhere");
      await expect.poll(async () => (await result(page)).digest).toBe(native(name).digest);
    });
  await noViolations(page);
  const link = await page.evaluate(() => location.hash);

  // It is there in the next visit, and can be removed.
  await open(page, link);
  await is(page, "Finished");
  await firstKernel(page).click();
  await expect(listed(page, "Kernel 1").filter({ hasText: "kept in this browser" })).toHaveCount(2);
  await listed(page, "Kernel 1").filter({ hasText: "Forget the recording" }).click();
  await expect(firstKernel(page)).not.toContainText("kernel-1");

  // Over what ran before, too.
  await open(page, MIX);
  await is(page, "Finished");
  await page.evaluate((hash) => {
    location.hash = hash;
  }, link);
  await expect(notice(page)).toContainText(/Recording [0-9a-f]{16} is not here: drop its file/);
  const { recording, digest } = native("kernel-1.dictionary.tracez");
  await drop(page, ["other.corun", recording]);
  await expect.poll(async () => (await result(page)).digest).toBe(digest);
});

test("a bad trace is named with its line or byte, and the run stays", async ({ page }) => {
  await open(page, MIX);
  await is(page, "Finished");
  const { digest } = await result(page),
    text = sample("kernel-1.v5.traceg")[1],
    cut = text.subarray(0, text.length / 2);
  for (const [name, bytes, place] of [
    ["cut.traceg", Buffer.concat([cut, Buffer.from("\nq")]), /cut\.traceg:\d+: found .*, want /],
    ["cut.tracez", sample("kernel-1.plain.tracez")[1].subarray(0, 900), /cut\.tracez at byte \d+: found .*, want /],
    ["cut.corun", Buffer.from("\x93CORUN\r\n\x02\x09", "latin1"), /cut\.corun at byte \d+: found .*, want /],
    ["kernelslist.g", Buffer.from("kernel-7.traceg\n"), /kernelslist\.g names kernel-7\.traceg, which is not here/],
  ] as const) {
    await drop(page, [name, bytes]);
    await expect(notice(page)).toContainText(place);
  }
  await noViolations(page);
  expect((await result(page)).digest).toBe(digest);
});
