// Serves dist/ on this machine alone: `node serve.mjs PORT ARTICLE`. Ends with the process that started it, whose pipe is standard input.
import { createServer } from "node:http";
import send from "send";

const [port, article] = process.argv.slice(2);
/** A request by another name comes from a page of somebody else's. */
const own = [`127.0.0.1:${port}`, `localhost:${port}`];

const server = createServer((request, response) => {
  const path = (request.url ?? "/").replace(/[?#].*$/s, "");
  if (!own.includes(request.headers.host ?? "")) response.writeHead(403).end();
  else if (request.method !== "GET" && request.method !== "HEAD") response.writeHead(405, { allow: "GET, HEAD" }).end();
  else if (path === `/${article}`) send(request, "/index.html", { root: `../${article}` }).pipe(response);
  // Names with a hash in them are kept for good.
  else if (path.startsWith("/assets/"))
    send(request, path, { root: "dist", maxAge: "1y", immutable: true }).pipe(response);
  else send(request, path, { root: "dist" }).pipe(response);
});
server.listen(Number(port), "127.0.0.1", () => {
  const address = `http://127.0.0.1:${port}/`;
  console.log(`\nCorun is at ${address}  (Ctrl-C ends); an article with figures is at ${address}${article}`);
});
process.stdin.resume().on("end", () => process.exit());
