// What this browser keeps across visits: one IndexedDB database with one store for each kind of thing, under the stamp of the engine that made
// it. Each value is sealed: what has been damaged since is found when it is read.

/** Opens the database, the first time with its store; null where storage is forbidden. `first` is run once for each page. */
export async function openStore(
  database: string,
  store: string,
  first: (store: IDBObjectStore) => void = () => undefined,
): Promise<IDBDatabase | null> {
  try {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(store);
    };
    const opened = await done(request);
    first(opened.transaction(store, "readwrite").objectStore(store));
    return opened;
  } catch {
    return null;
  }
}

/** The store of a database that is open; null where there is none, or the browser has closed it since, as it does when a person clears its data. */
export function storeOf(database: IDBDatabase | null, store: string, mode: IDBTransactionMode): IDBObjectStore | null {
  try {
    return database?.transaction(store, mode).objectStore(store) ?? null;
  } catch {
    return null;
  }
}

/** The fields of a stored value, which may be anything; none of what is no object. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};

/** A value as it is stored: its text behind a check of it, FNV-1a. What is damaged may still be of the right form. */
export function sealed(value: unknown): string {
  const text = JSON.stringify(value);
  let check = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) check = Math.imul(check ^ text.charCodeAt(i), 0x01000193);
  return `${(check >>> 0).toString(16)} ${text}`;
}

/** What was sealed; undefined for anything else, and for what has changed since. */
export function unsealed(stored: unknown): unknown {
  if (typeof stored !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(stored.slice(stored.indexOf(" ") + 1));
    return sealed(value) === stored ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a request gives. */
export function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error("not stored"));
    };
  });
}
