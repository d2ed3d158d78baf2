// The engine's WebAssembly module, fetched and compiled once for a page and handed to all its workers.
// `?url` gives the hashed address relative to the page, wherever it is served.
import wasmUrl from "../wasm/corun_bg.wasm?url";

export async function compileModule(): Promise<WebAssembly.Module> {
  const response = await fetch(wasmUrl);
  if (!response.ok)
    throw new Error(`the simulator's module could not be fetched: ${response.status} ${response.statusText}`);
  // Not compileStreaming: that needs a host that knows the MIME type.
  return WebAssembly.compile(await response.arrayBuffer());
}
