// What the first screen asks of a newcomer, measured: how much there is to read and to press, how soon the answer stands there, how still it stands.
import { decodeLink } from "../src/link.ts";
import { choose, cycle, expect, is, open, picture, test } from "./corun.ts";

/**
 * Looks in the page: what can be pressed in the first view, and the words in it that are in no picture. Not counted are the places, a link in the
 * answer's text, and the two pictures that arrow keys walk: the SMs and all schemes. A row of tabs is one.
 */
function inView(): { controls: string[]; words: number; scrolls: number; wide: number } {
  const seen = (element: Element): boolean => {
    const box = element.getBoundingClientRect();
    return (
      box.width > 1 &&
      box.height > 1 &&
      box.top < innerHeight &&
      box.bottom > 0 &&
      box.left < innerWidth &&
      box.right > 0 &&
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    );
  };
  const controls = new Set<string>();
  for (const one of document.querySelectorAll<HTMLElement>(
    "a[href], button, input, select, textarea, summary, [tabindex='0'], [role=slider], [role=tab]",
  )) {
    if (!seen(one) || one.closest(".term, .pages, .skip, .brand, .answer, #gpu canvas, #all-schemes .plot")) continue;
    const row = one.closest("[role=tablist]");
    controls.add(row ? "tabs" : (one.getAttribute("aria-label") ?? one.textContent ?? one.tagName).trim().slice(0, 40));
  }
  let words = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (!parent || parent.closest("svg, canvas, .hidden, script, noscript, [role=tooltip]") || !seen(parent)) continue;
    words += (node.textContent ?? "").split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  }
  const root = document.documentElement;
  return {
    controls: [...controls],
    words,
    scrolls: [root, ...document.querySelectorAll("main")].reduce(
      (sum, one) => sum + one.scrollHeight - Math.min(one.clientHeight, innerHeight),
      0,
    ),
    wide: root.scrollWidth - innerWidth,
  };
}

const VIEWS = [
  { width: 1440, height: 900, words: 240, still: true },
  { width: 1024, height: 768, words: 240, still: true },
  { width: 390, height: 844, words: 140, still: false },
];

for (const { width, height, words, still } of VIEWS)
  test(`the first view at ${width} × ${height}: at most 20 controls and ${words} words`, { tag: "@core" }, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await open(page);
    await expect(page.locator("#verdict")).toContainText(/slower than alone/);
    // All that will be there is there: the choices, and the run on its time axis.
    await expect(page.locator("#choose-gpu")).toHaveText("16 SMs");
    await expect.poll(() => cycle(page)).toBeGreaterThan(2_000);
    const found = await page.evaluate(inView);
    console.log(
      `${width} × ${height}: ${found.controls.length} controls (${found.controls.join("; ")}), ${found.words} words`,
    );
    await picture(page, `first-${width}`);
    expect(found.controls.length).toBeLessThanOrEqual(20);
    expect(found.words).toBeLessThanOrEqual(words);
    expect(found.wide, "nothing is wider than the window").toBeLessThanOrEqual(0);
    if (still) expect(found.scrolls, "nothing is below the window").toBeLessThanOrEqual(0);
  });

test("the answer stands there at once, and stays where it is while the run confirms it", { tag: "@core" }, async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.addInitScript(() => {
    const seen = { answered: 0, shift: 0, long: [] as number[] };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        if (seen.answered > 0 && startTime > seen.answered) seen.long.push(duration);
    }).observe({ type: "longtask", buffered: true });
    new MutationObserver(() => {
      if (seen.answered === 0 && /slower than alone/.test(document.querySelector("#verdict")?.textContent ?? ""))
        seen.answered = performance.now();
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await open(page);
  await expect(page.locator("#verdict")).toContainText(/slower than alone/);
  const frames = await page.evaluate(
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
  // To the end of the run, where the stored answer is confirmed.
  await is(page, "Finished");
  await expect(page.locator("#verdict")).toContainText("bit for bit");
  const { answered, shift, long } = await page.evaluate(
    () => (window as unknown as { seen: { answered: number; shift: number; long: number[] } }).seen,
  );
  console.log(
    `text of the verdict after ${answered.toFixed(0)} ms, layout shift ${shift.toFixed(3)}, ${frames.toFixed(0)} frames a second, ` +
      `${long.filter((ms) => ms > 100).length} tasks above 100 ms (longest ${Math.max(0, ...long).toFixed(0)})`,
  );
  // Three times what is wanted: a busy machine is not a fault of the page.
  expect(answered).toBeLessThanOrEqual(3_000);
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
