// Runs in a worker of a Chromium page, where the page's own simulations run. `node benches/chromium.mjs MODULE...`, with the lines of node.mjs.
// CHROMIUM_PATH names the browser, Playwright comes from web/.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { createInterface } from "node:readline";

const { chromium } = createRequire(new URL("../web/package.json", import.meta.url))("@playwright/test");
const folders = process.argv.slice(2);

const worker = `
  import { answer } from "/measure.mjs";
  const load = async (at) => {
    const module = await import(\`/\${at}/corun.js\`);
    await module.default({ module_or_path: fetch(\`/\${at}/corun_bg.wasm\`) });
    return module;
  };
  try {
    const modules = await Promise.all(${JSON.stringify(folders.map((_, at) => at))}.map(load));
    onmessage = ({ data }) => postMessage(answer(modules[data.module].Simulation, data));
    postMessage({});
  } catch (error) { postMessage({ error: String(error) }); }`;
const own = { "/": "<!doctype html><title>bench</title>", "/worker.mjs": worker, "/measure.mjs": await readFile(new URL("measure.mjs", import.meta.url)) };
const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", "": "text/html" };

const server = createServer(async (request, response) => {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const [, at, file] = /^\/(\d+)\/(corun(?:\.js|_bg\.wasm))$/.exec(path) ?? [];
  const body = own[path] ?? (file ? await readFile(resolve(folders[at] ?? "", file)).catch(() => null) : null);
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
  const { error } = await page.evaluate(() => new Promise((done) => {
    globalThis.worker = new Worker("/worker.mjs", { type: "module" });
    worker.onmessage = (event) => done(event.data);
    worker.onerror = (event) => done({ error: event.message });
  }));
  if (error) throw new Error(error);
  const ask = (run) => page.evaluate((run) => new Promise((done) => {
    worker.onmessage = (event) => done(event.data);
    worker.onerror = (event) => done({ error: event.message });
    worker.postMessage(run);
  }), run);
  for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await ask(JSON.parse(line))));
} finally {
  await browser.close();
  server.close();
}
