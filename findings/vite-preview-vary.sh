#!/usr/bin/env bash
# What a service worker keeps from Vite's preview server is not found again by a page's module scripts.
#
# Versions: vite 8.4.0, undici 7.30.2 (its Cache, by the same standard as a browser's); Node 20.
# Guess: a preview serves files as a plain host would, so a cached answer is found by its address.
# Seen: each answer has `Vary: Origin`, also where no CORS header is sent. A worker that precaches by address asks without an Origin, a
#   script with `crossorigin` asks with one: `match` finds nothing unless it is told `ignoreVary`.
# Hurts: a page with a module of wasm that is to work offline fails in the preview and works where it is hosted, or the reverse.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
echo '{"name": "page", "private": true, "type": "module"}' > package.json
npm install --silent --no-audit --no-fund vite@8.4.0 undici@7.30.2
mkdir dist && echo 'export default 1;' > dist/sim.js
cat > preview.mjs <<'JS'
import { preview } from "vite";
import { Request, caches, fetch } from "undici";
const server = await preview({ logLevel: "silent", preview: { port: 4321 } });
const url = new URL("sim.js", server.resolvedUrls.local[0]).href;
const kept = await caches.open("kept");
const answer = await fetch(url);
console.log(answer.status, "vary", answer.headers.get("vary"), "cors", answer.headers.get("access-control-allow-origin"));
await kept.put(new Request(url), answer);
const asked = new Request(url, { headers: { origin: new URL(url).origin } });
const found = async (request, options) => ((await kept.match(request, options)) ? "found" : "missing");
console.log("by address", await found(new Request(url)), "with an origin", await found(asked), "ignoreVary", await found(asked, { ignoreVary: true }));
process.exit();
JS
node preview.mjs 2> log | tee seen || { cat log; exit 1; }
diff - seen <<'SEEN'
200 vary Origin cors null
by address found with an origin missing ignoreVary found
SEEN
