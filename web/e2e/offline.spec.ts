import { expect, test } from "@playwright/test";

test.use({ serviceWorkers: "allow" });

test("after the first visit the page works without a network", { tag: "@core" }, async ({ page, context }) => {
  await page.goto("./#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&c=500");
  await expect(page.locator("#cycle")).toHaveText("500");
  await page.waitForFunction(async () => (await navigator.serviceWorker.ready).active?.state === "activated");
  await context.setOffline(true);
  await page.goto("./#v=1&gpu=tiny-2sm&mix=ccbp/CFD+ccbp/BP&policy=even&c=600");
  await page.reload();
  await expect(page.locator("#cycle")).toHaveText("600");
});
