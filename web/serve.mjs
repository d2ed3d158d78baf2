// Serves dist/ on this machine alone: `node serve.mjs PORT ARTICLE`. Ends with the process that started it, whose pipe is standard input.
import { preview } from "vite";

const [port, article] = process.argv.slice(2);
const server = await preview({ preview: { host: "127.0.0.1", port: Number(port), strictPort: true } });
const [address] = server.resolvedUrls.local;
console.log(`\nCorun is at ${address}  (Ctrl-C ends); an article with figures is at ${address}${article}`);
process.stdin.resume().on("end", () => process.exit());
