// Every malformed experiment that the runner is held to (tests/bad_input.rs), opened on the page: each gets its words, and the
// run that was there before goes on being shown.
import { readFileSync } from "node:fs";
import { expect, openAt, test } from "./corun.ts";

interface Case {
  name: string;
  paths: string[];
  input?: unknown;
  text?: string;
  bytes?: string;
  repeat?: { before: string; part: string; times: number; after: string };
}
const cases = JSON.parse(readFileSync("../tests/bad_input/cases.json", "utf8")) as Case[];

function content(of: Case): Buffer {
  if (of.text !== undefined) return Buffer.from(of.text);
  if (of.bytes !== undefined) return Buffer.from(of.bytes, "hex");
  if (of.repeat) return Buffer.from(of.repeat.before + of.repeat.part.repeat(of.repeat.times) + of.repeat.after);
  return Buffer.from(JSON.stringify(of.input));
}

const PARTS = 3;

for (let part = 0; part < PARTS; part += 1)
  test(`each malformed experiment gets its named error on the page, ${part + 1} of ${PARTS}`, async ({ page }) => {
    const mine = [...cases.entries()].filter(([i]) => i % PARTS === part);
    expect(mine.length).toBeGreaterThanOrEqual(40);
    await openAt(page, "#v=1&gpu=tiny-2sm&mix=BP&policy=even&seed=1", 100);
    const summary = page.locator(".problems");
    const refused = page.locator(".section-file .field-problem");
    const wrong: string[] = [];
    for (const [i, one] of mine) {
      const file = `case-${i}.json`;
      // What the case before left is taken away, so that what is read is this one's.
      await page.evaluate(() => {
        for (const old of document.querySelectorAll(".problems li, .section-file .field-problem")) old.textContent = "";
      });
      await page.setInputFiles("#f-open-file", { name: file, mimeType: "application/json", buffer: content(one) });
      // What is no experiment at all is refused with the file's name; the rest is judged by the engine, path by path.
      const said = refused.filter({ hasText: `“${file}” cannot be opened` });
      await summary.filter({ hasText: /: / }).or(said).filter({ visible: true }).first().waitFor();
      if (await said.isVisible()) {
        if (((await said.textContent()) ?? "").length < file.length + 40)
          wrong.push(`${one.name}: it does not say why`);
        continue;
      }
      const text = (await summary.textContent()) ?? "";
      for (const path of one.paths)
        if (path !== "(whole)" && !text.includes(path))
          wrong.push(`${one.name}: ${path} is not in “${text.slice(0, 200)}”`);
    }
    await page.setInputFiles("#f-open-file", {
      name: "good.json",
      mimeType: "application/json",
      buffer: Buffer.from('{"corun":1,"gpu":"tiny-2sm","kernels":["BP"]}'),
    });
    await expect(summary).toBeHidden();
    expect(wrong).toEqual([]);
    await expect(page.locator("#pictures")).toBeVisible();
  });
