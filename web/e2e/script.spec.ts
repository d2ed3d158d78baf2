// An own policy, written in the page.
import {
  cycle,
  expect,
  form,
  is,
  noViolations,
  open,
  picture,
  result,
  show,
  state,
  test,
  watch,
  write,
} from "./corun.ts";

const TINY = "#v=1&gpu=tiny-2sm&mix=ccbp/BP+ccbp/CFD&policy=even&seed=1";

test("a policy is written in the page: names are completed, the wrong line is marked, it runs, and its link carries it", {
  tag: "@core",
}, async ({ page, watched }) => {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("corun_script")) fetched.push(request.url());
  });
  await open(page, `${TINY}&c=3000`);
  await is(page, "Paused");
  expect(fetched, "the interpreter is fetched only for a script").toEqual([]);
  await form(page);
  await page.getByLabel("Policy", { exact: true }).selectOption("script");
  const text = page.locator("#f-policy-source"),
    run = page.getByRole("button", { name: "Run this script" });
  await expect(text).toContainText("fn start");
  await expect.poll(() => fetched.length).toBeGreaterThan(0);

  // Names, with what they are.
  await write(text, "fn interval(seen, controls) {\n    ");
  await text.press("End");
  await text.pressSequentially("controls.cta_t");
  await expect(page.getByRole("option", { name: "cta_target" })).toBeVisible();
  await text.press("ArrowDown");
  await expect(page.locator(".cm-completionInfo")).toContainText("Resident CTAs of a kernel, at most");
  await text.press("Tab");
  await expect(text).toHaveText(/controls\.cta_target\[$/);

  // The line that is wrong, before anything runs.
  await write(text, "fn interval(seen, controls) {\n    controls.cta_target[0] = sene.now;\n}\n");
  await expect(page.locator(".cm-lineNumbers .wrong")).toHaveText("2");
  await expect(page.locator("#f-policy-source-problem")).toContainText("Line 2: Undefined variable: sene");

  // It runs, and says on the timeline what it does.
  await write(
    text,

    // biome-ignore lint/suspicious/noTemplateCurlyInString: the script has its own.
    "fn start(seen, controls) {\n    this.n = 0;\n}\n\nfn interval(seen, controls) {\n    this.n += 1;\n    controls.cta_target[0] = 1 + this.n % 2;\n    log(0, `turn ${this.n}`);\n}\n",
  );
  await expect(page.locator(".cm-lineNumbers .wrong")).toHaveCount(0);
  await run.click();
  await expect(run).toBeDisabled();
  await is(page, "Paused");
  await page.getByLabel("Go to cycle").fill("12000");
  await page.getByLabel("Go to cycle").press("Enter");
  await expect(page.locator("#cycle")).toHaveText("12,000");
  await is(page, "Paused");
  await show(page, "decisions");
  await expect(page.locator(".all-decisions")).toContainText("turn 2");
  await expect(page.locator(".all-decisions")).toContainText("CTA target: 1, on 2 SMs");
  await noViolations(page);
  await picture(page, "script");
  const here = await result(page);

  // The link has the script in it: another page that opens it is at the same state.
  const other = await page.context().newPage(),
    quiet = watch(other);
  await other.goto(page.url());
  await is(other, "Paused");
  await form(other);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the script has its own.
  await expect(other.locator("#f-policy-source")).toContainText("turn ${this.n}");
  expect((await result(other)).digest).toBe(here.digest);
  quiet();
  await other.close();
  watched.allow = undefined;
});

test("a script that fails, or runs away, ends the run with its line", async ({ page }) => {
  await open(page, `${TINY}&c=2000`);
  await is(page, "Paused");
  await form(page);
  await page.getByLabel("Policy", { exact: true }).selectOption("script");
  const text = page.locator("#f-policy-source");
  await expect(text).toContainText("fn start");
  await write(
    text,

    "fn interval(seen, controls) {\n    if seen.now > 9000 {\n        let gone = seen.kernels[7];\n    }\n}\n",
  );
  await text.press("Control+Enter");
  await is(page, "Paused");
  await page.getByRole("button", { name: "Play" }).click();
  await is(page, "Script failed");
  expect(await cycle(page)).toBe(10_000);
  await expect(page.getByRole("alert").filter({ hasText: "The script has failed at cycle 10,000" })).toContainText(
    "line 3: Array index 7 out of bounds",
  );
  await expect(page.locator(".cm-lineNumbers .wrong")).toHaveText("3");
  await show(page, "decisions");
  await expect(page.locator(".all-decisions")).toContainText("the script has failed: line 3");

  // One that never ends is stopped; then an example runs.
  await write(text, "fn start(seen, controls) {\n    let n = 0;\n    while true {\n        n += 1;\n    }\n}\n");
  await text.press("Control+Enter");
  await expect(page.getByRole("alert").filter({ hasText: "The script has failed at cycle 0" })).toContainText(
    "the call takes too long",
  );
  await page.getByLabel("Start from an example").selectOption("dram-turns");
  await expect(state(page)).not.toHaveText("Script failed");
  await expect(page.getByRole("alert").filter({ hasText: "has failed" })).toHaveCount(0);
});
