// The module is beside this file, by an address that bundlers understand, unless the caller has it.
import start from "./corun_script.js";

export * from "./corun_script.js";

let started;

export default function init(module) {
  started ??= begin(module).catch((error) => {
    started = undefined;
    throw error;
  });
  return started;
}

async function begin(module) {
  const name = "corun_script_bg.wasm";
  try {
    await start({ module_or_path: module ?? new URL("corun_script_bg.wasm", import.meta.url) });
  } catch (error) {
    const found = `${name}: found ${error.message}, want the module: give its address or its bytes to init()`;
    throw new Error(found, { cause: error });
  }
}
