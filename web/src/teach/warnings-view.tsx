// What runs cannot show; of two that are compared, one after the other.
import type { warningsOf } from "./warnings.ts";

type Runs = ReturnType<typeof warningsOf>;

/** What both have in common is said once. */
export const linesOf = (runs: Runs): string[] => [
  ...new Set(
    runs.flatMap(({ mark, texts }) =>
      texts.map((text) => (mark === "" || runs.every((one) => one.texts.includes(text)) ? text : `${mark}: ${text}`)),
    ),
  ),
];

export function Warnings({ runs }: { runs: Runs }) {
  const lines = linesOf(runs);
  return lines.length === 0 ? null : (
    <ul class="warnings" aria-label="What this run cannot show">
      {lines.map((text) => (
        <li key={text}>
          <b aria-hidden="true">!</b>
          <span>{text}</span>
        </li>
      ))}
    </ul>
  );
}
