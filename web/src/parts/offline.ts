// The page works without a network after the first visit: a service worker keeps what it has fetched (../vite.config.ts writes it, with the
// names of the build's files). A newer build is taken at the next visit, which the page says once.

/** `say`: tells that another version is there, and how to have it. */
export async function keepOffline(say: (text: string) => void): Promise<void> {
  if (!("serviceWorker" in navigator) || import.meta.env.DEV) return;
  try {
    const known = navigator.serviceWorker.controller !== null;
    const registration = await navigator.serviceWorker.register("./sw.js");
    registration.addEventListener("updatefound", () => {
      const next = registration.installing;
      next?.addEventListener("statechange", () => {
        if (known && next.state === "installed") say("A new version of Corun is there: reload the page to have it.");
      });
    });
  } catch {
    // Opened from a file, or forbidden: then the page needs its host.
  }
}
