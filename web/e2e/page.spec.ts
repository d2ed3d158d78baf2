// The page as a person uses it, in a real browser, served from a sub-path by a server that does not know .wasm.
import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { decodeLink, encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import {
  askedAlone,
  choose,
  colours,
  cycle,
  dock,
  expect,
  form,
  is,
  noted,
  noViolations,
  open,
  openAt,
  overhear,
  picture,
  result,
  results,
  saved,
  share,
  show,
  state,
  test,
  watch,
  write,
} from "./corun.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1";
/** Some hundred cycles a second, as the menu of speeds has it. */
const SLOW = { label: "500 cycles/s" };
/** The speed stands behind the dock's "More". */
async function slowly(page: Page): Promise<void> {
  const more = page.getByRole("button", { name: "More: steps" });
  await more.click();
  await page.locator("#speed").selectOption(SLOW);
  await more.press("Escape");
}
const STATE = "corun-dock .state";

/** A run that is not over while a test looks, however fast the engine is. */
const endless = (gpu: string, cycle?: number): Promise<string> =>
  encodeLink({
    experiment: {
      corun: 1,
      gpu,
      kernels: ["ccbp/BP", "ccbp/CFD"],
      policy: { name: "even" },
      seed: 1,
      alone: false,
      stop: { cycles: 900_000_000_000 },
    },
    view: cycle === undefined ? {} : { cycle },
  });

test("the first visit runs two kernels", async ({ page }) => {
  const states = await noted(page, STATE),
    rates = await noted(page, "#rate");
  await open(page);
  await expect.poll(() => cycle(page)).toBeGreaterThan(2000);
  await expect(page).toHaveTitle(/BP \+ CFD on 16 SMs · Even split vs CCBP/);
  expect(page.url()).toContain(
    "#v=1&gpu=ccbp-16sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&cycles=500000&b.policy=ccbp",
  );
  expect(await states()).toContain("Running");
  await expect
    .poll(async () => (await rates()).filter((rate) => /[1-9].* cycles\/s/.test(rate)).length)
    .toBeGreaterThan(0);
  await picture(page, "first-light", true);
});

test("play, pause, step, step back, next event, reset", { tag: "@core" }, async ({ page }) => {
  await openAt(page, TINY, 5000);
  await dock(page, "Step one cycle");
  await expect(page.locator("#cycle")).toHaveText("5,001");
  const there = await result(page);
  await dock(page, "Step one cycle");
  await expect(page.locator("#cycle")).toHaveText("5,002");
  await dock(page, "Step back");
  await expect(page.locator("#cycle")).toHaveText("5,001");
  expect((await result(page)).digest, "going back ends in the same state").toBe(there.digest);
  expect(page.url()).toContain("&c=5001");

  await dock(page, "next event");
  await is(page, "Paused");
  await expect.poll(() => cycle(page)).toBeGreaterThan(5001);

  // At a few hundred cycles a second: at full speed it may be done before it is paused.
  await slowly(page);
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Running");
  await expect.poll(() => page.url()).not.toContain("&c=");
  await page.getByRole("button", { name: "Pause" }).click();
  await is(page, "Paused");
  // What answers now has run nothing since.
  const stopped = await cycle(page);
  expect((await result(page)).cycles).toBe(stopped);
  await dock(page, "Step one cycle");
  await expect(page.locator("#cycle")).toHaveText((stopped + 1).toLocaleString("en"));

  await dock(page, "Reset");
  await expect(page.locator("#cycle")).toHaveText("0");
});

test("a worker that is gone without a word is noticed, and another one begins again", async ({ page }) => {
  await open(page, await endless("ccbp-16sm"));
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Running");
  for (const worker of page.workers())
    await worker.evaluate(() => {
      // Once this has been answered: a worker that is gone answers nothing.
      if (self.name.startsWith("simulation ")) setTimeout(() => self.close());
    });
  await expect(page.getByRole("heading", { name: "The simulation stopped" })).toBeVisible();
  await page.getByRole("button", { name: "Start this experiment again" }).click();
  await is(page, "Paused");
});

// That a speed is kept is arithmetic (tests/pacing.test.ts); here, that the menu's reaches the simulation, which runs on with it.
test("speed is what the menu says", async ({ page }) => {
  const said = await overhear(page);
  await openAt(page, TINY, 100);
  await slowly(page);
  const wanted = Number(await page.locator("#speed").inputValue());
  expect(wanted).toBeGreaterThan(100);
  expect(wanted).toBeLessThan(1000);
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Running");
  await expect.poll(() => cycle(page)).toBeGreaterThan(200);
  const ways = (await said()).flatMap((one) => (one["t"] === "goTo" ? [one["cycle"] as number] : [])),
    steps = ways.map((to, i) => to - (ways[i - 1] ?? to)).filter((step, i) => step > 0 && (ways[i - 1] ?? 0) >= 100);
  expect(steps.length).toBeGreaterThan(1);
  // Nobody is owed more than a quarter of a second.
  expect(Math.max(...steps)).toBeLessThanOrEqual(wanted / 4);
});

test("a change of policy runs from the start, and measures nothing alone again", async ({ page }) => {
  const said = await overhear(page);
  // Runs of kernels in their shares are asked for alike, once a run has ended.
  const measured = async (): Promise<number> =>
    askedAlone(await said()).filter(({ experiment }) => !experiment.name.endsWith("in its share")).length;
  // Of another seed than those that the page brings along.
  await open(page, TINY.replace("seed=1", "seed=7"));
  await form(page);
  await show(page, "numbers");
  const slowdowns = async (cells: Locator[]): Promise<void> => {
    for (const cell of cells) await expect(cell.locator(".value")).toHaveText(/^\d+\.\d\d$/);
  };
  const rows = page.locator("#numbers table.numbers").first().locator("tbody tr");
  const first = [0, 1].map((k) => rows.nth(k).locator("td").nth(2));
  await slowdowns(first);
  // One that is measured still has no interval.
  for (const cell of first) await expect(cell).toContainText("±");
  const before = await measured();
  await page.getByLabel("Policy", { exact: true }).selectOption("spatial");
  await expect.poll(() => page.url()).toContain("policy=spatial");
  await expect(page).toHaveTitle(/Spatial/);
  // Beside what was before.
  const now = page.getByRole("table", { name: "The numbers compared" }).getByRole("row", { name: /^Slowdown/ });
  await slowdowns([0, 1].map((k) => now.nth(k).getByRole("cell").nth(1)));
  expect(await measured(), "runs of a kernel alone").toBe(before);
});

test("a policy's profile is shown as it is measured, can be stopped, goes on, and is measured once", async ({
  page,
}) => {
  const hash = await encodeLink({
    experiment: {
      corun: 1,
      gpu: "tiny-2sm",
      kernels: ["ccbp/BP", "ccbp/CFD"],
      policy: { name: "ws", profile_cycles: 400_000 },
      seed: 1,
    },
    view: { cycle: 500 },
  });
  const headings = await noted(page, "#notices h2");
  // At once: a person may come too late for the first run.
  await page.addInitScript(() => {
    let clicked = false;
    new MutationObserver(() => {
      if (clicked || !document.querySelector("#notices h2")?.textContent?.startsWith("Profiling ")) return;
      clicked = true;
      [...document.querySelectorAll<HTMLButtonElement>("#notices button")]
        .find((b) => b.textContent === "Stop")
        ?.click();
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  /** The runs that have been said to be measured, and how many there are. */
  const profiled = async (): Promise<[run: number, of: number][]> =>
    (await headings()).flatMap((said): [number, number][] => {
      const found = /^Profiling .+: (\d+) of (\d+)$/.exec(said);
      return found ? [[Number(found[1]), Number(found[2])]] : [];
    });
  await open(page, hash);
  await expect(page.locator("#notices h2")).toHaveText("Stopped before the run began");
  const before = await profiled();
  const [last, all] = before.at(-1) ?? [0, 0];
  expect(before).toEqual(Array.from({ length: last }, (_, i) => [i + 1, all]));
  expect(last).toBeLessThan(all);
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(page.locator("#pictures")).toBeVisible();
  const after = (await profiled()).slice(before.length);
  // The run that was stopped is measured anew, unless it had just ended.
  const first = after[0]?.[0] ?? 0;
  expect([last, last + 1]).toContain(first);
  expect(after, "from there, each run in its turn").toEqual(
    Array.from({ length: all - first + 1 }, (_, i) => [first + i, all]),
  );
  // Opened again, what this browser has kept is enough.
  await open(page, hash);
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("500");
  expect(await profiled()).toEqual([]);
});

test("a link opens the same run in another tab", { tag: "@core" }, async ({ page, context }) => {
  await openAt(page, TINY, 4321);
  await page.getByRole("button", { name: "SM 1" }).or(page.locator("corun-gpu")).first().focus();
  await share(page, "Copy the link");
  await expect(page.locator("#toast")).toContainText("copied");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(page.url());
  const first = await result(page);

  const other = await context.newPage();
  const done = watch(other);
  await other.goto(link);
  await is(other, "Paused");
  await expect(other.locator("#cycle")).toHaveText("4,321");
  const second = await result(other);
  expect(second.digest).toBe(first.digest);
  expect(second.config_hash).toBe(first.config_hash);
  expect(other.url()).toBe(link);
  done();
});

test("a link of another engine opens, and says so in a line until the experiment is another one", async ({ page }) => {
  const notice = page.locator("#notices");
  // As links were before they named their engine: such a one opens silently.
  await openAt(page, TINY, 300);
  await expect(notice).toBeEmpty();
  await openAt(page, `${TINY}&e=0.0.1-00000000`, 300);
  await expect(notice).toContainText("This link was made with engine 0.0.1-00000000; this is ");
  expect((await result(page)).cycles).toBe(300);
  await noViolations(page);
  // What is shown now is this engine's: so says the address, and who opens that is told nothing.
  await expect.poll(() => page.url()).toMatch(/&e=\d+\.\d+\.\d+-[0-9a-f]{8}$/);
  const own = page.url();
  await choose(page, "Scheme of A", "Spatial");
  await expect(notice).toBeEmpty();
  await open(page, own.slice(own.indexOf("#")));
  await is(page, "Paused");
  await expect(page.locator("#pictures")).toBeVisible();
  await expect(notice).toBeEmpty();
});

test("a link may be pasted over another one", async ({ page }) => {
  await openAt(page, TINY, 1000);
  await page.evaluate(() => {
    location.hash = "#v=1&gpu=tiny-2sm&mix=ccbp/CFD&policy=even&seed=7&c=500";
  });
  await expect(page.locator("#cycle")).toHaveText("500");
  await expect(page).toHaveTitle(/^CFD/);
  await form(page);
  await expect(page.getByLabel("Seed", { exact: true })).toHaveValue("7");
});

test("an experiment that is no preset travels packed, and comes back", async ({ page }) => {
  await openAt(page, TINY, 200);
  await form(page);
  await page.getByText("SMs", { exact: true }).first().click();
  const registers = page.locator("#f-gpu-sm-registers");
  await registers.fill("8192");
  await registers.press("Enter");
  await registers.blur();
  await expect.poll(() => page.url()).toContain("&z=");
  const link = page.url();
  await open(page, link.slice(link.indexOf("#")));
  await form(page);
  await expect(registers).toHaveValue("8192");
  await page
    .locator(".field", { has: registers })
    .getByRole("button", { name: /Back to the preset/ })
    .click();
  await expect.poll(() => page.url()).toContain("gpu=tiny-2sm");
});

test("the mix: add, remove, order, limit", async ({ page }) => {
  await openAt(page, TINY, 300);
  await form(page);
  await page.getByRole("button", { name: "Add a kernel" }).click();
  await expect.poll(() => page.url()).toMatch(/mix=ccbp\/BP\+ccbp\/CFD\+[A-Za-z]+/);
  await page
    .getByRole("button", { name: /^Remove/ })
    .last()
    .click();
  await expect.poll(() => page.url()).toContain("mix=ccbp/BP+ccbp/CFD&");
  await page.getByRole("button", { name: "Move CFD up" }).click();
  await expect.poll(() => page.url()).toContain("mix=ccbp/CFD+ccbp/BP&");
  await page.getByLabel("CTA limit", { exact: true }).first().fill("2");
  await page.getByLabel("CTA limit", { exact: true }).first().blur();
  await expect.poll(() => page.url()).toContain("mix=ccbp/CFD:2+ccbp/BP&");
  await page.getByRole("button", { name: "A fresh seed" }).click();
  await expect.poll(() => page.url()).not.toMatch(/seed=1(&|$)/);
});

test("what is wrong is said at its field, and the last good run stays", { tag: "@core" }, async ({ page }) => {
  await openAt(page, TINY, 300);
  await form(page);
  await page.getByText("SMs", { exact: true }).first().click();
  const count = page.locator("#f-gpu-sm-count");
  await count.fill("100000");
  await count.blur();
  await expect(page.locator("#f-gpu-sm-count-problem")).toContainText("100000");
  await expect(count).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator(".problems")).toContainText("gpu.sm.count");
  await expect(page.locator("#pictures")).toBeVisible();
  await picture(page, "problems");
  await count.fill("");
  await count.blur();
  await expect(page.locator(".problems")).toBeHidden();

  await page.getByLabel("Kernel 1", { exact: true }).selectOption({ label: "Own kernel (JSON)…" });
  const json = page.getByLabel("Kernel 1 as JSON");
  // Its lines are long: they scroll in the editor, and the form stays as wide as it is.
  await expect(json).toBeVisible();
  expect(await page.locator(".side").evaluate((side) => side.scrollWidth - side.clientWidth)).toBe(0);
  await write(json, '{ "name": "mine", ');
  await expect(page.locator("#f-own-0-json")).toContainText("not JSON yet");
  await write(json, '{\n"name": "mine",\n"nonsense": 1\n}');
  await expect(page.locator("#f-own-0-json")).toBeHidden();
  await expect(page.locator("#f-kernels-0-problem")).toContainText("want");
  await expect(page.locator(".cm-lineNumbers .wrong").last()).toHaveText("3");
  await page.locator(".problems a").last().click();
  await expect(json).toBeFocused();
  // What the format has there, with what it is.
  await write(json, '{ "name": "mine", "lau');
  await json.press("End");
  await json.pressSequentially("n");
  await expect(page.getByRole("option", { name: "launches" })).toBeVisible();
  await json.press("ArrowDown");
  await expect(page.locator(".cm-completionInfo")).toContainText("Launches in order");
  await noViolations(page);
  await json.press("Tab");
  await expect(json).toHaveText('{ "name": "mine", "launches": ');
});

test("policies that act in turn are added, ordered, set and taken away, and travel in the link", async ({ page }) => {
  await openAt(page, TINY, 300);
  await form(page);
  const linked = async (): Promise<unknown> => (await decodeLink(new URL(page.url()).hash))?.experiment.policy;
  await page.getByLabel("Add a policy, which acts after the others").selectOption("ucp");
  await expect.poll(linked).toEqual([{ name: "even" }, { name: "ucp" }]);
  const second = page.getByLabel("Policy 2", { exact: true });
  await expect(second).toHaveValue("ucp");
  await page.locator("#f-policy-1-repartition").fill("5000");
  await page.locator("#f-policy-1-repartition").press("Tab");
  await page.getByRole("button", { name: "Move ucp up" }).click();
  await expect.poll(linked).toEqual([{ name: "ucp", repartition: 5000 }, { name: "even" }]);
  await is(page, "Paused");
  await noViolations(page);
  // What is wrong with one is said at its own field.
  await second.selectOption("ucp");
  await expect(page.locator("#f-policy-1-name-problem")).toContainText("each policy once");
  await page.locator("#f-policy-remove-1").click();
  await expect.poll(linked).toEqual({ name: "ucp", repartition: 5000 });
  await expect(page.getByLabel("Policy", { exact: true })).toHaveValue("ucp");
  await expect(page.locator(".problems")).toBeHidden();
});

test("files: the experiment out and in, and the command", { tag: "@core" }, async ({ page }) => {
  await openAt(page, TINY, 1500);
  await form(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save the experiment" }).click(),
  ]);
  const file = await saved(download);
  expect(file.name).toMatch(/^corun-experiment-[0-9a-f]{8}-s1-c1500\.json$/);
  expect(JSON.parse(file.text)).toMatchObject({
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["ccbp/BP", "ccbp/CFD"],
    policy: { name: "even" },
    seed: 1,
  });

  await page.getByRole("button", { name: "Copy the command" }).click();
  await expect(page.locator("#toast")).toContainText("copied");
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain("corun run");
  expect(command).toContain("--cycles 1500");
  expect(command).toContain(file.text.trim());

  await page.setInputFiles("#f-open-file", {
    name: "mine.json",
    mimeType: "application/json",
    buffer: Buffer.from('{"corun":1,"gpu":"tiny-2sm","kernels":["ccbp/CFD"],"seed":3}'),
  });
  await expect(page).toHaveTitle(/^CFD/);
  await expect.poll(() => page.url()).toContain("mix=ccbp/CFD");
  await page.setInputFiles("#f-open-file", {
    name: "broken.json",
    mimeType: "application/json",
    buffer: Buffer.from('{"corun":1,'),
  });
  await expect(page.getByText("“broken.json” cannot be opened")).toBeVisible();
});

test("a damaged link gets a message and a way out", { tag: "@core" }, async ({ page }) => {
  const states = await noted(page, STATE);
  for (const hash of [
    "#v=1&z=AAAA",
    "#nonsense",
    "#v=9&gpu=a&mix=b",
    `#v=1&z=${"A".repeat(150_000)}`,
    "#v=1&gpu=%E0%A4%A&mix=ccbp/BP",
  ]) {
    await open(page, hash);
    await expect(page.getByRole("heading", { name: "This link cannot be opened" })).toBeVisible();
  }
  await picture(page, "bad-link");
  await noViolations(page);
  await page.getByRole("button", { name: "Open the default experiment" }).click();
  await expect.poll(states).toContain("Running");
  await expect.poll(() => page.url()).toContain("mix=ccbp/BP+ccbp/CFD");
});

test("a link with a kernel that there is none of says which are near, and takes one of them or any", async ({
  page,
}) => {
  const states = await noted(page, STATE);
  await open(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BPP+ccbp/CFD&policy=even&seed=1");
  await expect(page.locator("#notices")).toContainText('No kernel is called "ccbp/BPP": perhaps ccbp/BP');
  await expect(page.locator("body")).not.toContainText("corun list");
  await page.getByRole("button", { name: "Choose kernel 1" }).click();
  await expect(page.getByRole("listbox", { name: "Kernel 1" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "ccbp/BP in its place" }).click();
  await expect.poll(states).toContain("Running");
  await expect(page.locator("#choose-kernel-0")).toContainText("BP");
  await expect(page.locator("#notices")).not.toContainText("BPP");
});

test("a link to what cannot run says why", async ({ page }) => {
  const states = await noted(page, STATE);
  await open(page, "#v=1&gpu=no-such-gpu&mix=ccbp/BP+NOSUCH");
  await expect(page.getByRole("heading", { name: "This experiment cannot run" })).toBeVisible();
  await expect(page.locator("main")).toContainText("no-such-gpu");
  await expect(page.locator("main")).toContainText("NOSUCH");
  await page.getByRole("button", { name: "Open the default experiment" }).click();
  await expect.poll(states).toContain("Running");
});

test("a module that does not come gets a message", { tag: "@core" }, async ({ page, watched }) => {
  watched.allow = /404|Failed to load resource/;
  await page.route("**/*.wasm", (route) => route.fulfill({ status: 404 }));
  await open(page);
  await expect(page.getByRole("heading", { name: "The simulator could not be started" })).toBeVisible();
  await expect(page.locator("main")).toContainText("404");
});

test("keyboard alone is enough", async ({ page }) => {
  await open(page, await endless("tiny-2sm", 700));
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("700");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the pictures" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
  await expect(page, "the run's link stays").toHaveURL(/#v=1/);
  await page.keyboard.press(".");
  await expect(page.locator("#cycle")).toHaveText("701");
  await page.keyboard.press(",");
  await expect(page.locator("#cycle")).toHaveText("700");
  await page.keyboard.press("Space");
  await is(page, "Running");
  await page.keyboard.press("Space");
  await is(page, "Paused");
  await page.keyboard.press("e");
  await is(page, "Paused");
  await expect.poll(() => cycle(page)).toBeGreaterThan(700);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await picture(page, "keys");
  await noViolations(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  // To the policy, and to another one.
  await page.keyboard.press("x");
  for (
    let i = 0;
    i < 160 && !(await page.getByLabel("Policy", { exact: true }).evaluate((e) => e === document.activeElement));
    i += 1
  )
    await page.keyboard.press("Tab");
  await expect(page.getByLabel("Policy", { exact: true })).toBeFocused();
  await page.getByLabel("Policy", { exact: true }).press("s");
  await expect(page).toHaveTitle(/ · S[A-Za-z ]+ · /);
  await expect(page.getByLabel("Policy", { exact: true })).toBeFocused();

  // What a number means. Nothing of the page has the name of another part, whose explanation would come in its place.
  await show(page, "numbers");
  const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  await page.getByRole("button", { name: "What is STP?" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "STP" })).toContainText("Formula");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "STP" })).toBeHidden();
  await expect(page.getByRole("button", { name: "What is STP?" })).toBeFocused();
});

test("360 pixels are enough", { tag: "@core" }, async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await openAt(page, TINY, 3000);
  const wide = async (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await wide()).toBeLessThanOrEqual(360);
  const buttons = await page
    .locator("corun-dock button, .actions button, .choices button")
    .filter({ visible: true })
    .all();
  expect(buttons.length).toBeGreaterThan(5);
  for (const button of buttons) {
    const box = await button.boundingBox();
    expect(
      Math.min(box?.width ?? 0, box?.height ?? 0),
      (await button.getAttribute("aria-label")) ?? "",
    ).toBeGreaterThanOrEqual(44);
  }
  await picture(page, "narrow", true);
  await noViolations(page);
  await expect(page.getByLabel("Policy", { exact: true })).toBeHidden();
  await form(page);
  await page.getByLabel("Policy", { exact: true }).selectOption("spatial");
  await expect.poll(() => page.url()).toContain("policy=spatial");
  expect(await wide()).toBeLessThanOrEqual(360);
  // Until the other run is there, the pictures of the one before are faded.
  await expect(page.locator("#pictures")).not.toHaveAttribute("aria-busy", "true");
  await picture(page, "narrow-experiment", true);
  await noViolations(page);
});

test("1024 pixels: every page's side begins at its header, and the experiment's words are whole", async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 800 });
  for (const address of ["./figures.html?paper=ccbp", `./${TINY}&c=100`]) {
    await page.goto(address);
    if (address.includes("#")) await form(page);
    await page.getByRole("button", { name: address.includes("#") ? "Share this run" : "Dark or light" }).waitFor();
    const gap = (): Promise<number> =>
      page.evaluate(
        () =>
          (document.querySelector(".side") as Element).getBoundingClientRect().top -
          (document.querySelector("#choices, .top:not(:has(~ #choices))") as Element).getBoundingClientRect().bottom,
      );
    await expect.poll(async () => Math.abs(await gap()), address).toBeLessThanOrEqual(2);
    expect(
      await page.locator("#actions").evaluate((e) => innerWidth - e.getBoundingClientRect().right),
      address,
    ).toBeLessThan(24);
  }
  await is(page, "Paused");
  const cut = await page.locator("corun-editor").evaluate((editor) => {
    for (const group of editor.querySelectorAll("details")) group.open = true;
    const pen = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
    const selects = [...editor.querySelectorAll<HTMLSelectElement>(".group select")].filter((select) => {
      pen.font = getComputedStyle(select).font;
      return pen.measureText(select.selectedOptions[0]?.text ?? "").width > select.clientWidth - 28;
    });
    const broken = [...editor.querySelectorAll<HTMLElement>(".group label")].filter((label) => {
      pen.font = getComputedStyle(label).font;
      return (label.textContent ?? "").split(" ").some((word) => pen.measureText(word).width > label.clientWidth);
    });
    return [
      ...selects.map((select) => select.id),
      ...broken.map((label) => label.textContent),
      ...[...editor.querySelectorAll<HTMLElement>(".unit")]
        .filter((unit) => unit.scrollWidth > unit.clientWidth)
        .map((unit) => unit.title),
    ];
  });
  expect(cut).toEqual([]);
});

test("a file may be dropped on the page, and a broken one is named", async ({ page }) => {
  await openAt(page, TINY, 100);
  const drop = (text: string): Promise<boolean> =>
    page.evaluate((content) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], "mine.json", { type: "application/json" }));
      // What a page does not take, the browser opens in its place.
      return ["dragover", "drop"].every(
        (type) => !document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true })),
      );
    }, text);
  expect(await drop('{ "corun": 1, "kernels": [')).toBe(true);
  await expect(page.locator(".section-file .field-problem")).toContainText(
    "“mine.json” cannot be opened. It is not JSON",
  );
  await expect(page.locator(".section-file .field-problem")).toBeInViewport();
  expect(await drop('{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/SAD"] }')).toBe(true);
  await expect.poll(() => page.title()).toContain("SAD");
  await open(page, "#v=1&gpu=");
  await expect(page.getByRole("heading", { name: "This link cannot be opened" })).toBeVisible();
  expect(await drop('{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/HG"] }')).toBe(true);
  await expect.poll(() => page.title()).toContain("HG");
  // Beside two that run it is no B: it opens by itself.
  await open(page, `${TINY}&b.policy=ccbp`);
  await expect.poll(() => cycle(page)).toBeGreaterThan(0);
  expect(await drop('{ "corun": 1, "gpu": "tiny-2sm", "kernels": ["ccbp/SAD", "ccbp/HG"], "policy": "smk" }')).toBe(
    true,
  );
  await expect(page).toHaveTitle(/^SAD \+ HG .*· SMK.* Corun$/);
  await expect(page.locator("#choose-scheme-A")).toContainText("SMK");
  await expect(page.locator("#choose-scheme-B")).toHaveText("nothing");
  await expect.poll(() => page.url()).not.toContain("b.");
  await expect(page.getByLabel("Policy", { exact: true })).toBeVisible();
  await page.goto("./sweeps.html");
  await expect(page.locator("html")).toHaveAttribute("data-sweep", "ready");
  expect(await drop('{ "corun": 1, "sweep": ')).toBe(true);
  await expect(page.locator("#f-sweep-problem")).toContainText("This sweep cannot run");
});

test("half a number does not pass for an empty field", async ({ page }) => {
  await openAt(page, `${TINY.replace("seed=1", "seed=7")}`, 100);
  await form(page);
  const seed = page.getByLabel("Seed", { exact: true });
  await seed.press("Control+a");
  await seed.pressSequentially("1e");
  await seed.press("Tab");
  await expect(seed).toHaveValue("7");
  await expect(page.locator("#toast")).toHaveText("That is not a number: the field is as it was.");
  expect(page.url()).toContain("seed=7");
});

test("dark, by the system or by choice", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await openAt(page, TINY, 3000);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await noViolations(page);
  await picture(page, "dark", true);
  await share(page, "Dark or light");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await is(page, "Paused");
  await noViolations(page);
});

test("every page goes with the system until somebody chooses; then all keep to the choice", async ({ page }) => {
  const html = page.locator("html");
  for (const address of ["./index.html", "./learn.html", "./sweeps.html", "./figures.html"]) {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(address);
    await page.getByRole("button", { name: /Dark or light|Share this run/ }).waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await expect(html, address).toHaveAttribute("data-theme", "dark");
  }
  await page.getByRole("button", { name: "Dark or light" }).click();
  expect(await page.evaluate(() => localStorage.getItem("corun-theme"))).toBe("light");
  await page.goto("./index.html");
  await expect(html).toHaveAttribute("data-theme", "light");
  await share(page, "Dark or light");
  await expect(html).toHaveAttribute("data-theme", "dark");
});

test("where motion is not wanted, the first visit is a still picture", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page);
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText("8,000");
  // A picture of the SMs, and the simulation has run nothing since.
  expect(await colours(page.locator("#gpu canvas"))).toBeGreaterThan(5);
  expect((await results(page))["A"]?.cycles).toBe(8000);
});

test("an example of the gallery opens and runs", async ({ page }) => {
  await open(page, `${TINY}&c=100`);
  await is(page, "Paused");
  await form(page);
  const examples = page.getByRole("region", { name: "Examples" }).getByRole("button");
  await expect(examples).toHaveCount(8);
  await examples.filter({ hasText: "Spatial partitioning" }).click();
  await expect(page.locator("#choose-scheme-A")).toContainText("Spatial partitioning");
  await expect.poll(() => page.url()).toContain("z=");
  await expect.poll(() => cycle(page)).toBeGreaterThan(0);
});

test("a hidden tab does not run", async ({ page }) => {
  await open(page, await endless("tiny-2sm"));
  await is(page, "Running");
  const hide = (hidden: boolean): Promise<void> =>
    page.evaluate((h) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => h });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await hide(true);
  await is(page, "Paused");
  await hide(false);
  await is(page, "Running");
});

// How long it takes is printed, not judged: that depends on what else the machine does. Judged is what the page does meanwhile.
test("at top speed a click is answered at once", async ({ page }) => {
  await open(page, await endless("ccbp-16sm"));
  await is(page, "Running");
  await expect.poll(() => cycle(page)).toBeGreaterThan(20_000);
  // From the browser's time stamp of the click to the first frame that shows its effect, and how often the cycle moved on in between.
  await page.evaluate(() => {
    const answers: [ms: number, moves: number][] = [];
    (window as unknown as { answers: typeof answers }).answers = answers;
    const shown = document.querySelector("corun-dock .state") as Element;
    let clicked = 0;
    let moves = 0;
    document.querySelector("corun-dock .play")?.addEventListener(
      "click",
      (event) => {
        clicked = event.timeStamp;
        moves = 0;
      },
      { capture: true },
    );
    new MutationObserver(() => {
      moves += 1;
    }).observe(document.querySelector("corun-dock .cycle") as Element, {
      childList: true,
      characterData: true,
      subtree: true,
    });
    new MutationObserver(() => {
      const before = moves;
      requestAnimationFrame(() => {
        if (clicked) answers.push([performance.now() - clicked, before]);
        clicked = 0;
      });
    }).observe(shown, { attributes: true });
  });
  for (let i = 0; i < 12; i += 1) {
    await page.locator("corun-dock .play").click();
    await is(page, i % 2 === 0 ? "Paused" : "Running");
    if (i % 2 === 1) {
      const now = await cycle(page);
      await expect.poll(() => cycle(page), "it runs on").toBeGreaterThan(now);
    }
  }
  const answers = await page.evaluate(() => (window as unknown as { answers: [number, number][] }).answers);
  const times = answers.map(([ms]) => ms).sort((a, b) => a - b);
  console.log(
    `click to effect, ms: median ${times[Math.floor(times.length / 2)]?.toFixed(0)}, worst ${times[times.length - 1]?.toFixed(0)}`,
  );
  expect(answers.length).toBe(12);
  expect(
    Math.max(...answers.map(([, moves]) => moves)),
    "pictures that come after the click and before its answer",
  ).toBeLessThanOrEqual(2);
});

test("while it runs, frames keep coming", async ({ page }) => {
  await open(page, await endless("ccbp-16sm"));
  await is(page, "Running");
  await expect.poll(() => cycle(page)).toBeGreaterThan(20_000);
  const { gaps, moves } = await page.evaluate(
    () =>
      new Promise<{ gaps: number[]; moves: number }>((done) => {
        const gaps: number[] = [];
        let last = performance.now();
        let moves = 0;
        new MutationObserver(() => {
          moves += 1;
        }).observe(document.querySelector("corun-dock .cycle") as Element, {
          childList: true,
          characterData: true,
          subtree: true,
        });
        const look = (): void => {
          const now = performance.now();
          gaps.push(now - last);
          last = now;
          if (gaps.length < 120) requestAnimationFrame(look);
          else done({ gaps: gaps.sort((a, b) => a - b), moves });
        };
        requestAnimationFrame(look);
      }),
  );
  console.log(
    `frame to frame, ms: median ${gaps[60]?.toFixed(1)}, 95 % ${gaps[114]?.toFixed(1)}; ${moves} pictures in 120 frames`,
  );
  expect(moves, "a picture for a frame at most, and some in 120").toBeGreaterThan(0);
  expect(moves).toBeLessThanOrEqual(121);
});

test("no violations in the middle of a run, with an SM open", async ({ page }) => {
  await openAt(page, `${TINY}&sm=1`, 2000);
  await expect(page.getByRole("heading", { name: "SM 1" })).toBeVisible();
  await noViolations(page);
  await picture(page, "sm-open", true);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: "SM 1" })).toBeHidden();
  await expect(state(page)).toHaveText("Paused");
});

const manual = (controls: object): Experiment => ({
  corun: 1,
  gpu: "tiny-2sm",
  kernels: ["ccbp/BP", "ccbp/SAD"],
  policy: { name: "manual", controls },
  seed: 1,
  alone: false,
  stop: { kernels_done: true },
});

test("a machine that is stuck says why, and a slider sets it free", async ({ page }) => {
  // For a number of cycles: to the end of both kernels it would be stuck with one of them free, too.
  await open(
    page,
    await encodeLink({
      experiment: { ...manual({ cta_target: [0, 0] }), stop: { cycles: 900_000_000_000 } },
      view: {},
    }),
  );
  await is(page, "Stuck");
  await form(page);
  const panel = page
    .getByRole("alert")
    .filter({ has: page.getByRole("heading", { name: /^The machine is stuck at cycle [\d,]+$/ }) });
  await expect(panel).toContainText("BP: 4096 CTAs wait to be placed: the controls let no SM take one");
  await noViolations(page);
  await picture(page, "stuck", true);
  // There is no way on by stepping or playing: Play begins again, and ends in the same place.
  const stuckAt = await cycle(page);
  await page.getByRole("button", { name: "More: steps" }).click();
  await expect(page.getByRole("button", { name: "Step one cycle" })).toBeDisabled();
  await page.keyboard.press("Escape");
  await page.keyboard.press(".");
  expect(await cycle(page)).toBe(stuckAt);
  expect((await result(page)).cycles).toBe(stuckAt);

  await page.getByRole("slider", { name: "CTA target of BP, by slider" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("#f-policy-controls-cta-target-0")).toHaveValue("1");
  await is(page, "Running");
  await expect(panel).toBeHidden();
  await expect.poll(() => cycle(page)).toBeGreaterThan(stuckAt + 2000);
});

test("a slider and its field are one control, and a drag is one change", async ({ page }) => {
  await openAt(page, await encodeLink({ experiment: manual({ warp_quota: [5000, null] }), view: {} }), 500);
  await form(page);
  const slider = page.getByRole("slider", { name: "Warp quota of BP, by slider" }),
    field = page.locator("#f-policy-controls-warp-quota-0");
  await expect(slider).toHaveAttribute("aria-valuetext", "5,000 warp instructions");
  // The same experiment may be packed in more than one way.
  const linked = async (): Promise<unknown> => (await decodeLink(new URL(page.url()).hash))?.experiment.policy;
  // While it is dragged only the field follows.
  await slider.evaluate((e: HTMLInputElement) => {
    e.value = String(Number(e.value) + 1);
    e.dispatchEvent(new Event("input"));
  });
  await expect(field).toHaveValue("10000");
  expect(await linked()).toEqual({ name: "manual", controls: { warp_quota: [5000, null] } });
  await slider.evaluate((e) => {
    e.dispatchEvent(new Event("change"));
  });
  await expect.poll(linked).toEqual({ name: "manual", controls: { warp_quota: [10000, null] } });
  await field.fill("1999");
  await field.press("Tab");
  await expect(slider).toHaveAttribute("aria-valuetext", "1,999 warp instructions");
  await slider.focus();
  await page.keyboard.press("End");
  await expect(field).toHaveValue("");
  await expect(slider).toHaveAttribute("aria-valuetext", "no limit");
  await noViolations(page);
  await slider.scrollIntoViewIfNeeded();
  await picture(page, "sliders");
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
});

test("the policy's decision is explained: the sentence, what holds, the controls in force, marks on the charts", async ({
  page,
}) => {
  // Every step of CCBP within 10,000 cycles.
  const experiment = JSON.parse(readFileSync("../examples/experiments/bp-ftd-ccbp-fast.json", "utf8")) as Experiment;
  // In so short windows on so small a GPU it takes both kernels of the example for latency-sensitive.
  await openAt(
    page,
    await encodeLink({
      experiment: { ...experiment, kernels: ["ccbp/HG", "ccbp/SAD"], gpu: "tiny-2sm", alone: false },
      view: {},
    }),
    10_000,
  );
  await show(page, "decisions");
  const panel = page.locator(".all-decisions");
  await expect(panel.locator(".decided")).toContainText(/settled: priority [\d.]+ is best.* cycle [\d,]+/);
  const holds = panel.locator(".decided");
  await expect(holds).toContainText(/SAD[\s\S]*gets \d+ CTAs? on each SM/);
  await expect(holds).toContainText(/is DRAM-intensive: df\/rf [\d.]+ ≥ [\d.]+/);
  await expect(holds).toContainText("learned its bandwidth");
  await expect(holds).not.toContainText("while it is measured");
  // The table has what the machine reads, and that is what the sentence says.
  const ctas = /SAD[\s\S]*gets (\d+) CTA/.exec((await holds.textContent()) ?? "")?.[1];
  const row = panel.getByRole("row", { name: /^CTA target/ });
  await expect(row.getByRole("cell").nth(1)).toHaveText(ctas ?? "none");
  await expect(panel.getByRole("row", { name: /^Miss credits/ })).toBeVisible();
  await panel.getByText("Every decision, launch and switch").click();
  await expect(panel.locator(".log li").last()).toContainText("may hold 1 CTA on each SM");
  await picture(page, "decisions", true);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await noViolations(page);
  await picture(panel, "decisions-360-dark");
});

test("opened as a file, the page says what to do instead", { tag: "@core" }, async ({ browser }) => {
  const page = await browser.newPage();
  for (const name of ["index", "sweeps", "figures", "learn"]) {
    await page.goto(new URL(`../dist/${name}.html`, import.meta.url).href);
    await expect(page.getByRole("heading", { name: "Corun needs a web server" })).toBeVisible();
    await expect(page.getByText("cargo xtask serve")).toBeVisible();
  }
  await page.close();
});

test("a link of a newer format says so, and a long way shows how far it is and can be stopped", async ({ page }) => {
  for (const place of ["", "sweeps.html"]) {
    await page.goto("about:blank");
    await page.goto(`./${place}#v=2&gpu=tiny-2sm`);
    await expect(page.getByRole("alert")).toContainText("format 2, which a newer Corun wrote");
    await expect(page.getByRole("alert")).toContainText("update this one");
  }
  await open(page, await endless("tiny-2sm", 9_000_000_000));
  await is(page, "Going there");
  await expect(page.locator("#way")).toHaveText(/^\d+ % of the way, about .* left$/);
  await page.getByRole("button", { name: "Pause" }).click();
  await is(page, "Paused");
  expect(await cycle(page)).toBeGreaterThan(0);
});

test("SM classes are added, counted, sized, named and removed; what all SMs hold stands beside the baseline", async ({
  page,
}) => {
  await openAt(page, TINY, 20);
  await form(page);
  const gpu = async (): Promise<unknown> => (await decodeLink(new URL(page.url()).hash))?.experiment.gpu;
  const sums = page.getByRole("region", { name: "Storage for threads, of all SMs together" }),
    summary = page.locator("corun-gpu canvas");
  const set = async (field: string, value: number): Promise<void> => {
    const input = page.locator(`#f-gpu-${field}`);
    await input.fill(String(value));
    await input.press("Tab");
  };
  await expect(sums).toBeHidden();
  await page.getByRole("button", { name: "Add a class of SMs" }).click();
  await expect(sums.getByRole("row", { name: /^Registers/ })).toHaveText("Registers32,76832,768equal");
  await expect(page.locator("#f-group-sm-small")).toContainText("SM class small: 1 SMs");
  // A small SM, and what it leaves for the other one.
  await set("sm-small-registers", 4096);
  await expect(sums.getByRole("row", { name: /^Registers/ })).toHaveText("Registers20,48032,768−37.5 %");
  await page.locator("#f-group-sm-sm").click();
  await page.locator("#f-class-fill-sm").click();
  await expect(sums.getByRole("cell", { name: "equal" })).toHaveCount(5);
  await expect.poll(gpu).toEqual({
    preset: "tiny-2sm",
    "sm.sm.count": 1,
    "sm.small.count": 1,
    "sm.small.registers": 4096,
    "sm.sm.registers": 28672,
  });
  await page.locator("#f-class-name-small").fill("lean");
  await page.locator("#f-class-name-small").press("Enter");
  // A count beyond what the engine takes is said at its field.
  await set("sm-lean-count", 1000);
  await expect(page.locator("#f-gpu-sm-lean-count-problem")).toContainText("1000");
  await set("sm-lean-count", 2);
  await expect(summary).toContainText(/^3 SMs \(1 sm, 2 lean\) at cycle 20\./);
  await noViolations(page);
  await picture(page.locator(".section-gpu"), "sm-classes");
  await page.locator("#f-class-remove-lean").click();
  await expect(page.locator("#f-class-add")).toBeFocused();
  await expect(sums).toBeHidden();
  await expect.poll(gpu).toEqual({ preset: "tiny-2sm", "sm.registers": 28672, "sm.count": 3 });
});
