// The fixed runs in a worker of a Chromium page, where the page's own simulations run: one line of JSON each.
// `node benches/chromium.mjs [--quick]`; CHROMIUM_PATH names the browser, Playwright comes from web/.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname } from "node:path";

const { chromium } = createRequire(new URL("../web/package.json", import.meta.url))("@playwright/test");
const part = process.argv.includes("--quick") ? 10 : 1;

const worker = `
  import init, { Simulation } from "/web/src/wasm/corun.js";
  import { measure } from "/benches/measure.mjs";
  try {
    await init({ module_or_path: fetch("/web/src/wasm/corun_bg.wasm") });
    const runs = await (await fetch("/benches/runs.json")).json();
    postMessage({ lines: measure(Simulation, runs, ${part}) });
  } catch (error) { postMessage({ error: String(error) }); }`;
const own = { "/": "<!doctype html><title>bench</title>", "/worker.mjs": worker };
const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json", ".wasm": "application/wasm", "": "text/html" };

const server = createServer(async (request, response) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const served = /^\/(benches|web\/src\/wasm)\/[\w.]+$/.test(path);
  const body = own[path] ?? (served ? await readFile(new URL(`..${path}`, import.meta.url)).catch(() => null) : null);
  if (body === null) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream" }).end(body);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH,
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const answer = await page.evaluate(() => new Promise((done) => {
    const worker = new Worker("/worker.mjs", { type: "module" });
    worker.onmessage = (event) => done(event.data);
    worker.onerror = (event) => done({ error: event.message });
  }));
  if (answer.error) throw new Error(answer.error);
  for (const line of answer.lines) console.log(JSON.stringify(line));
} finally {
  await browser.close();
  server.close();
}
