// The bundler's loader has the module's address or its bytes.
export { default as wasm } from "corun/corun_script_bg.wasm";
