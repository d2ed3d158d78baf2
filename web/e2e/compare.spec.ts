// Two runs side by side, as a person compares them: in lock-step, with their numbers, their differences and a link that holds both.
import type { Page } from "@playwright/test";
import { decodeLink, encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import {
  bars,
  axis,
  axisMore,
  choose,
  cycle,
  dock,
  expect,
  form,
  is,
  noViolations,
  noted,
  open,
  openAt,
  overhear,
  picture,
  share,
  result,
  results as marked,
  show,
  test,
  type SavedResult,
} from "./corun.ts";
import { pick } from "./menu.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1";
const numbers = (page: Page) => page.getByRole("table", { name: "The numbers compared" });
/** In what B differs beside its scheme: chips behind the choice of B. */
const differ = (page: Page) => page.locator("#choices .differs");
/** Which of two the form shows. */
const edited = (page: Page) => page.getByRole("group", { name: "Which experiment is edited" });

const results = async (page: Page): Promise<Record<"A" | "B", SavedResult>> => {
  const { A, B } = await marked(page);
  if (!A || !B) throw new Error("these are not two results");
  return { A, B };
};

test("even against CCBP: in lock-step, with the numbers of both and their difference, and each as it is alone", {
  tag: "@core",
}, async ({ page }) => {
  const said = await overhear(page);
  await openAt(page, TINY, 20_000);
  const alone = await result(page),
    before = (await said()).length;
  await choose(page, "Scheme of B", "ccbp");
  await expect(differ(page), "another scheme is said by its choice").toHaveCount(0);
  await is(page, "Paused");
  await expect(page.locator("#cycle"), "B comes to where A is").toHaveText("20,000");
  await expect(page).toHaveTitle(/^BP \+ CFD on 2 SMs · Even split vs CCBP · /);
  await show(page, "numbers");
  await expect(numbers(page).getByRole("columnheader")).toHaveText(["Number", /A\s*Even split/, /B\s*CCBP/, "B − A"]);

  // One transport for both.
  await dock(page, "Step one cycle");
  await expect(page.locator("#cycle")).toHaveText("20,001");
  await dock(page, "Step back");
  await expect(page.locator("#cycle")).toHaveText("20,000");
  let both = await results(page);
  expect([both.A.cycles, both.B.cycles]).toEqual([20_000, 20_000]);
  expect(both.A.digest, "A is what it was").toBe(alone.digest);

  // At a few hundred cycles a second: at full speed it may be done before it is paused.
  const more = page.getByRole("button", { name: "More: steps" });
  await more.click();
  await page.getByLabel("Speed, in").selectOption("500 cycles/s");
  await more.press("Escape");
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Running");
  await expect.poll(() => cycle(page)).toBeGreaterThan(20_100);
  await page.getByRole("button", { name: "Pause" }).click();
  await is(page, "Paused");
  both = await results(page);
  expect(both.A.cycles).toBe(await cycle(page));
  expect(both.B.cycles).toBe(both.A.cycles);
  // Neither was ever sent ahead of the other: each cycle that one is told, the other is told too.
  const told = (await said())
    .slice(before)
    .filter((message) => message["t"] === "goTo")
    .map((message) => message["cycle"] as number);
  expect(told.length).toBeGreaterThan(4);
  expect(told.filter((_, i) => i % 2 === 0)).toEqual(told.filter((_, i) => i % 2 === 1));

  // The column B − A is what the results say.
  const ipc = numbers(page)
    .getByRole("row", { name: /^IPC (?!alone)/ })
    .first()
    .getByRole("cell");
  const of = (run: SavedResult): number => (run.kernels[0] as unknown as { ipc: number }).ipc;
  await expect(ipc.locator(".value")).toHaveText([
    of(both.A).toFixed(1),
    of(both.B).toFixed(1),
    new RegExp(`^[+−]?${Math.abs(of(both.B) - of(both.A)).toFixed(1)}$`),
  ]);

  // B by itself, at the same cycle, is the same machine to the last bit.
  const there = both.B;
  await open(page, `${TINY.replace("even", "ccbp")}&c=${there.cycles}`);
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText(there.cycles.toLocaleString("en"));
  const byItself = await result(page);
  expect(byItself.digest).toBe(there.digest);
  expect(byItself.config_hash).toBe(there.config_hash);
});

test("the first visit answers which of two schemes is fairer to BP beside CFD, and the runs here say the same", async ({
  page,
}) => {
  await open(page);
  await expect(page.locator("#slows .slow-value")).toHaveCount(4);
  await expect(page.locator("#verdict")).toContainText(
    "Stored answer of the end, 500,000 cycles: the run here is not there yet.",
  );
  const [even, ccbp] = [await bars(page, "A Even split"), await bars(page, "B CCBP")] as const;
  /** At least, and at most. */
  const fairness = ([one = [0, 0], other = [0, 0]]: [number, number][]): [number, number] => [
    Math.min(one[0] / other[1], other[0] / one[1]),
    Math.min(1, one[1] / other[0], other[1] / one[0]),
  ];
  expect(fairness(ccbp)[0], "fairer").toBeGreaterThan(fairness(even)[1]);
  expect(ccbp[0]?.[1], "and BP loses less").toBeLessThan(even[0]?.[0] ?? 0);

  await show(page, "numbers");
  // CCBP has learnt after some hundred thousand cycles, and what the kernels do alone is known.
  await is(page, "Finished");
  const read = (title: string): Promise<number[]> =>
    numbers(page)
      .getByRole("row", { name: new RegExp(`^${title}`) })
      .first()
      .locator(".value")
      .allTextContents()
      .then((all) => all.map(Number));
  for (const [at, value] of (await read("Slowdown")).slice(0, 2).entries()) {
    const [low, high] = [even, ccbp][at]?.[0] ?? [];
    expect(value).toBeGreaterThan(low ?? Infinity);
    expect(value).toBeLessThan(high ?? 0);
  }
  const [a = 1, b = 0] = await read("Fairness");
  expect(b).toBeGreaterThan(a);
  await expect(page.locator("#verdict")).toContainText("Confirmed here, bit for bit: 500,000 cycles.");
  await page.getByRole("button", { name: "What is Fairness?" }).click();
  await expect(page.getByRole("dialog", { name: "Fairness" })).toContainText("1 if all kernels progress alike");
});

test("the next event is that of the run that has it first, and Reset takes both to cycle 0", async ({ page }) => {
  await openAt(page, `${TINY}&b.policy=spatial`, 3000);
  // Each by itself says when its next event is.
  const next = async (hash: string): Promise<number> => {
    const other = await page.context().newPage();
    await other.goto(`./${hash}&c=3000`);
    await is(other, "Paused");
    await expect(other.locator("#cycle")).toHaveText("3,000");
    await dock(other, "next event");
    await expect.poll(() => cycle(other)).toBeGreaterThan(3000);
    const at = await cycle(other);
    await other.close();
    return at;
  };
  const first = Math.min(await next(TINY), await next(TINY.replace("even", "spatial")));
  await page.bringToFront();
  await dock(page, "next event");
  await expect(page.locator("#cycle")).toHaveText(first.toLocaleString("en"));
  await is(page, "Paused");
  const both = await results(page);
  expect([both.A.cycles, both.B.cycles]).toEqual([first, first]);
  await dock(page, "Reset");
  await expect(page.locator("#cycle")).toHaveText("0");
  await is(page, "Paused");
});

test("the link holds both, and opens both", async ({ page, context }) => {
  await openAt(page, TINY, 6000);
  await choose(page, "Scheme of B", "spatial");
  await expect.poll(() => page.url()).toContain("&b.policy=spatial&c=6000");
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("6,000");
  const first = await results(page);
  const other = await context.newPage();
  await other.goto(page.url());
  await is(other, "Paused");
  await expect(other.locator("#cycle")).toHaveText("6,000");
  const second = await results(other);
  expect([second.A.digest, second.B.digest]).toEqual([first.A.digest, first.B.digest]);
  expect(other.url()).toBe(page.url());
});

test("another mix and another GPU: the fields that differ are named, each side is edited by itself, and a number that one has not is a dash", async ({
  page,
}) => {
  await openAt(page, `${TINY}&b.mix=ccbp/BP`, 2000);
  await form(page);
  await expect(differ(page)).toHaveText(["Kernel 2: none"]);
  await is(page, "Paused");
  await expect(edited(page).getByRole("button", { name: "Edit B" })).toHaveAttribute("aria-pressed", "true");
  await show(page, "numbers");
  const row = numbers(page)
    .locator("tbody")
    .filter({ hasText: "CFD" })
    .getByRole("row", { name: /^IPC (?!alone)/ });
  await expect(row.getByRole("cell").nth(1)).toHaveText("–");
  await expect(row.getByRole("cell").nth(2)).toHaveText("–");
  // The form is B's now, then A's; what is open beside it covers nothing of it.
  const covers = (await page.locator("#drawer-numbers").boundingBox())!.x,
    covered = (await page.locator("#editor").boundingBox())!;
  expect(covers).toBeGreaterThanOrEqual(covered.x + covered.width);
  await page.getByLabel("Seed", { exact: true }).fill("5");
  await page.getByLabel("Seed", { exact: true }).press("Tab");
  await expect(differ(page)).toHaveText(["Seed: 5", "Kernel 2: none"]);
  await edited(page).getByRole("button", { name: "Edit A" }).click();
  await expect(page.getByLabel("Seed", { exact: true })).toHaveValue("1");
  await expect(page.getByLabel("CTA limit", { exact: true })).toHaveCount(2);
  const linked = await decodeLink(new URL(page.url()).hash);
  expect([linked?.experiment.kernels, linked?.other?.kernels, linked?.other?.seed]).toEqual([
    ["ccbp/BP", "ccbp/CFD"],
    ["ccbp/BP"],
    5,
  ]);

  // A chip leads to its field in B, whichever is edited and wherever the field is.
  await differ(page).filter({ hasText: "Seed" }).click();
  await expect(page.getByLabel("Seed", { exact: true })).toBeFocused();
  await expect(page.getByLabel("Seed", { exact: true })).toHaveValue("5");

  await open(page, `${TINY}&b.gpu=fermi-16sm&b.seed=2&b.order=gto&b.cycles=100000&c=500`);
  await is(page, "Paused");
  await expect(differ(page)).toHaveText(["Seed: 2", "GPU: fermi-16sm", "Warp order: gto", "+ 1"]);
  await expect(differ(page).last()).toHaveAttribute("title", /^Stop: Cycles: 100000 in B, [a-z0-9]+ in A$/);
  await noViolations(page);
});

test("either side is swapped for another scheme, and A goes on alone", async ({ page }) => {
  await openAt(page, `${TINY}&b.policy=spatial`, 4000);
  await choose(page, "Scheme of A", "leftover");
  await expect.poll(() => page.url()).toContain("policy=leftover&seed=1&b.policy=spatial");
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("4,000");
  await choose(page, "Scheme of B", "even");
  await expect.poll(() => page.url()).toContain("policy=leftover&seed=1&b.policy=even");
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("4,000");
  const both = await results(page);
  const workers = page.workers().length;
  await choose(page, "Scheme of B", "Nothing");
  await expect.poll(() => page.url()).toContain("policy=leftover&seed=1&c=4000");
  expect(page.url()).not.toContain("b.");
  await expect(page).toHaveTitle(/^BP \+ CFD on 2 SMs · Leftover · /);
  await expect.poll(() => page.workers().length).toBe(workers - 1);
  const kept = await result(page);
  expect(kept.digest).toBe(both.A.digest);
  // It goes by itself again.
  await dock(page, "Step one cycle");
  await expect(page.locator("#cycle")).toHaveText("4,001");
  await form(page);
  await expect(page.getByLabel("Policy", { exact: true })).toHaveValue("leftover");
});

test("a scheme that cannot run says so, and the other one stays", async ({ page }) => {
  await openAt(page, TINY, 1000);
  await form(page);
  await page.getByLabel("Seed", { exact: true }).fill("2");
  await page.getByLabel("Seed", { exact: true }).press("Tab");
  await is(page, "Paused");
  await page.evaluate(() => {
    location.hash = `${location.hash.replace(/&e=[^&]*/, "")}&b.policy=nosuch`;
  });
  await expect(page.locator("#notices")).toContainText(/B cannot run.*policy.name: found "nosuch", want/s);
  await page.getByRole("button", { name: "Go on with A alone" }).click();
  await expect(page.locator("#notices h2")).toHaveCount(0);
  await dock(page, "Step one cycle");
  await expect.poll(() => cycle(page)).toBeGreaterThan(0);
});

test("a link that is typed while the page is about to write its own is opened", async ({ page }) => {
  await openAt(page, TINY, 1000);
  await form(page);
  await expect(page.locator("#f-seed")).toBeVisible();
  await page.evaluate((hash) => {
    // The page writes its link a moment after a change: that moment comes just after the address is another, before the browser says so.
    const seed = document.querySelector<HTMLInputElement>("#f-seed");
    if (!seed) throw new Error("no seed");
    const { setTimeout } = window;
    let write = (): void => undefined;
    window.setTimeout = ((run: () => void, ms: number) => {
      if (ms === 60) write = run;
      return setTimeout(run, ms);
    }) as typeof window.setTimeout;
    seed.value = "2";
    seed.dispatchEvent(new Event("change", { bubbles: true }));
    window.setTimeout = setTimeout;
    location.hash = hash;
    write();
  }, `${TINY}&b.policy=spatial`);
  await expect.poll(() => page.url()).toContain("b.policy=spatial");
});

test("a profile for B can be stopped, and goes on to where A stands", async ({ page }) => {
  // Of another seed than those that the page brings along.
  await openAt(page, TINY.replace("seed=1", "seed=7"), 3000);
  // At once: the profile may be measured before a person presses.
  await page.evaluate(() => {
    let stopped = false;
    new MutationObserver(() => {
      if (stopped || !document.querySelector("#notices h2")?.textContent?.startsWith("Profiling for B, ")) return;
      stopped = true;
      [...document.querySelectorAll<HTMLButtonElement>("#notices button")]
        .find((b) => b.textContent === "Stop")
        ?.click();
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  // With a profile that is not over while a page looks.
  const experiment: Experiment = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["ccbp/BP", "ccbp/CFD"],
    policy: { name: "even" },
    seed: 7,
  };
  const hash = await encodeLink({
    experiment,
    other: { ...experiment, policy: { name: "ws", profile_cycles: 400_000 } },
    view: { cycle: 3000 },
  });
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
  await expect(page.locator("#notices h2")).toHaveText("Stopped before the run began");
  await is(page, "Not begun");
  await page.getByRole("button", { name: "Go on" }).click();
  await show(page, "numbers");
  await expect(numbers(page).getByRole("columnheader")).toHaveText([
    "Number",
    /A\s*Even split/,
    /B\s*Warped-Slicer/,
    "B − A",
  ]);
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("3,000");
  const both = await results(page);
  expect([both.A.cycles, both.B.cycles]).toEqual([3000, 3000]);
});

test("what was before stays beside what is now, until it is dismissed", async ({ page }) => {
  await openAt(page, TINY, 8000);
  const ipc = (run: SavedResult): number => (run.kernels[0] as unknown as { ipc: number }).ipc;
  const was = await result(page);
  await form(page);
  await show(page, "numbers");
  await page.getByLabel("Policy", { exact: true }).selectOption("spatial");
  await expect(page).toHaveTitle(/Spatial/);
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("8,000");
  const now = await result(page);
  await expect(numbers(page).getByRole("columnheader")).toHaveText([
    "Number",
    /Before\s*Even split,\s*8,000\scycles/,
    "Now",
    "Change",
  ]);
  const cells = numbers(page)
    .getByRole("row", { name: /^IPC (?!alone)/ })
    .first()
    .getByRole("cell");
  await expect(cells.locator(".value")).toHaveText([
    ipc(was).toFixed(1),
    ipc(now).toFixed(1),
    new RegExp(`^[+−]?${Math.abs(ipc(now) - ipc(was)).toFixed(1)}$`),
  ]);
  await noViolations(page);
  // Another change: what was shown last is what was before.
  await page.getByLabel("Seed", { exact: true }).fill("3");
  await page.getByLabel("Seed", { exact: true }).press("Tab");
  await expect(numbers(page).getByRole("columnheader").nth(1)).toHaveText(/Spatial partitioning,\s*8,000\scycles/);
  await page.getByRole("button", { name: "Dismiss the numbers from before" }).click();
  await expect(numbers(page)).toBeHidden();
  await expect(page.locator(".tiles")).toBeVisible();
});

test("two runs have room from 360 to 1,920 pixels, light and dark", async ({ page }) => {
  await openAt(page, "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&b.policy=spatial", 6000);
  for (const width of [360, 390, 768, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    for (const tab of ["numbers", "path", "why"]) {
      await show(page, tab);
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), `${tab} at ${width}`)
        .toBeLessThanOrEqual(width);
    }
    // One column and two, light and dark: colours do not change with the columns.
    if (width !== 390 && width !== 1440) continue;
    await show(page, "numbers");
    await noViolations(page);
    await picture(page, `compare-numbers-${width}`, true);
    if (width === 390) await share(page, "Dark or light");
  }
});

test("an SM, the time axis and a table show both runs", async ({ page }) => {
  await openAt(page, `${TINY}&b.policy=spatial`, 8000);
  // Where there is room for both, a click on an SM of B opens that SM of both.
  await page.setViewportSize({ width: 1680, height: 900 });
  const grid = page.locator("corun-gpu"),
    canvas = grid.locator("canvas"),
    change = page.getByRole("button", { name: "The pictures show A: show B" });
  await expect(change).toBeHidden();
  const box = (await canvas.boundingBox())!;
  await canvas.click({ position: { x: box.width * 0.6, y: 60 } });
  const detail = page.locator("corun-sm-detail");
  await expect(grid).toBeHidden();
  await expect(detail.locator(".side-heading")).toHaveText([/A\s*Even split/, /B\s*Spatial partitioning/]);
  await expect(detail.locator(".cv-warps")).toHaveCount(2);
  await noViolations(page);
  await page.keyboard.press("Escape");
  await expect(detail).toBeHidden();
  await expect(canvas).toBeFocused();
  await pick(grid, "GPU as a table");
  await expect(grid.locator("tbody tr th")).toHaveText(["A", "A", "B", "B"]);
  await expect(axis(page)).toHaveAttribute("aria-valuetext", /; A: IPC BP [\d.]+, .*; B: IPC BP [\d.]+, /);
  const time = await axisMore(page);
  await time.getByRole("button", { name: "Over time as a table" }).click();
  await expect(time.getByRole("columnheader").filter({ hasText: "IPC" })).toHaveText([
    "A: IPC BP",
    "B: IPC BP",
    "A: IPC CFD",
    "B: IPC CFD",
  ]);
  await expect(time.locator("tbody tr")).toHaveCount(20);
  await picture(page, "compare-tables", true);
});

test("a comparison that plays is drawn at one cycle only", async ({ page }) => {
  const states = await noted(page, "corun-dock .state");
  await open(page, `${TINY}&b.policy=spatial`);
  await expect.poll(states).toContain("Running");
  await expect.poll(() => cycle(page)).toBeGreaterThan(10_000);
  // What the grid says of A and of B, whenever it says something.
  const said = async (): Promise<(string | undefined)[]> =>
    [...((await page.locator("corun-gpu canvas").textContent()) ?? "").matchAll(/SMs at cycle ([\d,]+)/g)].map(
      (found) => found[1],
    );
  await expect.poll(said).toHaveLength(2);
  for (let i = 0; i < 10; i += 1) {
    const at = await said();
    expect(at).toHaveLength(2);
    expect(at[0]).toBe(at[1]);
    await page.waitForTimeout(100);
  }
});
