// The bundler finds the module.
export const wasm = undefined;
