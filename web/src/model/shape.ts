// What the format says that can stand at a place of an experiment, as forms and completions read it.
import type { Catalogue } from "./types.ts";

export interface Shape {
  kind: string;
  /** Of a form that has one. */
  name?: string;
  of?: unknown;
  fields?: Described[];
  choices?: string[];
  min?: number;
  max?: number;
}
export interface Described extends Shape {
  name: string;
  unit: string;
  doc: string;
}

/** The forms that a shape has, each by itself. */
export const forms = (shape: Shape): Shape[] =>
  shape.kind === "forms" ? (shape.of as Shape[]).flatMap(forms) : [shape];
/** The forms of a field, and what one of them holds. */
export const shapes = (shape: Shape): Shape[] =>
  forms(shape).flatMap((form) => [form, ...(form.kind === "one" ? (form.fields ?? []) : [])]);
/** The fields of a record of the format. */
export const recordOf = ({ records }: Catalogue, record: string) =>
  records.find(({ name }) => name === record)?.fields ?? [];
/** The most entries that a list of an experiment may have. */
export const mostOf = (catalogue: Catalogue, name: string): number =>
  recordOf(catalogue, "Experiment")
    .filter((field) => field.name === name)
    .flatMap((field) => shapes(field as Shape))
    .find(({ kind }) => kind === "list")?.max ?? 1;
