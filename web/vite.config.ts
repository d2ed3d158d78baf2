import { defineConfig } from "vite";

// The build is a plain static folder: every address in it is relative, so it runs from any sub-path of any host.
export default defineConfig({
  base: "./",
  worker: { format: "es" },
  build: {
    target: "es2022",
    // The content policy of the page allows its own origin only: nothing may become a data: URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    rollupOptions: {
      // Articles name the element's script: its address must not change.
      input: { index: "index.html", components: "components.html", sweeps: "sweeps.html", figures: "figures.html", "corun-figure": "src/figures/element.ts" },
      output: { entryFileNames: (chunk) => (chunk.name === "corun-figure" ? "corun-figure.js" : "assets/[name]-[hash].js") },
    },
  },
  server: { host: "127.0.0.1", port: 5173, strictPort: true },
});
