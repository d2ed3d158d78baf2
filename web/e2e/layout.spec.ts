// Nothing lies over anything else, at any width; and every page says where one is, and leads to the others.
import { cycle, expect, form, is, listed, noViolations, open, openAt, picture, show, test } from "./corun.ts";
import { encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import { faults, rememberInk } from "./geometry.ts";

const WIDTHS = [360, 768, 1024, 1280, 1440, 1680, 1920, 2560];
const NAMES = ["Run", "Schemes", "Papers", "Learn", "Make"];
const THREE = "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD+ccbp/BFS&policy=even&seed=1",
  TWO = "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&b.policy=leftover";
const height = (width: number): number => Math.max(700, Math.round(width * 0.56));

test("a run at eight widths: three kernels, an SM that is open; then two runs", async ({ page }) => {
  await rememberInk(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const hash of [`${THREE}&sm=2`, TWO]) {
    await openAt(page, hash, 20_000);
    for (const width of hash === TWO ? [360, 1280, 1680, 2560] : WIDTHS) {
      await page.setViewportSize({ width, height: height(width) });
      await expect.poll(() => faults(page), `${hash} at ${width} px`).toEqual([]);
      await picture(page, `layout-${hash === TWO ? "two-" : ""}${width}`, true);
    }
  }
});

test("no name of a scheme lies over another in the picture of all schemes", async ({ page }) => {
  for (const [width, tall] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height: tall });
    await open(page);
    const names = page.locator("#all-schemes svg text.scheme-name");
    await expect.poll(() => names.count()).toBeGreaterThan(3);
    expect(await names.count()).toBeLessThanOrEqual(8);
    // Once the simulator is there, schemes are called by their titles.
    await expect.poll(() => cycle(page)).toBeGreaterThan(2000);
    const over = (): Promise<string[]> =>
      names.evaluateAll((all) => {
        const boxes = all.map((one) => ({ text: one.textContent ?? "", box: one.getBoundingClientRect() }));
        return boxes.flatMap(({ text, box: a }, i) =>
          boxes
            .slice(i + 1)
            .filter(
              ({ box: b }) =>
                a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3,
            )
            .map((other) => `${text} over ${other.text}`),
        );
      });
    await expect.poll(over, `${width} × ${tall}`).toEqual([]);
  }
});

test("on a phone the GPU has its name, and the stations of a read stand apart", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const kernels = ["ccbp/BP", "ccbp/CFD"],
    quarter: Experiment = { corun: 1, gpu: "a100-40gb", kernels, scale: "1/4", stop: { cycles: 2000 } };
  await open(page, await encodeLink({ experiment: quarter, view: {} }));
  const gpu = page.locator("#choose-gpu");
  await expect(gpu).toHaveText("108 SMs, 1/4");
  expect(await gpu.locator("span").evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
  const gaps = (): Promise<number[]> =>
    page.locator(".read-stations > li").evaluateAll((all) => {
      const ends = all.map((one) => one.getBoundingClientRect());
      return ends.slice(1).map((box, i) => box.left - (ends[i]?.right ?? 0));
    });
  await open(page);
  await expect.poll(async () => (await gaps()).length).toBe(4);
  expect(Math.min(...(await gaps()))).toBeGreaterThan(6);
  // It would be the page as it is.
  await page.getByRole("button", { name: "Share this run, and help" }).click();
  await expect(page.getByText("Keys and help")).toBeVisible();
  await expect(page.getByText("Present", { exact: true })).toHaveCount(0);
});

test("each part of the details and the form at a phone's width and at two others", async ({ page }) => {
  await rememberInk(page);
  await page.setViewportSize({ width: 1280, height: 720 });
  await openAt(page, `${TWO}&sm=2`, 20_000);
  await show(page, "why");
  const tabs = (await page.getByRole("tab").evaluateAll((all) => all.map(({ id }) => id.replace("tab-", "")))).concat(
    "form",
  );
  expect(tabs).toEqual(expect.arrayContaining(["why", "path", "numbers", "decisions"]));
  for (const width of [360, 1280, 1920]) {
    await page.setViewportSize({ width, height: height(width) });
    for (const tab of tabs) {
      if (tab === "form") await form(page);
      else await show(page, tab);
      await expect.poll(() => faults(page), `${tab} at ${width} px`).toEqual([]);
      await picture(page, `layout-${tab}-${width}`, true);
      if (tab === "form") await page.locator("#make").click();
      // What is in force can be read without moving it.
      if (tab !== "decisions" || width < 1280) continue;
      const wide = await page
        .locator(".all-decisions .scroll-x")
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
      expect(Math.max(...wide), `controls in force at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
});

test("details open beside the pictures, under the sentence, and Escape closes them", async ({ page }) => {
  for (const [width, tall] of [
    [1440, 900],
    [1024, 768],
  ] as const) {
    await page.setViewportSize({ width, height: tall });
    await openAt(page, TWO, 2_000);
    const box = async (of: string) => (await page.locator(of).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const before = await box("#verdict");
    const details = page.getByRole("button", { name: /^Details/ });
    await details.click();
    for (const tab of ["why", "numbers"]) {
      await show(page, tab);
      const sheet = await box(".drawer-sheet"),
        pictures = await box("#pictures"),
        time = await box("corun-dock");
      expect(await box("#verdict"), "the sentence stays as it is").toEqual(before);
      expect(sheet.y).toBeGreaterThanOrEqual(before.y + before.height);
      expect(sheet.x).toBeGreaterThanOrEqual(pictures.x + pictures.width);
      expect(sheet.y + sheet.height).toBeLessThanOrEqual(time.y);
      await noViolations(page);
    }
    await expect(details).toHaveAttribute("aria-expanded", "true");
    await page.locator("#tab-numbers").focus();
    await page.keyboard.press("Escape");
    await expect(page.locator(".drawer-sheet")).toBeHidden();
    await expect(details).toBeFocused();
  }
});

test("on a phone details open under the sentence, in view, and the answer alone fits", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openAt(page, TWO, 2_000);
  await show(page, "numbers");
  const box = (of: string) => page.locator(of).evaluate((one) => one.getBoundingClientRect().toJSON() as DOMRect);
  await expect(page.locator("#tab-numbers")).toBeInViewport();
  await expect.poll(async () => (await box("#drawer-numbers")).top).toBeLessThan(600);
  expect((await box("#drawer")).top).toBeGreaterThanOrEqual((await box("#verdict")).bottom);
  expect((await box("#drawer")).bottom).toBeLessThanOrEqual((await box("#pictures")).top);
  await page.keyboard.press("p");
  await expect(page.locator("html")).toHaveAttribute("data-present", "");
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), "the answer alone").toBe(0);
});

test("zoomed in four times, nothing stands still over what is read, and the axis is there for who goes to it", async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 225 });
  await openAt(page, TWO, 2_000);
  const strip = () =>
    page.evaluate(() => {
      scrollTo(0, 400);
      const at = (y: number) => document.elementFromPoint(180, y)?.closest("main, .choices");
      return Array.from({ length: 225 }, (_, y) => y).filter((y) => at(y)).length;
    });
  await expect.poll(strip).toBe(225);
  await page.locator(".dk-axis [tabindex='0']").first().focus();
  await expect
    .poll(() => page.locator(".dk-axis").evaluate((one) => one.getBoundingClientRect().bottom))
    .toBeLessThan(226);
});

test("every page names itself in one navigation that leads to the others, also at 360 pixels", {
  tag: "@core",
}, async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&c=100");
  await is(page, "Paused");
  const pages = page.getByRole("navigation", { name: "Places" });
  for (const name of ["Schemes", "Papers", "Learn", "Run"]) {
    await pages.getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    expect(await pages.locator("a").allTextContents()).toEqual(NAMES);
    await expect(pages.locator("[aria-current=page]")).toHaveText(name);
    // The heading can be there before the styles are.
    await expect
      .poll(() =>
        pages
          .getByRole("link")
          .evaluateAll((links) => Math.min(...links.map((link) => link.getBoundingClientRect().height))),
      )
      .toBeGreaterThanOrEqual(44);
    if (name === "Run") await page.getByRole("button", { name: "Share this run" }).click();
    await expect(page.getByRole("button", { name: "Dark or light" })).toBeVisible();
    if (name === "Run") {
      const deeds = await page.locator(".deeds").evaluate((one) => one.getBoundingClientRect().right);
      expect(deeds, "what is behind Share").toBeLessThanOrEqual(360);
      continue;
    }
    for (const width of [360, 1024, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => faults(page), `${name} at ${width} px`).toEqual([]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
  }
  await page.keyboard.press("Escape");
  // Help calls them by the same names.
  await page.keyboard.press("?");
  for (const name of NAMES.slice(1)) await expect(page.getByRole("dialog", { name: "Keys" })).toContainText(name);
  await page.keyboard.press("Escape");
  // Make is the form of a run, from wherever one is.
  await page.goto("./learn.html");
  expect(await pages.locator("a").allTextContents()).toEqual(NAMES);
  await pages.getByRole("link", { name: "Make" }).click();
  await expect(page.locator("#editor")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Run");
  // The form scrolls by itself: the page behind it is no longer than the window.
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(page.locator("#editor section").first()).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
});

/** Behind the words, in brackets, an identifier may stand. */
const identifier = (text: string): boolean => /^[a-z]|_|^[^ ]*[.+][^ ]*$/.test(text.replace(/ \(.*\)$/, "").trim());

test("no choice of a scheme or a GPU in the row is a raw identifier", async ({ page }) => {
  await openAt(page, THREE, 100);
  for (const menu of ["GPU", "Scheme of A", "Scheme of B"]) {
    const opener = page.getByRole("button", { name: `${menu}:` });
    if (menu !== "Scheme of B")
      expect(identifier((await opener.locator("span").first().textContent()) ?? ""), menu).toBe(false);
    await opener.click();
    await expect(page.getByRole("combobox", { name: `${menu}: search` })).toBeFocused();
    // All that there is to choose comes with the module.
    await expect.poll(() => listed(page, menu).count()).toBeGreaterThan(5);
    const titles = await listed(page, menu).locator("b").allTextContents();
    expect(titles.filter(identifier)).toEqual([]);
    await page.keyboard.press("Escape");
  }
});

test("no label of any scheme, GPU or order is a raw identifier; the identifier stands behind it", async ({ page }) => {
  await openAt(page, "#v=1&gpu=hetero-8b8s&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1", 100);
  await form(page);
  const raw = async (): Promise<string[]> => {
    const [untitled = [], texts = []] = await page.locator("corun-editor").evaluate((editor) => {
      const labels = [...editor.querySelectorAll<HTMLLabelElement>("label:not(.hidden)")],
        options = editor.querySelectorAll<HTMLOptionElement>(
          "[id^=f-policy-]:not(#f-policy-name) option, [id^=f-gpu-] option, #f-warp-order option, #f-cta-order option",
        );
      return [labels.filter(({ title }) => title === ""), [...labels, ...options]].map((all) =>
        all.map((e) => e.textContent ?? ""),
      );
    });
    return [...untitled, ...texts.filter(identifier)];
  };
  const policies = page.getByLabel("Policy", { exact: true });
  for (const name of await policies
    .locator("option")
    .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))) {
    await policies.selectOption(name);
    await expect.poll(raw, name).toEqual([]);
  }
  await policies.selectOption("smk");
  await expect(page.locator("label[for=f-policy-variant]")).toHaveAttribute("title", "policy.variant");
  await expect(page.locator("#f-policy-variant option[value=p]")).toHaveText("The combination of CTAs alone (p)");
  // A profile may be under way.
  await policies.selectOption("even");
});
