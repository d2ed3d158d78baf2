// Recordings of kernels that this browser keeps, by the hashes by which experiments name them. Each worker makes those known to its module that what it
// runs or reads needs; nothing of them is ever sent anywhere.
import { problemsIn } from "../model/format.ts";
import type { KernelBody } from "../model/types.ts";
import type * as plain from "../wasm/corun.js";
import { done, fieldsOf, openStore, storeOf } from "./browser-store.ts";

type Engine = Pick<typeof plain, "recording" | "knowsRecording">;

export interface Recording {
  hash: string;
  /** What its file is called. */
  file: string;
  /** As experiments have them, one for each stream. */
  kernels: readonly KernelBody[];
  bytes: Blob;
}

const NAMED = /"recording"\s*:\s*"([0-9a-f]{16})"/g;
/** Recordings that the kernels of an experiment name, or a text of one or of a sweep, each once. */
export function recordingsIn(given: string | object): string[] {
  const text = typeof given === "string" ? given : (JSON.stringify((given as { kernels?: unknown }).kernels) ?? "");
  return [...new Set([...text.matchAll(NAMED)].map(([, hash = ""]) => hash))];
}

const STORE = "recordings";
let opened: Promise<IDBDatabase | null> | null = null;
async function store(mode: IDBTransactionMode): Promise<IDBObjectStore | null> {
  opened ??= openStore("corun-recordings", STORE);
  return storeOf(await opened, STORE, mode);
}

/** A stored value, if it is a recording. */
function readRecording(stored: unknown): Recording[] {
  const { hash, file, kernels, bytes } = fieldsOf(stored);
  return typeof hash === "string" && typeof file === "string" && Array.isArray(kernels) && bytes instanceof Blob
    ? [{ hash, file, kernels: kernels as KernelBody[], bytes }]
    : [];
}
/** All that are kept; none where there is no storage. */
export async function keptRecordings(): Promise<Recording[]> {
  const from = await store("readonly"),
    all = from ? await done(from.getAll() as IDBRequest<unknown[]>).catch(() => []) : [];
  return all.flatMap(readRecording);
}
export async function keepRecording(recording: Recording): Promise<void> {
  const into = await store("readwrite");
  if (!into) throw new Error("This browser keeps nothing for this page, so it cannot keep a recording.");
  await done(into.put(recording, recording.hash));
}
export async function removeRecording(hash: string): Promise<void> {
  await (await store("readwrite"))?.delete(hash);
}

/** Those that a module does not know yet. Asked of itself: it may have gone back to a moment before. */
export const unknown = (engine: Engine, hashes: readonly string[]): string[] =>
  hashes.filter((hash) => !engine.knowsRecording(hash));

let turn: Promise<void> = Promise.resolve();
/** Makes recordings known to a module, each once: many may ask at the same time. Of one that is not kept, or is damaged, the engine says that it is not here. */
export function bring(engine: Engine, hashes: readonly string[]): Promise<void> {
  const mine = turn.then(() => know(engine, hashes));
  turn = mine.catch(() => undefined);
  return mine;
}
async function know(engine: Engine, hashes: readonly string[]): Promise<void> {
  const from = unknown(engine, hashes).length > 0 && (await store("readonly"));
  if (!from) return;
  const found = await Promise.all(unknown(engine, hashes).map((hash) => done(from.get(hash)).catch(() => null)));
  const whole = await Promise.all(
    found.flatMap(readRecording).map(async ({ file, bytes }) => ({ file, bytes: await bytes.arrayBuffer() })),
  );
  for (const { file, bytes } of whole)
    try {
      engine.recording(new Uint8Array(bytes), file);
    } catch (error) {
      if (!problemsIn(error)) throw error;
    }
}
