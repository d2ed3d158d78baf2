// What the first screen asks of a newcomer, measured: how much there is to read and to press, how soon the answer stands there, how still it stands.
import type { Page } from "@playwright/test";
import { decodeLink } from "../src/model/link.ts";
import { choose, cycle, expect, is, open, picture, test } from "./corun.ts";

/** What is noted in the page from its first moment on. */
interface Seen {
  shift: number;
  /** Milliseconds after which there is a sentence, and a cycle has run here. */
  sentence: number;
  cycle: number;
  /** Tasks above 100 ms since the sentence stood there. */
  long: number[];
}

async function watching(page: Page): Promise<() => Promise<Seen>> {
  await page.addInitScript(() => {
    const seen: Seen = { shift: 0, sentence: 0, cycle: 0, long: [] };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        if (duration > 100 && seen.sentence > 0 && startTime > seen.sentence) seen.long.push(Math.round(duration));
    }).observe({ type: "longtask", buffered: true });
    new MutationObserver(() => {
      if (seen.sentence === 0 && /slower than alone/.test(document.querySelector("#verdict")?.textContent ?? ""))
        seen.sentence = performance.now();
      if (seen.cycle === 0 && /[1-9]/.test(document.querySelector("#cycle")?.textContent ?? ""))
        seen.cycle = performance.now();
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  return () => page.evaluate(() => (window as unknown as { seen: Seen }).seen);
}

/**
 * Looks in the page: buttons, links and fields in the first view, and the words in it that are in no picture (a canvas, an SVG, the marks of a figure).
 * A number of the sentence and a term explain themselves, and do not count. What lies under the time axis is not seen.
 */
function inView(): { controls: string[]; explain: number; words: string[]; scrolls: number; wide: number } {
  const seen = (element: Element): boolean => {
    const box = element.getBoundingClientRect(),
      x = (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2,
      y = (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2,
      dock = document.querySelector("corun-dock"),
      axis = dock?.contains(element) ? innerHeight : (dock?.getBoundingClientRect().top ?? innerHeight);
    return (
      box.width > 1 &&
      box.height > 1 &&
      x > 0 &&
      x < innerWidth &&
      y > 0 &&
      y < axis &&
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    );
  };
  const controls = [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary")]
    .filter((one) => !one.matches(".answer-number, .term") && seen(one))
    .map((one) => (one.getAttribute("aria-label") ?? one.textContent ?? one.tagName).trim().slice(0, 24));
  const explain = [...document.querySelectorAll(".answer-number, .term")].filter(seen).length;
  const words: string[] = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (
      !parent ||
      parent.closest("svg, canvas, figure > :not(h3), select, .swatch, .hidden, script, noscript") ||
      !seen(parent)
    )
      continue;
    words.push(...(node.textContent ?? "").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)));
  }
  const root = document.documentElement;
  return {
    controls,
    explain,
    words,
    scrolls: [root, ...document.querySelectorAll("main")].reduce(
      (sum, one) => sum + one.scrollHeight - Math.min(one.clientHeight, innerHeight),
      0,
    ),
    wide: root.scrollWidth - innerWidth,
  };
}

const framesASecond = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        let count = 0;
        const began = performance.now();
        const look = (): void => {
          count += 1;
          const now = performance.now();
          if (now - began < 4_000) requestAnimationFrame(look);
          else done((1000 * count) / (now - began));
        };
        requestAnimationFrame(look);
      }),
  );

for (const { width, height, words, still } of [
  { width: 1440, height: 900, words: 120, still: true },
  { width: 1024, height: 768, words: 120, still: true },
  { width: 390, height: 844, words: 80, still: false },
])
  test(`the first view at ${width} × ${height}: at most 20 controls and ${words} words, and it stands still`, {
    tag: "@core",
  }, async ({ page }) => {
    const seen = await watching(page);
    await page.setViewportSize({ width, height });
    await open(page);
    await expect(page.locator("#verdict")).toContainText(/slower than alone/);
    // All that will be there is there: the choices, and the run on its time axis.
    await expect(page.locator("#choose-gpu")).toHaveText("16 SMs");
    await expect.poll(() => cycle(page)).toBeGreaterThan(2_000);
    const running = await page.evaluate(inView),
      frames = await framesASecond(page);
    await picture(page, `first-${width}`);
    // To the end of the run, where the stored answer is confirmed.
    await is(page, "Finished");
    await expect(page.locator("#verdict .answer-confirmed")).toBeVisible();
    const ended = await page.evaluate(inView),
      { shift, sentence, cycle: first, long } = await seen();
    const most = Math.max(running.controls.length, ended.controls.length),
      read = Math.max(running.words.length, ended.words.length);
    console.log(
      `first view ${width}x${height}: controls ${most} beside ${running.explain} numbers and terms, words ${read}, shift ${shift.toFixed(3)}, sentence ${sentence.toFixed(0)} ms, ` +
        `first cycle ${first.toFixed(0)} ms, tasks above 100 ms ${long.length} (longest ${Math.max(0, ...long)}), ${frames.toFixed(0)} frames a second`,
    );
    for (const { controls, words: all, wide, scrolls } of [running, ended]) {
      expect(controls.length, controls.join("; ")).toBeLessThanOrEqual(20);
      expect(all.length, all.join(" ")).toBeLessThanOrEqual(words);
      expect(wide, "nothing is wider than the window").toBeLessThanOrEqual(0);
      if (still) expect(scrolls, "nothing is below the window").toBeLessThanOrEqual(0);
    }
    expect(shift).toBeLessThanOrEqual(0.02);
  });

test("a large GPU has a first sentence in seconds, and no factor before it is known", async ({ page }) => {
  const began = Date.now();
  await open(page, "#v=1&gpu=a100-40gb&mix=ccbp/SAD+ccbp/CFD&policy=even&seed=1&cycles=1000000");
  // The slower one so far comes first.
  await expect(page.locator("#verdict")).toContainText("How fast CFD and SAD are alone is still being measured.");
  const took = (Date.now() - began) / 1000;
  console.log(`first sentence on an A100 after ${took.toFixed(1)} s`);
  expect(took).toBeLessThan(30);
});

test("a large GPU offers a quarter of itself, which says what it is off by and leads back to the whole", async ({
  page,
}) => {
  await open(page, "#v=1&gpu=a100-40gb&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&cycles=1000000");
  const verdict = page.locator("#verdict"),
    press = (name: string) => verdict.getByRole("button", { name }).click();
  // The room under the sentence, as often as the screen is drawn: the offer moves nothing when it comes.
  const rooms = await page.evaluate(
    () =>
      new Promise<number[]>((done) => {
        const seen: number[] = [];
        const look = (): void => {
          const box = document.getElementById("verdict"),
            answer = box?.querySelector(".answer");
          if (box && answer)
            seen.push(Math.round(box.getBoundingClientRect().bottom - answer.getBoundingClientRect().bottom));
          const offered = [...(box?.querySelectorAll("button") ?? [])].some(
            (one) => one.textContent === "Run a quarter" && one.checkVisibility({ visibilityProperty: true }),
          );
          if (offered) done([...new Set(seen)]);
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  expect(rooms).toHaveLength(1);
  await expect(verdict).toContainText(/of the time\. Nine in ten slowdowns were within \d+\.\d % of the whole’s/);
  await press("Run a quarter");
  await expect(page.locator("#choose-gpu")).toContainText("1/4");
  await expect(verdict).toContainText(/A scale model: a quarter of the GPU\. Of \d+ slowdowns half were within/);
  // A quarter of 108 SMs, whose kernels alone ran on a quarter, too.
  await expect(verdict).toContainText(/times slower than alone/);
  await expect.poll(async () => (await decodeLink(new URL(page.url()).hash))?.experiment.scale).toBe("1/4");
  await press("Run the whole");
  await expect(page.locator("#choose-gpu")).not.toContainText("1/4");
});

test("a large GPU begins with a quarter, and the whole is a press away", async ({ page }) => {
  await open(page);
  await choose(page, "GPU", "as published of an A100");
  await expect(page.locator("#choose-gpu")).toContainText("1/4");
  await expect(page.locator("#verdict")).toContainText("A scale model: a quarter of the GPU.");
  await page.locator("#verdict").getByRole("button", { name: "Run the whole" }).click();
  await expect(page.locator("#choose-gpu")).not.toContainText("1/4");
});
