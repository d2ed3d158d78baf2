// <corun-editor>: the form, for a page that is not made of components.
import { effect, untracked } from "@preact/signals";
import { render } from "preact";
import { onFileDrop } from "../parts/dom.ts";
import type { Catalogue, Experiment, Problem } from "../model/types.ts";
import { makeOwn } from "./fields.ts";
import { take } from "./file.tsx";
import { ExperimentForm, leadTo } from "./form.tsx";
import { FormState, type EditorEvents } from "./state.ts";

export class CorunEditor extends HTMLElement {
  #form: FormState | null = null;
  #seen = false;

  init(catalogue: Catalogue, events: EditorEvents): void {
    const form = new FormState(catalogue, events);
    form.seen.value = this.#seen;
    this.#form = form;
    render(<ExperimentForm form={form} />, this);
    onFileDrop((file, all) => take(form, file, all, true));
  }
  /** The form comes into view. */
  reveal(): void {
    this.#seen = true;
    if (this.#form) this.#form.seen.value = true;
  }
  /** A kernel becomes one of one's own, whose text gets the focus. */
  own(kernel: number): void {
    const form = this.#form;
    let made = false;
    effect(() => {
      // Its text is that of the kernel before, which the engine says once that is built.
      if (!form || made || (form.normal.value === null && form.problems.value.length === 0)) return;
      made = true;
      untracked(() => makeOwn(form, kernel));
      // Its editor is drawn a moment later.
      requestAnimationFrame(() => this.lead(`kernels.${kernel}`));
    });
  }
  /** What edits a path gets the focus. */
  lead(path: string): void {
    leadTo(this, path);
  }
  /** Two experiments are compared, and this is the one that is edited; an empty list where there is one. */
  setSides(sides: readonly string[], side: number): void {
    if (!this.#form) return;
    this.#form.sides.value = sides;
    this.#form.side.value = side;
  }
  show(experiment: Experiment): void {
    this.#form?.show(experiment);
  }
  accepted(normal: Experiment, explained: unknown): void {
    this.#form?.accepted(normal, explained);
  }
  problems(problems: Problem[]): void {
    if (this.#form) this.#form.problems.value = problems;
  }
  /** The script of a side has failed; it may be the one that is edited. */
  scriptFailed(side: number, why: string): void {
    const form = this.#form;
    if (form && (form.sides.value.length === 0 || side === form.side.value)) form.failed.value = { why };
  }
}
customElements.define("corun-editor", CorunEditor);
