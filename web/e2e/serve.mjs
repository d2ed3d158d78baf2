// Serves dist/ under a sub-path, and calls .wasm what a host that has never heard of it calls it. The example article stands where
// `cargo xtask serve` has it.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

const prefix = "/some/sub/folder/";
const port = Number(process.env.PORT ?? 4173);
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
  if (!path.startsWith(prefix)) return void response.writeHead(404).end();
  const inside = normalize(`/${path.slice(prefix.length) || "index.html"}`);
  const file = inside.startsWith("/examples/article/")
    ? join("..", inside.replace(/\/$/, "/index.html"))
    : join("dist", inside);
  try {
    const bytes = await readFile(file);
    response.writeHead(200, {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      "cache-control": "no-store",
    });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
}).listen(port, "127.0.0.1");
