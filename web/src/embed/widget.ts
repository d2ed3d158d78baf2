// A run as a widget of the anywidget form (AFM), which Jupyter, marimo and MyST take: a link in, a message with the result out. One file without imports of its own,
// because hosts load it from a text as well as from an address.
import * as module from "../wasm/corun_script.js";
import { mountRun, type Mounted, type Outcome } from "./mount.ts";
import type { Engine } from "./run.ts";

/** The module's file, as the build names it, beside this one. */
declare const __WASM__: string;

/** The runs have ended, or cannot begin. Of each run the columns of its series, whose rows are a buffer of doubles. */
interface Message {
  result: Outcome;
  series: string[][];
}

/** Of a host's model only this is asked for. */
export interface Model {
  get(name: string): unknown;
  send?(content: Message, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on?(event: string, listener: () => void): void;
  off?(event: string, listener: () => void): void;
}

/** Where the module is: what the model brings, which is its bytes or its address, or the file beside this one. */
async function bytesOf(given: unknown): Promise<BufferSource> {
  // Jupyter has bytes as a DataView, which is not compiled everywhere.
  if (ArrayBuffer.isView(given) && given.byteLength > 0)
    return new Uint8Array(given.buffer as ArrayBuffer, given.byteOffset, given.byteLength);
  if (given instanceof ArrayBuffer && given.byteLength > 0) return given;
  const beside = (): URL => {
    try {
      return new URL(__WASM__, import.meta.url);
    } catch {
      throw new Error(
        `${__WASM__} is not beside a widget that was loaded from a text: give the model a “wasm” with its bytes or its address`,
      );
    }
  };
  const address = typeof given === "string" && given !== "" ? given : beside();
  const response = await fetch(address);
  if (!response.ok)
    throw new Error(`${String(address)} could not be fetched: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

let started: Promise<Engine> | null = null;
/** The engine is started once for all widgets. */
function engine(given: unknown): Promise<Engine> {
  started ??= bytesOf(given)
    .then(async (bytes) => {
      await module.default({ module_or_path: await WebAssembly.compile(bytes) });
      return module;
    })
    .catch((error: unknown) => {
      started = null;
      throw error;
    });
  return started;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const host = document.createElement("div");
  host.className = "corun-run";
  el.append(host);
  let mounted: Mounted | null = null;
  const run = (): void => {
    mounted?.end();
    mounted = mountRun(host, {
      link: text(model.get("link")),
      theme: text(model.get("theme")),
      engine: () => engine(model.get("wasm")),
      ended: (result, series) => {
        const message = { result, series: series.map(({ columns }) => columns) };
        model.send?.(
          message,
          undefined,
          series.map(({ rows }) => rows.buffer),
        );
      },
    });
  };
  const recolour = (): void => {
    mounted?.recolour(text(model.get("theme")));
  };
  run();
  model.on?.("change:link", run);
  model.on?.("change:theme", recolour);
  return () => {
    model.off?.("change:link", run);
    model.off?.("change:theme", recolour);
    mounted?.end();
    host.remove();
  };
}

export default { render };
