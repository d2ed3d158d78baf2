// For those who share and teach: frames in articles, files that open their run again, cards of policies, vendors' words, warnings.
import { readFile } from "node:fs/promises";
import type { Download } from "@playwright/test";
import { decodeLink, encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import {
  axisFile,
  choose,
  dock,
  drop,
  expect,
  form,
  is,
  noViolations,
  open,
  openAt,
  picture,
  result,
  share,
  show,
  slack,
  test,
} from "./corun.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1";

test("a picture, a table and a result that were saved open their run again when they are dropped", async ({ page }) => {
  await openAt(page, TINY, 1500);
  const { digest } = await result(page);
  const files: [Buffer, string][] = [];
  const keep = async (download: Download): Promise<void> => {
    files.push([await readFile(await download.path()), download.suggestedFilename()]);
  };
  for (const kind of ["png", "svg", "json"] as const) await keep(await axisFile(page, kind));
  const [saved] = await Promise.all([page.waitForEvent("download"), share(page, "Save the result")]);
  await keep(saved);
  expect(files.map(([, name]) => name.replace(/^.*\./, ""))).toEqual(["png", "svg", "json", "json"]);

  for (const [bytes, name] of files) {
    await openAt(page, "#v=1&gpu=tiny-2sm&mix=ccbp/CFD&policy=leftover&seed=2", 300);
    await drop(page, [name, bytes]);
    await expect(page.locator("#cycle"), name).toHaveText("1,500");
    await expect(page).toHaveTitle(/BP \+ CFD/);
    await is(page, "Paused");
    expect((await result(page)).digest, name).toBe(digest);
  }
  // A picture of something else has no run in it, and what is shown stays.
  await drop(page, ["flower.svg", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")]);
  await expect(page.locator("corun-editor")).toContainText(
    "“flower.svg” cannot be opened. It is a picture, but none that this page saved",
  );
  await expect(page.locator("#cycle")).toHaveText("1,500");
});

test("a run in an article: the panels that are asked for, as tall as they are", async ({ page }) => {
  await page.goto("./examples/article/");
  const lab = page.locator("corun-lab");
  await expect(lab.getByRole("link", { name: /BP beside CFD/ })).toBeVisible();
  await lab.getByRole("button", { name: "Run it here" }).click();
  const frame = lab.frameLocator("iframe");
  await expect(frame.locator("#cycle")).toHaveText("3,000");
  for (const shown of ["#verdict", "#slows", "#gpu", "#numbers", "corun-dock"])
    await expect(frame.locator(shown)).toBeVisible();
  for (const hidden of [
    ".top",
    "#choices",
    "#editor",
    ".drawer-head",
    "#reads",
    "#all-schemes",
    ".dk-axis",
    ".dk-lanes",
    "#decisions",
  ])
    await expect(frame.locator(hidden)).toBeHidden();
  await expect.poll(() => slack(frame)).toBe(0);
  await dock(frame, "Step one cycle");
  await expect(frame.locator("#cycle")).toHaveText("3,001");
  // Out of the frame, to the run as it is now.
  const whole = frame.getByRole("link", { name: "Open this run in Corun" });
  await whole.focus();
  await expect(whole).toHaveAttribute("href", /^\.\/#v=1&.*&c=3001/);
  await picture(page, "article-lab", true);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => frame.locator("html").evaluate((e) => e.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await expect.poll(() => slack(frame)).toBe(0);
  // Where little is left, the frame is as low as that.
  await lab.evaluate((e) => {
    e.setAttribute("hide", "transport,verdict,gpu,memory,numbers,schemes");
  });
  await lab.getByRole("button", { name: "Run it here" }).click();
  await expect(frame.locator(".embed-foot")).toBeVisible();
  await expect.poll(() => slack(frame)).toBe(0);
  expect(await frame.locator("html").evaluate(() => innerHeight)).toBeLessThan(400);

  await page.setViewportSize({ width: 1280, height: 900 });
  // A name that is none is said, and an element without a link says what it wants.
  await page.goto(`./?embed=1&hide=gpu,flowers,constructor${TINY}&c=100`);
  await expect(page.locator(".embed-foot")).toContainText(
    "hide: found “flowers”, “constructor”, want some of transport, verdict",
  );
  await expect(page.locator("#gpu")).toBeHidden();
  await expect(page.locator("#reads")).toBeVisible();
  await expect(page.locator("#all-schemes")).toBeVisible();
  await page.keyboard.press("x");
  await expect(page.locator("#editor")).toBeHidden();
  await noViolations(page);
  await page.goto("./examples/article/");
  await lab.evaluate((e) => {
    e.setAttribute("link", "flowers");
  });
  await expect(lab.locator("p")).toHaveText(
    "corun-lab: link: found “flowers”, want the link to a run, such as #v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD",
  );
});

test("a policy's card has the text of its page, and how it is cited", async ({ page }) => {
  await openAt(page, TINY.replace("even", "ws%2Bbmi"), 200);
  await form(page);
  await page.getByRole("button", { name: "About, and cite" }).click();
  const card = page.getByRole("dialog", { name: "WS + BMI: turns at memory" });
  for (const word of [
    "Idea.",
    "Observes",
    "Sets",
    "Parameters",
    "Deviations",
    "Accelerate GPU Concurrent Kernel Execution",
  ])
    await expect(card).toContainText(word);
  await expect(card.getByRole("row", { name: /sample/ }).first()).toContainText("requests");
  await noViolations(page);
  await picture(page, "policy-card");
  await card.getByRole("button", { name: "Copy the BibTeX of the scheme's paper" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^@inproceedings\{dai2018stalls,[\s\S]*booktitle = \{IEEE International Symposium on High Performance/,
  );
  await card.getByRole("button", { name: "Copy the BibTeX of Corun" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^@software\{corun,[\s\S]*Engine [\d.]+-[0-9a-f]{8}/,
  );
  // Its links to other schemes open their cards; one without a paper says so.
  await card.getByRole("button", { name: "Warped-Slicer" }).first().click();
  await expect(page.getByRole("dialog", { name: "Warped-Slicer", exact: true })).toContainText(
    "Xu, Jeon, Kim, Ro and Annavaram",
  );
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await page.getByLabel("Policy", { exact: true }).selectOption("leftover");
  await page.getByRole("button", { name: "About, and cite" }).click();
  await expect(page.getByRole("dialog", { name: "Leftover" })).toContainText("No paper of its own.");
});

test("a scheme is found by the vendor's word, and one that needs another GPU says so and leads back", async ({
  page,
}) => {
  await openAt(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/SAD&policy=even&seed=1", 200);
  const menu = page.getByRole("button", { name: /^Scheme of A/ });
  const find = async (words: string): Promise<void> => {
    await menu.click();
    await page.getByRole("combobox", { name: "Scheme of A: search" }).fill(words);
    await page.keyboard.press("Enter");
  };
  await find("mps 75");
  await expect(menu).toHaveAccessibleName("Scheme of A: MPS 75 + 25 %");
  await find("4g.20gb + 3g.20gb");
  await expect(menu).toHaveAccessibleName("Scheme of A: MIG 4g.20gb + 3g.20gb");
  await expect(page.locator(".notice")).toContainText(
    "MIG 4g.20gb + 3g.20gb needs another GPU, and has it now: 108 SMs, as published of an A100.",
  );
  await page.getByRole("button", { name: /^Back to / }).click();
  await expect(menu).toHaveAccessibleName("Scheme of A: MPS 75 + 25 %");
  await expect.poll(async () => (await decodeLink(new URL(page.url()).hash))?.experiment.gpu).toBe("tiny-2sm");
});

test("a policy in vendors' words is known, and said to be an assumption", async ({ page }) => {
  await openAt(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/SAD&policy=even&seed=1", 200);
  await form(page);
  const note = page.locator(".vendor-note");
  await expect(note).toBeHidden();
  await choose(page, "Scheme of A", "MPS 75 + 25 %");
  await expect(page.getByLabel("Policy", { exact: true })).toHaveValue("mps");
  await expect(note).toContainText("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE: 75 % for the first");
  await expect(note).toContainText("a modelling assumption, not validated hardware");
  await noViolations(page);
  // Other settings are nobody's words.
  await page.getByLabel("Policy", { exact: true }).selectOption("even");
  await expect(note).toBeHidden();
});

test("what a run cannot show is said behind a sign", async ({ page }) => {
  const warnings = page.getByRole("list", { name: "What this run cannot show" });
  await openAt(page, TINY, 200);
  await show(page, "why");
  await expect(warnings.getByRole("listitem")).toHaveCount(0);
  const experiment: Experiment = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["ccbp/BP", "ccbp/CFD"],
    policy: { name: "even" },
    seed: 1,
    alone: false,
  };
  await open(
    page,
    await encodeLink({ experiment: { ...experiment, warm_up: 4000, stop: { cycles: 2000 } }, view: { cycle: 100 } }),
  );
  await expect(page.getByRole("button", { name: "Details: one thing that this run cannot show" })).toHaveText(
    "Details!",
  );
  await page.getByRole("button", { name: "Details" }).click();
  await expect(warnings).toContainText(
    "The warm-up is longer than the run: 4,000 cycles pass before the 2,000 that are measured.",
  );
  await open(
    page,
    await encodeLink({ experiment: { ...experiment, stop: { cycles: 2000 } }, view: { cycle: 2000, tab: "why" } }),
  );
  await expect(warnings).toContainText(
    /CFD never reached its second launch: \d+ of the 1,100 CTAs of its first were done at cycle 2,000\./,
  );
  await open(
    page,
    await encodeLink({
      experiment: { ...experiment, gpu: { preset: "ccbp-16sm", "sm.count": 100 } },
      view: { cycle: 100, tab: "why" },
    }),
  );
  await expect(warnings).toContainText(
    /CFD has few CTAs for this GPU: 1,100, where [\d,]+ fit\. So it cannot fill the GPU even alone\./,
  );
  await noViolations(page);
});
