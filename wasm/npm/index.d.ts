/// <reference lib="esnext.disposable" />
export * from "./corun_script.js";
