// How verdicts are tested: docs/reference/verdicts.md in a dialog. Loaded when it is first asked for.
import VERDICTS from "../../../docs/reference/verdicts.md?raw";
import { blockOf, DocumentDialog } from "../teach/document.ts";
import { h } from "../dom.ts";
import { readMarkdown } from "../teach/markdown.ts";

export function openTested(): void {
  const [head, ...blocks] = readMarkdown(VERDICTS),
    title = head?.kind === "heading" ? head.text.map(({ text }) => text).join("") : "";
  const dialog = new DocumentDialog(title);
  dialog.body.append(
    ...blocks.map((block) =>
      blockOf(block, (text, to) => h("a", { href: to, target: "_blank", rel: "noopener noreferrer" }, text)),
    ),
  );
  dialog.open();
}
