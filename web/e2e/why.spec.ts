// Who suffers, and why: read as a person reads it, and held against the result that the page saves.
import type { Page } from "@playwright/test";
import { encodeLink } from "../src/link.ts";
import type { Experiment } from "../src/types.ts";
import { cycle, expect, is, noViolations, open, openAt, overhear, result, test } from "./corun.ts";

/** A short run, so that the kernels alone are short too. */
const short = (policy: string, cycles = 20_000): Experiment => ({
  corun: 1,
  gpu: "ccbp-16sm",
  kernels: ["BP", "CFD"],
  policy: { name: policy },
  seed: 1,
  stop: { cycles },
});

test("the verdict says who suffers and why, and its numbers lead to where they stand", { tag: "@core" }, async ({
  page,
}) => {
  await openAt(page, await encodeLink({ experiment: short("even"), view: {} }), 15_000);
  const verdict = page.locator("corun-verdict");
  await expect(verdict.locator(".verdict > .prose")).toContainText(
    /BP runs [\d.]+ times slower than alone; 2CFD( runs)? [\d.]+ times.*\. 1BP waits for memory \d+ % of its time: the reply NoC is full of 2CFD’s lines \(\d+ % of its flits\)\./,
  );
  const bars = verdict.locator(".slow-bar");
  await expect(bars).toHaveCount(2);
  const { kernels } = await result(page),
    slowdown = (kernels[0] as { slowdown?: number }).slowdown ?? 0;
  await expect(bars.first()).toContainText(`${slowdown.toFixed(2)}×`);
  const number = verdict.getByRole("button", { name: slowdown.toFixed(2) });
  await number.click();
  await expect(page.locator("#numbers :focus")).toHaveText(slowdown.toFixed(2));
});

test("a kernel that gets nothing is ∞ times slower, with the reason", async ({ page }) => {
  await openAt(page, await encodeLink({ experiment: short("leftover"), view: {} }), 15_000);
  const reason = "no CTA placed since cycle 0: leftover gives CFD room only when BP has none left to place";
  await expect(page.locator(".verdict > .prose")).toContainText(`2CFD gets nothing (${reason}); 1BP runs`);
  await expect(page.locator("corun-verdict .slow-bar").nth(1)).toContainText("∞");
  const slowdown = page.locator('#numbers [data-stands=".slowdown.1"]');
  await expect(slowdown).toHaveText("∞");
  await expect(slowdown).toHaveAttribute("title", `CFD gets nothing: ${reason}.`);
  await expect(page.locator("#numbers .note").first()).toHaveText(`CFD gets nothing: ${reason}.`);
  // BP alone may be known only now.
  await expect(page.locator("#numbers .tile-value .value")).toHaveText(["0.000", /^0\.[89]|^1\.0/, "∞"]);
});

test("the panel leads from the verdict to who fills what is full, and to a scheme that may help", async ({ page }) => {
  await openAt(page, await encodeLink({ experiment: short("even"), view: {} }), 15_000);
  const verdict = page.locator("corun-verdict"),
    why = page.locator("#why");
  await expect(why).not.toHaveAttribute("open");
  // A number of the sentence opens the panel where it stands.
  const number = verdict.locator(".verdict > .prose").getByRole("button", { name: / %$/ }).last(),
    said = await number.textContent();
  await number.click();
  await expect(why).toHaveAttribute("open");
  await expect(page.locator("#why :focus")).toHaveText(`CFD ${said}`);
  await expect.poll(() => page.url()).toContain("&why=1");
  await expect(why.locator("h3")).toHaveText([
    /^What they hold/,
    /^What the warps do/,
    /^Where their reads wait/,
    /^Who fills them/,
    "What may help",
  ]);
  await expect(why).toContainText(/The reply NoC is what limits them: \d+ % of its peak is used.* is 2CFD’s\./);
  await why.getByRole("button", { name: "What is Who fills them?" }).click();
  await expect(page.getByRole("dialog", { name: "Who fills them" })).toContainText("Little’s law");
  await page.keyboard.press("Escape");
  await noViolations(page);
  await expect(why).toContainText("gives 1BP a miss queue of its own and 2CFD a number of requests for each interval");
  await why.getByRole("button", { name: "Compare with ccbp" }).click();
  await expect.poll(() => page.url()).toContain("b.z=");
  // Of two runs, the first sentence says which is better for whom.
  await expect(verdict.locator(".versus")).toHaveText(
    /^[AB] is better for (1BP|2CFD): [\d.]+ times slower than alone instead of [\d.]+ times/,
  );
  await expect(why.locator(".why-steps")).toHaveCount(2);
});

test("what the page brings along of its kernels alone is there at once; another engine's is measured anew", async ({
  page,
}) => {
  const said = await overhear(page),
    hash = await encodeLink({ experiment: { ...short("even"), seed: 7 }, view: { cycle: 4000 } });
  const jobs = async (): Promise<string[]> =>
    (await said())
      .filter((m) => m["t"] === "alone")
      .flatMap((m) => (m["jobs"] as { hash: string }[]).map((job) => job.hash));
  const brought = {
    ipc: 1234,
    warp_ipc: 50,
    noc_utilisation: 0.1,
    dram_utilisation: 0.1,
    ipc_ci95: [1200, 1300],
    stuck: false,
  };
  let engine = "",
    answers = {};
  await page.route(/profiles-[^/]*\.json$/, (route) => route.fulfill({ json: { engine, answers } }));
  const alone = page.locator('#numbers [data-stands=".ipc_alone.0"]');
  await open(page, hash);
  await expect(alone).toHaveText(/^[\d,]+\.\d$/);
  const [first = ""] = await jobs(),
    measured = await alone.textContent();
  await expect.poll(() => page.url()).toMatch(/&e=/);
  answers = { [first]: brought };
  engine = "0.0.0-00000000";
  // This browser has kept what it has measured: where that is spoilt, it is measured anew, for the file is another engine's.
  await page.evaluate(
    () =>
      new Promise((done) => {
        const opened = indexedDB.open("corun");
        opened.onsuccess = () => {
          const spoilt = opened.result.transaction("answers", "readwrite"),
            all = spoilt.objectStore("answers").openCursor();
          all.onsuccess = () => {
            all.result?.update({ ipc: "much" });
            all.result?.continue();
          };
          spoilt.oncomplete = done;
        };
      }),
  );
  await open(page, hash);
  await expect(alone).toHaveText(measured ?? "");
  expect(await jobs()).toContain(first);
  engine = /&e=([^&]+)/.exec(page.url())?.[1] ?? "";
  await open(page, hash);
  await expect(alone).toHaveText("1,234.0");
  expect(await jobs()).not.toContain(first);
});

const STOPS = ["What you see", "Who suffers", "Why", "Another scheme", "Share it"];
const tourOf = (page: Page) => page.getByRole("dialog", { name: new RegExp(STOPS.join("|")) });
const firstOf = (page: Page) => page.getByRole("complementary", { name: "What this is" });

test("the first visit says what this is, plays at a speed that can be followed, and has a tour of five stops", {
  tag: "@core",
}, async ({ page }) => {
  const said = await overhear(page);
  await open(page);
  await expect(firstOf(page)).toContainText("simulates one GPU that runs two kernels at once, cycle by cycle");
  await is(page, "Running");
  expect((await said()).filter((m) => m["t"] === "speed").map((m) => m["cyclesPerSecond"])[0]).toBe(2000);
  await firstOf(page).getByRole("button", { name: "Take the tour" }).click();
  const tour = tourOf(page);
  for (const title of STOPS) {
    await expect(tour.getByRole("heading")).toHaveText(title);
    await tour.getByRole("button", { name: title === "Share it" ? "Done" : "Next" }).click();
  }
  await expect(tour).toBeHidden();
  await expect(page.locator("#why")).toHaveAttribute("open");
  // It goes on meanwhile.
  await expect.poll(() => cycle(page)).toBeGreaterThan(2000);
});

test("a change of the experiment ends the slow play; who has been here is not told again; the tour has a link", async ({
  page,
}) => {
  const said = await overhear(page);
  await open(page);
  await firstOf(page).getByRole("button", { name: "Take the tour" }).click();
  const tour = tourOf(page);
  await tour.getByRole("button", { name: "Next" }).click();
  await tour.getByRole("button", { name: "Next" }).click();
  await expect(tour.getByRole("heading")).toHaveText("Why");
  await noViolations(page);
  await page.keyboard.press("Escape");
  await expect(tour).toBeHidden();
  await page.getByLabel("Policy", { exact: true }).selectOption("spatial");
  await expect
    .poll(async () => (await said()).filter((m) => m["t"] === "speed").at(-1)?.["cyclesPerSecond"])
    .toBe(Infinity);
  await open(page);
  await expect(page.locator("#pictures")).toBeVisible();
  await expect(firstOf(page)).toBeHidden();
  await open(page, "#tour");
  await expect(tour.getByRole("heading")).toHaveText("What you see");
  await page.keyboard.press("Escape");
  await expect(tour).toBeHidden();
});

test("every picture says what its numbers mean", async ({ page }) => {
  await openAt(page, `${await encodeLink({ experiment: short("even"), view: { sm: 0 } })}`, 4000);
  for (const [of, words] of [
    ["SMs", /Scheduler|scheduler/],
    ["Memory path", /L2 bank/],
    ["an SM", "Waits for a load that missed L1D"],
    ["NoC reply bandwidth", "Σ noc replies / cycles"],
    ["Memory latency", "Σ latency sum / read replies"],
  ] as const) {
    await page.getByRole("button", { name: `What are the numbers of ${of}?` }).click();
    await expect(page.getByRole("dialog", { name: `the numbers of ${of}` })).toContainText(words);
    await page.keyboard.press("Escape");
  }
});
