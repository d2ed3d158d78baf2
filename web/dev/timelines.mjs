// How fast the page reads a profile, in a real Chromium: `cargo xtask bench --timelines`. Figures of this machine, no test.
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { chromium } from "playwright";

const FILE = process.argv[2],
  ROUNDS = 3,
  PORT = "4292",
  PATIENCE = 300_000;
const path = process.env.CHROMIUM_PATH ?? (existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : undefined);
const server = spawn("node", ["e2e/serve.mjs"], { env: { ...process.env, PORT }, stdio: "inherit" });
const address = `http://127.0.0.1:${PORT}/some/sub/folder/#make`,
  there = () =>
    fetch(address).then(
      () => true,
      () => false,
    );
while (server.exitCode === null && !(await there())) await new Promise((resolve) => setTimeout(resolve, 100));
const browser = await chromium.launch({
  ...(path ? { executablePath: path } : {}),
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
try {
  const megabytes = statSync(FILE).size / 1e6;
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(address);
    const input = page.locator("#f-open-file");
    await input.waitFor({ state: "attached" });
    const began = performance.now();
    await input.setInputFiles(FILE);
    await page.locator("dialog[open] .timeline-loss").waitFor({ timeout: PATIENCE });
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `page ${(megabytes / seconds).toFixed(0).padStart(4)} MB/s: ${megabytes.toFixed(0)} MB read and said in ${seconds.toFixed(1)} s`,
    );
    await page.close();
  }
} finally {
  await browser.close();
  server.kill();
}
