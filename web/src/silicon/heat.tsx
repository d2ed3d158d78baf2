// Slowdowns of kernels beside each other as a table in shades; what was simulated opens its run.
import "./heat.css";
import { MISSING } from "../model/format.ts";
import { RunLink, Scrolls } from "../parts/widgets.tsx";
import type { Experiment } from "../model/types.ts";

interface Cell {
  slowdown: number | null;
  run?: Experiment | null;
  says?: string;
}

/** The deeper, the slower: over the logarithm, from 1 to 32. */
const depthOf = (slowdown: number): string =>
  `${Math.round((100 * Math.log(Math.min(Math.max(slowdown, 1), 32))) / Math.log(32))}%`;

function Slowdown({ of: { slowdown, run, says } }: { of: Cell }) {
  if (slowdown === null) return <td>{MISSING}</td>;
  const text = slowdown < 10 ? slowdown.toFixed(2) : slowdown.toFixed(0);
  return (
    <td style={{ "--depth": depthOf(slowdown) }}>
      {run ? (
        <RunLink away of={{ experiment: run }} {...(says ? { title: says } : {})}>
          {text}
        </RunLink>
      ) : (
        text
      )}
    </td>
  );
}

/** `cell`: of a kernel beside another; null for what is not there. */
export function Heat(props: {
  title: string;
  names: readonly string[];
  cell(kernel: string, beside: string): Cell | null;
}) {
  const { title, names, cell } = props;
  return (
    <Scrolls class="scroll-x" label={`Table: slowdown of a row beside a column, ${title}`}>
      <table class="heat">
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
                const of = cell(kernel, beside);
                return of ? <Slowdown key={beside} of={of} /> : <td key={beside} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}
