// How smooth the page is while the engine runs as fast as it can, in a real Chromium: `cargo xtask bench --paint`. Figures of this machine, no test.
//
// A frame is what lies between two calls for an animation frame; a task above 50 ms in it can be felt. The budget: none of them in 95 % of frames.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { chromium } from "playwright";

const SECONDS = Number(process.argv[2] ?? 20),
  PORT = "4291",
  LONG = 50;
// Of no end that is reached while it is looked at.
const run = (policy) =>
  `z=${deflateRawSync(JSON.stringify({ corun: 1, gpu: "ccbp-16sm", kernels: ["ccbp/BP", "ccbp/CFD"], policy, stop: { cycles: 100_000_000 } })).toString("base64url")}`;
const RUNS = [
  ["BP + CFD, even", `#v=1&${run("even")}`],
  ["BP + CFD, even beside leftover", `#v=1&${run("even")}&b.${run("leftover")}`],
];
const path = process.env.CHROMIUM_PATH ?? (existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : undefined);
const server = spawn("node", ["e2e/serve.mjs"], { env: { ...process.env, PORT }, stdio: "inherit" });
// With a profile, as people have one: a private window keeps in the browser's memory what otherwise lies on disk.
const profile = mkdtempSync(join(tmpdir(), "corun-"));
const context = await chromium.launchPersistentContext(profile, {
  ...(path ? { executablePath: path } : {}),
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
  viewport: { width: 1440, height: 900 },
});
try {
  for (const [name, hash] of RUNS) {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${PORT}/some/sub/folder/${hash}`);
    await page.locator("corun-dock .state[data-state=playing]").waitFor({ timeout: 60_000 });
    // A first visit plays slowly, so that it can be followed.
    await page.locator("#speed").evaluate((slider) => {
      slider.value = slider.max;
      slider.dispatchEvent(new Event("input"));
    });
    // What only the beginning does is no part of it.
    await page.waitForTimeout(3000);
    const seen = await page.evaluate(
      async ({ milliseconds, long }) => {
        const frames = [],
          tasks = [],
          cycle = () => Number(document.querySelector("#cycle").textContent.replaceAll(",", "")),
          from = cycle(),
          began = performance.now();
        const observer = new PerformanceObserver((list) => {
          for (const { startTime, duration } of list.getEntries()) tasks.push([startTime, startTime + duration]);
        });
        observer.observe({ entryTypes: ["longtask"] });
        await new Promise((resolve) => {
          const tick = (now) => {
            frames.push(now);
            if (now - began < milliseconds) requestAnimationFrame(tick);
            else resolve();
          };
          requestAnimationFrame(tick);
        });
        await new Promise((resolve) => setTimeout(resolve, 200));
        const felt = tasks.filter(([a, b]) => b - a > long),
          spans = frames.slice(1).map((end, i) => [frames[i], end]);
        const smooth = spans.filter(([a, b]) => !felt.some(([x, y]) => x < b && y > a)).length;
        const spent = (frames.at(-1) - frames[0]) / 1000;
        return {
          frames: spans.length / spent,
          smooth: smooth / spans.length,
          felt: felt.length,
          worst: Math.max(0, ...tasks.map(([a, b]) => b - a)),
          rate: (cycle() - from) / spent,
        };
      },
      { milliseconds: SECONDS * 1000, long: LONG },
    );
    console.log(
      `${name}: ${seen.frames.toFixed(1)} frames/s, ${(100 * seen.smooth).toFixed(1)} % of them without a task above ${LONG} ms (${seen.felt} such tasks in ${SECONDS} s, the longest ${seen.worst.toFixed(0)} ms), ${Math.round(seen.rate).toLocaleString("en")} cycles/s`,
    );
    await page.close();
  }
} finally {
  await context.close();
  server.kill();
  rmSync(profile, { recursive: true });
}
