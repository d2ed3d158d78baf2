// Who suffers, and why: read as a person reads it, and held against the result that the page saves.
import type { Route } from "@playwright/test";
import { encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import {
  askedAlone,
  axis,
  choose,
  expect,
  noted,
  noViolations,
  open,
  openAt,
  overhear,
  result,
  show,
  test,
} from "./corun.ts";
import { pick } from "./menu.ts";

/** A short run, so that the kernels alone are short too. */
const short = (policy: string, cycles = 20_000): Experiment => ({
  corun: 1,
  gpu: "ccbp-16sm",
  kernels: ["ccbp/BP", "ccbp/CFD"],
  policy: { name: policy },
  seed: 1,
  stop: { cycles },
});
type Told = Awaited<ReturnType<typeof result>> & {
  verdict: { headline: { text: string }[]; says: string[]; sure: boolean };
  because: { cures: { words: string }[] }[];
  kernels: { slowdown: number }[];
};

test("the sentence says who suffers and why, in the engine's words, and its numbers lead to where they stand", {
  tag: "@core",
}, async ({ page }) => {
  // At the end: why is known once it is known what the share costs.
  await open(page, await encodeLink({ experiment: short("even", 60_000), view: {} }));
  const answer = page.getByRole("region", { name: "Who suffers, and why" });
  await expect(answer.locator("h2")).toHaveText(
    /^BP is [\d.]+( ± [\d.]+)? times slower than alone: [\d.]+ for its share, [\d.]+ for CFD\. With an unlimited NoC, CFD( perhaps)? costs BP [\d.]+ times less\.$/,
  );
  const { verdict, kernels } = (await result(page)) as Told,
    words = await answer.textContent();
  // What the page adds is how well a number is known.
  for (const sentence of [verdict.headline.map(({ text }) => text).join(""), ...verdict.says])
    expect(words?.replaceAll(/ ± [\d.]+/g, "")).toContain(sentence);
  await expect(answer).toContainText("Run here: 60,000 cycles.");
  const bars = page.locator("#slows .slow"),
    slowdown = kernels[0]?.slowdown ?? 0;
  await expect(bars).toHaveCount(2);
  await expect(bars.first()).toContainText(`${slowdown.toFixed(2)}×`);
  await answer.getByRole("button", { name: slowdown.toFixed(2) }).click();
  await expect(page.locator("#tab-numbers")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("#numbers :focus")).toHaveText(slowdown.toFixed(2));
});

test("how sure the sentence is, and how often such sentences hold", async ({ page }) => {
  await open(page, await encodeLink({ experiment: short("even", 60_000), view: {} }));
  const answer = page.getByRole("region", { name: "Who suffers, and why" });
  await answer.getByRole("button", { name: "How sure?" }).click();
  await answer.getByRole("button", { name: /^Causes like this held in \d+ of \d+ tests$/ }).click();
  const trust = page.getByRole("dialog");
  await expect(trust.getByRole("heading", { level: 2 })).toHaveText("How far to trust this");
  await noViolations(page);
  // A cell of what is simulated leads to the run of that pair, in a window of its own.
  // On a phone, too, no word of a table is broken: a table scrolls in a box of its own, and the dialog does not scroll sideways.
  await page.setViewportSize({ width: 390, height: 844 });
  const broken = (): Promise<string[]> =>
    trust.locator("table").evaluateAll((tables) =>
      tables.flatMap((table) => {
        const walk = document.createTreeWalker(table, NodeFilter.SHOW_TEXT),
          words: string[] = [];
        for (let node = walk.nextNode(); node; node = walk.nextNode())
          for (const { 0: word, index } of (node.textContent ?? "").matchAll(/[\p{L}\p{N}.]+/gu)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + word.length);
            if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) words.push(word);
          }
        return words;
      }),
    );
  expect(await broken()).toEqual([]);
  expect(await trust.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 720 });
  const cell = trust.getByTitle(/^l2 beside fma: [\d.]+ measured/);
  await expect(cell).toHaveText(/^\d+\.\d\d$/);
  const opened = page.waitForEvent("popup");
  await cell.click();
  const run = await opened;
  await expect(run.locator("#verdict")).toContainText("l2");
  await run.close();
  await trust.getByRole("button", { name: "the cause" }).click();
  await expect(trust).toContainText("A cause holds if");
  await noViolations(page);
  await trust.getByRole("button", { name: "How far to trust this" }).click();
  await expect(trust).toContainText("Known to be wrong");
  await page.keyboard.press("Escape");
  await expect(trust).toBeHidden();
});

test("a kernel that gets nothing is ∞ times slower, with the reason", async ({ page }) => {
  await openAt(page, await encodeLink({ experiment: short("leftover"), view: {} }), 15_000);
  const reason = "no CTA placed since cycle 0: Leftover gives CFD room only when BP has none left to place";
  await expect(page.locator("#verdict h2")).toContainText(/CFD gets nothing/);
  const bar = page.locator("#slows .slow").nth(1);
  await expect(bar.locator(".slow-value")).toHaveText("∞");
  await expect(bar).toContainText("no CTA placed since cycle 0");
  await show(page, "numbers");
  const slowdown = page.locator('#numbers [data-stands=".slowdown.1"]');
  await expect(slowdown).toHaveText("∞");
  await expect(slowdown).toHaveAttribute("title", `CFD gets nothing: ${reason}.`);
  await expect(page.locator("#numbers .note").first()).toHaveText(`CFD gets nothing: ${reason}.`);
  // BP alone may be known only now.
  await expect(page.locator("#numbers .tile-value .value")).toHaveText(["0.000", /^0\.[89]|^1\.0/, "∞"]);
});

test("the tab has what neighbours cost without one cause each, and where time goes, of one run and of two", async ({
  page,
}) => {
  const experiment = short("even", 60_000);
  await open(page, await encodeLink({ experiment, view: {} }));
  await expect(page.locator("#verdict")).toContainText("Run here: 60,000 cycles.");
  await show(page, "why");
  await expect.poll(() => page.url()).toContain("&show=why");
  const why = page.locator("#drawer-why");
  await expect(why.locator("h4")).toHaveText([
    /^Neighbours cost BP [\d.]+ ×; without one cause each/,
    /^Cycles of a warp per instruction of BP/,
  ]);
  const { because } = (await result(page)) as Told;
  await expect(why.getByRole("table").first().locator("tbody th")).toHaveText(
    because[0]?.cures.map(({ words }) => `with ${words}`) ?? [],
  );
  await why.getByRole("button", { name: "What is Cycles of a warp per instruction of BP?" }).click();
  await expect(page.getByRole("dialog", { name: "Cycles of a warp per instruction of BP" })).toContainText(
    "missed L1D",
  );
  await page.keyboard.press("Escape");
  await noViolations(page);
  // Of two runs, the tab has both.
  await choose(page, "Scheme of B", "CCBP");
  await expect(why.locator(".why-side")).toHaveCount(2);
  await noViolations(page);
});

test("an answer that came with the page is none where it is of another engine than the module", async ({ page }) => {
  // All that the page brings along says that it is of an engine of another behaviour.
  const older = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll(/(\d+\.\d+\.\d+)-[0-9a-f]{8}/g, "$1-00000000"),
    });
  };
  await page.route("**/answers/*.json", older);
  await page.route("**/assets/*.js", older);
  const said = await noted(page, "#verdict");
  await open(page);
  await expect(page.locator("#verdict")).toContainText("Running here");
  await expect(page.locator("#verdict")).not.toContainText("Stored answer");
  // Before the module was there, nothing could be known of that.
  expect((await said()).filter((text) => text.includes("Stored answer"))).not.toEqual([]);
});

test("what the page brings along of its kernels alone is there at once; another engine's is measured anew", async ({
  page,
}) => {
  const said = await overhear(page),
    hash = await encodeLink({ experiment: { ...short("even"), seed: 7 }, view: { cycle: 4000 } });
  const jobs = async (): Promise<string[]> => askedAlone(await said()).map(({ hash }) => hash);
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
  await open(page, `${hash}&show=numbers`);
  // Not what is told of runs alone that go on.
  const ended = async (): Promise<number> =>
    (await said()).filter((m) => m["t"] === "setAlone" && m["soFar"] === false).length;
  await expect.poll(ended).toBe(2);
  await expect(alone).toHaveText(/^[\d,]+\.\d$/);
  const wanted = await jobs(),
    measured = await alone.textContent();
  await expect.poll(() => page.url()).toMatch(/&e=/);
  answers = Object.fromEntries(wanted.map((job) => [job, brought]));
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
  await open(page, `${hash}&show=numbers`);
  await expect(alone).toHaveText(measured ?? "");
  expect(await jobs()).toEqual(expect.arrayContaining(wanted));
  engine = /&e=([^&]+)/.exec(page.url())?.[1] ?? "";
  await open(page, `${hash}&show=numbers`);
  await expect(alone).toHaveText("1,234.0");
  expect(await jobs()).toEqual([]);
});

test("every picture says what its numbers mean", async ({ page }) => {
  await openAt(page, `${await encodeLink({ experiment: short("even"), view: { sm: 0 } })}`, 4000);
  for (const [tab, view, of, words] of [
    ["sm", "corun-sm-detail", "an SM", "Waits for a load that missed L1D"],
    [null, "corun-gpu", "GPU", /Scheduler|scheduler/],
    ["path", "corun-memory-path", "Memory path", /L2 bank/],
  ] as const) {
    if (tab === null) await page.getByRole("button", { name: "All SMs" }).click();
    else if (tab !== "sm") await show(page, tab);
    const name = `What are the numbers of ${of}?`;
    if (tab === "sm") await page.getByRole("button", { name }).click();
    else await pick(page.locator(view), name);
    await expect(page.getByRole("dialog", { name: `the numbers of ${of}` })).toContainText(words);
    await page.keyboard.press("Escape");
  }
});

test("what a kernel loses for its share is said of nobody else, and stands in its bar and among its numbers", {
  tag: "@core",
}, async ({ page }) => {
  const experiment: Experiment = {
    corun: 1,
    gpu: "ccbp-16sm",
    kernels: ["interference/fma", "interference/fma"],
    policy: { name: "mps", percentage: [25, 75] },
    seed: 1,
    stop: { cycles: 20_000 },
  };
  await open(page, await encodeLink({ experiment, view: {} }));
  await expect(page.locator("#verdict h2")).toHaveText(
    "fma #1 is 4.00 times slower than alone, all of it for its share.",
  );
  await expect(page.locator("#verdict")).toContainText("The share of fma #1 is 4 of 16 SMs.");
  const bars = page.locator("#slows .slow");
  await expect(bars.locator(".slow-name")).toHaveText(["fma #1", "fma #2"]);
  await expect(bars.locator(".slow-of")).toHaveText(["all for its share", "all for its share"]);
  await expect(page.getByRole("list", { name: "MPS 25 + 75 %" })).toBeVisible();
  await expect(page.locator("#reads")).not.toContainText("behind");
  await show(page, "numbers");
  await expect(page.locator('#numbers [data-stands=".share_cost.0"]')).toHaveText("4.00");
  await expect(page.locator('#numbers [data-stands=".neighbour_cost.0"]')).toHaveText("1.00");
  // Two uses of one kernel are told apart wherever there are names.
  const names = ["fma #1", "fma #2"];
  await expect(page.getByRole("table", { name: "How fast each kernel is" }).getByRole("rowheader")).toContainText(
    names,
  );
  for (const name of names) {
    await expect(page.locator("#choose-kernel-0, #choose-kernel-1").filter({ hasText: name })).toHaveCount(1);
    await expect(page.locator(".schemes-picture")).toContainText(`${name} slower than alone`);
    await expect(page.locator("#gpu .cv-key").filter({ hasText: name })).toHaveCount(1);
  }
  await axis(page).press("Enter");
  await expect(page.locator(".dk-values")).toContainText("fma #1");
});

test("ten kernels are told apart by number, colour and pattern, and nothing is wider than a phone; sixteen are the most", async ({
  page,
}) => {
  const experiment: Experiment = {
    corun: 1,
    gpu: { preset: "ccbp-16sm", "sm.count": 20 },
    kernels: Array.from({ length: 10 }, () => "MATVEC"),
    policy: { name: "mps", percentage: 10 },
    seed: 1,
    stop: { cycles: 4_000 },
  };
  await open(page, await encodeLink({ experiment, view: {} }));
  await expect(page.locator("#verdict")).toContainText("Run here: 4,000 cycles.");
  const names = experiment.kernels.map((_, k) => `MATVEC #${k + 1}`);
  await expect(page.locator("#slows .slow-value, #slows .slow-why")).toHaveCount(10);
  expect(await page.locator("#slows .slow-name").evaluateAll((all) => all.map((one) => one.textContent))).toEqual(
    names,
  );
  await expect(page.locator("#choose-gpu")).toContainText("20 SMs");
  // The ninth has the first one's colour, and another pattern.
  const looks = await page
    .locator(".choices .swatch")
    .evaluateAll((all) =>
      all.map((one) => [getComputedStyle(one).backgroundColor, getComputedStyle(one).backgroundImage]),
    );
  expect(looks[8]?.[0]).toBe(looks[0]?.[0]);
  expect(new Set(looks.map(String)).size).toBe(10);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  }
  await noViolations(page);
  await page.locator("#choose-kernel-9").click();
  await expect(page.getByRole("option", { name: "One more kernel" })).toBeVisible();
  const most: Experiment = {
    ...experiment,
    kernels: Array.from({ length: 16 }, () => "MATVEC"),
    stop: { cycles: 400 },
  };
  await open(page, await encodeLink({ experiment: { ...most, policy: { name: "mps", percentage: 5 } }, view: {} }));
  await page.locator("#choose-kernel-15").click();
  await expect(page.getByRole("option", { name: "Without MATVEC #16" })).toBeVisible();
  await expect(page.getByRole("option", { name: "One more kernel" })).toHaveCount(0);
});

test("a word of the field explains itself on hover, focus and tap, and Escape closes that alone", async ({ page }) => {
  await open(page);
  const word = page.getByRole("region", { name: "Who suffers, and why" }).getByRole("button", { name: "NoC" }).first(),
    says = page.getByRole("tooltip");
  await word.hover();
  await expect(says).toHaveText("NoC: Network on chip: what connects SMs and L2 banks");
  await page.mouse.move(2, 2);
  await expect(says).toBeHidden();
  await page.getByRole("button", { name: /^Details/ }).click();
  await word.focus();
  await expect(word).toHaveAttribute("aria-describedby", (await says.getAttribute("id")) ?? "none");
  await noViolations(page);
  await page.keyboard.press("Escape");
  await expect(says).toBeHidden();
  await expect(page.locator(".drawer-sheet")).toBeVisible();
  await page.keyboard.press("Escape");
  // In the legend of a picture it says what is drawn.
  await page.locator("corun-gpu .cv-legend").getByRole("button", { name: "LSU full" }).click();
  await expect(says).toContainText("load-store unit");
  await page.getByRole("heading", { name: "All schemes" }).hover();
  await page.keyboard.press("Tab");
  await expect(says).not.toContainText("load-store unit");
});
