// The SMs of the GPU as a bar in parts, one for each kernel, with borders that the pointer drags and arrow keys move. SMs after the last part are idle.
import { h, setText } from "../dom.ts";
import { kernelStyle } from "../palette.ts";
import { borderOf, moved, rangeOf, smsText } from "./model.ts";

const FAR = 5;

export class PartitionBar {
  readonly element = h("div", { class: "partition", role: "group", "aria-label": "SMs of each kernel" });
  readonly #changed: (split: number[]) => void;
  #split: number[] = [];
  #names: readonly string[] = [];
  #sms = 1;
  #parts: HTMLElement[] = [];
  #handles: HTMLElement[] = [];
  readonly #idle = h("div", { class: "partition-part partition-idle" }, h("span"));

  /** `changed`: a border has moved; called once for each SM that it passes. */
  constructor(changed: (split: number[]) => void) {
    this.#changed = changed;
  }

  setKernels(names: readonly string[], sms: number): void {
    this.#names = names;
    this.#sms = sms;
    this.#parts = names.map((_, k) =>
      h(
        "div",
        { class: `partition-part swatch-${k % 8}` },
        h(
          "b",
          null,
          h("span", { class: "partition-name" }, `${kernelStyle(k).number} ${names[k] ?? ""} · `),
          h("span"),
        ),
      ),
    );
    this.#handles = names.map((name, k) =>
      this.#handle(
        k,
        k + 1 < names.length ? `Border between ${name} and ${names[k + 1] ?? ""}` : `End of ${name}'s SMs`,
      ),
    );
    this.element.replaceChildren(...this.#parts, this.#idle, ...this.#handles);
  }

  set split(split: readonly number[]) {
    this.#split = [...split];
    const idle = this.#sms - borderOf(split, split.length - 1);
    this.#parts.forEach((part, k) => {
      part.style.flexGrow = String(split[k] ?? 0);
      setText(part.firstElementChild?.lastElementChild as Element, String(split[k] ?? 0));
      part.title = `${this.#names[k] ?? ""}: ${smsText(split[k] ?? 0)}`;
    });
    this.#idle.style.flexGrow = String(Math.max(0, idle));
    this.#idle.hidden = idle <= 0;
    setText(this.#idle.firstElementChild as Element, idle > 0 ? `${idle} idle` : "");
    this.#handles.forEach((handle, k) => {
      const at = borderOf(split, k),
        { least, most } = rangeOf(split, k, this.#sms),
        next = split[k + 1];
      handle.style.left = `${(at / this.#sms) * 100}%`;
      handle.setAttribute("aria-valuemin", String(least));
      handle.setAttribute("aria-valuemax", String(Math.max(least, most)));
      handle.setAttribute("aria-valuenow", String(at));
      handle.setAttribute(
        "aria-valuetext",
        `${this.#names[k] ?? ""} ${smsText(split[k] ?? 0)}, ${next === undefined ? `${idle} idle` : `${this.#names[k + 1] ?? ""} ${smsText(next)}`}`,
      );
    });
  }

  #handle(kernel: number, label: string): HTMLElement {
    const handle = h("div", {
      class: "partition-border",
      role: "slider",
      tabIndex: 0,
      "aria-label": label,
      "aria-orientation": "horizontal",
    });
    handle.addEventListener("keydown", (event) => {
      this.#key(event, kernel);
    });
    handle.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { left, width } = this.element.getBoundingClientRect();
      this.#move(kernel, ((event.clientX - left) / width) * this.#sms);
    });
    return handle;
  }

  #key(event: KeyboardEvent, kernel: number): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = borderOf(this.#split, kernel);
    const to = {
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      PageDown: at - FAR,
      PageUp: at + FAR,
      Home: 0,
      End: this.#sms,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#move(kernel, to);
  }

  #move(kernel: number, to: number): void {
    const split = moved(this.#split, kernel, to, this.#sms);
    if (split.join() === this.#split.join()) return;
    this.split = split;
    this.#changed(split);
  }
}
