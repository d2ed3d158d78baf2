// A figure or a run as one HTML file: a picture with its numbers at once, live when asked, and nothing is fetched. No DOM.
import { escapeXml } from "../picture/svg.ts";
import { cellText } from "../picture/parts.tsx";
import type { Tabular } from "../model/tabular.ts";

export interface FrozenRun {
  name: string;
  /** The page's address of it, from its `#` on. */
  link: string;
  /** What the run ends with, where the picture is of its end; of two that are compared, both with a + between them. */
  digest: string | null;
}
export interface Frozen {
  title: string;
  /** What is said above the picture. */
  says: string;
  /** An SVG document. */
  picture: string;
  numbers: Tabular;
  stamp: string;
  /** What can be run in the file. */
  runs: readonly FrozenRun[];
  theme: "light" | "dark" | null;
}
/** What every file has: its looks, and what makes it live. */
export interface Live {
  looks: string;
  /** The script that starts the widget (frozen-boot.js). */
  boot: string;
  /** The text of widget.mjs. */
  widget: string;
  /** The module, compressed by gzip, in base64. */
  wasm: string;
}

function tableText({ title, columns, rows }: Tabular): string {
  const head = columns.map(
    (column) => `<th scope="col">${escapeXml(column.unit ? `${column.title} (${column.unit})` : column.title)}</th>`,
  );
  const body = rows.map(
    (row) =>
      `<tr>${row.map((cell, i) => (i === 0 ? `<th scope="row">${escapeXml(cellText(cell))}</th>` : `<td>${escapeXml(cellText(cell))}</td>`)).join("")}</tr>`,
  );
  return `<table><caption>${escapeXml(title)}</caption><thead><tr>${head.join("")}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

/** As JSON that may stand in a script element. */
const data = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c");

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The file. */
export function fileOf(frozen: Frozen, live: Live): string {
  const { title, says, picture, numbers, stamp, runs, theme } = frozen;
  const choice =
    runs.length > 1
      ? `<label>Run <select id="run">${runs.map(({ name }, i) => `<option value="${i}">${escapeXml(name)}</option>`).join("")}</select></label>`
      : "";
  return `<!doctype html>
<html lang="en"${theme === null ? "" : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeXml(title)}</title>
<style>${live.looks}</style>
</head>
<body>
<main>
<h1>${escapeXml(title)}</h1>
<p class="says">${escapeXml(says)}</p>
<figure>${picture}</figure>
<details><summary>Numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="Numbers">${tableText(numbers)}</div></details>
<p class="stamp">${escapeXml(stamp)}</p>
<section aria-label="Live">
<p class="go">${choice}<button type="button" id="go">Run it here</button> <span id="same" role="status"></span></p>
<div id="live"></div>
</section>
</main>
<script type="application/json" id="runs">${data(runs)}</script>
<script type="application/json" id="widget">${data(live.widget)}</script>
<script type="text/plain" id="wasm">${live.wasm}</script>
<script type="module">
${live.boot}</script>
</body>
</html>
`;
}
