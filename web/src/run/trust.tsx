// How far to trust an answer: docs/trust.md in a dialog, with a GPU's slowdowns beside the machine's as tables whose cells open their runs. Loaded when
// it is first asked for.
import VERDICTS from "../../../docs/reference/verdicts.md?raw";
import SILICON from "../../../docs/reference/silicon.json";
import TRUST from "../../../docs/trust.md?raw";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Heat } from "../parts/heat.tsx";
import { away, Blocks, DocumentBlock, openPage, Page, plain } from "../parts/document.tsx";
import { readMarkdown, type Block } from "../model/markdown.ts";
import type { Experiment } from "../model/types.ts";

interface Pair {
  kernel: string;
  beside: string;
  measured: number;
  simulated: number | null;
}
const { alone, pairs, setting } = SILICON.h100 as unknown as {
  alone: { kernel: string; program: Experiment["kernels"][number] | null }[];
  pairs: Pair[];
  setting: Experiment;
};

/** The other kernel is there first. */
function runOf({ kernel, beside }: Pair): Experiment {
  const programs = [beside, kernel].map((name) => alone.find((one) => one.kernel === name)?.program);
  return {
    ...setting,
    name: `${kernel} beside ${beside}`,
    kernels: programs.filter((program) => program != null),
  };
}

const names = alone.filter(({ program }) => program !== null).map(({ kernel }) => kernel);
const pairOf = (kernel: string, beside: string) =>
  pairs.find((one) => one.kernel === kernel && one.beside === beside) ?? null;

function measured(kernel: string, beside: string) {
  const pair = pairOf(kernel, beside);
  return pair && { slowdown: pair.measured };
}
function simulated(kernel: string, beside: string) {
  const pair = pairOf(kernel, beside);
  return (
    pair && {
      slowdown: pair.simulated,
      run: runOf(pair),
      says: `${kernel} beside ${beside}: ${pair.measured.toFixed(2)} measured. Opens the run`,
    }
  );
}

/** The document has the drawing of both matrices in a paragraph of its own. */
const isMap = (block: Block): boolean =>
  block.kind === "paragraph" && block.text.some((part) => part.kind === "link" && part.to.endsWith("silicon.svg"));

function Trust() {
  const [text, show] = useState(TRUST),
    [head, ...blocks] = readMarkdown(text.replaceAll(/<!--.*?-->/gs, ""));
  // Of the pages that this one leads to the page has one itself.
  const link = (words: string, to: string): ComponentChildren =>
    to === "reference/verdicts.md" ? (
      <button type="button" class="text-button" onClick={() => show(VERDICTS)}>
        {words}
      </button>
    ) : (
      away(words, to)
    );
  return (
    <Page title={head?.kind === "heading" ? plain(head.text) : ""}>
      {text === TRUST ? null : (
        <p>
          <button type="button" class="text-button" onClick={() => show(TRUST)}>
            How far to trust this
          </button>
        </p>
      )}
      {text === TRUST ? (
        blocks.map((block, i) =>
          isMap(block) ? (
            <div key={i} class="heats">
              <Heat title="Measured on an H100" names={names} cell={measured} />
              <Heat title="Simulated; each opens its run" names={names} cell={simulated} />
            </div>
          ) : (
            <DocumentBlock key={i} of={block} link={link} />
          ),
        )
      ) : (
        <Blocks of={blocks} />
      )}
    </Page>
  );
}

export function openTrust(): void {
  openPage(<Trust />);
}
