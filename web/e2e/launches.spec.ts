// Launches CTA by CTA, and the mesh.
import { cycle, expect, is, open, openAt, picture, test } from "./corun.ts";

const STEAL = "#v=1&gpu=ikra-micro-3cu&mix=ikra/STEALING&policy=even&seed=1&cta=steal";

test("each launch is a strip of its CTAs, on the way there and back; chunks and queues are those of that cycle", async ({ page }) => {
  await openAt(page, `${STEAL}&sm=1`, 60_000);
  const card = page.locator("#launches"), rows = card.locator(".cv-data tbody tr");
  await expect(card.locator("canvas")).toBeVisible();
  await picture(card, "launches");
  await expect(page.locator("corun-mesh canvas")).toBeVisible();
  await expect(page.locator("#sm")).toContainText(/of its chunk.* \(\d+ to \d+\)\. Its steal queue: \d/);
  await card.getByRole("button", { name: "as a table" }).click();
  await expect(rows).toHaveCount(2);
  const stolen = rows.first().locator("td").nth(5);
  expect(Number(await stolen.textContent())).toBeGreaterThan(0);
  await card.getByText("What each SM has before it").click();
  await expect(card.locator(".ln-table tbody tr")).toHaveCount(3);
  await expect(card.locator(".ln-said").last()).toContainText("Backward");

  await page.getByLabel("Go to cycle").fill("10000");
  await page.getByLabel("Go to cycle").press("Enter");
  await expect(page.locator("#cycle")).toHaveText("10,000");
  await expect(rows).toHaveCount(1);
  await expect(card.locator(".ln-said").last()).toContainText("Forward");
  await card.getByRole("button", { name: "Next CTA event" }).click();
  await expect.poll(() => cycle(page)).toBeGreaterThan(10_000);
  await is(page, "Paused");
});

test("a kernel of one launch under the order of the grid has no strips, and a crossbar no mesh", async ({ page }) => {
  await open(page, "#v=1&gpu=tiny-2sm&mix=BP&policy=even&seed=1&c=2000");
  await is(page, "Paused");
  await expect(page.locator("#launches")).toBeHidden();
  await expect(page.locator("corun-mesh")).toBeHidden();
});
