// `cargo xtask test --full package`: runs the script FILE of FOLDER in Chromium, where the npm package is installed, and prints what it prints. Where
// it puts a run into the page, the script is over when that has a result. A page FILE, which a bundler has built, says itself when it is over.
import { chromium } from "@playwright/test";
import { join } from "node:path";
import { argv, env } from "node:process";

const [, , folder, file] = argv;
const origin = "http://corun.test";
const imports = {
  corun: "/node_modules/corun/browser.js",
  "corun/elements": "/node_modules/corun/elements.js",
  "corun/widget.mjs": "/node_modules/corun/widget.mjs",
};
const start = `<script type="importmap">${JSON.stringify({ imports })}</script>
<body><script type="module">
const over = new Promise((done) => addEventListener("corun-result", done));
await import("/${file}");
if (document.querySelector("corun-run")) await over;
console.log("end");
</script>`;

const browser = await chromium.launch({ executablePath: env.CHROMIUM_PATH });
const page = await browser.newPage();
await page.route(`${origin}/**`, (route) => {
  const { pathname } = new URL(route.request().url());
  return route.fulfill(pathname === "/" ? { contentType: "text/html", body: start } : { path: join(folder, pathname) });
});
await new Promise((resolve, reject) => {
  page.on("pageerror", reject);
  page.on("console", (message) => (message.text() === "end" ? resolve() : console.log(message.text())));
  page.goto(file.endsWith(".html") ? `${origin}/${file}` : origin).catch(reject);
});
await browser.close();
