// Big and small SMs: who goes where, why, and what it is worth.
import { expect, openAt, show, test } from "./corun.ts";
import { pack } from "../src/model/link.ts";

test("FDTD3D goes to the big SMs and SYR2K to the small ones; one press shows it the other way round", {
  tag: "@core",
}, async ({ page }) => {
  const experiment = {
    corun: 1,
    gpu: "hetero-8b8s",
    kernels: ["hetero/FDTD3D", "hetero/SYR2K"],
    policy: { name: "hetero-dynamic", again: "never" },
    stop: { cycles: 60_000 },
  };
  await openAt(page, `#v=1&z=${await pack(JSON.stringify(experiment))}`, 45_000);
  await show(page, "decisions");
  const decided = page.locator(".all-decisions");
  await expect(decided).toContainText(/FDTD3D[\s\S]*gets 8 big SMs/);
  await expect(decided).toContainText(/SYR2K[\s\S]*gets 8 small SMs/);
  await expect(decided).toContainText(
    /makes [\d.]+ instructions a cycle on big SMs, [\d.]+ on small ones, [\d.]+ on uniform ones/,
  );
  await expect(decided).toContainText(
    /goes to the big SMs: all speeds add up to [\d.]+ of those on uniform SMs, to [\d.]+ at most in any other way/,
  );
  await decided.getByRole("button", { name: "Swap the assignment" }).click();
  const second = decided.locator(".decided-run").nth(1);
  await expect(second).toContainText(/FDTD3D[\s\S]*gets 8 small SMs/);
  await expect(second).toContainText(/SYR2K[\s\S]*gets 8 big SMs/);
  await expect(page.locator("#choices .differs")).toHaveText(["Scheme: swap: yes"]);
});
