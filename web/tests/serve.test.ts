// What `cargo xtask serve` serves with: files, ranges, and clients that leave in the middle.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { test } from "node:test";

const freePort = (): Promise<number> =>
  new Promise((given) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => given(port));
    });
  });

/** Serves a folder with a page and a large file, until `use` is over. */
async function served(use: (port: number, server: ChildProcess, large: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "corun-serve-")),
    large = join(folder, "web/dist/assets/large-1a2b.wasm"),
    port = await freePort();
  mkdirSync(join(folder, "web/dist/assets"), { recursive: true });
  mkdirSync(join(folder, "examples/article"), { recursive: true });
  writeFileSync(join(folder, "web/dist/index.html"), "<html>page</html>");
  writeFileSync(join(folder, "examples/article/index.html"), "<html>article</html>");
  writeFileSync(large, Buffer.alloc(16 << 20));
  const server = spawn("node", [resolve("serve.mjs"), String(port), "examples/article/"], { cwd: join(folder, "web") });
  try {
    await new Promise((says) => server.stdout.once("data", says));
    await use(port, server, large);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
}

interface Given {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  text: string;
}
const ask = (port: number, path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Given> =>
  new Promise((given, failed) => {
    const asked = request({ host: "127.0.0.1", port, path, headers, method }, (response) => {
      let text = "";
      response.setEncoding("latin1");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => given({ status: response.statusCode, headers: response.headers, text }));
    });
    asked.on("error", failed).end();
  });

test("the page, its article and its parts are served, and nothing else", async () => {
  await served(async (port) => {
    assert.match((await ask(port, "/")).text, /page/);
    assert.match((await ask(port, "/?a=1")).text, /page/);
    assert.match((await ask(port, "/examples/article/")).text, /article/);
    const part = await ask(port, "/assets/large-1a2b.wasm", {}, "HEAD");
    assert.equal(part.headers["content-type"], "application/wasm");
    assert.match(part.headers["cache-control"] ?? "", /max-age=31536000, immutable/);
    assert.match((await ask(port, "/")).headers["cache-control"] ?? "", /max-age=0/);
    for (const path of ["/nowhere", "/../web/dist/index.html", "/%2e%2e/examples/article/index.html", "/%ff"])
      assert.ok([400, 403, 404].includes((await ask(port, path)).status ?? 0), path);
    assert.equal((await ask(port, "/", { host: "elsewhere.test" })).status, 403);
    assert.equal((await ask(port, "/", {}, "POST")).status, 405);
  });
});

test("a range is served, and one that cannot be is answered", async () => {
  await served(async (port) => {
    const some = await ask(port, "/index.html", { range: "bytes=0-4" });
    assert.deepEqual([some.status, some.text], [206, "<html"]);
    for (const range of ["bytes=5-1", "bytes=900-", "bytes=x", "bytes=-"]) {
      const { status, text } = await ask(port, "/index.html", { range });
      assert.ok(status === 416 || (status === 200 && text.includes("page")), `${range}: ${status}`);
    }
  });
});

test("a client that leaves in the middle leaves no file open", { skip: process.platform !== "linux" }, async () => {
  await served(async (port, server, large) => {
    const leave = (): Promise<void> =>
      new Promise((left) => {
        const asked = request({ host: "127.0.0.1", port, path: "/assets/large-1a2b.wasm" }, (response) => {
          response.once("data", () => asked.destroy());
        });
        asked.on("error", () => undefined).on("close", () => left());
        asked.end();
      });
    await Promise.all(Array.from({ length: 40 }, leave));
    const open = (): number => {
      const folder = `/proc/${server.pid}/fd`;
      const target = (name: string): string => {
        try {
          return readlinkSync(join(folder, name));
        } catch {
          return "";
        }
      };
      return readdirSync(folder).filter((name) => target(name) === large).length;
    };
    // The server hears of it when it comes to it.
    for (let tries = 0; tries < 200 && open() > 0; tries += 1) await after(50);
    assert.equal(open(), 0);
  });
});
