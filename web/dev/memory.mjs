// What the tab takes while a run goes on for long, in a real Chromium, and how long going back takes: `cargo xtask bench --memory`. Figures of this
// machine, no test.
//
// The browser's own account of what scripts hold, and the renderer's private pages, which have the modules' memory, too. 20 million cycles take some
// minutes; arguments: until which cycle, the policies (two with a comma between them run beside each other), `phone`.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { chromium } from "playwright";

const END = Number(process.argv[2] ?? 20_000_000),
  POLICIES = (process.argv[3] ?? "even").split(","),
  PHONE = process.argv[4] === "phone",
  STEPS = 60,
  PORT = process.env.PORT ?? "4292";
const run = (policy) =>
  `z=${deflateRawSync(JSON.stringify({ corun: 1, gpu: "ccbp-16sm", kernels: ["ccbp/BP", "ccbp/CFD"], policy, stop: { cycles: 100_000_000 } })).toString("base64url")}`;
const hash = `#v=1&${run(POLICIES[0])}${POLICIES[1] ? `&b.${run(POLICIES[1])}` : ""}`;

const path = process.env.CHROMIUM_PATH ?? (existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : undefined);
const server = spawn("node", ["e2e/serve.mjs"], { env: { ...process.env, PORT }, stdio: "inherit" });
// With a profile, as people have one: a private window keeps in the browser's memory what otherwise lies on disk.
const profile = mkdtempSync(join(tmpdir(), "corun-"));
const context = await chromium.launchPersistentContext(profile, {
  ...(path ? { executablePath: path } : {}),
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--enable-blink-features=ForceEagerMeasureMemory"],
  ...(PHONE
    ? { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true }
    : { viewport: { width: 1440, height: 900 } }),
});
const mb = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
try {
  // The browser accounts only for pages that share their process with nobody.
  await context.route("**/*", async (route) => {
    const response = await route.fetch();
    const headers = {
      ...response.headers(),
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
    };
    await route.fulfill({ response, headers });
  });
  const page = await context.newPage(),
    session = await context.browser().newBrowserCDPSession();
  await page.goto(`http://127.0.0.1:${PORT}/some/sub/folder/${hash}`);
  await page.locator("corun-dock .state[data-state=playing]").waitFor({ timeout: 120_000 });
  await page.locator("#speed").evaluate((slider) => {
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input"));
  });
  const cycle = async () => Number((await page.locator("#cycle").textContent()).replaceAll(",", ""));
  const renderers = async () =>
    (await session.send("SystemInfo.getProcessInfo")).processInfo
      .filter(({ type }) => type === "renderer")
      .map(({ id }) => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) * 1024);
  const began = performance.now();
  console.log("start", mb(Math.max(...(await renderers()))));
  for (let next = 250_000; ; next *= 2) {
    const at = Math.min(next, END);
    while ((await cycle()) < at) await new Promise((wake) => setTimeout(wake, 500));
    const { bytes, breakdown } = await page.evaluate(() => performance.measureUserAgentSpecificMemory());
    const parts = breakdown
      .filter((part) => part.bytes > 500_000)
      .map(
        (part) =>
          `${part.attribution[0]?.scope ?? "shared"}${part.attribution[0]?.url ? ` ${part.attribution[0].url.split("/").pop().split("-")[0].slice(0, 12)}` : ""} ${part.types.join("+")} ${mb(part.bytes)}`,
      );
    console.log(
      `${(await cycle()).toLocaleString("en")} cycles, ${((performance.now() - began) / 1000).toFixed(0)} s: ${mb(bytes)} by the browser's account, ` +
        `${mb(Math.max(...(await renderers())))} of private pages (${parts.join(", ")})`,
    );
    if (at === END) break;
  }
  // Going back, to cycles spread over the run and to some just before its present one; and from there by one cycle after another.
  await page.keyboard.press(" ");
  await page.locator("corun-dock .state[data-state=paused]").waitFor({ timeout: 120_000 });
  const there = await cycle();
  const goTo = async (to) => {
    const from = performance.now();
    await page.getByLabel("Go to cycle").fill(String(to));
    await page.getByLabel("Go to cycle").press("Enter");
    while ((await cycle()) !== to) await new Promise((wake) => setTimeout(wake, 5));
    return performance.now() - from;
  };
  const took = [];
  for (const to of [0.999, 0.98, 0.9, 0.7, 0.5, 0.3, 0.1, 0.03].map((part) => Math.floor(there * part)))
    took.push(`${to.toLocaleString("en")} in ${(await goTo(to)).toFixed(0)} ms`);
  console.log(`back to ${took.join(", to ")}`);
  const steps = [];
  for (let to = Math.floor(there * 0.8); steps.length < STEPS; to -= 1) steps.push(await goTo(to));
  const [first, ...later] = steps;
  later.sort((a, b) => a - b);
  console.log(
    `back by one cycle: ${first.toFixed(0)} ms to get there, then ${later[later.length >> 1].toFixed(0)} ms (median of ${later.length}), at most ${later.at(-1).toFixed(0)}`,
  );
} finally {
  await context.close();
  server.kill();
  rmSync(profile, { recursive: true });
}
