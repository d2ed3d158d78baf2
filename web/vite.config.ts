import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { build, defineConfig, type Plugin } from "vite";
import { rateOf } from "./src/model/rate.ts";
import { scalesOf } from "./src/model/scaled.ts";
import { widget } from "./build/embed.config.ts";
import { sharedHtml, sharedPages } from "./build/share.ts";
import { Papers } from "./build/papers.ts";
import { withTop } from "./build/top.ts";

/** Reports and pictures of papers, and what the place Papers says of each, beside the built or served page. */
const shown = new Papers(new URL("../", import.meta.url));
const papers: Plugin = {
  name: "papers",
  generateBundle() {
    for (const [fileName, file] of shown.files())
      this.emitFile({ type: "asset", fileName, source: readFileSync(file) });
    for (const [fileName, make] of shown.made()) this.emitFile({ type: "asset", fileName, source: make() });
  },
  configureServer(server) {
    const files = shown.files(),
      made = shown.made();
    const types = { svg: "image/svg+xml", json: "application/json", md: "text/markdown" };
    server.middlewares.use((request, response, next) => {
      const address = (request.url ?? "").replace(/[?#].*$/, "").slice(1),
        file = files.get(address),
        content = file ? readFileSync(file) : made.get(address)?.();
      const type = types[/\.(svg|json|md)$/.exec(address)?.[1] as keyof typeof types];
      if (content === undefined) next();
      else response.setHeader("content-type", `${type}; charset=utf-8`).end(content);
    });
  },
};

/** Files that the page can do without until they are asked for: the engine that runs scripts is half as large again, and few write code or bring traces. */
const LATER = /corun_script|corun_import|codemirror|\.svg$/;
/** The service worker, with the names of what it keeps (src/parts/offline.ts). */
const offline: Plugin = {
  name: "offline",
  enforce: "post",
  generateBundle(_, bundle) {
    const assets = Object.keys(bundle).filter((name) => name.startsWith("assets/") && !LATER.test(name));
    const files = ["./", "theme.js", "icon.svg", ...assets.sort()];
    const version = createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 12);
    const text = readFileSync(new URL("service-worker.js", import.meta.url), "utf8");
    this.emitFile({
      type: "asset",
      fileName: "sw.js",
      source: `const VERSION = ${JSON.stringify(version)};\nconst FILES = ${JSON.stringify(files)};\n${text}`,
    });
  },
};

/** How often verdicts have held, as the page of docs/ about that says: a figure of the built page, not a word of it. */
const reference = (page: string): string => readFileSync(new URL(`../docs/reference/${page}`, import.meta.url), "utf8");
const verdicts = rateOf(reference("verdicts.md"));
/** What scale models are off by, likewise. */
const scales = scalesOf(reference("scale.md"));

/** JavaScript in ASCII alone. */
const ascii = (code: string): string =>
  code.replaceAll(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * The script of articles also runs as a plain one, where its names would be the article's, and in an article that does not say its encoding, whose
 * the script then has. The widget stands beside the page.
 */
const embeds: Plugin = {
  name: "embeds",
  apply: "build",
  renderChunk: (code, chunk) => (chunk.name === "corun-figure" ? `(() => {\n${code}\n})();` : null),
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk" && file.name === "corun-figure") file.code = ascii(file.code);
  },
  async writeBundle({ dir }, bundle) {
    const wasm = Object.keys(bundle).find((name) => /corun_script_bg-[\w-]+\.wasm$/.test(name));
    if (!wasm || !dir) throw new Error("the module that runs scripts is not among the files of the page");
    await build(widget(`./${wasm}`, dir));
  },
};

/** Pages that shared links lead to. CORUN_URL: where the page will be. */
const share: Plugin = {
  name: "share",
  async generateBundle() {
    const url = (process.env["CORUN_URL"] ?? "").replace(/([^/])$/, "$1/"),
      pages = await sharedPages(new URL("../", import.meta.url));
    const emit = (fileName: string, source: string | Buffer): void => {
      this.emitFile({ type: "asset", fileName: `share/${fileName}`, source });
    };
    emit("index.json", JSON.stringify(Object.fromEntries(pages.map(({ hash, name }) => [hash, name]))));
    for (const page of pages) {
      emit(`${page.name}.html`, sharedHtml(page, url));
      if (page.png) emit(`${page.name}.png`, page.png);
    }
  },
};

const top: Plugin = { name: "top", transformIndexHtml: { order: "pre", handler: withTop } };

// The build is a plain static folder: every address in it is relative, so it runs from any sub-path of any host.
export default defineConfig({
  base: "./",
  // Several pages, none of which stands in for an address that is not there.
  appType: "mpa",
  plugins: [papers, share, top, embeds, offline],
  define: { __VERDICTS__: JSON.stringify(verdicts), __SCALES__: JSON.stringify(scales) },
  worker: { format: "es" },
  build: {
    target: "es2022",
    // The content policy of the page allows its own origin only: nothing may become a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    rollupOptions: {
      // Articles name the element's script: its address must not change.
      input: {
        index: "index.html",
        learn: "learn.html",
        sweeps: "sweeps.html",
        figures: "figures.html",
        "corun-figure": "src/papers/element.ts",
      },
      output: {
        entryFileNames: (chunk) => (chunk.name === "corun-figure" ? "corun-figure.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  // The cards of policies are docs/reference/schemes, beside web/.
  server: { host: "127.0.0.1", port: 5173, strictPort: true, fs: { allow: [".."] } },
});
