// As much of IndexedDB as the page uses, without a browser: databases of plain values that outlive the objects that open them.

type Key = string | readonly (string | number)[];
const text = (key: Key): string => JSON.stringify(key);

/** A request that is answered when its turn comes, as the browser's are. */
function answered<T>(give: () => T): object {
  const request: { result?: T; error?: unknown; onsuccess?: () => void; onerror?: () => void } = {};
  queueMicrotask(() => {
    try {
      request.result = give();
      request.onsuccess?.();
    } catch (error) {
      request.error = error;
      request.onerror?.();
    }
  });
  return request;
}

/** Puts it in the browser's place, with these values in a store. */
export function fakeStore(values: readonly (readonly [Key, unknown])[]): {
  /** What the store holds, by its key as JSON. */
  held: Map<string, unknown>;
  /** Closes the database, as a browser does when a person clears its data. */
  close: () => void;
} {
  const held = new Map(values.map(([key, value]) => [text(key), value]));
  const store = {
    get: (key: Key) => answered(() => held.get(text(key))),
    getAll: () => answered(() => [...held.values()]),
    getAllKeys: () => answered(() => [...held.keys()].map((key) => JSON.parse(key) as Key)),
    put: (value: unknown, key: Key) => answered(() => held.set(text(key), value)),
    // A range of keys is another engine's, which these tests have none of.
    delete: (key: Key | object) =>
      answered(() => (Array.isArray(key) || typeof key === "string" ? held.delete(text(key as Key)) : false)),
  };
  let closed = false;
  const transaction = (): object => {
    if (closed) throw new Error("the database is closed");
    return { objectStore: () => store };
  };
  const database = { transaction };
  const range = { bound: () => ({}), upperBound: () => ({}), lowerBound: () => ({}) };
  Object.assign(globalThis, { indexedDB: { open: () => answered(() => database) }, IDBKeyRange: range });
  return {
    held,
    close: () => {
      closed = true;
    },
  };
}
