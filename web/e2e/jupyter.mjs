// `cargo xtask jupyter`: starts JupyterLab with PYTHON in FOLDER, runs the two cells of corun.ipynb in Chromium, the second when the widget has a
// result, and prints what the second one printed. PICTURE is what it looks like then.
import { chromium, expect } from "@playwright/test";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { argv, env } from "node:process";

const [, , python, folder, picture] = argv;
const port = await new Promise((done) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});
const settings = [
  "--no-browser",
  "--allow-root",
  `--port=${port}`,
  "--IdentityProvider.token=",
  "--ServerApp.password=",
];
const lab = spawn(python, ["-m", "jupyterlab", ...settings], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
let said = "";
lab.stderr.on("data", (text) => (said += text));
let page;
const browser = await chromium.launch({ executablePath: env.CHROMIUM_PATH, args: ["--no-sandbox"] });
try {
  const address = `http://127.0.0.1:${port}`;
  const until = Date.now() + 300_000;
  while (!(await fetch(`${address}/api`).catch(() => null))?.ok) {
    if (Date.now() > until) throw new Error(`JupyterLab does not answer:\n${said}`);
    await new Promise((done) => setTimeout(done, 300));
  }
  page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  page.setDefaultTimeout(300_000);
  await page.goto(`${address}/lab/tree/corun.ipynb`);
  const cell = (n) => page.locator(".jp-Notebook .jp-CodeCell").nth(n);
  // What is pressed before the kernel listens is lost.
  const runs = (n) =>
    expect(async () => {
      await cell(n).locator(".jp-InputArea-editor").click();
      await page.keyboard.press("Shift+Enter");
      await expect(cell(n).locator(".jp-InputPrompt").first()).toHaveText(/\[(\*|\d+)\]/);
    }).toPass({ timeout: 300_000 });
  await page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").first().waitFor();
  const began = Date.now();
  await runs(0);
  // Shadow roots are open: what stands in the widget is found as what stands anywhere.
  await cell(0).locator(".corun-run .stamp:not([hidden])").waitFor();
  await cell(0).locator(".corun-run .says:not(:empty)").waitFor();
  console.log(`${Date.now() - began} ms: ${await cell(0).locator(".corun-run .says").textContent()}`);
  await runs(1);
  const output = await cell(1).locator(".jp-OutputArea-output").first().textContent();
  await page.screenshot({ path: picture });
  console.log(output.replace("digest", "").trim());
} catch (error) {
  await page?.screenshot({ path: picture });
  throw error;
} finally {
  await browser.close();
  lab.kill();
}
