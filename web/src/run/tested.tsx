// How verdicts are tested: docs/reference/verdicts.md in a dialog. Loaded when it is first asked for.
import VERDICTS from "../../../docs/reference/verdicts.md?raw";
import { Blocks, openPage, Page, plain } from "../teach/document.tsx";
import { readMarkdown } from "../teach/markdown.ts";

export function openTested(): void {
  const [head, ...blocks] = readMarkdown(VERDICTS);
  openPage(
    <Page title={head?.kind === "heading" ? plain(head.text) : ""}>
      <Blocks of={blocks} />
    </Page>,
  );
}
