// Nothing lies over anything else, at any width; and every page says where one is, and leads to the others.
import { expect, is, open, openAt, picture, test } from "./corun.ts";
import { faults, rememberInk } from "./geometry.ts";

const WIDTHS = [360, 768, 1024, 1280, 1440, 1680, 1920, 2560];
const NAMES = ["Simulator", "Sweeps", "Figures", "Components"];

test("the simulator at eight widths: three kernels, an SM that is open; then two runs", async ({ page }) => {
  await rememberInk(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  for (const hash of [
    "#v=1&gpu=ccbp-16sm&mix=BP+CFD+BFS&policy=even&seed=1&sm=2",
    "#v=1&gpu=ccbp-16sm&mix=BP+CFD&policy=even&seed=1&b.policy=leftover",
  ]) {
    await openAt(page, hash, 20_000);
    for (const width of hash.includes("b.") ? [360, 1280, 1680, 2560] : WIDTHS) {
      await page.setViewportSize({ width, height: Math.max(700, Math.round(width * 0.56)) });
      await expect.poll(() => faults(page), `${hash} at ${width} px`).toEqual([]);
      await picture(page, `layout-${hash.includes("b.") ? "two-" : ""}${width}`, true);
      if (width < 1248) continue;
      // What is in force can be read without moving it; and no hole in the page is much taller than half of the window.
      const wide = await page
        .locator("corun-decisions .scroll-x")
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
      expect(Math.max(...wide), `controls in force at ${width} px`).toBeLessThanOrEqual(0);
      // Pictures out of sight are drawn a moment later.
      const hole = (): Promise<number> =>
        page
          .locator("#pictures > .columns")
          .evaluate((columns) =>
            Math.max(
              ...[...columns.children].map(
                (column) =>
                  column.getBoundingClientRect().bottom -
                  Math.max(...[...column.children].map((card) => card.getBoundingClientRect().bottom)),
              ),
            ),
          );
      await expect.poll(hole, `a hole at ${width} px`).toBeLessThan(0.55 * Math.max(700, Math.round(width * 0.56)));
    }
  }
});

test("every page names itself in one navigation that leads to the others, also at 360 pixels", {
  tag: "@core",
}, async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, "#v=1&gpu=tiny-2sm&mix=BP+CFD&policy=even&seed=1&c=100");
  await is(page, "Paused");
  const pages = page.getByRole("navigation", { name: "Pages" });
  for (const name of [...NAMES.slice(1), "Simulator"]) {
    await pages.getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(name);
    expect(await pages.getByRole("link").allTextContents()).toEqual(NAMES);
    await expect(pages.locator("[aria-current=page]")).toHaveText(name);
    expect(
      await pages
        .getByRole("link")
        .evaluateAll((links) => Math.min(...links.map((link) => link.getBoundingClientRect().height))),
    ).toBeGreaterThanOrEqual(44);
    await page.getByRole("button", { name: "Dark or light" }).waitFor();
    if (name === "Simulator") continue;
    for (const width of [360, 1024, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(() => faults(page), `${name} at ${width} px`).toEqual([]);
    }
    await page.setViewportSize({ width: 360, height: 740 });
  }
});

test("no label of any scheme, GPU or order is a raw identifier; the identifier stands behind it", async ({ page }) => {
  await openAt(page, "#v=1&gpu=hetero-8b8s&mix=BP+CFD&policy=even&seed=1", 100);
  const raw = (): Promise<string[]> =>
    page.locator("corun-editor").evaluate((editor) => {
      // Behind the words, in brackets, it may stand.
      const identifier = (text: string): boolean =>
        /^[a-z]|_|^[^ ]*[.+][^ ]*$/.test(text.replace(/ \(.*\)$/, "").trim());
      const labels = [...editor.querySelectorAll<HTMLLabelElement>("label:not(.hidden)")];
      const options = [
        ...editor.querySelectorAll<HTMLOptionElement>(
          "[id^=f-policy-]:not(#f-policy-name) option, [id^=f-gpu-] option, #f-warp-order option, #f-cta-order option",
        ),
      ];
      return [
        ...labels.filter((label) => identifier(label.textContent ?? "") || !label.title),
        ...options.filter((option) => identifier(option.text)),
      ].map((e) => e.textContent ?? "");
    });
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
