// Makes a recording of what is dropped on the page, and keeps it. Traces are read by a module of their own, as they are needed; who wants it to stop ends
// the worker.
import { errorText } from "../model/format.ts";
import * as engine from "../wasm/corun.js";
import { importModule, reads } from "./import-module.ts";
import { keepRecording, type Recording } from "./recordings.ts";

export interface ToImport {
  /** The engine's. */
  module: WebAssembly.Module;
  /** One, or a list of kernels among the files that it names. */
  files: readonly File[];
}
export type FromImport =
  | { t: "part"; part: number }
  | { t: "done"; recording: Recording; notes: readonly string[] }
  | { t: "wrong"; message: string };

/** How a recording begins. */
const MAGIC = "\x93CORUN\r\n";

const send = (message: FromImport): void => self.postMessage(message);

async function imported(files: readonly File[]): Promise<{ of: File; bytes: Uint8Array; notes: readonly string[] }> {
  for (const of of files) {
    const bytes = new Uint8Array(await of.slice(0, MAGIC.length).arrayBuffer());
    if (String.fromCharCode(...bytes) === MAGIC)
      return { of, bytes: new Uint8Array(await of.arrayBuffer()), notes: [] };
  }
  const { Import, entries } = await importModule(),
    read = reads(files, (part) => send({ t: "part", part })),
    all = new Import();
  let of = files[0] as File,
    list: (string | number)[] | undefined;
  for (const file of files) {
    list = entries(file.name, file.size, read(file));
    if (list) {
      of = file;
      break;
    }
  }
  for (const entry of list ?? [of.name]) {
    if (typeof entry === "number") {
      all.copy(entry);
      continue;
    }
    const file = files.find(({ name }) => name === entry);
    if (!file) throw new Error(`${of.name} names ${entry}, which is not here: drop the list and its files together.`);
    all.kernel(file.name, file.size, read(file));
  }
  return { of, ...all.finish() };
}

/** What its recording is called: the trace without what it is packed in. */
const fileOf = ({ name }: File): string =>
  `${name.replace(/\.(xz|gz)$/i, "").replace(/\.(trace|traceg|tracez|corun|g)$/i, "")}.corun`;

self.onmessage = ({ data: { module, files } }: MessageEvent<ToImport>): void => {
  void (async () => {
    const [{ of, bytes, notes }] = await Promise.all([imported(files), engine.default({ module_or_path: module })]);
    const file = fileOf(of),
      { hash, kernels } = engine.recording(bytes, file),
      recording: Recording = { hash, kernels, file, bytes: new Blob([bytes as Uint8Array<ArrayBuffer>]) };
    await keepRecording(recording);
    send({ t: "done", recording, notes });
  })().catch((error: unknown) => send({ t: "wrong", message: errorText(error) }));
};
