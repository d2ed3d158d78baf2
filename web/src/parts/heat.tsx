// Slowdowns of kernels beside each other as a table in shades; what was simulated opens its run.
import "./heat.css";
import type { ComponentChildren } from "preact";
import { MISSING } from "../model/format.ts";
import { RunLink, Scrolls } from "./widgets.tsx";
import type { Experiment } from "../model/types.ts";

interface Cell {
  slowdown: number | null;
  /** Below it, smaller. */
  detail?: string;
  run?: Experiment | null;
  says?: string;
  /** More is told of it elsewhere, as now, or when it is pressed. */
  told?: boolean;
  press?(): void;
}

/** The deeper, the slower, or in another colour the faster: over the logarithm, from 1 to so many times. */
function shade(slowdown: number, most: number): Record<string, string> {
  const depth = Math.min(1, Math.abs(Math.log(slowdown)) / Math.log(most));
  return { "--depth": `${Math.round(100 * depth)}%`, "--shade": slowdown < 1 ? "var(--accent)" : "var(--danger)" };
}

function Slowdown({ of: { slowdown, detail, run, says, told = false, press }, most }: { of: Cell; most: number }) {
  if (slowdown === null && !press) return <td title={says}>{MISSING}</td>;
  const text = (
    <>
      {slowdown === null ? MISSING : slowdown < 10 ? slowdown.toFixed(2) : slowdown.toFixed(0)}
      {detail && <small>{detail}</small>}
    </>
  );
  return (
    <td style={shade(slowdown ?? 1, most)}>
      {run ? (
        <RunLink away of={{ experiment: run }} {...(says ? { title: says } : {})}>
          {text}
        </RunLink>
      ) : press ? (
        <button type="button" class="heat-cell" title={says} aria-pressed={told} onClick={press}>
          {text}
        </button>
      ) : (
        text
      )}
    </td>
  );
}

/** `cell`: of a kernel beside another; null for what is not there. */
export function Heat(props: {
  title: string;
  /** The rows, and the columns where `beside` has no others. */
  names: readonly string[];
  beside?: readonly string[];
  /** What a name is called; itself if left out. */
  called?(name: string): ComponentChildren;
  /** The slowdown that is the deepest. */
  most?: number;
  cell(kernel: string, beside: string): Cell | null;
}) {
  const { title, names, beside = names, called = (name) => name, most = 32, cell } = props;
  return (
    <Scrolls class="scroll-x" label={`Table: slowdown of a row beside a column, ${title}`}>
      <table class="heat">
        <caption>
          {title}
          <small>
            faster <i /> {most}× slower
          </small>
        </caption>
        <thead>
          <tr>
            <th scope="col">slowdown of ↓ beside →</th>
            {beside.map((name) => (
              <th key={name} scope="col">
                {called(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((kernel) => (
            <tr key={kernel}>
              <th scope="row">{called(kernel)}</th>
              {beside.map((name) => {
                const of = cell(kernel, name);
                return of ? <Slowdown key={name} {...{ of, most }} /> : <td key={name} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}
