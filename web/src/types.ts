// What crosses between the page and its views, beside what the engine declares.

import type {
  Catalogue,
  Decision,
  Experiment as DeclaredExperiment,
  Figure as DeclaredFigure,
  FigurePoint as DeclaredPoint,
  KernelResult as DeclaredKernel,
  Result as DeclaredResult,
  FrameLayout,
  WindowsLayout,
} from "./wasm/corun.js";
import type { WindowStore } from "./views/window-store.ts";

// What the engine takes and gives: declared once, by the module.
export type {
  Answer,
  Catalogue,
  Ci95,
  ControlEntry,
  Controls,
  Decision,
  FrameLayout,
  FrameSection,
  GpuEntry,
  GpuField,
  Interval,
  IntervalsOf,
  KernelEntry,
  MetricEntry,
  Named,
  OptionValue,
  OrderEntry,
  PlannedRun,
  PolicyEntry,
  PolicyParam,
  Prediction,
  PredictQuestion,
  ProbeFigure,
  ProbeInfo,
  ProbeOption,
  ProbeResult,
  Problem,
  Reading,
  Reason,
  ScriptName,
  ScriptWords,
  Share,
  Shares,
  SmShape,
  SweepPoint,
  WindowColumn,
  WindowsLayout,
} from "./wasm/corun.js";

// ---------------------------------------------------------------- an experiment while it is edited: the engine says what is wrong with it

/** A preset's name, or a preset with settings. */
export type GpuChoice = string | ({ preset: string } & Record<string, number | string>);
/** A preset's name, a kernel with settings, or a whole kernel. */
export type KernelChoice = string | Record<string, unknown>;
export type PolicyChoice = { name: string } & Record<string, unknown>;
export interface Experiment
  extends Omit<DeclaredExperiment, "gpu" | "kernels" | "policy" | "warp_order" | "cta_order" | "stop"> {
  gpu?: GpuChoice;
  kernels: KernelChoice[];
  /** One, or several in turn. */
  policy?: PolicyChoice | string | (PolicyChoice | string)[];
  warp_order?: unknown;
  cta_order?: unknown;
  stop?: unknown;
  [more: string]: unknown;
}

// ---------------------------------------------------------------- results, whose figures are also looked up by their keys

export type KernelResult = Partial<DeclaredKernel> & { name: string; [key: string]: unknown };
/** A result, with what a document of figures stores beside it. */
export type Result = Omit<Partial<DeclaredResult>, "gpu" | "kernels" | "metrics"> &
  Pick<DeclaredResult, "engine" | "config_hash" | "digest" | "seed" | "cycles"> & {
    gpu: Record<string, unknown> & Partial<DeclaredResult["gpu"]>;
    kernels: KernelResult[];
    metrics?: Record<string, unknown> & Partial<DeclaredResult["metrics"]>;
    windows?: unknown;
    [key: string]: unknown;
  };
export type FigurePoint = DeclaredPoint & { runs: number[] };
export type Figure = Omit<DeclaredFigure, "points"> & { points: FigurePoint[] };

// ---------------------------------------------------------------- the views (src/views/index.ts)

/** A run as the views show it: its shape, its scheme in words, and its mark (A, B) where two are compared; one run has none. */
export interface ShownRun {
  mark: string;
  title: string;
  layout: FrameLayout;
  windows: WindowsLayout;
}

/** A picture of the machine at one cycle: of one run, or of two that are compared. */
export interface FrameView extends HTMLElement {
  /** New simulations: their shapes. Comes before the first update, and clears what was drawn. */
  setRuns(runs: readonly ShownRun[], catalogue: Catalogue): void;
  /** A frame of each run, all of one cycle. They are only lent: do not keep them after the call. */
  update(frames: readonly Uint32Array[]): void;
  reset(): void;
}
/** A picture that has a selected SM: `<corun-sm-grid>` chooses it (event `select-sm`), `<corun-sm-detail>` shows it. */
export interface SmView extends FrameView {
  selected: number | null;
}
/** Fired by the grid, bubbling: CustomEvent<SelectSm>. */
export interface SelectSm {
  sm: number | null;
}

/** A cycle that a person has marked. */
export interface Bookmark {
  cycle: number;
  note: string;
}

/** Charts over time. */
export interface Zoom {
  from: number;
  to: number;
}
export interface WindowView extends HTMLElement {
  setRuns(runs: readonly ShownRun[]): void;
  /** What each run's windows are kept in, for others that show them too. */
  readonly stores: readonly WindowStore[];
  /** Complete windows of a run that are new since the last call, row-major, columns as in its layout. */
  setWindows(run: number, rows: Float64Array): void;
  /** A policy's whole log so far: marks on the time axis, with their text. */
  setDecisions(run: number, decisions: readonly Decision[]): void;
  /** The IPC that each kernel of a run is promised; null where it has no goal, or the goal is not known yet. */
  setGoals(run: number, goals: readonly (number | null)[]): void;
  /** A run begins again; all do. */
  clear(run: number): void;
  reset(): void;
  /** The present cycle. Fires `go` (bubbling, CustomEvent<number>) when the user wants to be at another one. */
  cycle: number;
  /** The cycles shown; null shows all. Fires `zoom` (bubbling, CustomEvent<Zoom | null>) when the user changes it. */
  zoom: Zoom | null;
  /** Which charts are open: fires `panel` (CustomEvent<string>) when the user changes it; empty is the default set. */
  panel: string;
}
