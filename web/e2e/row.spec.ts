// The row of choices: menus that lose no letter, a GPU of today in its vendor's words, and what is measured for B while A's answer stays.
import { decodeLink } from "../src/model/link.ts";
import { choose, expect, noViolations, open, picture, test } from "./corun.ts";

const SMALL = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&cycles=20000";

test("a menu takes letters from the moment that it opens", async ({ page }) => {
  await open(page, SMALL);
  const button = page.getByRole("button", { name: "Kernel 2:" });
  await expect(button).toBeEnabled();
  await page.waitForFunction(() => document.querySelector("corun-dock")?.textContent?.includes("Finished"));
  // In one go: the list comes a moment later.
  const focused = await button.evaluate((one) => {
    (one as HTMLElement).click();
    const search = document.activeElement as HTMLInputElement;
    search.value = "SMV";
    search.dispatchEvent(new InputEvent("input", { bubbles: true }));
    search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    return search.getAttribute("aria-label");
  });
  expect(focused).toBe("Kernel 2: search");
  await expect(page.getByRole("button", { name: "Kernel 2: SMV" })).toBeFocused();
});

test("on a GPU of today the vendor's ways to share it come first", async ({ page }) => {
  const groups = async (gpu: string): Promise<string[]> => {
    await open(page, SMALL.replace("tiny-2sm", gpu).replace("cycles=20000", "cycles=1000"));
    await expect(page.locator("#cycle")).not.toHaveText("0");
    await page.getByRole("button", { name: "Scheme of A:" }).click();
    await expect(page.getByRole("listbox", { name: "Scheme of A" })).toBeVisible();
    return page.locator(".menu:popover-open .menu-group").allTextContents();
  };
  const [first, ...rest] = await groups("h100-sxm5");
  expect(first).toContain("MPS");
  expect(rest.slice(0, 4)).toContain("MIG");
  await noViolations(page);
  await picture(page, "row-vendors");
  expect((await groups("ccbp-16sm"))[0]).not.toContain("MPS");
});

test("while B is measured, A's answer stays where it is", async ({ page }) => {
  // Of another seed than those that the page brings along.
  await open(page, "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=7&cycles=150000");
  await page.waitForFunction(() => document.querySelector("corun-dock")?.textContent?.includes("Finished"));
  // At once: the profile may be measured before a person looks.
  const seen = page.evaluate(
    () =>
      new Promise<{ says: string; below: number }>((look) => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector("#notices h2")?.textContent?.startsWith("Profiling for B, ")) return;
          observer.disconnect();
          const box = (of: string): DOMRect | undefined => document.querySelector(of)?.getBoundingClientRect();
          look({
            says: document.querySelector(".answer-says")?.textContent ?? "",
            below: (box("#notices .notice")?.top ?? NaN) - (box("#slows")?.bottom ?? NaN),
          });
        }).observe(document, { subtree: true, childList: true, characterData: true });
      }),
  );
  await expect(page.locator(".answer-says")).toContainText("times slower");
  await choose(page, "Scheme of B", "Warped-Slicer");
  const { says, below } = await seen;
  expect(says).toContain("times slower");
  expect(below, "it is under the bars of both").toBeGreaterThan(0);
  await picture(page, "row-profiling");
});

test("a knob turns A and B at once, and varied says what each of its values does to both", async ({ page }) => {
  await open(page, `${SMALL}&b.policy=ccbp`);
  const knobs = page.getByRole("button", { name: "Knobs" });
  await expect(page.locator("#choose-gpu")).toHaveText("2 SMs");
  await knobs.focus();
  await page.keyboard.press("Enter");
  await expect(knobs).toHaveAttribute("aria-expanded", "true");
  const row = page.getByRole("group", { name: "Knobs, on A and B at once" });
  await expect(row.getByRole("combobox")).toHaveCount(7);
  await row.getByLabel("L2", { exact: true }).selectOption("32 KB (½)");
  await expect(page.locator("#choose-gpu")).toHaveText("2 SMs (set)");
  await expect(page.locator("#cycle")).toHaveText("20,000");
  // Whoever opens the link has it in both.
  const link = await decodeLink(new URL(page.url()).hash);
  for (const one of [link?.experiment, link?.other])
    expect(one?.gpu).toEqual({ preset: "tiny-2sm", "l2.bank_bytes": 16_384 });

  await row.getByRole("button", { name: "vary SMs" }).click();
  const varied = page.getByRole("region", { name: "SMs varied" });
  await expect(varied.getByRole("button", { name: "Close" })).toBeVisible({ timeout: 60_000 });
  const bp = varied.getByRole("img", { name: /^BP slower than alone, by SMs/ });
  const said = (await bp.getAttribute("aria-label")) ?? "";
  expect(said.match(/[\d.]+ with \d+ SMs/g), "five values under A, and under B").toHaveLength(10);
  await noViolations(page);
  await picture(page, "row-knobs");
  await row.getByRole("button", { name: "Reset" }).click();
  await expect(page.locator("#choose-gpu")).toHaveText("2 SMs");
  await expect(varied).toBeHidden();
});

test("an A100 says who is slower and how much, with no press behind its choice", async ({ page }) => {
  await open(page);
  await expect(page.locator(".answer-says")).toContainText("slower");
  await choose(page, "GPU", "as published of an A100");
  const chosen = Date.now();
  await expect(page.locator("#choose-gpu")).toHaveText("108 SMs, 1/4");
  await expect(page.locator(".scale-line")).toContainText("nine in ten within");
  await expect(page.locator(".answer-says")).toHaveText(/\d times slower than alone/, { timeout: 60_000 });
  console.log(`A100: ${((Date.now() - chosen) / 1000).toFixed(1)} s from the choice to who, and how much`);
});
