// What the format says that can stand at a place of an experiment, as forms and completions read it.

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
