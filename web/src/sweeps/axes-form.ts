// What a sweep varies, as a form in words: fields by their titles, values with commas. What is chosen is written into the sweep's text.
import { h, icon } from "../dom.ts";
import { pathTitle } from "../titles.ts";
import { axesOf, readValues, valuesText, withAxes, type Axis } from "./vary.ts";

/** Fields that are offered; the text can have any. */
const OFFERED = [
  "policy",
  "kernels",
  "gpu",
  "seed",
  "warp_order",
  "stop.cycles",
  "kernels[0].ctas_per_sm",
  "kernels[1].ctas_per_sm",
  "gpu.sm.count",
  "gpu.noc.mhz",
  "gpu.dram.mhz",
  "gpu.l2.banks",
  "gpu.sm.l1.bytes",
  "gpu.sm.l1.mshrs",
];

export interface AxesFormEvents {
  text(): string;
  /** The text with other axes. */
  changed(text: string): void;
  /** Values to begin with, of a field of this sweep. */
  suggest(path: string): Promise<unknown[]>;
}

type Axes = (Axis | { zip: Axis[] })[];

export class AxesForm {
  readonly element = h("div", { class: "sweep-axes", role: "group", "aria-label": "What is varied" });
  readonly #events: AxesFormEvents;

  constructor(events: AxesFormEvents) {
    this.#events = events;
  }

  /** Draws the form anew, unless it is where the text just came from. */
  show(): void {
    const axes = axesOf(this.#events.text());
    this.element.hidden = axes === null;
    if (axes && !this.element.contains(document.activeElement)) this.#draw(axes);
  }

  #put(axes: Axes): void {
    this.#events.changed(withAxes(this.#events.text(), axes));
  }

  /** `focus`: which element has the focus then. */
  #draw(axes: Axes, focus = ""): void {
    this.element.replaceChildren(
      ...axes.map((axis, i) => this.#row(axes, axis, i)),
      h(
        "button",
        {
          type: "button",
          class: "button",
          id: "f-vary",
          onclick: () => {
            axes.push({ path: "seed", values: [1, 2, 3] });
            this.#put(axes);
            this.#draw(axes, `f-field-${axes.length}`);
          },
        },
        icon("plus"),
        "Vary something else too",
      ),
    );
    if (focus !== "") this.element.querySelector<HTMLElement>(`[id="${focus}"]`)?.focus();
  }

  #row(axes: Axes, axis: Axis | { zip: Axis[] }, i: number): HTMLElement {
    return h(
      "div",
      { class: "sweep-axis" },
      ...("zip" in axis
        ? axis.zip.flatMap((part, j) => this.#field(axes, part, `${i + 1}.${j + 1}`))
        : this.#field(axes, axis, String(i + 1))),
      h(
        "button",
        {
          type: "button",
          class: "icon-button small",
          "aria-label": `Do not vary field ${i + 1}`,
          title: "Do not vary it",
          disabled: axes.length === 1,
          onclick: () => {
            axes.splice(i, 1);
            this.#put(axes);
            this.#draw(axes, "f-vary");
          },
        },
        icon("close"),
      ),
    );
  }

  #field(axes: Axes, axis: Axis, n: string): HTMLElement[] {
    const paths = OFFERED.includes(axis.path) ? OFFERED : [axis.path, ...OFFERED];
    const field = h(
      "select",
      { id: `f-field-${n}`, "aria-label": `Field ${n}`, title: axis.path },
      ...paths.map((path) => h("option", { value: path }, pathTitle(path) || path)),
    );
    field.value = axis.path;
    const values = h("input", {
      type: "text",
      value: valuesText(axis.values),
      autocomplete: "off",
      spellcheck: false,
      "aria-label": `Values of field ${n}, with commas`,
    });
    field.addEventListener("change", () => {
      const { value } = field;
      void this.#events.suggest(value).then((found) => {
        if (field.value !== value) return;
        axis.path = field.title = value;
        axis.values = found;
        values.value = valuesText(found);
        this.#put(axes);
      });
    });
    values.addEventListener("change", () => {
      axis.values = readValues(values.value);
      this.#put(axes);
    });
    return [field, values];
  }
}
