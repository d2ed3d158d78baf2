// A table that the engine shows: its heading, what its columns mean, and its rows, in a box that scrolls.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { definition, h } from "../dom.ts";
import { Swatch } from "../make/kit.tsx";
import type { ShownTable } from "../types.ts";
import { begins, cellText, groups, meanings } from "./model.ts";

function Meanings({ of }: { of: ShownTable }) {
  const place = useRef<HTMLSpanElement>(null),
    all = meanings(of),
    key = JSON.stringify(all);
  useLayoutEffect(() => {
    const list = all.flatMap(({ title, doc }) => [h("dt", null, title), h("dd", null, doc)]);
    place.current?.replaceChildren(definition("the numbers of this table", h("dl", { class: "what-list" }, ...list)));
  }, [key]);
  return <span ref={place} />;
}

const Kernel = ({ kernel, kernels }: { kernel: number; kernels: readonly string[] }) => (
  <span class="kernel-name">
    <Swatch kernel={kernel} />
    <span>{kernels[kernel] ?? `kernel ${kernel}`}</span>
  </span>
);

/** A box that scrolls. */
export const Scrolls = ({ name, children }: { name: string; children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
  <section class="watch-scroll" tabIndex={0} aria-label={name}>
    {children}
  </section>
);

export function Shown(props: {
  table: ShownTable;
  kernels: readonly string[];
  /** Of which run it is, where there are two. */
  of?: string;
  /** Between the heading and the table. */
  children?: ComponentChildren;
}) {
  const { table, kernels, of = "", children } = props,
    lines = begins(table),
    all = groups(table);
  const line = (at: number): string => (lines.has(at) ? " watch-line" : "");
  const wordy = (at: number): boolean => table.rows.some(({ cells }) => typeof cells[at] === "string");
  let at = 0;
  return (
    <section class="watch-table" data-table={table.key}>
      <h3>
        {table.title} <Meanings of={table} />
      </h3>
      <p class="note">{table.doc}.</p>
      {children}
      <Scrolls name={of === "" ? table.title : `${table.title}, ${of}`}>
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
                      <Kernel kernel={kernel} kernels={kernels} />
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
                  {kernel === null ? null : <Kernel kernel={kernel} kernels={kernels} />}
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
