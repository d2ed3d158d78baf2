// Pictures of the machine: what the page draws with, and whoever has the package.
import type { Catalogue, FrameLayout, WindowsLayout } from "./corun_script.js";

/** A run as the pictures show it: its shape, its scheme in words, and its mark (A, B) where two are compared; one run has none. */
export interface ShownRun {
  mark: string;
  title: string;
  layout: FrameLayout;
  windows: WindowsLayout;
}
/** A picture of the machine at one cycle: of one run, or of two that are compared. */
export interface FrameView extends HTMLElement {
  /** New simulations: their shapes (`frameLayout`, `windowsLayout`), and `presets()`. Comes before the first update, and clears what was drawn. */
  setRuns(runs: readonly ShownRun[], catalogue: Catalogue): void;
  /** A `frame()` of each run, all of one cycle. They are only lent. */
  update(frames: readonly Uint32Array[]): void;
  reset(): void;
}
/** A picture of one SM: that which `corun-gpu` names when it fires `select-sm` (`CustomEvent<{ sm: number | null }>`). */
export interface SmView extends FrameView {
  selected: number | null;
}
