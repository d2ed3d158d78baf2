// The package's `corun/elements`. To import it touches no DOM, so that it can stand in code that also runs on a server: the elements are in a file of
// their own, which is loaded when they are to be registered.

/** Registers every element of Corun that is not registered yet. Only where there is a document. */
export async function define(): Promise<void> {
  (await import("./live.ts")).defineAll();
}
