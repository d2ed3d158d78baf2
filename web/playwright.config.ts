import { defineConfig } from "@playwright/test";
import { existsSync } from "node:fs";

// The system's Chromium; nothing is downloaded. CHROMIUM_PATH names another one.
const executablePath =
  process.env["CHROMIUM_PATH"] ?? (existsSync("/usr/bin/chromium") ? "/usr/bin/chromium" : undefined);

// Another port for a second run at the same time.
const port = process.env["PORT"] ?? "4173";
const baseURL = `http://127.0.0.1:${port}/some/sub/folder/`;

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results/e2e",
  // Several times what anything needs on two cores that others use too, so that only what hangs runs into it; and that costs a minute or two.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  workers: 2,
  // What passes only the second time is a race, in the page or in the test: the end of the log lists it with what failed.
  retries: 1,
  reporter: [["list"], ["./e2e/failures.ts"]],
  use: {
    baseURL,
    browserName: "chromium",
    headless: true,
    // Also of what waits to be pressed; else it would wait for as long as its test may take.
    actionTimeout: 60_000,
    navigationTimeout: 60_000,
    screenshot: "only-on-failure",
    permissions: ["clipboard-read", "clipboard-write"],
    // It would keep a copy of the page for each test; the one that asks for it lets it.
    serviceWorkers: "block",
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--disable-gpu",
        // A window loads a page of its own for the suggestions of its address bar: a third of what it costs to open ours. The last list counts, so
        // that what Playwright would switch off stands here, too, as far as it matters to a page from this machine.
        "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,PreloadTopChromeWebUI," +
          "AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,PaintHolding,OptimizationHints,PreconnectToSearch",
      ],
    },
  },
  // A server that knows nothing of WebAssembly, under a sub-path: the least that a static host gives.
  webServer: {
    command: "node e2e/serve.mjs",
    url: baseURL,
    reuseExistingServer: false,
    timeout: 60_000,
  },
});
