// Keeps the files of one build, FILES of version VERSION, which the build puts before this text. Nothing else is ever asked for by the page but
// figures and answers, which are kept as they come.
const CACHE = `corun-${VERSION}`;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names.filter((name) => name.startsWith("corun-") && name !== CACHE).map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  );
});

// Names with a hash in them never change; anything else is asked for first, so that a new build is seen.
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const hashed = new URL(request.url).pathname.includes("/assets/");
  event.respondWith(
    hashed ? kept(request).then((found) => found ?? fetched(request)) : fetched(request).catch(() => orKept(request)),
  );
});

const kept = (request) => caches.match(request, { ignoreSearch: true, cacheName: CACHE });
async function fetched(request) {
  const answer = await fetch(request);
  if (answer.ok) {
    const cache = await caches.open(CACHE);
    await cache.put(request, answer.clone());
  }
  return answer;
}
async function orKept(request) {
  const found = await kept(request);
  if (found) return found;
  throw new Error("not kept, and no network");
}
