// The deeds of the row of choices, as changes of an experiment. No DOM.
import { eachPerKernel, withBody } from "./choices.ts";
import type { Catalogue, Experiment, KernelChoice } from "./types.ts";

/** Edits an experiment in its place. */
export type Edit = (experiment: Experiment) => void;

export function edited(experiment: Experiment, edit: Edit): Experiment {
  const next = structuredClone(experiment);
  edit(next);
  return next;
}

export const otherKernel =
  (at: number, name: string): Edit =>
  (experiment) => {
    experiment.kernels[at] = withBody(experiment.kernels[at] as KernelChoice, name);
  };

export const oneMore =
  (catalogue: Catalogue | null, name: string): Edit =>
  (experiment) => {
    experiment.kernels.push(name);
    if (catalogue)
      eachPerKernel(catalogue, experiment, (values) => {
        values.push(values.at(-1) ?? 1);
      });
  };

export const oneLess =
  (catalogue: Catalogue | null, at: number): Edit =>
  (experiment) => {
    experiment.kernels.splice(at, 1);
    if (catalogue)
      eachPerKernel(catalogue, experiment, (values) => {
        values.splice(at, 1);
      });
  };

export const otherGpu =
  (name: string): Edit =>
  (experiment) => {
    experiment.gpu = name;
    // A part of one GPU may be none of another.
    delete experiment.scale;
  };
