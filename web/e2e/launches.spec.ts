// Launches CTA by CTA, and the mesh.
import { cycle, expect, form, is, open, openAt, picture, show, test } from "./corun.ts";
import { pick } from "./menu.ts";

const STEAL = "#v=1&gpu=ikra-micro-3cu&mix=ikra/STEALING&policy=even&seed=1&cta=steal";

test("each launch is a strip of its CTAs, on the way there and back; chunks and queues are those of that cycle", async ({
  page,
}) => {
  await openAt(page, `${STEAL}&sm=1`, 60_000);
  const card = page.locator("#launches"),
    strips = card.locator("corun-launch-strips"),
    rows = strips.locator(".cv-data tbody tr");
  await show(page, "path");
  await expect(page.locator("corun-mesh canvas")).toBeVisible();
  await show(page, "sm");
  await expect(page.locator("#sm")).toContainText(/of its chunk.* \(\d+ to \d+\)\. Its steal queue: \d/);
  // What the L1Ds hold: now in the SM's panel, and when the second launch began beside what its CTAs read.
  await expect(page.locator("#sm")).toContainText(/of 8,192 words \(\d+ %\): .* owned/);
  await show(page, "launches");
  await expect(strips.locator("canvas")).toBeVisible();
  await picture(card, "launches");
  const l1 = card.locator("corun-l1");
  await expect(l1.locator("canvas")).toBeVisible();
  await expect(l1).toContainText(
    /2 of 2 that have begun.*Cycle [\d,]+: of what its CTAs read, an SM’s L1D holds \d+ %/s,
  );
  await l1.getByLabel("Launch", { exact: true }).fill("1");
  await expect(l1).toContainText("an SM’s L1D holds 0 %");
  // The address bar knows the launch, and opens with it.
  await expect(page).toHaveURL(/&launches=0\.\.0(&|$)/);
  await page.reload();
  await is(page, "Paused");
  await expect(l1).toContainText(/1 of 2 that have begun.*an SM’s L1D holds 0 %/s);
  await pick(strips, /as a table$/);
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
  await expect(page.locator("#tab-launches")).toHaveCount(0);
  await show(page, "path");
  await expect(page.locator("corun-memory-path canvas")).toBeVisible();
  await expect(page.locator("corun-mesh")).toBeHidden();
});

test("Hotspot from the menu: flip finds more in L1D than reset, because it begins where its data still are", async ({
  page,
}) => {
  await open(page, "#v=1&gpu=tiny-2sm&mix=BP&policy=even&seed=1&c=400");
  await is(page, "Paused");
  await form(page);
  await page.locator("#f-example").selectOption({ label: "Hotspot: why flip finds more in L1D than reset" });
  const card = page.locator("#launches");
  // Both have ended two launches by then.
  await expect.poll(() => cycle(page)).toBeGreaterThan(30_000);
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  await is(page, "Paused");
  await show(page, "launches");
  const differ = card.locator("corun-launches > .ln-said");
  await expect(differ).toContainText(
    /^In both runs launches 1 to \d+ took A [\d,]+ cycles, B [\d,]+ cycles \([−+±][\d.]+ %\); reads that hit L1D: A \d+ %, B \d+ %; .*flits × links: A [\d,]+, B [\d,]+ \(−[\d.]+ %\)/,
  );
  const [a = 0, b = 0] = (/L1D: A (\d+) %, B (\d+) %/.exec((await differ.textContent()) ?? "") ?? [])
    .slice(1)
    .map(Number);
  expect(b).toBeGreaterThan(a);
  await expect(card.locator("corun-l1")).toContainText(
    /B begins where its data still are: its first CTAs find \d+ % of what they read in L1D, those of A \d+ %\./,
  );
  await picture(card, "hotspot");
  await show(page, "compare");
  await expect(page.locator("#compare")).toContainText("CTA order:");
});
