import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";
import { rateOf } from "./src/run/rate.ts";

/** The pictures of papers, by their address below the page: kept once, in docs/reports, and put beside the built or served page. */
function pictures(): Map<string, URL> {
  const papers = new URL("../docs/reports/", import.meta.url),
    found = new Map<string, URL>();
  for (const paper of readdirSync(papers, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const file of readdirSync(new URL(`${paper.name}/`, papers)).filter((name) => name.endsWith(".svg"))) {
      found.set(`papers/${paper.name}/${file}`, new URL(`${paper.name}/${file}`, papers));
    }
  }
  return found;
}
/** Which papers there are, by the documents of their figures: what the page of figures leads to. */
function listOfPapers(): string {
  const folder = new URL("public/papers/", import.meta.url);
  const found = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")) as { paper: string; title: string });
  return JSON.stringify(found.map(({ paper, title }) => ({ paper, title })));
}
const LIST = "papers/list.json";
const papers: Plugin = {
  name: "papers",
  generateBundle() {
    for (const [fileName, file] of pictures()) this.emitFile({ type: "asset", fileName, source: readFileSync(file) });
    this.emitFile({ type: "asset", fileName: LIST, source: listOfPapers() });
  },
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const address = (request.url ?? "").replace(/[?#].*$/, "").slice(1),
        file = pictures().get(address);
      if (address === LIST) response.setHeader("content-type", "application/json").end(listOfPapers());
      else if (!file) next();
      else response.setHeader("content-type", "image/svg+xml").end(readFileSync(file));
    });
  },
};

/** Files that the page can do without until they are asked for: the engine that runs scripts is half as large again. */
const LATER = /corun_script|\.svg$/;
/** The service worker, with the names of what it keeps (src/offline.ts). */
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
const verdicts = rateOf(readFileSync(new URL("../docs/reference/verdicts.md", import.meta.url), "utf8"));

/** What `cargo xtask serve` adds to the built folder: names with a hash in them are kept for good, and the example article stands beside the page. */
const served: Plugin = {
  name: "served",
  configurePreviewServer(server) {
    server.middlewares.use((request, response, next) => {
      const address = (request.url ?? "").replace(/[?#].*$/, "");
      if (address.startsWith("/assets/")) response.setHeader("cache-control", "public, max-age=31536000, immutable");
      if (address !== "/examples/article/") next();
      else
        response
          .setHeader("content-type", "text/html; charset=utf-8")
          .end(readFileSync(new URL("../examples/article/index.html", import.meta.url)));
    });
  },
};

// The build is a plain static folder: every address in it is relative, so it runs from any sub-path of any host.
export default defineConfig({
  base: "./",
  // Several pages, none of which stands in for an address that is not there.
  appType: "mpa",
  plugins: [papers, served, offline],
  define: { __VERDICTS__: JSON.stringify(verdicts) },
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
        components: "components.html",
        learn: "learn.html",
        sweeps: "sweeps.html",
        figures: "figures.html",
        "corun-figure": "src/figures/element.ts",
      },
      output: {
        entryFileNames: (chunk) => (chunk.name === "corun-figure" ? "corun-figure.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  // The cards of policies are docs/reference/schemes, beside web/.
  server: { host: "127.0.0.1", port: 5173, strictPort: true, fs: { allow: [".."] } },
});
