// What this browser keeps across visits: one IndexedDB database with one store for each kind of thing.

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
