// `cargo xtask test --full firefox`: every page in Firefox, over WebDriver BiDi. It prints what it did, and fails at the first thing that is
// wrong: an error on a page, a request to somebody else, an end that is not the native build's, a sweep or a figure that differs.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { strict as assert } from "node:assert";
import { Firefox } from "./bidi.mjs";

const port = process.env.PORT ?? "4175";
const origin = `http://127.0.0.1:${port}`,
  base = `${origin}/some/sub/folder/`;
const read = (path) => readFileSync(path, "utf8");
const goldens = JSON.parse(read("../tests/golden/digests.json"));
const link = (json) => `#v=1&z=${deflateRawSync(json).toString("base64url")}`;
/** The longest that anything may take on a busy machine, in ms. */
const PATIENCE = 600_000;

const server = spawn("node", ["e2e/serve.mjs"], { env: { ...process.env, PORT: port }, stdio: "inherit" });
const firefox = await Firefox.start(process.env.FIREFOX_PATH ?? "firefox-esr");
const problems = [];
firefox.on("log.entryAdded", ({ level, text }) => {
  if (level === "error") problems.push(`error: ${text}`);
});
firefox.on("network.beforeRequestSent", ({ request: { url } }) => {
  if (!url.startsWith(origin) && !/^(blob|data|about):/.test(url)) problems.push(`a request to ${url}`);
});
// What is saved stays in the page, to be read there.
await firefox.beforeEachPage(() => {
  const make = URL.createObjectURL.bind(URL);
  window.savedBlobs = [];
  URL.createObjectURL = (blob) => {
    window.savedBlobs.push(blob);
    return make(blob);
  };
});

const page = { evaluate: (run, ...given) => firefox.evaluate(run, ...given) };
async function until(run, ...given) {
  for (const end = Date.now() + PATIENCE; !(await page.evaluate(run, ...given)); ) {
    if (Date.now() > end) throw new Error(`not within ${PATIENCE / 1000} s: ${run} of ${given.join(", ")}`);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
/** A new document each time, also where only what is behind the # differs. */
async function go(path) {
  await firefox.go("about:blank");
  await firefox.go(base + path);
}
const says = (selector, text) => until((s, t) => document.querySelector(s)?.textContent?.trim() === t, selector, text);
const attribute = (selector, name, value) =>
  until((s, n, v) => document.querySelector(s)?.getAttribute(n) === v, selector, name, value);
const press = (name) =>
  until((n) => {
    const button = [...document.querySelectorAll("button")].find(
      (one) =>
        [one.getAttribute("aria-label"), one.querySelector("b")?.textContent, one.textContent.trim()].includes(n) &&
        one.checkVisibility() &&
        !one.disabled,
    );
    button?.click();
    return button !== undefined;
  }, name);
/** What pressing a button saves. */
async function saved(name) {
  const before = await page.evaluate(() => window.savedBlobs.length);
  await press(name);
  await until((n) => window.savedBlobs.length > n, before);
  return page.evaluate(() => window.savedBlobs.at(-1).text());
}
let passed = 0;
async function check(what, run) {
  await run();
  assert.deepEqual(problems, [], what);
  console.log(`ok: ${what}`);
  passed += 1;
}

let failure = null;
try {
  console.log(firefox.version);
  await check("a first visit says who suffers, plays, and can be paused", async () => {
    await go("");
    await until(() => /slower than alone/.test(document.querySelector("#verdict")?.textContent));
    await until(() => Number(document.querySelector("#cycle")?.textContent?.replaceAll(",", "")) > 0);
    await press("Pause");
    await says("corun-dock .state", "Paused");
  });
  for (const name of ["bp-cfd-ccbp", "four-kernels", "tiny-bp-sad"]) {
    await check(`${name} ends like the native build`, async () => {
      const { config_hash, digest } = goldens.experiments[name];
      await go(`${link(read(`../examples/experiments/${name}.json`))}&c=${goldens.cycles}`);
      await says("#cycle", goldens.cycles.toLocaleString("en"));
      await says("corun-dock .state", "Paused");
      await press("Share this run, and help");
      const result = JSON.parse(await saved("Save the result"));
      assert.deepEqual([result.config_hash, result.digest], [config_hash, digest]);
    });
  }
  await check("two schemes side by side", async () => {
    await go("#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1&b.policy=spatial&c=20000");
    await says("#cycle", "20,000");
    await until(
      () =>
        document.querySelectorAll("corun-gpu canvas").length > 0 &&
        /A, Even split: .* B, Spatial partitioning: /s.test(document.querySelector("corun-gpu canvas").textContent),
    );
  });
  await check("a sweep gives the runner's lines", async () => {
    const sweep = read("../examples/sweeps/bandwidth.json"),
      out = join(mkdtempSync(join(tmpdir(), "corun-firefox-")), "sweep.jsonl");
    execFileSync(process.env.CORUN, ["sweep", "../examples/sweeps/bandwidth.json", "--out", out, "--jobs", "2"], {
      stdio: "pipe",
    });
    await go(`sweeps.html${link(sweep)}`);
    await attribute("html", "data-sweep", "ready");
    await press("Run");
    await attribute("html", "data-sweep", "done");
    assert.equal(await saved("Lines (JSONL)"), read(out));
  });
  await check("a figure of the paper, run again, has the stored values", async () => {
    await go("figures.html?paper=ikra&figure=fig4a");
    await attribute("html", "data-figures", "ready");
    await press("Run it again here");
    await attribute(".figure-outcome", "data-outcome", "equal");
  });
  await check("the stories run where they are read", async () => {
    await go("learn.html");
    await until(() => /\d/.test(document.querySelector(".learn-story figcaption")?.textContent ?? ""));
  });
} catch (error) {
  failure = error;
} finally {
  firefox.end();
  server.kill();
}
if (failure) {
  console.error(failure, problems);
  console.log(`${passed} passed (Firefox)\n1 failed`);
  process.exit(1);
}
console.log(`  ${passed} passed (Firefox)`);
