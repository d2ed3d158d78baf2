// What every end-to-end test shares: a page that may not fail, complain or talk to anybody else.
import { readFile } from "node:fs/promises";
import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type Download, type FrameLocator, type Locator, type Page } from "@playwright/test";

export const ORIGIN = `http://127.0.0.1:${process.env["PORT"] ?? "4173"}/`;

/** A picture for people to look at, in test-results/pictures: only where PICTURES is set, because nothing is judged by it. */
export async function picture(of: Page | Locator, name: string, whole = false): Promise<void> {
  if (!process.env["PICTURES"]) return;
  const path = `test-results/pictures/${name}.png`;
  if ("goto" in of) await of.screenshot({ path, fullPage: whole });
  else await of.screenshot({ path });
}

/** Watches a page; call what it returns at the end. `allowed`: complaints that the test provokes. */
export function watch(page: Page): (allowed?: RegExp) => void {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(ORIGIN) && !url.startsWith("blob:") && !url.startsWith("data:"))
      problems.push(`a request to ${url}`);
  });
  return (allowed) => {
    expect(problems.filter((p) => !allowed?.test(p))).toEqual([]);
  };
}

export const test = base.extend<{ watched: { allow: RegExp | undefined } }>({
  watched: [
    async ({ page }, use) => {
      const done = watch(page);
      const watched: { allow: RegExp | undefined } = { allow: undefined };
      await use(watched);
      done(watched.allow);
    },
    { auto: true },
  ],
});

export async function open(page: Page, hash = ""): Promise<void> {
  // A new document each time, also where only the hash differs.
  await page.goto("about:blank");
  await page.goto(`./${hash}`);
}
export const state = (page: Page) => page.locator("corun-dock .state");
export const cycle = async (page: Page): Promise<number> =>
  Number((await page.locator("#cycle").textContent())?.replaceAll(",", ""));
export const is = async (page: Page, text: string): Promise<void> => {
  await expect(state(page)).toHaveText(text);
};

/** Opens a tab of the details. */
export async function show(page: Page, tab: string): Promise<void> {
  const one = page.locator(`#tab-${tab}`);
  if (!(await page.locator(".drawer-sheet").isVisible())) await page.locator("#details").click();
  if ((await one.getAttribute("aria-selected")) !== "true") await one.click();
  await expect(page.locator(`#drawer-${tab}`)).toBeVisible();
}
/** Closes the details. */
export async function closeDrawer(page: Page): Promise<void> {
  if (await page.locator(".drawer-sheet").isVisible()) await page.locator(".drawer-close").click();
  await expect(page.locator(".drawer-sheet")).toBeHidden();
}
/** Opens the form of the experiment. */
export async function form(page: Page): Promise<void> {
  if (!(await page.locator("#editor").isVisible())) await page.locator("#make").click();
  await expect(page.locator("#editor")).toBeVisible();
}
/** Puts a text into an editor of code, in place of all that it has, as a paste does. */
export async function write(editor: Locator, text: string): Promise<void> {
  await editor.focus();
  await editor.press("ControlOrMeta+a");
  await editor.evaluate((e, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    e.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}
/** What a menu of the row lists. */
export const listed = (page: Page, menu: string): Locator =>
  page.getByRole("listbox", { name: menu, exact: true }).getByRole("option");
/** Chooses in the row of choices: `menu` is the name of its menu, `sought` what is typed to find the choice. */
export async function choose(page: Page, menu: string, sought: string): Promise<void> {
  await page.getByRole("button", { name: `${menu}:` }).click();
  // All that there is to choose comes with the module. The picture of all schemes has options, too.
  await expect.poll(() => listed(page, menu).count()).toBeGreaterThan(1);
  await page.getByRole("combobox", { name: `${menu}: search` }).fill(sought);
  await page.keyboard.press("Enter");
}
/** Presses a button behind the dock's "More", and closes it again. */
export async function dock(page: Page | FrameLocator, button: string): Promise<void> {
  const more = page.getByRole("button", { name: "More: steps" });
  await more.click();
  await page.getByRole("dialog", { name: "More of the run's time" }).getByRole("button", { name: button }).click();
  await more.press("Escape");
}
/** How much taller a frame in an article is than its content, or than the 600 pixels beyond which it scrolls. */
export const slack = (frame: FrameLocator): Promise<number> =>
  frame.locator("body").evaluate((body) => innerHeight - Math.min(600, Math.ceil(body.getBoundingClientRect().height)));
/** Does one of the things behind Share. */
export async function share(page: Page, deed: string): Promise<void> {
  await page.getByRole("button", { name: "Share this run, and help" }).click();
  await page.locator(".deeds").getByRole("button", { name: deed }).click();
}

/** Opens a hash that stops at a cycle, and waits until it is there. */
export async function openAt(page: Page, hash: string, at: number): Promise<void> {
  await open(page, `${hash}&c=${at}`);
  await is(page, "Paused");
  await expect(page.locator("#cycle")).toHaveText(at.toLocaleString("en"));
}

/** The time axis. */
export const axis = (page: Page): Locator => page.getByRole("slider", { name: "Time" });
/** What is behind the dock's last button. */
export async function axisMore(page: Page): Promise<Locator> {
  const box = page.getByRole("dialog", { name: "More of the run's time" });
  if (!(await box.isVisible())) await page.getByRole("button", { name: "More: steps" }).click();
  return box;
}
/** Its lanes as a file. */
export async function axisFile(page: Page, kind: "csv" | "json" | "svg" | "png"): Promise<Download> {
  const box = await axisMore(page);
  const [download] = await Promise.all([page.waitForEvent("download"), box.locator(`[data-kind=${kind}]`).click()]);
  await page.keyboard.press("Escape");
  return download;
}

/** Notes what the page says to its workers, from now on: call it before the page is opened. */
export async function overhear(page: Page): Promise<() => Promise<Record<string, unknown>[]>> {
  await page.addInitScript(() => {
    const said: unknown[] = [],
      post = Worker.prototype.postMessage;
    Object.assign(window, { said });
    Worker.prototype.postMessage = function (this: Worker, message: { t: string }, ...more: []): void {
      // A compiled module does not leave the page.
      if (message.t !== "init") said.push(structuredClone(message));
      post.call(this, message, ...more);
    };
  });
  return () => page.evaluate(() => (window as typeof window & { said: Record<string, unknown>[] }).said);
}

/** The runs alone that the page has asked its workers for, of what it was overheard to say. */
export const askedAlone = (
  said: readonly Record<string, unknown>[],
): { hash: string; experiment: { name: string } }[] =>
  said.flatMap((one) => (one["t"] === "do" && one["work"] === "alone" ? [one["of"] as never] : []));

/**
 * Notes every text that an element has, from now on: call it before the page is opened. A state may be over before a test looks.
 */
export async function noted(page: Page, selector: string): Promise<() => Promise<string[]>> {
  await page.addInitScript((of) => {
    const texts: string[] = [];
    Object.assign(window, { noted: { ...(window as typeof window & { noted?: object }).noted, [of]: texts } });
    new MutationObserver(() => {
      const text = document.querySelector(of)?.textContent?.trim() ?? "";
      if (text !== "" && texts.at(-1) !== text) texts.push(text);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  }, selector);
  return () =>
    page.evaluate((of) => (window as typeof window & { noted: Record<string, string[]> }).noted[of] ?? [], selector);
}

/** How many colours a canvas has: a picture has more than a handful. Runs in the page. */
export function countColours(canvas: HTMLCanvasElement): number {
  const data = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(
    0,
    0,
    canvas.width,
    canvas.height,
  ).data;
  const seen = new Set<number>();
  for (let i = 0; i < data.length; i += 4)
    seen.add(((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0));
  return seen.size;
}
export const colours = (canvas: Locator): Promise<number> =>
  canvas.evaluate(countColours as (canvas: SVGElement | HTMLElement) => number);

export async function saved(download: Download): Promise<{ name: string; text: string }> {
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

export interface SavedResult {
  digest: string;
  config_hash: string;
  seed: number;
  cycles: number;
  engine: string;
  kernels: { name: string; ipc_alone?: number | null; thread_instructions: number }[];
}
export async function result(page: Page): Promise<SavedResult> {
  const [download] = await Promise.all([page.waitForEvent("download"), share(page, "Save the result")]);
  return JSON.parse((await saved(download)).text) as SavedResult;
}

/** Of two runs, by their marks. */
export const results = async (page: Page): Promise<Record<string, SavedResult>> =>
  (await result(page)) as unknown as Record<string, SavedResult>;

export async function noViolations(page: Page): Promise<void> {
  // In one go: the other mode carries all results through a second page, and takes nearly twice as long. It is for frames of other origins. What passes is
  // not described, and sound and video, of which there is none, are not waited for: a third of the time.
  const found = await new AxeBuilder({ page })
    .options({ resultTypes: ["violations"], preload: false })
    .setLegacyMode()
    .analyze();
  expect(
    found.violations.map(
      (v) =>
        `${v.id}: ${v.help}\n  ${v.nodes
          .slice(0, 4)
          .map((n) => `${n.target.join(" ")}: ${n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? ""}`)
          .join("\n  ")}`,
    ),
  ).toEqual([]);
}
export { expect };

/** Drops files on the page, each a name and its bytes or its text. */
export async function drop(page: Page, ...files: (readonly [name: string, content: Buffer | string])[]): Promise<void> {
  await page.evaluate(
    (all) => {
      const dataTransfer = new DataTransfer();
      for (const [name, packed] of all)
        dataTransfer.items.add(new File([Uint8Array.from(atob(packed), (one) => one.charCodeAt(0))], name));
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    files.map(([name, content]) => [name, Buffer.from(content).toString("base64")] as const),
  );
}

/** Between what slowdowns are by their bars: half a digit round a number, or the range of one that the run is too short to say. */
export const bars = (page: Page, side = ""): Promise<[number, number][]> =>
  page.locator(`#slows ul${side && `[aria-label^="${side}"]`} .slow:has(.slow-value)`).evaluateAll((all) =>
    all.map((one): [number, number] => {
      const of = (part: string): number[] =>
          (one.querySelector(part)?.textContent ?? "").match(/[\d.]+/g)?.map(Number) ?? [],
        [value] = of(".slow-value"),
        [low = Number.NaN, high = Number.NaN] = value === undefined ? of(".slow-of") : [value, value];
      return [low - 0.0551, high + 0.0551];
    }),
  );
