// A worker that throws says so; one that closes itself, or that the browser ends, says nothing. While it lives it holds a lock of its own name, and
// the page waits for that lock. Without locks (a page that is not served securely) nobody notices.

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
    worker.dispatchEvent(new ErrorEvent("error", { message: "its worker was ended without a word" }));
  };
  worker.terminate = () => {
    ended.abort();
    Worker.prototype.terminate.call(worker);
  };
  // Who says something has its lock.
  const heard = (): void => {
    locks.request(name, { signal: ended.signal }, gone).catch(() => undefined);
  };
  worker.addEventListener("message", heard, { once: true });
  return worker;
}

const lockManager = (): LockManager | undefined => (navigator as Partial<Navigator>).locks;
