// What the form shows. The experiment itself, a plain object, is the one truth: the form shows it and edits it, the engine judges it, and what the
// engine says is shown at the field whose path it names. No DOM.
import { batch, computed, signal } from "@preact/signals";
import { changesOf, classesOf, gpuValue, shownFields, smsOf } from "../model/classes.ts";
import { normalPolicy, policiesOf, readOccupancy } from "../model/choices.ts";
import { fieldFor, plainPath, wrongText } from "../model/format.ts";
import type { Catalogue, Experiment, GpuChoice, PolicyChoice, PolicyEntry, Problem } from "../model/types.ts";

export interface EditorEvents {
  change(experiment: Experiment): void;
  /** One that comes from elsewhere, a file or an example, is to run by itself. */
  open(experiment: Experiment): void;
  /** Another of two experiments is to be shown. */
  edit(side: number): void;
  /** A file of what a GPU measured is to be compared. */
  measured(file: File): void;
  /** A trace or a recording is to become a kernel of the mix. */
  recorded(files: readonly File[]): void;
  /** A file is about to be opened that was dropped on the page. */
  dropped(): void;
  /** A file was opened that the page had saved: its run is to be shown, by what its link has behind the `#`. */
  reopen(hash: string): void;
  /** What a policy is. */
  about(policy: PolicyEntry): void;
  freshSeed(): Promise<number>;
  validate(experiment: string | object): Promise<Problem[]>;
  exportExperiment(): void;
  copyCommand(): void;
}

/** A copy that shares nothing: experiments are plain JSON. */
export const copy = <T>(value: T): T => structuredClone(value);
/** The part of the machine that a field belongs to: all of its path but the last word. */
export const gpuGroup = (path: string): string => path.split(".").slice(0, -1).join(".");

/** Problems at the fields that they belong to: a field by its path, in the order of the problems. */
export function placed(problems: readonly Problem[], fields: readonly string[]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const { path, found, want } of problems) {
    const at = fieldFor(path, fields);
    if (at === null) continue;
    const rest = plainPath(path) === at ? "" : `${plainPath(path).slice(at.length + 1)}: `;
    all.set(at, [...(all.get(at) ?? []), `${rest}${wrongText({ found, want })}`]);
  }
  return all;
}

export class FormState {
  readonly experiment = signal<Experiment | null>(null);
  /** After defaults, of the last experiment that the engine took. */
  readonly normal = signal<Experiment | null>(null);
  readonly problems = signal<readonly Problem[]>([]);
  /** At their fields. */
  readonly placed = signal<ReadonlyMap<string, readonly string[]>>(new Map());
  /** For each kernel, what an SM holds of it. */
  readonly fits = signal<readonly string[]>([]);
  /** The two that are compared, and which of them is shown; empty where there is one. */
  readonly sides = signal<readonly string[]>([]);
  readonly side = signal(0);
  /** Groups of the GPU's fields that are open. */
  readonly opened = signal<ReadonlySet<string>>(new Set());
  /** Why a file was not opened. */
  readonly refused = signal("");
  /** Why the script of the shown experiment has failed as it ran. */
  readonly failed = signal<{ why: string } | null>(null);
  /** The form has been in view. Before, it has no fields: they are many, and most visitors ask for none. */
  readonly seen = signal(false);
  /** The classes of SMs and the fields of the GPU as it is chosen now. */
  readonly classes = computed(() => classesOf(this.catalogue.gpu_fields, this.preset(), changesOf(this.now.gpu)));
  readonly gpuFields = computed(() => shownFields(this.catalogue.gpu_fields, this.preset(), changesOf(this.now.gpu)));

  constructor(
    readonly catalogue: Catalogue,
    readonly events: EditorEvents,
  ) {}

  /** The experiment where there is one: what the parts of the form show. */
  get now(): Experiment {
    return this.experiment.value ?? { corun: 1, kernels: [] };
  }
  get policies(): PolicyChoice[] {
    return policiesOf(this.now, normalPolicy(this.normal.value));
  }

  /** Shows an experiment that comes from elsewhere: a link, a file, an example. */
  show(experiment: Experiment): void {
    batch(() => {
      this.experiment.value = copy(experiment);
      this.problems.value = [];
      this.failed.value = null;
      this.refused.value = "";
      // What differs from the preset is not to be searched for.
      if (typeof experiment.gpu === "object")
        for (const key of Object.keys(experiment.gpu)) if (key !== "preset") this.open(gpuGroup(key), true);
    });
  }
  /** The engine took the experiment. */
  accepted(normal: Experiment, explained: unknown): void {
    batch(() => {
      this.normal.value = normal;
      this.problems.value = [];
      this.fits.value = readOccupancy(explained);
    });
  }
  edit(change: (experiment: Experiment) => void): void {
    if (!this.experiment.value) return;
    const next = copy(this.experiment.value);
    change(next);
    this.experiment.value = next;
    this.failed.value = null;
    this.events.change(copy(next));
  }
  /** Sets a field of the experiment; undefined takes it out. */
  set(key: string, value: unknown): void {
    this.edit((e) => {
      if (value === undefined) delete e[key];
      else e[key] = value;
    });
  }
  /** The experiment with another policy in place of one. */
  withPolicy(at: number, change: (policy: PolicyChoice) => PolicyChoice): Experiment {
    const all = this.policies.map((one, i) => (i === at ? change(copy(one)) : copy(one)));
    return { ...copy(this.now), policy: Array.isArray(this.now.policy) ? all : (all[0] as PolicyChoice) };
  }
  setPolicy(at: number, change: (policy: PolicyChoice) => PolicyChoice): void {
    this.set("policy", this.withPolicy(at, change).policy);
  }
  open(group: string, open: boolean): void {
    if (this.opened.peek().has(group) === open) return;
    const next = new Set(this.opened.peek());
    if (open) next.add(group);
    else next.delete(group);
    this.opened.value = next;
  }

  // ---------------------------------------------------------------- the GPU

  /** The preset of a choice; where nothing is chosen, the engine's own. */
  preset(gpu: GpuChoice | undefined = this.now.gpu): string {
    if (typeof gpu === "string") return gpu;
    if (gpu !== undefined) return String(gpu.preset ?? "");
    const own = this.normal.value?.gpu;
    return own === undefined ? "" : this.preset(own);
  }
  /** A field of the GPU as it is chosen now. */
  gpuValue(path: string): number | string | undefined {
    return gpuValue(this.catalogue.gpu_fields, this.preset(), changesOf(this.now.gpu), path);
  }
  /** SMs of all classes. */
  get sms(): number {
    return smsOf(this.catalogue.gpu_fields, this.preset(), changesOf(this.now.gpu));
  }
}
