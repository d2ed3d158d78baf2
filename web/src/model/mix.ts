// The deeds of the row of choices, as changes of an experiment. No DOM.
import { eachPerKernel, kernelName, ownBody, withBody } from "./choices.ts";
import type { Catalogue, Experiment, KernelBody, KernelChoice } from "./types.ts";

/** Edits an experiment in its place. */
export type Edit = (experiment: Experiment) => void;

export function edited(experiment: Experiment, edit: Edit): Experiment {
  const next = structuredClone(experiment);
  edit(next);
  return next;
}

export const otherKernel =
  (at: number, body: string | KernelBody): Edit =>
  (experiment) => {
    experiment.kernels[at] = withBody(experiment.kernels[at] as KernelChoice, structuredClone(body));
  };

/** What a change of one side makes of the other: a kernel that both had becomes the same one in both. */
export function alike(before: Experiment, after: Experiment, other: Experiment): Experiment {
  const bodies = [before, after, other].map(({ kernels }) => kernels.map((one) => ownBody(one) ?? kernelName(one))),
    [was = [], is = [], its = []] = bodies.map((all) => all.map((body) => JSON.stringify(body)));
  if (new Set([was.length, is.length, its.length]).size > 1) return other;
  const moved = is.flatMap((body, k) => (body !== was[k] && its[k] === was[k] ? [k] : []));
  if (moved.length === 0) return other;
  return edited(other, ({ kernels }) => {
    for (const k of moved) kernels[k] = withBody(kernels[k] as KernelChoice, structuredClone(bodies[1]?.[k] ?? ""));
  });
}

export const oneMore =
  (catalogue: Catalogue | null, body: string | KernelBody): Edit =>
  (experiment) => {
    experiment.kernels.push(structuredClone(body));
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
