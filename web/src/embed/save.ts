// Saves what the page shows as one HTML file, which needs neither the page nor a network. Loaded when it is first asked for.
import { download } from "../parts/dom.ts";
import { themeOf } from "../picture/theme.ts";
import { toSvg } from "../picture/svg.ts";
import { encodeLink } from "../model/link.ts";
import { isDark } from "../parts/palette.ts";
import type { RunSide } from "../model/model.ts";
import { currentStamp, stampName, stampText } from "../model/stamp.ts";
import type { Catalogue, Figure } from "../model/types.ts";
import type { SmModel } from "../picture/sm-model.ts";
import { tableOf, type FigureDocument } from "./figure-document.ts";
import wasmUrl from "../wasm/corun_script_bg.wasm?url";
import boot from "./frozen-boot.js?raw";
import { fileOf, type Frozen, type FrozenRun, type Live } from "./frozen.ts";
import looks from "./frozen.css?inline";
import { drawRun } from "./picture.ts";
import { numbersOf, sentence, stampOf, titleOf } from "./says.ts";

/** Pixels of the picture of a run. */
const WIDTH = 860;

async function fetched(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} could not be fetched: ${response.status} ${response.statusText}`);
  return response;
}

async function base64(bytes: ReadableStream): Promise<string> {
  const packed = new Uint8Array(await new Response(bytes.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
  let letters = "";
  // An argument a byte: more at once than a few thousand are too many.
  for (let at = 0; at < packed.length; at += 0x8000)
    letters += String.fromCharCode(...packed.subarray(at, at + 0x8000));
  return btoa(letters);
}

/** With the module that runs scripts: the other one would make the file a quarter smaller, and the widget another. */
async function save(name: string, frozen: Frozen): Promise<void> {
  const [widget, wasm] = await Promise.all([fetched("./widget.mjs"), fetched(wasmUrl)]);
  const live: Live = { widget: await widget.text(), wasm: await base64(wasm.body as ReadableStream), boot, looks };
  download(name, fileOf(frozen, live), "text/html");
}

/** What the page shows of a run, or of two. `models`: their SMs as they stand. */
type Shown = [sides: readonly RunSide[], models: readonly SmModel[], catalogue: Catalogue | null];

const titled = (...[sides, , catalogue]: Shown): string =>
  titleOf(
    sides.map(({ experiment }) => experiment),
    catalogue,
  );

/** The bars and all SMs. */
function pictureOf(...shown: Shown): string {
  const [sides, models] = shown;
  const drawing = drawRun(
    sides,
    sides.map((_, i) => models[i] ?? null),
    WIDTH,
    themeOf(document.documentElement, isDark()),
  );
  const [title, description] = [titled(...shown), "Times slower than alone, and all SMs"];
  return toSvg(drawing, { title, description, metadata: currentStamp() });
}

export function savePicture(...shown: Shown): void {
  download(stampName("run", "svg"), pictureOf(...shown), "image/svg+xml");
}

/** With what makes it run again. `link`: to it. */
export async function saveRun(link: string, ...shown: Shown): Promise<void> {
  const [sides] = shown,
    title = titled(...shown);
  // A run that goes on has no end yet to be held against.
  const over = sides.every(({ origin, result }) => origin !== "running" && origin !== "rests" && result !== null);
  await save(stampName("run", "html"), {
    title,
    says: sentence(sides),
    picture: pictureOf(...shown),
    numbers: numbersOf(sides),
    stamp: stampOf(sides) || stampText(),
    runs: [{ name: title, link, digest: over ? sides.map(({ result }) => result?.digest ?? "").join("+") : null }],
    theme: isDark() ? "dark" : "light",
  });
}

/** A figure of a paper, each run of which can be made again. `svg`: its drawing; `runs`: places of its runs in the document. */
export async function saveFigure(
  of: FigureDocument,
  figure: Figure,
  runs: readonly number[],
  svg: string,
): Promise<void> {
  const stored = runs.flatMap((run) => of.runs[run] ?? []),
    { engine, commit, mode, seed } = of.stamp;
  const frozen = await Promise.all(
    stored.map(
      async ({ experiment, digest }, i): Promise<FrozenRun> => ({
        name: String(experiment["name"] || `run ${runs[i] ?? i}`),
        link: await encodeLink({ experiment, view: {} }),
        digest: digest ?? null,
      }),
    ),
  );
  await save(`corun-${of.paper}-${figure.id}.html`, {
    title: figure.title,
    says: [figure.source || of.citation, figure.differs ?? ""].filter((text) => text !== "").join(". "),
    picture: svg,
    numbers: tableOf(figure, null),
    stamp: `Corun ${engine}, commit ${commit}, ${mode} study, seed ${seed}`,
    runs: frozen,
    theme: null,
  });
}
