// What crosses between the page and its views, beside what the engine declares.

import type {
  Experiment as DeclaredExperiment,
  Figure as DeclaredFigure,
  FigurePoint as DeclaredPoint,
  KernelResult as DeclaredKernel,
  Result as DeclaredResult,
} from "../wasm/corun.js";

// What the engine takes and gives: declared once, by the module.
export type {
  Part,
  AllocationForm,
  Answer,
  Catalogue,
  Ci95,
  ControlEntry,
  Controls,
  Decision,
  Fate,
  FrameLayout,
  FrameSection,
  GpuField,
  Interval,
  IntervalsOf,
  KernelEntry,
  MetricEntry,
  OrderEntry,
  PlannedRun,
  PolicyEntry,
  PolicyParam,
  Problem,
  Race,
  Reason,
  ScriptName,
  ScriptWords,
  Share,
  Shares,
  Silicon,
  Standing,
  SweepPoint,
  WindowsLayout,
  RecordField,
  ShownTable,
  Tried,
  Vendors,
} from "../wasm/corun.js";

// ---------------------------------------------------------------- an experiment while it is edited: the engine says what is wrong with it

/** A preset's name, or a preset with settings. */
export type GpuChoice = string | ({ preset: string } & Record<string, number | string>);
/** A preset's name, a kernel with settings, or a whole kernel. */
export type KernelChoice = string | Record<string, unknown>;
/** A whole kernel of one's own, or a recorded one. */
export type KernelBody = Record<string, unknown>;
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

// Declared once, for whoever draws with the package.
export type { FrameView, ShownRun, SmView } from "../../../wasm/npm/shown.d.ts";
/** Fired by the grid, bubbling: CustomEvent<SelectSm>. */
export interface SelectSm {
  sm: number | null;
}

/** A range of cycles. */
export interface Zoom {
  from: number;
  to: number;
}

/** What a simulation is doing. `done`: its stop condition is reached. `stuck`: it cannot go on, and says why. `failed`: its script cannot. */
export type RunState = "paused" | "playing" | "seeking" | "done" | "stuck" | "failed";
