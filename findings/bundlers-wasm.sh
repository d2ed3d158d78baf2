#!/usr/bin/env bash
# A package that names its module by `new URL("sim.wasm", import.meta.url)` works in three bundlers of six.
#
# Versions: vite 8.4.0, webpack 5.113.0, @rspack/core 2.3.3, esbuild 0.28.2, rollup 4.68.8, parcel 2.16.4; Node 20.
# Guess: the form is the standard's, so every bundler of today copies the file and puts its new name in.
# Seen: vite, webpack and rspack do. esbuild (told to treat .wasm as a file) and rollup build without a word and copy nothing: the
#   page asks for a file that is not there. parcel does not find the package, since it does not read `exports`; with
#   "@parcel/resolver-default": {"packageExports": true} in the user's package.json it does, and copies the module.
# Hurts: a simulator's package that runs in its own page and ends as 404 in the user's. Give it an export that takes the module.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
echo '{"name": "page", "private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund vite@8.4.0 webpack@5.113.0 @rspack/core@2.3.3 esbuild@0.28.2 rollup@4.68.8 parcel@2.16.4
mkdir node_modules/sim
echo '{"name": "sim", "version": "1.0.0", "type": "module", "exports": {".": "./lib.js"}}' > node_modules/sim/package.json
echo 'export const url = new URL("sim.wasm", import.meta.url);' > node_modules/sim/lib.js
printf '\0asm\1\0\0\0' > node_modules/sim/sim.wasm
echo 'import { url } from "sim"; console.log(url.href);' > main.js
echo '<script type="module" src="main.js"></script>' > index.html
cat > build.mjs <<'JS'
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
const packs = (pack, path) => new Promise((done, fail) =>
  pack({ mode: "production", entry: "./main.js", output: { path } }, (error, stats) => (error || stats.hasErrors() ? fail(error ?? stats) : done())));
const parcel = async (path) => execFileSync("node_modules/.bin/parcel", ["build", "--no-cache", "--dist-dir", path, "index.html"], { stdio: "ignore" });
const tools = {
  vite: async (outDir) => (await import("vite")).build({ logLevel: "silent", build: { outDir, assetsInlineLimit: 0 } }),
  webpack: async (path) => packs((await import("webpack")).default, path),
  rspack: async (path) => packs((await import("@rspack/core")).rspack, path),
  esbuild: async (outdir) =>
    (await import("esbuild")).build({ entryPoints: ["main.js"], bundle: true, format: "esm", outdir, loader: { ".wasm": "file" } }),
  rollup: async (dir) => {
    const find = { resolveId: (name) => (name === "sim" ? resolve("node_modules/sim/lib.js") : null) };
    return (await (await import("rollup")).rollup({ input: "main.js", plugins: [find] })).write({ dir });
  },
  parcel,
  "parcel, told": async (path) => {
    const own = { ...JSON.parse(readFileSync("package.json")), "@parcel/resolver-default": { packageExports: true } };
    writeFileSync("package.json", JSON.stringify(own));
    return parcel(path);
  },
};
for (const [name, build] of Object.entries(tools)) {
  const path = resolve("out", name.replace(", ", "-"));
  const failed = await build(path).then(() => false, () => true);
  const copied = existsSync(path) && readdirSync(path, { recursive: true }).some((file) => String(file).endsWith(".wasm"));
  console.log(`${name}: ${failed ? "fails" : copied ? "copies" : "copies nothing"}`);
}
JS
node build.mjs 2> log | tee seen || { cat log; exit 1; }
diff - seen <<'SEEN'
vite: copies
webpack: copies
rspack: copies
esbuild: copies nothing
rollup: copies nothing
parcel: fails
parcel, told: copies
SEEN
