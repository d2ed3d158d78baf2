// The trace of a run from the page: the very bytes of the native runner, saved, or handed to Perfetto's page.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeLink } from "../src/model/link.ts";
import type { Experiment } from "../src/model/types.ts";
import { expect, noViolations, open, saved, share, test } from "./corun.ts";

const CORUN = process.env["CORUN"] ?? "../target/debug/corun";

/** Stands in for Perfetto's page, which takes traces in this way. */
const PERFETTO = `<!doctype html><title>Perfetto</title><script>
addEventListener("message", ({ data, source, origin }) => {
  if (data === "PING") source.postMessage("PONG", origin);
  else if (data.perfetto) document.title = data.perfetto.title + ": " + data.perfetto.buffer.byteLength;
});
</script>`;

test("a trace made in the page is the native one, byte for byte, and Perfetto gets all of it", async ({
  page,
  context,
}) => {
  await context.route("https://ui.perfetto.dev/**", (route) =>
    route.fulfill({ contentType: "text/html", body: PERFETTO }),
  );
  const folder = mkdtempSync(join(tmpdir(), "corun-trace-"));
  const experiment = (policy: string): Experiment => ({
    corun: 1,
    gpu: "tiny-2sm",
    kernels: ["ccbp/BP", "ccbp/SAD"],
    policy,
    seed: 3,
    stop: { cycles: 50_000 },
  });
  for (const policy of ["even", "ccbp"]) {
    const file = join(folder, `${policy}.json`),
      out = join(folder, `${policy}-trace.json`);
    writeFileSync(file, JSON.stringify(experiment(policy)));
    execFileSync(CORUN, ["run", file, "--json", "--no-store", "--trace", out], { stdio: "pipe" });
    await open(page, await encodeLink({ experiment: experiment(policy), view: { cycle: 1000 } }));
    await share(page, "Trace");
    const dialog = page.getByRole("dialog", { name: "Trace of the run: " }),
      save = dialog.getByRole("button", { name: /^Save the file, [\d.]+ MB$/ });
    await expect(save).toBeVisible({ timeout: 60_000 });
    const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
    const native = readFileSync(out, "utf8");
    expect((await saved(download)).text === native, policy).toBe(true);
    for (const kind of ["launch", "cta"]) expect(native).toContain(`"cat":"${kind}"`);
    expect(native.match(/"ph":"i"/g)?.length, "decisions").toBeGreaterThan(1);
    await noViolations(page);
    const [away] = await Promise.all([
      context.waitForEvent("page"),
      dialog.getByRole("button", { name: "Open in Perfetto" }).click(),
    ]);
    await expect(away).toHaveTitle(new RegExp(`^BP \\+ SAD, .*: ${Buffer.byteLength(native)}$`));
    await expect(dialog.getByText("Perfetto has it.")).toBeVisible();
    await away.close();
  }
});
