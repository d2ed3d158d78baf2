// A question to Algorithm 1 while somebody edits it: fields as the engine describes them, values as they are typed. No DOM.
import type { AllocationForm, RecordField } from "../model/types.ts";

export type Question = AllocationForm["start"];

/** Fields that take a value of their own, unlike lists. */
export const plain = (fields: readonly RecordField[]): RecordField[] => fields.filter(({ kind }) => kind !== "list");

/** How many kernels there can be. */
export function most({ question }: AllocationForm): number {
  const list = question.fields.find(({ kind }) => kind === "list");
  return typeof list?.["max"] === "number" ? list["max"] : 1;
}

/** What is typed, as JSON has it: what is no number stays a text, and the engine says what it wants. */
export function read({ kind }: RecordField, typed: string): unknown {
  if (kind === "choice") return typed;
  const number = Number(typed);
  return typed.trim() === "" || Number.isNaN(number) ? typed : number;
}

/** With another value; `kernel`: of one of the kernels. */
export function put(of: Question, kernel: number | null, name: string, value: unknown): Question {
  if (kernel === null) return { ...of, [name]: value };
  return { ...of, kernels: of.kernels.map((one, k) => (k === kernel ? { ...one, [name]: value } : one)) };
}

/** One kernel more, like the last. */
export const more = (of: Question): Question => ({ ...of, kernels: [...of.kernels, ...of.kernels.slice(-1)] });
export const less = (of: Question, kernel: number): Question => ({
  ...of,
  kernels: of.kernels.filter((_, k) => k !== kernel),
});

export const pathOf = (kernel: number | null, name: string): string =>
  kernel === null ? name : `kernels[${kernel}].${name}`;
