// Keeps the files of one build, FILES of version VERSION, which the build puts before this text. Nothing else is ever asked for by the page but
// figures and answers, which are kept as they come. Several builds of one origin (`v0.2.0/` beside the page) have caches of their own.
const OWN = `corun ${self.registration.scope} `;
const CACHE = OWN + VERSION;
/** The caches of this scope, the oldest first. */
const own = async () => (await caches.keys()).filter((name) => name.startsWith(OWN));

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

// The build before stays: a tab that was opened with it may still ask for parts that the host has no more.
self.addEventListener("activate", (event) => {
  event.waitUntil(
    own()
      .then((names) => names.filter((name) => name !== CACHE).slice(0, -1))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

// Names with a hash in them never change; anything else is asked for first, so that a new build is seen.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const hashed = new URL(request.url).pathname.includes("/assets/");
  event.respondWith(
    hashed
      ? kept(request).then((found) => found ?? fetched(event))
      : fetched(event).catch((error) => orKept(request, error)),
  );
});

/** What is kept, the newest first, whatever the host says that the answer varies with: the page asks for each file in one way. */
async function kept(request) {
  try {
    for (const cacheName of (await own()).reverse()) {
      const found = await caches.match(request, { ignoreSearch: true, ignoreVary: true, cacheName });
      if (found) return found;
    }
  } catch {
    // What cannot be read is not kept.
  }
  return undefined;
}
async function fetched(event) {
  const answer = await fetch(event.request);
  if (answer.ok) event.waitUntil(keep(event.request, answer.clone()));
  return answer;
}
/** Whether there is room for it or not, the page has its answer. */
async function keep(request, answer) {
  try {
    await (await caches.open(CACHE)).put(request, answer);
  } catch {
    // The storage is full.
  }
}
async function orKept(request, error) {
  const found = await kept(request);
  if (found) return found;
  throw error;
}
