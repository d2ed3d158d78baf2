// Ten things that people come for, each with three presses at most: a press is a click, a choice or an Enter. What is typed is none.
import type { Locator, Page } from "@playwright/test";
import { decodeLink } from "../src/model/link.ts";
import { expect, listed, open, saved, test, write } from "./corun.ts";

/** Whoever visits the page: counts what is pressed. */
class Visitor {
  #presses = 0;
  constructor(readonly page: Page) {}
  async press(where: Locator): Promise<void> {
    this.#presses += 1;
    await where.click();
  }
  async enter(): Promise<void> {
    this.#presses += 1;
    await this.page.keyboard.press("Enter");
  }
  async choose(where: Locator, label: string): Promise<void> {
    this.#presses += 1;
    await where.selectOption({ label });
  }
  /** Takes the first that the search of a menu finds. */
  async say(menu: string, words: string): Promise<void> {
    await this.press(this.page.getByRole("button", { name: `${menu}:` }));
    await expect.poll(() => listed(this.page, menu).count()).toBeGreaterThan(1);
    await this.page.keyboard.type(words);
    await this.enter();
  }
  async share(deed: string): Promise<void> {
    await this.press(this.page.getByRole("button", { name: "Share this run, and help" }));
    await this.press(this.page.locator(".deeds").getByRole("button", { name: deed }));
  }
  /** A task is done. */
  done(): void {
    expect(this.#presses, "presses").toBeLessThanOrEqual(3);
    this.#presses = 0;
  }
}
const says = (page: Page): Locator => page.locator("#verdict .answer-says");
const row = (page: Page): Locator => page.getByRole("group", { name: "What runs" });
const opened = async (page: Page) => {
  const link = await decodeLink(new URL(page.url()).hash);
  return [link?.experiment, link?.other];
};
async function start(page: Page, hash = ""): Promise<Visitor> {
  await open(page, hash);
  await expect(says(page)).toContainText(/alone|too short/);
  return new Visitor(page);
}

test("researcher: one scheme against another for a mix; the fairest scheme; one SM; a quarter of L2", async ({
  page,
}) => {
  const who = await start(page);
  await who.press(page.getByRole("button", { name: "fairest" }));
  await expect(page.locator("#all-schemes")).toContainText(/fairest/i);
  who.done();

  await who.say("Kernel 1", "smv + hg, ws against ccbp");
  await expect(row(page)).toHaveText(/SMV.*HG.*16 SMs.*A.*Warped-Slicer.*B.*CCBP/s);
  await expect(says(page)).toContainText(/(SMV|HG) is .* alone/);
  who.done();

  const sm = page.locator("corun-sm-detail");
  await who.press(page.locator("corun-gpu canvas").first());
  await expect(sm).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(sm).toBeHidden();
  who.done();

  await who.press(page.getByRole("button", { name: "Knobs" }));
  await who.choose(page.getByLabel("L2", { exact: true }), "512 KB (¼)");
  await expect
    .poll(async () => (await opened(page)).map((one) => JSON.stringify(one?.gpu)))
    .toEqual(['{"preset":"ccbp-16sm","l2.bank_bytes":32768}', '{"preset":"ccbp-16sm","l2.bank_bytes":32768}']);
  who.done();
});

test("reviewer: a figure with what the paper prints, and a claim with why it came out so", async ({ page }) => {
  const who = await start(page),
    papers = page.getByRole("link", { name: "Papers" });
  await who.press(papers);
  await who.press(page.locator('main a[href*="paper=ccbp&figure=fig9a"]'));
  await expect(page.locator("main")).toContainText("paper’s gain");
  who.done();
  await who.press(papers);
  await expect(page.locator(".claims .claim-why").first()).toHaveText(/\w+ \w+/);
  await who.press(page.locator(".claims a").first());
  await expect(page).toHaveURL(/report=1#abs-hs-vs-smk$/);
  who.done();
});

test("engineer: ways to share an A100, and a kernel of one's own under both schemes", async ({ page }) => {
  const who = await start(page);
  await who.say("GPU", "a100, mps 50/50 or mig 3g+4g");
  await expect(row(page)).toHaveText(/108 SMs.*A.*MPS 50 % each.*B.*MIG 3g\.20gb \+ 4g\.20gb/s);
  who.done();

  await open(page);
  const text = page.getByLabel("Kernel 2 as JSON"),
    wrong = page.locator("#f-own-1-json");
  await who.say("Kernel 2", "one of your own");
  await expect(text).toBeFocused();
  // It begins as the kernel before it, however soon it is asked for.
  await expect(text).toContainText('"launches"');
  await expect(page.locator("#notices")).not.toContainText("cannot run");
  // In view as it stands, on whatever screen.
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await write(text, `{\n  "name": "for ${width}",\n  "launches": [}`);
    await expect(wrong).toContainText("line 3, column 16");
    await expect(wrong).toBeInViewport({ ratio: 1 });
  }
  const own = {
    name: "mine",
    launches: [{ ctas: 64, threads: 256, registers: 16, program: [{ alu: { count: 40 } }] }],
  };
  await write(text, JSON.stringify(own));
  await expect(wrong).toBeHidden();
  await expect.poll(async () => (await opened(page)).map((one) => one?.kernels[1])).toEqual([own, own]);
  await expect(row(page)).toHaveText(/BP.*mine/s);
  who.done();
});

test("author: link, embed, JSON, HTML, SVG and trace of what stands there", async ({ page }) => {
  const who = await start(
    page,
    "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/SAD&policy=even&seed=1&cycles=4000&b.policy=ccbp&c=2000",
  );
  await expect(page.locator("#cycle")).toHaveText("2,000");
  const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText()),
    file = async (press: Promise<void>): Promise<{ name: string; text: string }> => {
      const [download] = await Promise.all([page.waitForEvent("download"), press]);
      return saved(download);
    };
  await who.share("Copy the link");
  await expect.poll(copied).toBe(page.url());
  who.done();
  await who.share("Copy the embed");
  await expect.poll(copied).toMatch(/^<iframe /);
  const [source, name] = await page.evaluate(async () => {
    const { body } = new DOMParser().parseFromString(await navigator.clipboard.readText(), "text/html"),
      frame = body.querySelector("iframe");
    return [frame?.src ?? "", frame?.title ?? ""];
  });
  expect(new URL(source).search).toBe("?embed=1");
  expect(new URL(source).hash).toBe(new URL(page.url()).hash);
  expect(name).toContain("BP + SAD");
  who.done();
  expect(JSON.parse((await file(who.share("Save the result"))).text)).toMatchObject({ A: { cycles: 2000 } });
  who.done();
  expect((await file(who.share("Save as one HTML file"))).name).toMatch(/\.html$/);
  who.done();
  const drawn = await file(who.share("Save as a picture"));
  expect(drawn.name).toMatch(/^corun-run-.*\.svg$/);
  expect(drawn.text).toMatch(/^<\?xml[\s\S]*<svg [\s\S]*>BP<[\s\S]*<\/svg>\s*$/);
  who.done();
  await who.press(page.getByRole("button", { name: "More: steps" }));
  expect((await file(who.press(page.getByRole("button", { name: "Save as SVG (picture)" })))).text).toContain("<svg");
  await page.keyboard.press("Escape");
  who.done();
  await who.share("Trace of B");
  const trace = page.getByRole("dialog", { name: "Trace of B: CCBP" });
  await expect(trace.getByRole("button", { name: "Open in Perfetto" })).toBeVisible();
  expect((await file(who.press(trace.getByRole("button", { name: /^Save the file/ })))).name).toMatch(/trace.*json$/);
  who.done();
  // The frame of the article shows the run, at its cycle.
  await page.goto(source);
  await expect(page.locator("#cycle")).toHaveText("2,000");
  await expect(page.locator("#choices")).toBeHidden();
});

test("keyboard alone, on a phone: a mix, its answer, the details; and menus that cut no line", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  // Typed before the module is there, with which comes all that there is to choose.
  let come = (): void => undefined;
  const typed = new Promise<void>((is) => {
    come = is;
  });
  await page.route("**/*.wasm", (route) => typed.then(() => route.continue()));
  const who = await start(page),
    { keyboard } = page,
    focused = (): Promise<string> =>
      page.evaluate(
        () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
      );
  const tabTo = async (name: RegExp, most: number): Promise<void> => {
    for (let tabs = 0; tabs < most && !name.test(await focused()); tabs += 1) await keyboard.press("Tab");
    expect(await focused()).toMatch(name);
  };
  await tabTo(/^Kernel 1: BP$/, 10);
  await who.enter();
  await keyboard.type("smv hg");
  await who.enter();
  await expect(page.getByText("Loading…", { exact: true })).toBeVisible();
  come();
  await expect(page.locator("#choose-kernel-0")).toHaveText(/SMV/);
  await expect(page.locator("#choose-kernel-1")).toHaveText(/HG/);
  await expect(says(page)).toContainText(/(SMV|HG) is .* alone/);
  await tabTo(/^Details/, 8);
  await who.enter();
  await expect(page.locator(".drawer-sheet")).toBeVisible();
  await keyboard.press("Escape");
  await expect(page.locator(".drawer-sheet")).toBeHidden();
  who.done();
  for (const menu of ["GPU", "Scheme of B"]) {
    await page.getByRole("button", { name: `${menu}:` }).click();
    const lines = page.locator(":popover-open [role=option] > *");
    await expect.poll(() => lines.count()).toBeGreaterThan(10);
    const cut = await lines.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length);
    expect(cut).toBe(0);
    await keyboard.press("Escape");
  }
});
