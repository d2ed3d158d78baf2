// The schemes of a mix as a table that any column sorts; every row opens in Run.
import { useSignal } from "@preact/signals";
import { Scrolls, What } from "../parts/widgets.tsx";
import { MISSING, fixed } from "../model/format.ts";
import type { SchemeAnswer } from "../model/model.ts";
import { raceText } from "./scheme-points.ts";
import { plusMinus } from "../model/interval-text.ts";
import type { Result } from "../model/types.ts";
import { nextOrder, sorted, type Column, type Order, type Row } from "./table.ts";

interface Props {
  rows: readonly Row[];
  columns: readonly Column[];
  running: boolean;
  onOpen(answer: SchemeAnswer): void;
}

export function SchemesTable({ rows, columns, running, onOpen }: Props) {
  const order = useSignal<Order | null>({ key: "hspeedup", down: true });
  const heading = (key: string, title: string, column: Column | null) => {
    const mine = order.value?.key === key ? order.value : null;
    return (
      <th
        key={key}
        scope="col"
        class={column ? "num" : ""}
        aria-sort={mine === null ? "none" : mine.down ? "descending" : "ascending"}
      >
        <button
          type="button"
          class="sort"
          title={`Sort by ${title}`}
          onClick={() => {
            order.value = nextOrder(order.value, key);
          }}
        >
          {title}
          <span class="sort-sign" aria-hidden="true">
            {mine === null ? "↕" : mine.down ? "▼" : "▲"}
          </span>
        </button>
        {column && (
          <What title={title}>
            <p>{column.doc}</p>
            <p>{`Unit: ${column.unit || "none, a ratio"}`}</p>
          </What>
        )}
      </th>
    );
  };
  return (
    <Scrolls label="The schemes compared">
      <table class="numbers schemes">
        <caption class="hidden">The schemes compared</caption>
        <thead>
          <tr>
            {heading("scheme", "Scheme", null)}
            {columns.map((column) => heading(column.key, column.title, column))}
          </tr>
        </thead>
        <tbody>
          {sorted(rows, columns, order.value).map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <button
                  type="button"
                  class="link-button"
                  title={`Open ${row.name} in Run`}
                  onClick={() => onOpen(row.answer)}
                >
                  {row.name}
                </button>
                {row.deaf && <span class="beside">keeps no goals</span>}
                {row.answer.result && <Ended result={row.answer.result} />}
                {raceText(row.answer) !== "" && <span class="beside">{raceText(row.answer)}</span>}
              </th>
              {row.answer.result ? (
                columns.map((column) => (
                  <Figure key={column.key} column={column} result={row.answer.result as Result} />
                ))
              ) : (
                <td colSpan={columns.length} class="schemes-why">
                  {running ? "waiting" : "not run"}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolls>
  );
}

/** Where it ended otherwise than it was to. */
function Ended({ result }: { result: Result }) {
  return result.stop === "stuck" || result.stop === "failed" ? (
    <span class="beside">{`${result.stop} at ${fixed(result.cycles, 0)}`}</span>
  ) : null;
}

function Figure({ column, result }: { column: Column; result: Result }) {
  const value = column.read(result),
    text = column.format(value);
  return (
    <td class="num">
      <span class="with-beside">
        <span class="value" {...(text === MISSING ? { "data-missing": "", title: "no data" } : {})}>
          {text}
        </span>
        {column.said && <span class="beside said">{column.said(value)}</span>}
        <span class="beside">{plusMinus(value, column.ends(result), column.format)}</span>
      </span>
    </td>
  );
}
