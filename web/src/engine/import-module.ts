// The module that reads other tools' files, loaded when there is one; and files, read in blocks as they are needed. In a worker.
import type { ReadBytes } from "../wasm/corun_import.js";
import importUrl from "../wasm/corun_import_bg.wasm?url";

/** Of a worker alone. */
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Milliseconds between two words on how far it is. */
const TELL = 100;

export async function importModule(): Promise<typeof import("../wasm/corun_import.js")> {
  const [module, response] = await Promise.all([import("../wasm/corun_import.js"), fetch(importUrl)]);
  if (!response.ok)
    throw new Error(`the module that reads them could not be fetched: ${response.status} ${response.statusText}`);
  await module.default({ module_or_path: await WebAssembly.compile(await response.arrayBuffer()) });
  return module;
}

/** Reads of a file; what part of all of them has been read is told. */
export function reads(files: readonly File[], tell: (part: number) => void): (file: File) => ReadBytes {
  const reader = new FileReaderSync(),
    all = files.reduce((sum, { size }) => sum + size, 0),
    read = new Map<File, number>();
  let told = performance.now();
  return (file) => (from, to) => {
    read.set(file, Math.max(to, read.get(file) ?? 0));
    if (performance.now() - told > TELL) {
      told = performance.now();
      tell([...read.values()].reduce((sum, one) => sum + one, 0) / all);
    }
    return new Uint8Array(reader.readAsArrayBuffer(file.slice(from, to)));
  };
}
