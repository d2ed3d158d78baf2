// The service worker on a host of its own: what it answers with a full storage, under any `Vary`, beside another build, after a newer one.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const SOURCE = readFileSync("service-worker.js", "utf8");
const HOST = "https://host.test";

interface Answer {
  ok: boolean;
  body: string;
  vary: boolean;
  clone(): Answer;
}
const answerOf = (body: string, vary = false): Answer => ({ ok: true, body, vary, clone: () => answerOf(body, vary) });

/** A browser's storage for one origin, and its network. */
class Host {
  readonly caches = new Map<string, Map<string, Answer>>();
  /** What the host has now; nothing where there is no network. */
  files: Map<string, Answer> | null = new Map();
  full = false;

  readonly #open = (name: string): Promise<object> => {
    const cache = this.caches.get(name) ?? new Map<string, Answer>();
    this.caches.set(name, cache);
    const put = (url: string, answer: Answer): void => {
      if (this.full) throw new DOMException("no room", "QuotaExceededError");
      cache.set(url, answer);
    };
    return Promise.resolve({
      put: async ({ url }: { url: string }, answer: Answer) => put(url, answer),
      addAll: async (files: string[]) => {
        for (const file of files) put(file, await this.fetch({ url: file }));
      },
    });
  };

  fetch = async ({ url }: { url: string }): Promise<Answer> => {
    if (!this.files) throw new TypeError("Failed to fetch");
    return this.files.get(url) ?? { ...answerOf("not here"), ok: false };
  };

  /** Installs a build's worker and lets it take over; gives what it answers. */
  async visit(scope: string, version: string, files: readonly string[]): Promise<(url: string) => Promise<string>> {
    const heard = new Map<string, (event: object) => void>();
    const self = {
      registration: { scope },
      addEventListener: (what: string, listener: (event: object) => void) => heard.set(what, listener),
      skipWaiting: async () => undefined,
      clients: { claim: async () => undefined },
    };
    const caches = {
      open: this.#open,
      keys: async () => [...this.caches.keys()],
      delete: async (name: string) => this.caches.delete(name),
      match: async (
        { url }: { url: string },
        { cacheName, ignoreVary }: { cacheName: string; ignoreVary?: boolean },
      ) => {
        const found = this.caches.get(cacheName)?.get(url);
        return found && (ignoreVary === true || !found.vary) ? found : undefined;
      },
    };
    const text = `const VERSION = ${JSON.stringify(version)};\nconst FILES = ${JSON.stringify(files)};\n${SOURCE}`;
    runInNewContext(text, { self, caches, location: { origin: HOST }, fetch: this.fetch, URL });
    const wait = async (what: string, more: object): Promise<void> => {
      const waiting: unknown[] = [];
      heard.get(what)?.({ ...more, waitUntil: (one: unknown) => waiting.push(one) });
      await Promise.all(waiting);
    };
    await wait("install", {});
    await wait("activate", {});
    return async (url) => {
      let answer: Promise<Answer> | null = null;
      const waiting: unknown[] = [];
      heard.get("fetch")?.({
        request: { url, method: "GET" },
        respondWith: (one: Promise<Answer>) => (answer = one),
        waitUntil: (one: unknown) => waiting.push(one),
      });
      const { body } = (await answer) as unknown as Answer;
      await Promise.all(waiting);
      return body;
    };
  }
}

const PAGE = `${HOST}/corun/`;
const PART = `${PAGE}assets/part-1a2b.js`;
function host(vary = false): Host {
  const made = new Host();
  made.files = new Map([
    [PAGE, answerOf("page", vary)],
    [PART, answerOf("part", vary)],
  ]);
  return made;
}

test("what the network gives is answered also where there is no room to keep it", async () => {
  const made = host();
  const ask = await made.visit(PAGE, "1", [PAGE]);
  made.full = true;
  assert.deepEqual([await ask(PAGE), await ask(PART)], ["page", "part"]);
});

test("what is kept is found without a network, whatever it varies with", async () => {
  const made = host(true);
  const ask = await made.visit(PAGE, "1", [PAGE, PART]);
  made.files = null;
  assert.deepEqual([await ask(PAGE), await ask(PART)], ["page", "part"]);
  await assert.rejects(ask(`${PAGE}figures.html`), /Failed to fetch/);
});

test("two builds of one origin leave each other's files", async () => {
  const made = host();
  const pinned = `${PAGE}v0.2.0/`;
  made.files?.set(pinned, answerOf("pinned"));
  const page = await made.visit(PAGE, "1", [PAGE]);
  const old = await made.visit(pinned, "0", [pinned]);
  const newer = await made.visit(PAGE, "2", [PAGE]);
  made.files = null;
  assert.deepEqual([await old(pinned), await newer(PAGE), await page(PAGE)], ["pinned", "page", "page"]);
});

test("a tab of the build before has its parts after a new one, which the host no longer has; older ones go", async () => {
  const made = host();
  await made.visit(PAGE, "1", [PAGE, PART]);
  made.files?.delete(PART);
  const second = await made.visit(PAGE, "2", [PAGE]);
  assert.equal(await second(PART), "part");
  await made.visit(PAGE, "3", [PAGE]);
  assert.equal(made.caches.size, 2);
});
