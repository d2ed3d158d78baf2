// How far to trust an answer: docs/trust.md in a dialog, with a GPU's slowdowns beside the machine's as tables whose cells open their runs. Loaded when
// it is first asked for.
import "./trust.css";
import VERDICTS from "../../../docs/reference/verdicts.md?raw";
import SILICON from "../../../docs/reference/silicon.json";
import TRUST from "../../../docs/trust.md?raw";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { RunLink, Scrolls } from "../kit.tsx";
import { away, Blocks, DocumentBlock, openPage, Page, plain } from "../teach/document.tsx";
import { readMarkdown, type Block } from "../teach/markdown.ts";
import type { Experiment } from "../types.ts";

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

/** The deeper, the slower: over the logarithm, from 1 to 32. */
const depthOf = (slowdown: number): string =>
  `${Math.round((100 * Math.log(Math.min(Math.max(slowdown, 1), 32))) / Math.log(32))}%`;

function Matrix({ title, of }: { title: string; of: "measured" | "simulated" }) {
  const names = alone.filter(({ program }) => program !== null).map(({ kernel }) => kernel);
  return (
    <Scrolls class="scroll-x" label={`Table: slowdown of a row beside a column, ${title}`}>
      <table class="trust-map">
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">slowdown of ↓ beside →</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((kernel) => (
            <tr key={kernel}>
              <th scope="row">{kernel}</th>
              {names.map((beside) => {
                const pair = pairs.find((one) => one.kernel === kernel && one.beside === beside),
                  slowdown = pair?.[of];
                if (pair === undefined || slowdown == null) return <td key={beside} />;
                const text = slowdown < 10 ? slowdown.toFixed(2) : slowdown.toFixed(0);
                return (
                  <td key={beside} style={{ "--depth": depthOf(slowdown) }}>
                    {of === "simulated" ? (
                      <RunLink
                        away
                        of={{ experiment: runOf(pair) }}
                        title={`${kernel} beside ${beside}: ${pair.measured.toFixed(2)} measured. Opens the run`}
                      >
                        {text}
                      </RunLink>
                    ) : (
                      text
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
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
            <div key={i} class="trust-maps">
              <Matrix title="Measured on an H100" of="measured" />
              <Matrix title="Simulated; each opens its run" of="simulated" />
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
