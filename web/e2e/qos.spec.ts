// A promise to a kernel: made in the form, seen in the chart, the numbers and the verdict, and carried by the link.
import { pack } from "../src/model/link.ts";
import { expect, form, is, noViolations, openAt, picture, result, show, test } from "./corun.ts";
import { pick } from "./menu.ts";

test("a goal is set by its slider, drawn in the chart, and said to be missed or reached", async ({ page }) => {
  await openAt(page, "#v=1&gpu=tiny-2sm&mix=ccbp/SAD+VADD&policy=even&seed=1", 4000);
  await form(page);
  await page.getByLabel("Goal", { exact: true }).first().selectOption("percent");
  const slider = page.getByRole("slider", { name: "Goal of SAD, by slider" });
  await expect(slider).toHaveValue("80");
  await slider.fill("95");
  await expect(page.getByRole("spinbutton", { name: "Goal of SAD, % of its IPC alone" })).toHaveValue("95");
  await is(page, "Paused");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(page.locator("#verdict")).toContainText(/SAD (keeps|misses) its promise,? (with|by) [\d.]+ %/);
  await show(page, "numbers");
  const promised = page.getByRole("region", { name: /What each kernel is promised|The numbers compared/ }).first();
  await expect(promised).toContainText("Goal reached");
  const { kernels } = await result(page);
  const sad = kernels[0] as unknown as { goal_ipc: number; goal_reached: number; ipc: number; ipc_alone: number };
  expect(sad.goal_ipc / sad.ipc_alone).toBeCloseTo(0.95, 10);
  expect(sad.goal_reached).toBeCloseTo(sad.ipc / sad.goal_ipc, 10);
  await expect(page.locator("corun-editor")).toBeVisible();
  await noViolations(page);
  await picture(page, "goal", true);

  // The link carries it; an IPC that no GPU has is named at its field.
  await page.reload();
  await form(page);
  await expect(page.getByRole("slider", { name: "Goal of SAD, by slider" })).toHaveValue("95");
  await page.getByLabel("Goal", { exact: true }).nth(1).selectOption("ipc");
  const ipc = page.getByRole("spinbutton", { name: "Goal of VADD, thread instructions a cycle" });
  await ipc.fill("99999");
  await ipc.press("Enter");
  await expect(page.locator("#f-kernels-1-qos-problem")).toContainText("the GPU's peak");
});

test("what is left of each quota is in every SM's card, in the open SM and in the table", async ({ page }) => {
  const experiment = {
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["ccbp/BP", "ccbp/CFD"],
    policy: { name: "manual", controls: { thread_quota: [null, 2000], quota_interval: 4000 } },
  };
  await openAt(page, `#v=1&z=${await pack(JSON.stringify(experiment))}&sm=1`, 7000);
  await expect(page.locator("corun-sm-detail")).toContainText(/Quota of CFD\s*-?[\d,]+ left of 2,000 instructions/);
  await expect(page.locator("corun-sm-detail").getByText("Quota of BP")).toBeHidden();
  await page.getByRole("button", { name: "All SMs" }).click();
  await pick(page.locator("corun-gpu"), /table/i);
  await expect(page.locator("corun-gpu").getByRole("columnheader", { name: "Quota left of CFD" })).toBeVisible();
  await noViolations(page);
  await pick(page.locator("corun-gpu"), /table/i);
  await picture(page.locator("#gpu"), "quota");
});

test("SAD beside cutcp keeps 80 % of its speed under rollover, and not under an even split", async ({ page }) => {
  const kernels = [{ kernel: "qos/SAD", qos: 0.8 }, "qos/CUTCP"],
    cycles = 120_000;
  await openAt(
    page,
    `#v=1&z=${await pack(JSON.stringify({ corun: 1, gpu: "qos-16sm", kernels, policy: "even", stop: { cycles } }))}`,
    1,
  );
  const said = page.locator("#verdict");
  await page.getByRole("button", { name: "Play" }).click();
  await expect(said).toContainText(/SAD misses its promise by \d+ %/);
  await is(page, "Finished");
  await form(page);
  await show(page, "why");
  const warned = page.locator("#why");
  await expect(warned).toContainText("a goal for SAD, which policy even does not know");
  await page.getByLabel("Policy", { exact: true }).selectOption("qos-rollover");
  await expect(warned).not.toContainText("a goal for SAD, which policy even does not know");
  // What ran, runs again by itself.
  await is(page, "Finished");
  await expect(said).toContainText(/SAD keeps its promise, with [\d.]+ % to spare/);
  // How much slower CUTCP is, 120,000 cycles are too few to say; what holds it back is known.
  await expect(said).toContainText(/The scheme's quota holds CUTCP back in \d+ % of the cycles/);
  await show(page, "decisions");
  await expect(page.locator(".all-decisions")).toContainText("80 % of");

  const panel = page.locator(".all-decisions"),
    listed = panel.getByRole("list", { name: "Launches, switches and decisions" });
  await panel.getByText("Every decision, launch and switch").click();
  await expect(listed).toContainText("SAD is behind its goal: one CTA more on");
  await panel.getByLabel("Show").selectOption("context switches of CTAs");
  await expect(listed).toContainText(/cycle [\d,]+ context switches take \d+ CTAs? of CUTCP off/);
  await expect(listed).not.toContainText("goal");
  await panel.getByLabel("Show").selectOption("quotas on top");
  await expect(listed).toContainText(/cycle [\d,]+ CUTCP gets its quota on top (once|[\d,]+ times), all SMs together/);
  await expect(listed).not.toContainText("SAD");
  await panel.getByLabel("Show").selectOption("decisions: SM CTAs");
  await expect(listed).toContainText(/CUTCP gives up \d+ CTAs on SMs/);
  await expect(listed).not.toContainText("quota");
});
