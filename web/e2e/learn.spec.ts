// The place Learn as a reader uses it, and its texts held against the engine.
import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { expect, noViolations, picture, test } from "./corun.ts";
import { measure } from "../src/learn/measure.ts";
import { STORIES } from "../src/learn/stories.ts";
import type { Story } from "../src/learn/story.ts";
import { broken, type Try } from "../src/learn/tries.ts";
import type { Answer, Experiment, Result } from "../src/types.ts";
import * as engine from "../src/wasm/corun.js";

const TRIES = JSON.parse(readFileSync("src/learn/tries.json", "utf8")) as Try[];

const learn = (page: Page) => page.goto("./learn.html");
const part = (page: Page, story: Story): Locator => page.getByRole("region", { name: story.title, exact: true });
const caption = (page: Page, story: Story): Locator => part(page, story).locator("figcaption");

test("each knob moves its figure, at once", { tag: "@core" }, async ({ page }) => {
  await learn(page);
  for (const story of STORIES) {
    const knob = part(page, story).getByRole("slider"),
      image = part(page, story).getByRole("img");
    await knob.scrollIntoViewIfNeeded();
    await expect(caption(page, story)).not.toHaveText("It runs…");
    const seen = new Set([await image.getAttribute("aria-label")]),
      times: number[] = [];
    await knob.focus();
    await page.keyboard.press("Home");
    await expect(part(page, story).locator(".learn-value")).toHaveText(story.knob.say(story.knob.values[0] as number));
    await expect(caption(page, story)).not.toHaveText("It runs…");
    seen.add(await image.getAttribute("aria-label"));
    for (let i = 1; i < story.knob.values.length; i += 1) {
      const say = story.knob.say(story.knob.values[i] as number),
        before = await caption(page, story).textContent();
      // From the key to the sentence: while nothing is known yet, the caption says so.
      times.push(
        await knob.evaluate(
          (input: HTMLInputElement, { to, before }) => {
            const text = input.closest("figure")?.querySelector("figcaption") as HTMLElement,
              start = performance.now();
            input.value = String(to);
            input.dispatchEvent(new Event("input", { bubbles: true }));
            return new Promise<number>((done) => {
              const look = (): void => {
                if (text.textContent !== before && text.textContent !== "It runs…") done(performance.now() - start);
                else setTimeout(look, 1);
              };
              look();
            });
          },
          { to: i, before },
        ),
      );
      await expect(part(page, story).locator(".learn-value")).toHaveText(say);
      seen.add(await image.getAttribute("aria-label"));
    }
    expect(seen.size, story.title).toBe(story.knob.values.length);
    console.log(`${story.title}: ${times.map((t) => Math.round(t)).join(", ")} ms from knob to sentence`);
  }
});

test("each link of a story opens its run", async ({ page }) => {
  for (const story of STORIES) {
    await learn(page);
    const link = part(page, story).getByRole("link", { name: /^Open this run/ });
    await expect(link).toHaveAttribute("href", /#v=1/);
    await link.click();
    await expect(page.locator("#cycle")).not.toHaveText("0");
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
});

test("each thing to try opens its run", async ({ page }) => {
  for (const one of TRIES) {
    await learn(page);
    const link = page.getByRole("link", { name: `Open: ${one.title}` });
    await expect(link).toHaveAttribute("href", /#v=1/);
    await link.click();
    await expect(page.locator("#cycle")).not.toHaveText("0");
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
});

test("a figure is one stop of the Tab key, and its parts are walked by the arrow keys", async ({ page }) => {
  await learn(page);
  const [first] = STORIES as [Story];
  await expect(caption(page, first)).not.toHaveText("It runs…");
  await part(page, first).getByRole("slider").focus();
  await page.keyboard.press("Tab");
  await expect(part(page, first).getByRole("img")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(part(page, first).getByRole("status")).toContainText("Each SM holds 4 CTAs of BP");
  // The first position may still be running.
  await expect(async () => {
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await expect(part(page, first).getByRole("status")).toContainText("BP, 0: 75 %", { timeout: 500 });
  }).toPass();
  await page.keyboard.press("Tab");
  await expect(part(page, first).getByRole("link", { name: /^Open this run/ })).toBeFocused();
});

test("a term in a story leads to its place in the glossary", async ({ page }) => {
  await learn(page);
  await page.getByRole("link", { name: "MSHRs" }).click();
  await expect(page.locator("#term-mshr")).toBeInViewport();
  await page.goto("about:blank");
  await page.goto("./learn.html#term-warp");
  await expect(page.locator("#term-warp")).toBeInViewport();
  await page.getByRole("link", { name: "Open the components and their laws" }).click();
  await expect(page.locator(".lab-progress")).toBeVisible();
});

for (const scheme of ["light", "dark"] as const)
  test(`nothing stands in the way of anybody, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await learn(page);
      for (const story of STORIES) {
        await part(page, story).getByRole("slider").scrollIntoViewIfNeeded();
        await expect(caption(page, story)).not.toHaveText("It runs…");
      }
      await noViolations(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await picture(page, `learn-${width}-${scheme}`, true);
    }
  });

// ---------------------------------------------------------------- what the texts say, by the engine that the page has

test.describe("what the texts say", () => {
  test.beforeAll(() => {
    engine.initSync({ module: readFileSync("src/wasm/corun_bg.wasm") });
  });

  const ran = (experiment: Experiment): Result => {
    const run = new engine.Simulation(experiment),
      answers: Record<string, Answer> = {};
    while (run.advance(1_000_000) === "budget");
    if (experiment.alone)
      for (const { hash, experiment: alone } of engine.plan(experiment).alone) {
        const one = engine.Simulation.withAnswers(alone, {});
        while (one.advance(1_000_000) === "budget");
        answers[hash] = one.answer();
        one.free();
      }
    run.tell(answers);
    const result = run.result() as Result;
    run.free();
    return result;
  };

  for (const one of TRIES)
    test(`${one.title}: what it says happens`, () => {
      for (const experiment of one.other ? [one.experiment, one.other] : [one.experiment])
        expect(engine.validate(experiment)).toEqual([]);
      const results = { experiment: ran(one.experiment), ...(one.other ? { other: ran(one.other) } : {}) };
      expect(broken(one.expect, results)).toEqual([]);
    });

  /** The sentences of a story, by the value of its knob. */
  const said = (id: string): Map<number, string> => {
    const story = STORIES.find((one) => one.id === id) as Story;
    return new Map(
      story.knob.values.map((value) => [
        value,
        story.known(
          story.jobs(value).map((job) => measure(engine, job)),
          value,
        ).summary,
      ]),
    );
  };

  /** By story, what a sentence at a position of the knob has to have, for the numbers of the text. */
  const CLAIMS: Record<string, [number, ...RegExp[]][]> = {
    "two-kernels": [
      [0, /BP runs at 75 %/],
      [8, /BP runs at 17 %/],
      [5, /108 % together/],
    ],
    "a-queue-fills": [
      [4, /miss queue of an SM 0 %.*NoC 4 %.*L2 bank 1 %.*DRAM channel 1 %/],
      [8, /0\.111 reads a cycle/],
      [32, /miss queue of an SM 0 %.*NoC 5 %.*L2 bank 1 %.*DRAM channel 81 %/],
      [40, /L2 bank 41 %.*DRAM channel 99 %/],
      [64, /miss queue of an SM 51 %.*0\.111 reads a cycle/],
    ],
    "littles-law": [
      [2, /× 362 cycles/],
      [16, /× 373 cycles/],
      [32, /^[^×]*0\.110 reads/],
      [64, /^[^×]*0\.110 reads.*= 122 reads under way; .* hold 127/],
    ],
    "quotas-and-promises": [
      [30, /kept\. CFD gets 30 %/],
      [60, /kept\. CFD gets 10 %/],
      [70, /BP gets 58 %.*missed\. CFD gets 9 %/],
      [90, /BP gets 58 %.*missed\. CFD gets 9 %/],
    ],
    "data-that-stay": [
      [16, /98 % hit in L1D under reset/],
      [20, / 0 % hit in L1D under reset and 77 % under flip/],
      [64, /20 % under flip/],
    ],
    "big-and-small": [
      [0, /NQU runs at 67 %.*NN at 102 %: 84 %/],
      [4, /NQU runs at 133 %.*NN at 100 %: 116 %/],
    ],
  };
  for (const story of STORIES)
    test(`${story.title}: the figure shows the numbers of the text`, () => {
      const sentences = said(story.id);
      for (const [value, ...wanted] of CLAIMS[story.id] ?? [])
        for (const want of wanted) expect(sentences.get(value)).toMatch(want);
      for (const value of story.knob.values) {
        const { experiment, other } = story.opens(value);
        for (const one of other ? [experiment, other] : [experiment]) expect(engine.validate(one)).toEqual([]);
      }
    });

  test("the two speeds add up to most at five CTAs of CFD", () => {
    const together = [...said("two-kernels").values()].map((text) => Number(/(\d+) % together/.exec(text)?.[1]));
    expect(together.indexOf(Math.max(...together))).toBe(5);
  });

  test("with an even split BP has 14 %, and DRAM sustains about 65 % of its peak", () => {
    const promises = STORIES.find((one) => one.id === "quotas-and-promises") as Story,
      [both, alone] = promises.jobs(50).map((job) => job.experiment) as [Experiment, Experiment],
      even = ran({ ...both, kernels: ["ccbp/BP", "ccbp/CFD"], policy: { name: "even" } });
    const share = (even.kernels[0]?.ipc ?? 0) / (ran(alone).kernels[0]?.ipc ?? 1);
    expect(Math.round(100 * share)).toBe(14);
    const queue = STORIES.find((one) => one.id === "a-queue-fills") as Story,
      reading = ran(queue.jobs(32)[0]?.experiment as Experiment);
    expect(reading.gpu.dram_utilisation).toBeGreaterThan(0.63);
    expect(reading.gpu.dram_utilisation).toBeLessThan(0.67);
  });
});
