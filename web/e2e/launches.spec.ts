// Launches CTA by CTA, and the mesh.
import { expect, is, open, openAt, picture, show, test } from "./corun.ts";
import { pick } from "./menu.ts";

const STEAL = "#v=1&gpu=ikra-micro-3cu&mix=ikra/STEALING&policy=even&seed=1&cta=steal";

test("each launch is a strip of its CTAs, on the way there and back", async ({ page }) => {
  await openAt(page, `${STEAL}&sm=1`, 60_000);
  const card = page.locator("#launches"),
    strips = card.locator("corun-launches"),
    rows = strips.locator(".cv-data tbody tr");
  await show(page, "path");
  await expect(page.locator("corun-mesh canvas")).toBeVisible();
  await expect(page.locator("corun-sm-detail")).toContainText(/of its chunk.* \(\d+ to \d+\)\. Its steal queue: \d/);
  await expect(page.locator("corun-sm-detail")).toContainText(/of 8,192 words \(\d+ %\): .* owned/);
  await show(page, "launches");
  await expect(strips.locator("canvas")).toBeVisible();
  await picture(card, "launches");
  await pick(strips, /as a table$/);
  await expect(rows).toHaveCount(2);
  // Of the kernel, its run and its launch stand before it.
  const stolen = rows.first().locator("td").nth(6);
  expect(Number(await stolen.textContent())).toBeGreaterThan(0);

  await page.getByLabel("Go to cycle").fill("10000");
  await page.getByLabel("Go to cycle").press("Enter");
  await expect(page.locator("#cycle")).toHaveText("10,000");
  await expect(rows).toHaveCount(1);
});

test("a kernel of one launch under the order of the grid has no strips, and a crossbar no mesh", async ({ page }) => {
  await open(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP&policy=even&seed=1&c=2000");
  await is(page, "Paused");
  await expect(page.locator("#tab-launches")).toHaveCount(0);
  await show(page, "path");
  await expect(page.locator("corun-memory-path canvas")).toBeVisible();
  await expect(page.locator("corun-mesh")).toBeHidden();
});
