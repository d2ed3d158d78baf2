// `cargo xtask test --full package`: runs each script FILE of FOLDER in Chromium, where the npm package is installed, and prints what it prints. Where
// it puts a run into the page, a script is over when that has a result. A page FILE, which a bundler has built for the root of a host, says itself when it
// is over.
import { chromium } from "@playwright/test";
import { basename, dirname, join } from "node:path";
import { argv, env } from "node:process";

const [, , folder, ...files] = argv;
const origin = "http://corun.test";
const imports = {
  corun: "/node_modules/corun/browser.js",
  "corun/elements": "/node_modules/corun/elements.js",
  "corun/widget.mjs": "/node_modules/corun/widget.mjs",
};
const start = (file) => `<script type="importmap">${JSON.stringify({ imports })}</script>
<body><script type="module">
const over = new Promise((done) => addEventListener("corun-result", done));
await import("/${file}");
if (document.querySelector("corun-run")) await over;
console.log("end");
</script>`;

const browser = await chromium.launch({ executablePath: env.CHROMIUM_PATH });
for (const file of files) {
  const built = file.endsWith(".html");
  const top = built ? join(folder, dirname(file)) : folder;
  const page = await browser.newPage();
  await page.route(`${origin}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    const body = { contentType: "text/html", body: start(file) };
    return route.fulfill(pathname === "/" ? body : { path: join(top, pathname) });
  });
  await new Promise((resolve, reject) => {
    page.on("pageerror", reject);
    page.on("console", (message) => (message.text() === "end" ? resolve() : console.log(message.text())));
    page.goto(built ? `${origin}/${basename(file)}` : origin).catch(reject);
  });
  await page.close();
}
await browser.close();
