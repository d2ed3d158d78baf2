// A table that the engine shows: its heading, what its columns mean, and its rows, in a box that scrolls.
import "./table.css";
import { KernelName, Meanings, Scrolls, What } from "../parts/widgets.tsx";
import type { ShownTable } from "../model/types.ts";
import { begins, groups, meanings } from "./tables.ts";
import { cellText } from "../picture/parts.tsx";

export function Shown(props: {
  table: ShownTable;
  kernels: readonly string[];
  /** Of which run it is, where there are two. */
  of?: string;
}) {
  const { table, kernels, of = "" } = props,
    lines = begins(table),
    all = groups(table);
  const line = (at: number): string => (lines.has(at) ? " shown-line" : "");
  const wordy = (at: number): boolean => table.rows.some(({ cells }) => typeof cells[at] === "string");
  let at = 0;
  return (
    <section class="shown-table" data-table={table.key}>
      <h3>
        {table.title}{" "}
        <What title="the numbers of this table">
          <Meanings of={meanings(table).map(({ title, doc }) => [title, doc])} />
        </What>
      </h3>
      <p class="note">{table.doc}.</p>
      <Scrolls class="shown-scroll" label={of === "" ? table.title : `${table.title}, ${of}`}>
        <table class="numbers">
          <thead>
            {all.some(({ kernel }) => kernel !== null) && (
              <tr>
                <td />
                {all.map(({ kernel, columns }) => {
                  const first = at;
                  at += columns;
                  return kernel === null ? (
                    <td key={first} colSpan={columns} class={line(first)} />
                  ) : (
                    <th key={first} scope="colgroup" colSpan={columns} class={line(first)}>
                      <KernelName kernel={kernel} name={kernels[kernel] ?? `kernel ${kernel}`} />
                    </th>
                  );
                })}
              </tr>
            )}
            <tr>
              <th scope="col">{table.row || "Kernel"}</th>
              {table.columns.map(({ title, unit, kernel }, i) => (
                <th key={`${title} ${kernel}`} scope="col" class={`${wordy(i) ? "" : "num"}${line(i)}`}>
                  {title}
                  {unit === "" ? null : <span class="unit-of"> {unit}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map(({ name, kernel, cells }, r) => (
              <tr key={r}>
                <th scope="row">
                  {name === null ? null : `${name} `}
                  {kernel === null ? null : <KernelName kernel={kernel} name={kernels[kernel] ?? `kernel ${kernel}`} />}
                </th>
                {cells.map((cell, i) => (
                  <td key={i} class={`${wordy(i) ? "" : "num"}${line(i)}`}>
                    {cellText(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </section>
  );
}
