// The module is beside this file, by an address that bundlers understand. The import waits until the engine is ready.
import init from "./corun_script.js";

await init({ module_or_path: new URL("corun_script_bg.wasm", import.meta.url) });

export * from "./corun_script.js";
