// Time goes both ways: the time axis, going to a cycle, and what is known of later ones.
import type { Page } from "@playwright/test";
import { encodeLink } from "../src/model/link.ts";
import {
  axis,
  axisMore,
  closeDrawer,
  colours,
  cycle,
  expect,
  is,
  noViolations,
  openAt,
  picture,
  result,
  saved,
  share,
  show,
  test,
  type SavedResult,
} from "./corun.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1";
const at = (page: Page, wanted: number) => expect(page.locator("#cycle")).toHaveText(wanted.toLocaleString("en"));

async function goTo(page: Page, text: string): Promise<void> {
  await page.getByLabel("Go to cycle").fill(text);
  await page.getByLabel("Go to cycle").press("Enter");
}
/** What a run that has never been anywhere else says of a cycle. */
async function fresh(page: Page, hash: string, wanted: number): Promise<SavedResult> {
  const other = await page.context().newPage();
  await other.goto(`./${hash}&c=${wanted}`);
  await is(other, "Paused");
  await at(other, wanted);
  const said = await result(other);
  await other.close();
  return said;
}
async function results(page: Page): Promise<Record<"A" | "B", SavedResult>> {
  const [download] = await Promise.all([page.waitForEvent("download"), share(page, "Save the result")]);
  return JSON.parse((await saved(download)).text) as Record<"A" | "B", SavedResult>;
}

test("a run goes to any cycle, back and forth, and is there what a run is that has only come this far", {
  tag: "@core",
}, async ({ page }) => {
  await openAt(page, TINY, 90_000);
  const end = (await result(page)).digest;
  await goTo(page, "30,000");
  await at(page, 30_000);
  await is(page, "Paused");
  await expect.poll(() => page.url()).toContain("&c=30000");
  const there = await result(page);
  expect(there.digest).toBe((await fresh(page, TINY, 30_000)).digest);
  // What is known of later cycles is still there, and marked as ahead.
  await expect(axis(page)).toHaveAttribute(
    "aria-valuetext",
    /^cycle 30,000 of 1,000,000; known up to 90,000; IPC BP [\d.]+, IPC CFD [\d.]+, NoC in all [\d.]+ GB\/s \(\d+ % of peak\), DRAM in all/,
  );
  await expect(page.locator(".dk-ahead")).toBeVisible();

  const box = await axisMore(page);
  await box.getByRole("button", { name: "Step back" }).click();
  await at(page, 29_999);
  await box.getByRole("button", { name: "Step one cycle" }).click();
  await at(page, 30_000);
  expect((await result(page)).digest).toBe(there.digest);
  await goTo(page, "90k");
  await at(page, 90_000);
  expect((await result(page)).digest).toBe(end);
  await expect(page.locator(".dk-ahead")).toBeHidden();

  await goTo(page, "soon");
  await expect(page.getByText("“soon” is no cycle")).toBeVisible();
  await at(page, 90_000);
});

test("a click on the axis goes there, a drag selects cycles and a drag of the cursor takes it along; keys do the same", async ({
  page,
}) => {
  // A window with room for all lanes: the axis begins at 90 pixels, and ends at 62 of the right.
  await page.setViewportSize({ width: 1440, height: 900 });
  await openAt(page, TINY, 60_000);
  const track = axis(page),
    canvas = track.locator("canvas");
  expect(await colours(canvas)).toBeGreaterThan(10);
  const box = (await track.boundingBox())!,
    // The axis is of a million cycles: 60,000 of them are a sixteenth of it.
    x = (cycle: number, from = 0, to = 1_000_000): number =>
      box.x + 90 + ((box.width - 152) * (cycle - from)) / (to - from),
    y = box.y + 60;
  await page.mouse.move(x(60_000), y);
  await page.mouse.down();
  await page.mouse.move(x(30_000), y, { steps: 8 });
  await page.mouse.up();
  // A pixel is a few hundred cycles.
  await expect.poll(() => cycle(page)).toBeLessThan(31_000);
  await is(page, "Paused");
  const dragged = await cycle(page);
  expect(dragged).toBeGreaterThan(29_000);
  await page.mouse.click(x(45_000), y);
  await expect.poll(() => cycle(page)).toBeGreaterThan(44_000);
  await page.keyboard.press("g");
  await expect(page.getByLabel("Go to cycle")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(track).toBeFocused();
  const clicked = await cycle(page);
  await page.keyboard.press("ArrowRight");
  await at(page, clicked + 400);
  await page.keyboard.press("Home");
  await at(page, 0);
  await page.keyboard.press("End");
  await at(page, 60_000);

  // What is selected has whole windows, and its link.
  const stretch = page.locator(".dk-stretch");
  await page.mouse.move(x(20_000), y);
  await page.mouse.down();
  await page.mouse.move(x(40_000), y, { steps: 8 });
  await page.mouse.up();
  await expect(stretch).toBeVisible();
  const number = (key: string): number => Number(new RegExp(`&${key}=(\\d+)`).exec(page.url())?.[1]);
  await expect.poll(() => number("from")).toBeGreaterThan(0);
  const [from, to] = [number("from"), number("c")];
  expect([from % 400, to % 400, Math.abs(from - 20_000) < 1000, Math.abs(to - 40_000) < 1000]).toEqual([
    0,
    0,
    true,
    true,
  ]);
  await at(page, to);
  await page.keyboard.press("Escape");
  await expect(stretch).toBeHidden();
  await expect.poll(() => page.url()).not.toContain("from=");
  await at(page, to);

  await goTo(page, "20000");
  await at(page, 20_000);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("w");
  await page.keyboard.press("a");
  await expect.poll(() => page.url()).toContain("zoom=3125-65625");
  await page.keyboard.press("Shift+PageUp");
  await expect(stretch).toHaveText("20k to 26.4k");
  await at(page, 26_400);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(stretch).toHaveText("20k to 26k");
  await page.getByRole("button", { name: "Zoom in" }).click();
  await expect.poll(() => page.url()).toContain("zoom=20000-26000");
  await page.mouse.move(x(23_000, 20_000, 26_000), y);
  await expect(page.locator(".dk-tip")).toContainText(/Cycle 2[23],\d{3}/);
  const [said, play] = await Promise.all([".dk-tip", ".play"].map((one) => page.locator(one).boundingBox()));
  expect(said!.y + said!.height, "what it says covers no button").toBeLessThanOrEqual(play!.y);
  await picture(page.locator("corun-dock"), "dock-zoomed");
  await page.getByRole("button", { name: "Whole run", exact: true }).click();
  await expect.poll(() => page.url()).not.toContain("zoom=");
  await stretch.click();
  await expect(stretch).toBeHidden();

  await show(page, "decisions");
  const panel = page.locator(".all-decisions"),
    list = panel.getByRole("list", { name: "Launches, switches and decisions" });
  await panel.getByText("Every decision, launch and switch").click();
  await panel.getByLabel("Show").selectOption("everything");
  await expect(list.getByRole("listitem").filter({ hasText: "launch 1 of BP begins" })).toBeVisible();
  await list.getByRole("listitem").filter({ hasText: "BP may hold" }).getByRole("button").click();
  await at(page, 0);
  await expect(page.locator(".decided")).toContainText("may hold");
  const table = await axisMore(page);
  await table.getByRole("button", { name: "Over time as a table" }).click();
  await expect(table.getByRole("row").filter({ hasText: "59,200" })).not.toHaveCount(0);
  await noViolations(page);
  await picture(page, "dock");
});

test("a lane grows when its name is pressed, or with Enter, says its numbers, and is in the link", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openAt(page, `${TINY}&b.policy=spatial`, 20_000);
  const track = axis(page),
    values = page.locator(".dk-values"),
    high = async (): Promise<number> => (await track.boundingBox())!.height;
  const small = await high(),
    box = (await track.boundingBox())!;
  // The third lane of four: on top stand decisions.
  await page.mouse.click(box.x + 40, box.y + 15 + 2 * 27 + 12);
  await expect(values).toContainText(/NoC reply bandwidth, GB\/s\s*at cycle 20,000\s*BP\s*A\s*[\d.]+\s*B\s*[\d.]+/);
  await expect(values).toContainText(/in all\s*A\s*[\d.]+ \(\d+ % of peak\)/);
  expect(await high()).toBe(small + 125);
  await expect.poll(() => page.url()).toContain("panel=noc");
  await noViolations(page);
  await picture(page, "lane-large");
  await track.focus();
  await page.keyboard.press("ArrowUp");
  await expect(values).toContainText("IPC of CFD");
  await page.keyboard.press("Shift+PageDown");
  await expect(values).toContainText("mean of 0 to 20k");
  await page.keyboard.press("Enter");
  await expect(values).toBeHidden();
  await expect.poll(high).toBe(small);
  await page.keyboard.press("Escape");

  // Any series can be a lane, and the last one stays.
  const more = await axisMore(page);
  await more.getByLabel("Memory latency").check();
  await expect.poll(high).toBeGreaterThan(small);
  for (const name of ["IPC", "NoC reply bandwidth", "DRAM bandwidth"])
    await more.getByLabel(name, { exact: true }).uncheck();
  await expect(more.getByLabel("Memory latency")).toBeDisabled();
  await expect.poll(() => page.url()).toContain("lanes=latency");
  await noViolations(page);
  await page.goto(page.url().replace("lanes=", "panel=latency.0&lanes="));
  await page.reload();
  await expect(values).toContainText("Memory latency of BP, cycles");
});

test("while another run is prepared, nothing passes for it, and the one before can be taken up again", async ({
  page,
}) => {
  await openAt(page, TINY, 20_000);
  const before = await result(page),
    gpu = page.locator("#gpu");
  await expect(gpu).toBeVisible();
  const long = await encodeLink({
    experiment: {
      corun: 1,
      gpu: "tiny-2sm",
      kernels: ["ccbp/BP", "ccbp/CFD"],
      policy: { name: "ws", profile_cycles: 4_000_000 },
      seed: 1,
    },
    view: { cycle: 500 },
  });
  await page.evaluate((hash) => {
    location.hash = hash;
  }, long);
  await is(page, "Profiling");
  await expect(page).toHaveTitle(/^Profiling: BP \+ CFD on 2 SMs · Warped-Slicer \(profile_cycles 4000000\) · /);
  await expect(page.locator("#cycle")).toHaveText("0");
  await expect(gpu).toBeHidden();
  await expect(page.locator("#pictures")).toHaveAttribute("aria-busy", "true");
  const progress = page.getByRole("progressbar", { name: "How much is measured" });
  await expect.poll(() => progress.evaluate((bar) => (bar as HTMLProgressElement).value)).toBeGreaterThan(0);
  // What is saved says of what it is.
  const [csv] = await Promise.all([
    page.waitForEvent("download"),
    (async () => {
      await (await axisMore(page)).locator("[data-kind=csv]").click();
    })(),
  ]);
  expect((await saved(csv)).text).toContain(before.config_hash);
  await closeDrawer(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await is(page, "Not begun");
  await expect(gpu).toBeHidden();
  await picture(page, "standing");
  await page.getByRole("button", { name: "Back to Even split" }).click();
  await at(page, 20_000);
  await is(page, "Paused");
  await expect(gpu).toBeVisible();
  await expect(page).toHaveTitle(/^BP \+ CFD on 2 SMs · Even split · /);
  await expect.poll(() => page.url()).toContain("policy=even");
  const after = await result(page);
  expect([after.config_hash, after.digest, after.cycles]).toEqual([before.config_hash, before.digest, before.cycles]);
  // Where it was, it goes on; and what was measured meanwhile leaves nothing behind.
  await goTo(page, "9000");
  await at(page, 9000);
  expect((await result(page)).digest).toBe((await fresh(page, TINY, 9000)).digest);
  await goTo(page, "20000");
  await at(page, 20_000);
  expect((await result(page)).digest).toBe(before.digest);
});

test("each run of each tab keeps its moments in a file of its own, which the next visit removes", async ({
  page,
  context,
}) => {
  // Those that have something in them.
  const files = (): Promise<number> =>
    page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      let found = 0;
      for await (const file of (await root.getDirectoryHandle("corun-moments")).values())
        if ((await (file as FileSystemFileHandle).getFile()).size > 0) found += 1;
      return found;
    });
  await openAt(page, `${TINY}&b.policy=spatial`, 30_000);
  await expect.poll(files).toBe(2);
  const other = await context.newPage();
  await openAt(other, TINY, 30_000);
  await expect.poll(files).toBe(3);
  for (const one of [page, other]) {
    await goTo(one, "12000");
    await at(one, 12_000);
    await is(one, "Paused");
  }
  const there = (await results(page)).A.digest;
  expect((await result(other)).digest).toBe(there);
  await other.close();
  const third = await context.newPage();
  await openAt(third, TINY, 12_000);
  expect((await result(third)).digest).toBe(there);
  await expect.poll(files).toBe(3);
});

test("two runs in lock-step go back and forth together", async ({ page }) => {
  const other = TINY.replace("even", "spatial");
  await openAt(page, `${TINY}&b.policy=spatial`, 40_000);
  const end = await results(page);
  await goTo(page, "12345");
  await at(page, 12_345);
  await is(page, "Paused");
  const both = await results(page);
  expect([both.A.cycles, both.B.cycles]).toEqual([12_345, 12_345]);
  expect([both.A.digest, both.B.digest]).toEqual([
    (await fresh(page, TINY, 12_345)).digest,
    (await fresh(page, other, 12_345)).digest,
  ]);
  await goTo(page, "40000");
  await at(page, 40_000);
  await is(page, "Paused");
  const again = await results(page);
  expect([again.A.digest, again.B.digest]).toEqual([end.A.digest, end.B.digest]);
});
