/// <reference lib="esnext.disposable" />
import type { InitInput } from "./corun_script.js";

export * from "./corun_script.js";

/**
 * Starts the engine, once: nothing else may be called before. `module` is `corun_script_bg.wasm`, its address or its bytes, where the bundler does not
 * find it beside the package. In Node the engine has started when the import returns.
 */
export default function init(module?: InitInput | Promise<InitInput>): Promise<void>;
