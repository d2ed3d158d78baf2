// What a scheme decides on: its queues, quotas and idle warps in the run; and Algorithm 1 with numbers of one's own.
import { pack } from "../src/model/link.ts";
import { closeDrawer, expect, is, noViolations, openAt, picture, show, test } from "./corun.ts";

const link = async (experiment: object): Promise<string> => `#v=1&z=${await pack(JSON.stringify(experiment))}`;

test("under CCBP one sees what it knows of kernels and its virtual queues, under quotas their counters", async ({
  page,
}) => {
  const ccbp = { name: "ccbp", time_scale: 0.05, variant: "drf" };
  await openAt(
    page,
    await link({ corun: 1, gpu: "tiny-2sm", kernels: ["ccbp/BP", "ccbp/CFD"], policy: ccbp, stop: { cycles: 40_000 } }),
    1000,
  );
  await show(page, "decisions");
  const table = (key: string) => page.locator(`[data-table=${key}]`);
  await expect(table("ccbp")).toContainText("nothing is counted yet");
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Finished");
  await expect(table("ccbp").getByRole("row", { name: /CFD/ })).toContainText(/intensive|sensitive/);
  await expect(table("miss_queues").getByRole("columnheader", { name: "Credits left" })).toHaveCount(2);
  await noViolations(page);
  await picture(page, "decides-ccbp", true);
  await expect(table("algorithm_1")).toHaveCount(0);
  await page.getByRole("link", { name: "Algorithm 1, with numbers of your own" }).click();
  await expect(page).toHaveURL(/learn\.html#algorithm-1/);

  // The paper's Table 3, then with fewer units of bandwidth: the same function, other turns.
  const own = page.locator(".allocation"),
    last = own.locator("[data-table] tbody tr").last();
  await expect(own.locator("[data-table] tbody tr")).toHaveCount(18);
  await expect(last).toContainText("NoC bandwidth");
  await own.getByLabel("Units of bandwidth").fill("5");
  await expect(own.locator("[data-table] tbody tr")).not.toHaveCount(18);
  await own.getByLabel("NoC, units of K1").fill("much");
  await expect(own.getByRole("status")).toHaveText(/kernels\[0\]\.noc: found "much", want a number/);
  await own.getByRole("button", { name: "Table 3 again" }).click();
  await expect(own.locator("[data-table] tbody tr")).toHaveCount(18);
  await noViolations(page);
  await picture(own, "decides-algorithm");

  const kernels = [{ kernel: "ccbp/SAD", qos: 0.9 }, "ccbp/CFD"],
    qos = { name: "qos-rollover", epoch: 2000, ipc_alone: [60, 60] };
  await openAt(page, await link({ corun: 1, gpu: "tiny-2sm", kernels, policy: qos, stop: { cycles: 60_000 } }), 30_100);
  await show(page, "decisions");
  await expect(table("qos").getByRole("row", { name: /SAD/ })).toContainText("54");
  await expect(table("qos_moves").getByRole("columnheader", { name: "Idle warps" })).toHaveCount(2);
  await expect(table("quotas").getByRole("columnheader", { name: "Refill" })).toHaveCount(2);
  await picture(page, "decides-qos", true);
  await closeDrawer(page);
});

test("curves and their filling, dominant shares, limits, clusters and ways are there to be read", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const table = (key: string) => page.locator(`[data-table=${key}]`),
    watched = async (policy: object | string, at: number): Promise<void> => {
      await openAt(page, await link({ corun: 1, gpu: "tiny-2sm", kernels: ["ccbp/BP", "ccbp/CFD"], policy }), at);
      await show(page, "decisions");
    };
  // While it measures its own curves, which SM measures what; then the curves, and each turn of the filling.
  const online = { name: "ws", curves_from: "online", warm_up: 1000, window: 2000 };
  await watched(online, 2000);
  await expect(table("ws_profile").getByRole("heading")).toContainText("counted from cycle 1000 until 3000");
  await expect(table("ws_profile").locator("tbody tr")).toHaveCount(2);
  await picture(page, "decides-ws-online", true);
  await watched(online, 4000);
  await expect(table("ws_profile")).toHaveCount(0);
  await expect(table("ws_curves").getByRole("cell", { name: "chosen" })).toHaveCount(2);
  await expect(table("ws_filling").getByRole("row").last()).toContainText(/room on the SM|its own limit|no step/);
  await noViolations(page);
  await picture(page, "decides-ws", true);

  await watched({ name: "smk", warp_ipc_alone: [2, 1] }, 3000);
  await expect(table("smk").getByRole("row", { name: /BP/ })).toContainText(
    /registers|threads|shared memory|CTA slots/,
  );
  await expect(table("quotas").getByRole("columnheader", { name: "Refill" })).toHaveCount(2);
  await picture(page, "decides-smk", true);

  await watched({ name: "mil", sample: 64, interval: 100 }, 6000);
  await expect(table("mil").getByRole("columnheader", { name: "Limit" })).toHaveCount(2);
  await picture(page, "decides-mil", true);

  await watched({ name: "bmi", sample: 64, interval: 100 }, 6000);
  await expect(table("bmi").getByRole("columnheader", { name: "Cost" })).toHaveCount(1);
  await expect(table("bmi").locator("tbody tr")).toHaveCount(2);
  await expect(table("memory_quotas").getByRole("columnheader", { name: "Left" })).toHaveCount(2);
  await picture(page, "decides-bmi", true);

  // Policies that share a GPU stand below each other.
  await watched(
    [
      { name: "tcm", quantum: 2000 },
      { name: "ucp", repartition: 2000 },
    ],
    5000,
  );
  await expect(table("tcm").getByRole("heading")).toContainText("quantum 3 until cycle 6000");
  await expect(table("tcm").getByRole("row", { name: /CFD/ })).toContainText(/-sensitive/);
  await expect(table("ucp").locator("tbody tr")).toHaveCount(2);
  await expect(table("ucp_hits").getByRole("cell", { name: "given" })).not.toHaveCount(0);
  await noViolations(page);
  await picture(page, "decides-tcm-ucp", true);
});
