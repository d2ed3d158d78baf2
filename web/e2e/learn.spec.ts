// The place Learn as a reader uses it. tests/said.test.ts holds its texts against the engine.
import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { expect, noViolations, picture, test } from "./corun.ts";
import { STORIES } from "../src/learn/stories.ts";
import type { Story } from "../src/learn/story.ts";
import type { Try } from "../src/learn/tries.ts";

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
  await expect(page.locator("#term-warp")).toBeFocused();
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
