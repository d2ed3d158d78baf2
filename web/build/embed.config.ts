// What runs outside Corun's page: `widget.mjs`, and the elements of the npm package. For the package Vite builds one of them at a time, by its mode,
// into the folder CORUN_PACKAGE, where the engine's JavaScript already is.
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { defineConfig, type InlineConfig, type Plugin } from "vite";

const root = fileURLToPath(new URL("../", import.meta.url));
const entry = (name: string): string => `${root}src/embed/${name}.ts`;

const common: InlineConfig = { root, configFile: false, publicDir: false, logLevel: "warn" };

/** One file, without imports. `wasm`: the address of the module that runs scripts, relative to it. `glue`: the folder of that module's JavaScript. */
export const widget = (wasm: string, outDir: string, glue = `${root}src/wasm`): InlineConfig => ({
  ...common,
  define: { __WASM__: JSON.stringify(wasm) },
  resolve: { alias: [{ find: /^\.\.\/wasm(?=\/corun_script\.js$)/, replacement: glue }] },
  build: {
    outDir,
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: entry("widget"), formats: ["es"], fileName: () => "widget.mjs" },
    rollupOptions: { output: { codeSplitting: false } },
  },
});

/** The package's own engine: one for the elements and for whoever imports `corun`. */
const engine: Plugin = {
  name: "engine",
  enforce: "pre",
  resolveId: (id) => (id === "#corun" ? { id: "./browser.js", external: true } : null),
};

/** `elements.js`, and beside it what it loads when elements are registered. */
const elements = (outDir: string): InlineConfig => ({
  ...common,
  plugins: [engine],
  build: {
    outDir,
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: entry("elements"), formats: ["es"], fileName: () => "elements.js" },
    rollupOptions: { output: { chunkFileNames: "elements-[name].js" } },
  },
});

export default defineConfig(({ mode }) => {
  const place = env["CORUN_PACKAGE"];
  if (!place) throw new Error("CORUN_PACKAGE: found nothing, want the folder of the package");
  if (mode === "elements") return elements(place);
  if (mode === "widget") return widget("./corun_script_bg.wasm", place, place);
  throw new Error(`mode: found ${mode}, want elements or widget`);
});
