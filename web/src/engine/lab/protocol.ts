// What the page and a worker of the Lab say to each other.
import type { Problem } from "../../model/types.ts";
import type { Work, Works } from "./work.ts";

export type ToLab =
  | { t: "init"; module: WebAssembly.Module }
  /** One after the other, in this order. Answered by `gives` or `fails`. */
  | { [W in Work]: { t: "do"; id: number; work: W; of: Works[W]["of"] } }[Work]
  /** That one is not wanted any more: of it, nothing more is said. */
  | { t: "drop"; id: number };
export type FromLab =
  /** `stamp`: the engine's version and how it behaves. */
  | { t: "ready"; stamp: string }
  | { t: "soFar"; id: number; part: number | null; value: unknown }
  | { t: "gives"; id: number; value: unknown }
  /** `problems`: what the engine says of what was asked; null where it has trapped, and is not used again. */
  | { t: "fails"; id: number; problems: Problem[] | null; message: string };
