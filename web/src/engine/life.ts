// A worker that throws says so; one that closes itself, or that the browser ends, says nothing. While it lives it holds a lock of its own name, and
// the page waits for that lock. Without locks (a page that is not served securely) nobody notices.

/** Milliseconds after which the page looks again whether a worker lives. */
const SOON = 500;

/** A name that no other worker has, of this page or another. */
export const ownName = (name: string): string => `${name} ${Math.random().toString(36).slice(2)}`;

/** In a worker, before it says anything: it lives as long as it holds its lock. */
export function live(): void {
  void lockManager()?.request(self.name, () => new Promise(() => undefined));
}

/** Reports as an error that a worker is gone, unless the page has ended it. It has its own name. */
export function watched(worker: Worker, name: string): Worker {
  const locks = lockManager();
  if (!locks) return worker;
  const ended = new AbortController();
  const gone = (): void => {
    if (!ended.signal.aborted)
      worker.dispatchEvent(new ErrorEvent("error", { message: "its worker was ended without a word" }));
  };
  worker.terminate = () => {
    ended.abort();
    Worker.prototype.terminate.call(worker);
  };
  // The page may ask for the lock before the worker has it: what can be had at once is not yet held.
  const heard = (): void => {
    if (ended.signal.aborted) return;
    const isHeld = locks.request(name, { ifAvailable: true }, (lock) => lock === null);
    isHeld
      .then((held) => (held ? locks.request(name, { signal: ended.signal }, gone) : void setTimeout(heard, SOON)))
      .catch(() => undefined);
  };
  worker.addEventListener("message", heard, { once: true });
  return worker;
}

export const lockManager = (): LockManager | undefined => (navigator as Partial<Navigator>).locks;
