// A part of the page that shows runs, and a panel: a part with a tab of its own in the drawer. The list of panels is panels.tsx; nothing else knows
// which there are.
import type { ReadonlySignal } from "@preact/signals";
import type { ComponentType } from "preact";
import type { FrameMessage } from "../engine/protocol.ts";
import type { Built } from "../model/session.ts";
import type { Catalogue, Decision, Experiment, FrameView, Result, ShownRun } from "../model/types.ts";
import type { WindowStore } from "../model/window-store.ts";

/** The runs that are shown: one, or two that are compared. */
export interface Shown {
  catalogue: Catalogue;
  runs: readonly ShownRun[];
  /** Everything that is known of each over time: feed.ts fills them, the parts read them. */
  stores: readonly WindowStore[];
  experiments: readonly Experiment[];
  loaded: readonly Built[];
}

/** What a frame of each run brings, all of one cycle. */
export interface News {
  frames: readonly FrameMessage[];
  cycle: number;
  /** Nothing runs on: what is shown now stays. */
  still: boolean;
  /** Of each run, all that its policy has decided so far; null where nothing is new. */
  logs: readonly (readonly Decision[] | null)[];
  /** Of each run, a few times a second; null in between. */
  results: readonly Result[] | null;
}

/** What a part hears. It leaves out what it has no use for. */
export interface Part {
  /** Other runs are shown, from their start. */
  runs?(shown: Shown): void;
  /** Pictures of the machine in one cycle: they get frames as often as there is time. */
  readonly pictures?: readonly FrameView[];
  news?(news: News): void;
  /** The stores have more windows; `restarted`: they have begun anew. */
  windows?(restarted: boolean): void;
  /** A side is about to run something else: what it has now is what was before. Null: what was before is of no use any more. */
  before?(side: number | null): void;
  /** How fast a kernel is alone; null where that cannot be known, and why. */
  alone?(side: number, kernel: number, ipc: number | null, why: string): void;
  aloneProgress?(side: number, kernel: number, done: number | null): void;
}

/** A tab of the drawer. */
export interface Panel extends Part {
  /** In the link (`show=`), in `hide=`, and of its card in the page. */
  readonly id: string;
  /** On its tab. */
  readonly title: string;
  /** Above what it shows, where that needs other words than the tab; empty for a view with a heading of its own. */
  readonly heading?: string;
  /** What it shows, in a sentence. */
  readonly help: string;
  /** A component, which is there while the panel is open; or an element, which lives as long as the page. */
  readonly view: ComponentType | HTMLElement;
  /** Whether there is anything to show now; always, where this is left out. */
  readonly there?: ReadonlySignal<boolean>;
}
