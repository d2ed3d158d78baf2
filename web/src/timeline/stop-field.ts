// "Stop when…": the condition at which playing stops, as fields beside the timeline.
import { h } from "../dom.ts";
import { QUEUE_KEYS, queueTitle, type StopWhen } from "../stop-when.ts";

const KINDS: [StopWhen["kind"] | "", string][] = [
  ["", "never"],
  ["end", "a kernel finishes"],
  ["decision", "the policy decides"],
  ["full", "a queue is full"],
  ["slowdown", "a kernel slows down"],
];
const WINDOWS = 5,
  ABOVE = 2;

export class StopField {
  readonly element: HTMLElement;
  readonly #kind = h("select", { id: "f-stop-kind" }, ...KINDS.map(([value, text]) => h("option", { value }, text)));
  readonly #kernel = h("select", { id: "f-stop-kernel", "aria-label": "Kernel" });
  readonly #queue = h(
    "select",
    { id: "f-stop-queue", "aria-label": "Queue" },
    ...QUEUE_KEYS.map((key) => h("option", { value: key }, queueTitle(key))),
  );
  readonly #windows = number("f-stop-windows", "Windows in a row", 1, 10_000, 1, WINDOWS);
  readonly #above = number("f-stop-above", "Times slower than alone", 0, 1000, 0.1, ABOVE);
  readonly #changed: (when: StopWhen | null) => void;

  constructor(changed: (when: StopWhen | null) => void) {
    this.#changed = changed;
    const part = (kinds: string, ...children: (Node | string)[]): HTMLElement =>
      h("span", { class: "tl-part", "data-kinds": kinds, hidden: true }, ...children);
    this.element = h(
      "div",
      { class: "tl-field", role: "group", "aria-label": "Stop when" },
      h("label", { for: "f-stop-kind" }, "Stop when"),
      this.#kind,
      part("end slowdown", this.#kernel),
      part("full", this.#queue, "for", this.#windows, "windows"),
      part(
        "slowdown",
        "above",
        this.#above,
        h("span", { title: "Times slower than alone, over the last 10,000 cycles" }, "times, over 10,000 cycles"),
      ),
    );
    for (const field of [this.#kind, this.#kernel, this.#queue, this.#windows, this.#above])
      field.addEventListener("change", () => {
        this.#say();
      });
    this.setKernels([]);
  }

  /** Of a new run; the condition stays, as far as there is such a kernel. */
  setKernels(kernels: readonly string[]): void {
    const shown = [...this.#kernel.options].map(({ text }) => text),
      wanted = ["any", ...kernels];
    if (shown.join("\n") === wanted.join("\n")) return;
    const before = this.#kernel.value;
    this.#kernel.replaceChildren(
      ...wanted.map((text, i) => h("option", { value: i === 0 ? "" : String(i - 1) }, text)),
    );
    this.#kernel.value = Number(before) < kernels.length ? before : "";
    this.#say();
  }

  #say(): void {
    const kind = this.#kind.value,
      any = this.#kernel.options[0];
    for (const part of this.element.querySelectorAll<HTMLElement>("[data-kinds]"))
      part.hidden = !part.dataset["kinds"]?.split(" ").includes(kind);
    // Only one kernel can be slowed down; which one has to be said.
    if (any) any.hidden = any.disabled = kind === "slowdown";
    if (kind === "slowdown" && this.#kernel.value === "") this.#kernel.value = "0";
    this.#changed(this.#when());
  }

  #when(): StopWhen | null {
    const kernel = this.#kernel.value === "" ? null : Number(this.#kernel.value);
    switch (this.#kind.value) {
      case "end":
        return { kind: "end", kernel };
      case "decision":
        return { kind: "decision" };
      case "full":
        return {
          kind: "full",
          queue: QUEUE_KEYS.find((key) => key === this.#queue.value) ?? "miss_queue",
          windows: Math.round(within(this.#windows, WINDOWS)),
        };
      case "slowdown":
        return { kind: "slowdown", kernel: kernel ?? 0, above: within(this.#above, ABOVE) };
      default:
        return null;
    }
  }
}

function number(id: string, label: string, min: number, max: number, step: number, value: number): HTMLInputElement {
  const input = h("input", {
    id,
    "aria-label": label,
    min: String(min),
    max: String(max),
    step: String(step),
    value: String(value),
  });
  input.setAttribute("type", "number");
  return input;
}

/** The number of a field; one that is none, or outside, goes back to what it was at first. */
function within(input: HTMLInputElement, fallback: number): number {
  const value = Number(input.value);
  if (input.value !== "" && value >= Number(input.min) && value <= Number(input.max)) return value;
  input.value = String(fallback);
  return fallback;
}
