// Figures as a reader and as an author of an article uses them.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Locator, Page } from "@playwright/test";
import { decodeLink } from "../src/model/link.ts";
import { ORIGIN, expect, is, noViolations, picture, result, slack, test } from "./corun.ts";
import { fixture } from "./figures-document.ts";

const PAGE = `${ORIGIN}some/sub/folder/`;

/** Puts the small document where the paper's is. `change` spoils it. */
async function serve(page: Page, change: (text: string) => string = (text) => text): Promise<void> {
  const { text, pictures } = await fixture();
  await page
    .context()
    .route("**/papers/ccbp.json", (route) => route.fulfill({ contentType: "application/json", body: change(text) }));
  await page.context().route("**/papers/ccbp/*.svg", (route) => {
    const picture = pictures[/([a-z0-9]+)\.svg/.exec(route.request().url())?.[1] ?? ""];
    return picture === undefined
      ? route.fulfill({ status: 404 })
      : route.fulfill({ contentType: "image/svg+xml", body: picture });
  });
}
const ready = (page: Page): Promise<void> => expect(page.locator("html")).toHaveAttribute("data-figures", "ready");
const card = (page: Page | ReturnType<Page["frameLocator"]>, id: string): Locator => page.locator(`section#${id}`);
const button = (of: Locator, name: string): Locator => of.getByRole("button", { name, exact: true });

test("the simulator leads to a card for each paper: what it claims, what of it came out, and three ways on", {
  tag: "@core",
}, async ({ page }) => {
  await page.goto("./");
  await page.getByRole("navigation", { name: "Places" }).getByRole("link", { name: "Papers" }).click();
  const papers = page.locator("article.paper-card");
  await expect(papers).toHaveCount(6);
  await ready(page);
  for (const paper of await papers.all()) {
    await expect(paper.getByText(/^\d+ of \d+ directions/)).toBeVisible();
    await expect(paper.getByText(/^\d+ of \d+ magnitudes/)).toBeVisible();
    await expect(paper.locator("table.claims tbody tr")).toHaveCount(3);
    expect(await paper.locator("img").evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
    await expect(paper.getByRole("link", { name: "Open its setting" })).toHaveAttribute("href", /^\.\/#v=1&.*&e=/);
  }
  await expect(page.locator("#ccbp")).toContainText("48 of 57 directions reproduced; 9 not reproduced");
  await expect(page.locator("#ccbp")).toContainText("NBI CFD, LAV, SMV, KM");
  await noViolations(page);
  await picture(page, "papers", true);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await noViolations(page);
});

test("a claim of a card opens its row of the report: in view, with the focus", async ({ page }) => {
  await page.goto("./figures.html");
  const claim = page.locator("#ccbp table.claims tbody tr").first(),
    verdict = (await claim.locator("td").last().textContent())!.replace(/^\S+ /, "");
  await claim.getByRole("link").click();
  const row = page.locator("tr:focus");
  await expect(row).toBeInViewport({ ratio: 0.9 });
  expect(new URL(page.url()).hash).toBe(`#${await row.getAttribute("id")}`);
  await expect(row).toContainText(verdict);
});

test("a paper's setting opens in the simulator: a mix of it under its baseline, and beside it under its own scheme", async ({
  page,
}) => {
  await page.goto("./figures.html");
  await ready(page);
  await page.locator("#qos").getByRole("link", { name: "Open its setting" }).click();
  await expect.poll(() => page.evaluate(() => location.hash)).toMatch(/^#v=1&/);
  const link = await decodeLink(new URL(page.url()).hash);
  expect([link?.experiment.gpu, link?.experiment.warp_order]).toEqual(["qos-16sm", "gto"]);
  expect([link?.experiment.policy, link?.other?.policy].map((policy) => (policy as { name: string }).name)).toEqual([
    "spart",
    "qos-rollover",
  ]);
});

test("a report is read here: each claim has an address, and each figure leads to itself", async ({ page }) => {
  await page.goto("./figures.html?paper=ccbp&figure=fig9a");
  await ready(page);
  // What the paper says of a figure stands under it, and leads to the report.
  const printed = page.getByRole("table", { name: "What the paper says of this figure" });
  const row = printed.getByRole("row", { name: /CCBP raises mean harmonic speedup over SMK/ });
  await expect(row).toContainText(/1\.78 ×.*1\.397 ×.*direction only/);
  await expect(row).toContainText("CCBP gains less beside DRAM-intensive kernels.");
  // The gains that the paper prints over bars are marks beside them, and one in the legend.
  await expect(card(page, "fig9a").locator("svg .paper")).toHaveCount(6);
  await row.getByRole("link").click();
  const claim = page.locator("tr#abs-hs-vs-smk");
  await expect(claim).toBeInViewport();
  await expect(claim).toContainText("direction only");
  await expect(page.getByRole("heading", { name: "What fails, and what was tested" })).toHaveCount(1);
  await page.getByRole("navigation", { name: "Report" }).getByRole("link", { name: "Figures", exact: true }).click();
  await expect(page.locator(".report").getByRole("heading", { name: "Figures", exact: true })).toBeInViewport();
  expect(await page.locator(".report figure img").count()).toBe(19);
  expect(await page.locator(".report").textContent(), "nothing of its markup is left").not.toMatch(/<br>|\*\*|!\[/);
  await ready(page);
  await noViolations(page);
  await page.locator(".report figure a").first().click();
  await expect(card(page, "fig2a")).toBeVisible();
});

test("a paper leads to small pictures of all figures, and each of them to its figure", { tag: "@core" }, async ({
  page,
}) => {
  await serve(page);
  await page.goto("./figures.html");
  await page
    .locator("#ccbp")
    .getByRole("link", { name: /^\d+ figures$/ })
    .click();
  const small = page.locator(".figure-overview a");
  await expect(small).toHaveCount(3);
  await expect
    .poll(() =>
      small.locator("img").evaluateAll((all) => all.filter((img) => (img as HTMLImageElement).naturalWidth > 0).length),
    )
    .toBe(3);
  expect(await page.locator(".figure-group h3").allTextContents()).toEqual(["Fig. 9", "Fig. 2", "Fig. 13"]);
  expect(await page.evaluate(() => document.documentElement.scrollHeight), "no long column").toBeLessThan(1000);
  await noViolations(page);
  await small.first().click();
  await ready(page);
  await expect(page.getByRole("heading", { name: "Harmonic speedup, R&D <b>fixture</b>" })).toBeVisible();
  await expect(page.locator("section.figure-card")).toHaveCount(1);
  await expect(card(page, "fig9a").locator("svg [data-point]")).toHaveCount(6);
  await expect(card(page, "fig9a").locator("svg .paper")).toHaveCount(3);
  await expect(card(page, "fig9a")).toContainText("Beside the paper. The paper has another GPU.");
  await expect(card(page, "fig9a")).toContainText("commit 0123456789, quick study: 12,000 cycles, seed 1");
  // The drawing has its looks, though the content policy refuses style elements.
  expect(
    await card(page, "fig9a")
      .locator("svg rect.c0[data-point]")
      .first()
      .evaluate((e) => getComputedStyle(e).fill),
  ).toBe("rgb(0, 114, 178)");
  await page
    .getByRole("navigation", { name: "Figures" })
    .getByRole("link", { name: /NoC in windows/ })
    .click();
  await expect(card(page, "fig13a")).toBeInViewport();
  // Links of before: all figures, and one of them behind the #.
  await page.goto("./figures.html?paper=ccbp#fig2a");
  await expect(card(page, "fig2a")).toBeVisible();
});

test("run again here, every figure equals the runner's, values and digests", { tag: "@core" }, async ({ page }) => {
  await serve(page);
  await page.goto("./figures.html?all=1");
  await ready(page);
  for (const [id, points, runs] of [
    ["fig9a", 6, 4],
    ["fig2a", 2, 3],
    ["fig13a", 40, 1],
  ] as const) {
    await button(card(page, id), "Run it again here").click();
    await expect(card(page, id).locator(".figure-outcome")).toHaveAttribute("data-outcome", "equal");
    await expect(card(page, id).locator(".figure-outcome")).toHaveText(
      `Equal, to the last digit: ${points} points of ${points} computed here, and the digests of ${runs === 1 ? "its run" : `all ${runs} runs`} are equal.`,
    );
  }
  await button(card(page, "fig2a"), "Table").click();
  const rows = await card(page, "fig2a")
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  expect(rows.map((row) => [row[0], row[1], row[3]])).toEqual([
    ["BP", "CFD", "40"],
    ["BP", "SAD", "40"],
  ]);
  for (const row of rows) expect(row[4]).toBe(row[2]);
  await expect.poll(() => page.workers().length).toBe(0);
});

test("values of an engine of another behaviour are called that, and those of this engine are not", async ({ page }) => {
  await serve(page);
  await page.goto("./figures.html?all=1");
  await ready(page);
  await expect(page.locator(".figure-stamp").first()).toContainText("Computed by Corun");
  await expect(page.locator(".figure-stamp").first()).not.toContainText("This page's engine");
  await page.context().unroute("**/papers/ccbp.json");
  await serve(page, (text) => text.replace(/"engine":"[\d.]+-[0-9a-f]{8}"/, '"engine":"0.1.0-deadbeef"'));
  for (const address of ["./figures.html?all=1", "./figures.html?figure=fig2a&embed=1"]) {
    await page.goto(address);
    await ready(page);
    const stamps = page.locator(".figure-stamp");
    for (const stamp of await stamps.all())
      await expect(stamp).toContainText(
        /Computed by Corun 0\.1\.0-deadbeef, .* This page's engine is [\d.]+-[0-9a-f]{8}: run again here, values can differ\./,
      );
    await expect(page.locator("#notices")).toBeEmpty();
  }
  await page.goto("./figures.html?all=1");
  await ready(page);
  await noViolations(page);
});

test("what differs is said, and so is an experiment that changed its meaning", async ({ page }) => {
  await serve(page, (text) => {
    const of = JSON.parse(text) as Awaited<ReturnType<typeof fixture>>["document"];
    const point = of.figures[1]?.points[1] as { value: number };
    point.value *= 1.5;
    (of.runs[1] as { hash: string }).hash = "0000000000000000";
    (of.runs[1] as { digest: string }).digest = "0000000000000000";
    return JSON.stringify(of);
  });
  await page.goto("./figures.html?paper=ccbp&figure=fig2a");
  await ready(page);
  await button(card(page, "fig2a"), "Run it again here").click();
  const outcome = card(page, "fig2a").locator(".figure-outcome");
  await expect(outcome).toHaveAttribute("data-outcome", "different");
  await expect(outcome).toContainText(
    /1 point of 2 computed here differs; 1 run of 3 ended in another state\. The worst: SAD, stored [\d.]+ %, here [\d.]+ %\. 1 of the experiments are not what they were/,
  );
});

test("stopping ends all workers within the click, and keeps what is done", async ({ page }) => {
  await serve(page, (text) => {
    const of = JSON.parse(text) as Awaited<ReturnType<typeof fixture>>["document"];
    // One run that no test waits for.
    (of.runs[3] as { experiment: { stop: object } }).experiment.stop = { cycles: 900_000_000 };
    return JSON.stringify(of);
  });
  await page.goto("./figures.html?all=1");
  await ready(page);
  const fig = card(page, "fig9a");
  await button(fig, "Run it again here").click();
  await expect(fig.locator(".figure-progress")).toContainText(/3 of 4 runs, about .* left/);
  await expect(button(card(page, "fig2a"), "Run it again here"), "one figure at a time").toBeDisabled();
  const after = await page.evaluate(async () => {
    [...document.querySelectorAll<HTMLButtonElement>("#fig9a button")].find((b) => b.textContent === "Stop")?.click();
    await new Promise((drawn) => setTimeout(drawn, 0));
    return [
      document.documentElement.dataset["figures"],
      document.querySelector<HTMLElement>("#fig9a .figure-outcome")?.dataset["outcome"],
    ];
  });
  expect(after).toEqual(["ready", "stopped"]);
  await expect.poll(() => page.workers().length).toBe(0);
  await expect(fig.locator(".figure-outcome")).toContainText(
    "Stopped. Equal, to the last digit: 4 points of 6 computed here",
  );
  await button(fig, "Go on").click();
  await expect(fig.locator(".figure-progress")).toContainText("0 of 1 runs");
  await button(fig, "Stop").click();
});

test("a mark opens its experiment in the lab, by pointer and by keyboard", async ({ page }) => {
  const { document, digests } = await fixture();
  await serve(page);
  await page.goto("./figures.html?figure=fig9a");
  await ready(page);
  await expect(page.locator("section.figure-card")).toHaveCount(1);
  const fig = card(page, "fig9a"),
    panel = fig.locator(".figure-panel");
  await fig.locator('svg [data-point="2"]').click();
  await expect(panel.getByRole("heading")).toHaveText("Even, both");
  await expect(panel).toContainText("Geometric mean of HSpeedup over 2 runs");
  await expect(panel.getByRole("link")).toHaveCount(2);
  await page.keyboard.press("Escape");
  await fig.locator(".figure-stage").focus();
  for (const key of ["Home", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  await expect(fig.locator("span[role=status]")).toHaveText(/^Spatial, BP\+SAD: \d\.\d{3}$/);
  await page.keyboard.press("Enter");
  const link = panel.getByRole("link", { name: "Open in the lab: BP + SAD: spatial" });
  await expect(link).toBeFocused();
  await button(panel, "Run this point again here").click();
  await expect(fig.locator(".figure-outcome")).toContainText("Equal, to the last digit: 1 point of 6");
  await link.focus();
  await page.keyboard.press("Enter");
  await is(page, "Finished");
  const there = await result(page);
  expect([there.config_hash, there.digest]).toEqual([document.runs[3]?.hash, digests[3]]);
});

test("the command and the embed code are what they say", { tag: "@core" }, async ({ page }) => {
  await serve(page);
  await page.goto("./figures.html?all=1");
  await ready(page);
  const copied = async (name: string): Promise<string> => {
    await button(card(page, "fig2a"), name).click();
    await expect(page.locator("#toast")).toContainText("copied");
    return page.evaluate(() => navigator.clipboard.readText());
  };
  const command = await copied("Copy the command");
  expect(command).toContain("target/release/corun sweep corun-ccbp-fig2a.json --resume --out corun-ccbp-fig2a.jsonl");
  const sweep = JSON.parse(command.split("\n")[1] ?? "") as {
    sweep: { base: object; axes: { zip: { path: string; values: unknown[] }[] }[] };
  };
  expect(sweep.sweep.base).toMatchObject({ gpu: "tiny-2sm", seed: 1 });
  expect(sweep.sweep.axes[0]?.zip.find((axis) => axis.path === "policy")?.values).toEqual(["even", "even", "leftover"]);
  const element = await copied("Copy embed code"),
    frame = await copied("As iframe");
  expect(element).toContain(`<script type="module" src="${PAGE}corun-figure.js"></script>`);
  expect(frame).toContain(`src="${PAGE}figures.html?paper=ccbp&amp;figure=fig2a&amp;embed=1"`);

  // Pasted into an article on another origin, they work.
  const article = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>Away</title>${element.replace(' type="module"', " defer")}${frame}`);
  });
  await new Promise<void>((listening) => {
    article.listen(0, "127.0.0.1", listening);
  });
  try {
    const away = await page.context().newPage();
    await away.goto(`http://127.0.0.1:${(article.address() as AddressInfo).port}/deep/down/`);
    await expect(away.getByRole("img", { name: "IPC of BP over BP alone" }).first()).toBeVisible();
    await expect(card(away.frameLocator("iframe"), "fig2a").locator("svg [data-point]")).toHaveCount(2);
    await away.getByRole("button", { name: "Make it live" }).click();
    const live = away.frameLocator("corun-figure iframe");
    await expect(card(live, "fig2a").locator("svg [data-point]")).toHaveCount(2);
    await button(card(live, "fig2a"), "Run it again here").click();
    await expect(card(live, "fig2a").locator(".figure-outcome")).toHaveAttribute("data-outcome", "equal");
    // The frame is as tall as the figure, where that is no taller than an article gives.
    await expect.poll(() => slack(live)).toBe(0);
    // Everything that leads away from a frame opens beside the article.
    await live.locator('svg [data-point="0"]').click();
    const links = await live.getByRole("link").all();
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) await expect(link).toHaveAttribute("target", "_blank");
    expect(
      await away.evaluate(() => Object.keys(window).filter((key) => /^[a-z]$/.test(key))),
      "no names are left behind",
    ).toEqual([]);
    await away.close();
  } finally {
    article.close();
  }
});

test("the example article: three figures, two become live when asked", async ({ page }) => {
  await serve(page);
  await page.goto("./examples/article/");
  await expect(page.locator("corun-figure img")).toHaveCount(2);
  await picture(page, "article-still", true);
  for (const which of [0, 1]) {
    const figure = page.locator("corun-figure").nth(which);
    await expect(figure.locator("img")).toBeVisible();
    expect(
      await figure.locator("img").evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth)),
    ).toBeGreaterThan(0);
    await figure.getByRole("button", { name: "Make it live" }).press("Enter");
    await expect(
      card(figure.frameLocator("iframe"), which === 0 ? "fig2a" : "fig9a")
        .locator("svg [data-point]")
        .first(),
    ).toBeVisible();
  }
  await page.locator("figure > iframe").scrollIntoViewIfNeeded();
  await expect(card(page.frameLocator("figure > iframe"), "fig13a").locator(".figure-stage svg")).toBeVisible();
  await expect(page.frameLocator("figure > iframe").locator("header")).toBeHidden();
  await noViolations(page);
  await picture(page, "article-live", true);
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expect
    .poll(() =>
      page
        .frameLocator("corun-figure >> nth=1 >> iframe")
        .locator("html")
        .evaluate((e) => e.scrollWidth - innerWidth),
    )
    .toBeLessThanOrEqual(0);
  await picture(page, "article-360", true);
});

test("a light article keeps its pictures light in a dark system, and one with colours of its own keeps those", async ({
  page,
}) => {
  await serve(page);
  await page.goto("./examples/article/");
  const picture = page.locator("corun-figure img").first();
  await picture.evaluate((img: HTMLImageElement) => img.decode());
  const light = await picture.screenshot();
  await page.emulateMedia({ colorScheme: "dark" });
  expect((await picture.screenshot()).equals(light)).toBe(true);
  await page.route("**/examples/article/", async (route) => {
    await route.fulfill({
      contentType: "text/html",
      body: (await (await route.fetch()).text()).replace("body {", ":root { color-scheme: light dark; } body {"),
    });
  });
  await page.goto("./examples/article/");
  await expect(picture).toHaveCSS("color-scheme", "light dark");
});

test("without scripts the article still has its figure", async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await serve(page);
  await page.goto(`${PAGE}examples/article/`);
  await expect(page.getByRole("img", { name: /Slowdown of BP and CFD/ })).toBeVisible();
  await context.close();
});

test("bad addresses and bad data are named", async ({ page, watched }) => {
  watched.allow = /404|Failed to load/;
  await serve(page);
  const says = async (address: string, said: string): Promise<void> => {
    await page.goto(address);
    await expect(page.getByRole("heading", { name: /^(These figures|This report) cannot be shown$/ })).toBeVisible();
    await expect(page.getByRole("alert")).toContainText(said);
  };
  await says("./figures.html?figure=fig99", "There is no figure “fig99”; there are fig9a, fig2a, fig13a");
  await says("./figures.html?paper=../secret", "does not name a paper");
  await says("./figures.html?paper=nobody-2030", "has no figures of a paper “nobody-2030”");
  await says("./figures.html?paper=nobody-2030&report=1", "has no report of a paper “nobody-2030”");
  await page.context().unroute("**/papers/ccbp.json");
  await serve(page, (text) => text.replace('"corun":1', '"corun":2'));
  await says("./figures.html?all=1", "corun: found 2, want 1");
  // As a module, and as a plain script of a host that says no encoding, in an article that says none.
  await page.route("**/corun-figure.js", async (route) =>
    route.fulfill({ contentType: "text/javascript", body: await (await route.fetch()).body() }),
  );
  for (const script of ["<script type=module src=corun-figure.js>", "<script src=corun-figure.js>"]) {
    await page.route("**/article.html", (route) =>
      route.fulfill({
        contentType: "text/html",
        body: `${script}</script><corun-figure paper='Not A Name' figure=fig1>Here</corun-figure>`,
      }),
    );
    await page.goto("./article.html");
    await expect(page.locator("corun-figure p")).toHaveText(
      "corun-figure: paper: found “Not A Name”, want a name such as ccbp",
    );
  }
});

for (const scheme of ["light", "dark"] as const) {
  test(`nothing stands in the way of anybody, ${scheme}`, async ({ page }) => {
    await serve(page);
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto("./figures.html?all=1");
    await ready(page);
    await card(page, "fig9a").locator('svg [data-point="1"]').click();
    await button(card(page, "fig9a"), "Run this point again here").click();
    await expect(card(page, "fig9a").locator(".figure-outcome")).toHaveAttribute("data-outcome", "equal");
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
        .toBeLessThanOrEqual(0);
      await expect
        .poll(() =>
          card(page, "fig9a").evaluate(
            (e) =>
              (e.querySelector("svg.corun-figure")?.getBoundingClientRect().right ?? 0) <=
              e.getBoundingClientRect().right,
          ),
        )
        .toBe(true);
      await noViolations(page);
      await picture(page, `figures-${width}-${scheme}`, true);
    }
  });
}

// What is shipped.
const SHIPPED = readdirSync("public/papers").filter((name) => name.endsWith(".json"));
test("a paper is shipped", { tag: "@core" }, () => {
  expect(SHIPPED).toContain("ccbp.json");
});
for (const name of SHIPPED) {
  test(`the page draws every figure of ${name}`, { tag: "@core" }, async ({ page }) => {
    const { figures } = JSON.parse(readFileSync(`public/papers/${name}`, "utf8")) as {
      figures: { id: string; points: { value: number | null }[] }[];
    };
    await page.goto(`./figures.html?paper=${name.replace(".json", "")}&all=1`);
    await ready(page);
    const drawn = await page
      .locator("section.figure-card")
      .evaluateAll((cards) => cards.map((one) => [one.id, one.querySelectorAll("svg [data-point]").length]));
    expect(drawn).toEqual(figures.map((figure) => [figure.id, figure.points.filter((p) => p.value !== null).length]));
    for (const figure of figures)
      expect(existsSync(`../docs/reports/${name.replace(".json", "")}/${figure.id}.svg`), `${figure.id}.svg`).toBe(
        true,
      );
  });
}
