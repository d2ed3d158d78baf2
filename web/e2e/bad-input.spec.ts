// Every malformed experiment that the runner is held to (tests/suite/bad_input.rs), opened on the page: each gets its words, and the
// run that was there before goes on being shown.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, form, openAt, test } from "./corun.ts";

interface Case {
  name: string;
  paths: string[];
  input?: unknown;
  text?: string;
  bytes?: string;
  repeat?: { before: string; part: string; times: number; after: string };
}
const cases = JSON.parse(readFileSync("../tests/bad_input/cases.json", "utf8")) as Case[];

interface Judged {
  /** It was opened, and this is what the engine says of it, path by path. */
  problems: string;
  /** It could not be opened, and this is why. */
  refused: string;
}

/** Opens one file after the other, as choosing it does, and gives what the page says of each. In one go: every case asks the page to judge once. */
function judge(page: Page, files: readonly { name: string; of: Case }[]): Promise<Judged[]> {
  return page.evaluate(async (all) => {
    const text = (selector: string): string =>
      [...document.querySelectorAll(selector)]
        .filter((e) => e.checkVisibility())
        .map((e) => e.textContent)
        .join("\n");
    const content = ({ text: whole, bytes, repeat, input }: Case): BlobPart => {
      if (bytes !== undefined) return Uint8Array.from(bytes.match(/../g) ?? [], (two) => Number.parseInt(two, 16));
      return (
        whole ?? (repeat ? repeat.before + repeat.part.repeat(repeat.times) + repeat.after : JSON.stringify(input))
      );
    };
    const judged: Judged[] = [];
    for (const { name, of } of all) {
      // What is read is this case's: what the case before left is not in another list.
      const before = document.querySelector(".problems ul"),
        data = new DataTransfer(),
        input = document.querySelector<HTMLInputElement>("#f-open-file") as HTMLInputElement;
      data.items.add(new File([content(of)], name));
      input.files = data.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
      for (;;) {
        // What has nothing of Corun's in it is refused by who reads timelines.
        const problems = text(".problems"),
          refused = text(".section-file .field-problem, dialog[open]");
        const said = refused.includes(`“${name}” cannot be opened`) || refused.includes(`“${name}” cannot be read`);
        const list = document.querySelector(".problems ul");
        if (said || (list !== null && list !== before)) {
          judged.push({ problems, refused: said ? refused : "" });
          document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
          break;
        }
        await new Promise((wake) => setTimeout(wake, 20));
      }
    }
    return judged;
  }, files);
}

const PARTS = 2;

for (let part = 0; part < PARTS; part += 1)
  test(`each malformed experiment gets its named error on the page, ${part + 1} of ${PARTS}`, async ({ page }) => {
    const mine = cases.filter((_, i) => i % PARTS === part);
    expect(mine.length).toBeGreaterThanOrEqual(60);
    await openAt(page, "#v=1&gpu=tiny-2sm&mix=ccbp/BP&policy=even&seed=1", 100);
    await form(page);
    const file = (i: number): string => `case-${i}.json`;
    const judged = await judge(
      page,
      mine.map((of, i) => ({ name: file(i), of })),
    );
    const wrong = mine.flatMap((one, i) => {
      const { problems, refused } = judged[i] as Judged;
      // What is no experiment at all is refused with the file's name; the rest is judged by the engine.
      if (refused !== "") return refused.length < file(i).length + 40 ? [`${one.name}: it does not say why`] : [];
      return one.paths
        .filter((path) => path !== "(whole)" && !problems.includes(path))
        .map((path) => `${one.name}: ${path} is not in “${problems.slice(0, 200)}”`);
    });
    expect(wrong).toEqual([]);
    await page.setInputFiles("#f-open-file", {
      name: "good.json",
      mimeType: "application/json",
      buffer: Buffer.from('{"corun":1,"gpu":"tiny-2sm","kernels":["ccbp/BP"]}'),
    });
    await expect(page.locator(".problems")).toBeHidden();
    await expect(page.locator("#pictures")).toBeVisible();
  });
