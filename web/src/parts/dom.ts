// Building elements. Text is always text: nothing from an experiment or a link is ever read as markup.

import { kernelStyle } from "./palette.ts";

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/** `h("button", { class: "icon", onclick: go, "aria-label": "Go" }, "…")`. Keys with a dash, and `class`, `for`, `role`, are attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props?: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K];
export function h(tag: string, props?: Props | null, ...children: Child[]): HTMLElement;
export function h(tag: string, props?: Props | null, ...children: Child[]): HTMLElement {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value as EventListener);
    else if (key in element && !key.includes("-") && !["list", "role", "type"].includes(key))
      (element as unknown as Props)[key] = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) if (child !== null && child !== undefined && child !== false) element.append(child);
}

/** Changes text only when it differs, so that selections and screen readers are left in peace. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  step: "M6 5v14l9-7zM16 5h2.5v14H16z",
  back: "M18 5v14l-9-7zM5.5 5H8v14H5.5z",
  event: "M4 5v14l7-7zM11 5v14l7-7zM18.5 5H20v14h-1.5z",
  reset: "M12 5V1.8L7 6.3l5 4.5V7.2a5.4 5.4 0 1 1-5.4 5.4H4.4A7.6 7.6 0 1 0 12 5z",
  up: "M12 7l6.5 7-1.5 1.5-5-5.3-5 5.3L5.5 14z",
  down: "M12 17l-6.5-7L7 8.5l5 5.3 5-5.3 1.5 1.5z",
  close: "M6.4 5L12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4L12 13.4 6.4 19 5 17.6l5.6-5.6L5 6.4z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  link: "M10.6 13.4a3.6 3.6 0 0 0 5.1 0l3-3a3.6 3.6 0 0 0-5.1-5.1L12.3 6.6l1.3 1.3L15 6.6a1.7 1.7 0 0 1 2.4 2.4l-3 3a1.7 1.7 0 0 1-2.4 0zM13.4 10.6a3.6 3.6 0 0 0-5.1 0l-3 3a3.6 3.6 0 0 0 5.1 5.1l1.3-1.3-1.3-1.3L9 17.4A1.7 1.7 0 0 1 6.600 15l3-3a1.700 1.700 0 0 1 2.400 0z",
  moon: "M12.5 3.500A7 7 0 0 0 20 13.300 8.500 8.500 0 1 1 12.500 3.500z",
  dice: "M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zm1 2v12h12V6zm2.200 2.200h2.600v2.600H8.200zm5 5h2.600v2.600h-2.600z",
  download: "M11 4h2v8l3-3 1.400 1.400L12 15.800 6.600 10.400 8 9l3 3zM5 18h14v2H5z",
  upload: "M12 4l5.400 5.400L16 10.800l-3-3v8h-2v-8l-3 3-1.400-1.400zM5 18h14v2H5z",
  terminal: "M4 5h16v14H4zm2 2v10h12V7zm1.500 2.200L9 8l4 4-4 4-1.500-1.200L10.300 12zM13 14.500h4V16h-4z",
} as const;
export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** The mark of a kernel: its colour, pattern and number. */
export function swatch(kernel: number): HTMLElement {
  return h(
    "span",
    { class: `swatch swatch-${kernel}`, "aria-hidden": "true" },
    h("b", null, kernelStyle(kernel).number),
  );
}

/** The mark of a run where two are compared. */
export function sideMark(mark: string): HTMLElement {
  return h("b", { class: "side-mark" }, mark);
}
export function sideHeading(mark: string, title: string): HTMLElement {
  return h("h3", { class: "side-heading" }, sideMark(mark), h("span", null, title));
}

/** Takes a file that is dropped anywhere on the page; the browser would leave the page for it. */
export function onFileDrop(take: (file: File) => void): void {
  const brings = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (brings(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) take(file);
  });
}

let popover: HTMLElement | null = null;
export const whatLabel = (title: string): string =>
  title.startsWith("the numbers") ? `What are ${title}?` : `What is ${title}?`;

/** A small “?” that shows a definition next to itself. */
export function definition(title: string, ...body: Child[]): HTMLButtonElement {
  const button = h(
    "button",
    { class: "what", type: "button", "aria-label": whatLabel(title), "aria-expanded": "false" },
    "?",
  );
  button.addEventListener("click", () => toggleDefinition(button, title, body));
  return button;
}

/** What pressing such a button does. */
export function toggleDefinition(button: HTMLElement, title: string, body: Child[]): void {
  const mine =
    popover?.isConnected && popover.matches(":popover-open") && button.getAttribute("aria-expanded") === "true";
  popover?.hidePopover?.();
  if (!mine) showDefinition(button, title, body, (open) => button.setAttribute("aria-expanded", String(open)));
}

/** The definition, beside its button or what else led to it. */
export function showDefinition(
  anchor: HTMLElement,
  title: string,
  body: Child[],
  told?: (open: boolean) => void,
): void {
  popover?.remove();
  const box = h(
    "div",
    { class: "definition", popover: "auto", role: "dialog", "aria-label": title, tabIndex: -1 },
    h("h3", null, title),
    ...body.map((b) => (b instanceof Node ? b.cloneNode(true) : b)),
  );
  popover = box;
  // Beside its button, so that the keyboard goes on from there.
  anchor.after(box);
  box.addEventListener("toggle", (event) => {
    const open = (event as ToggleEvent).newState === "open";
    told?.(open);
    if (!open) setTimeout(() => box.remove(), 0);
  });
  box.showPopover();
  const at = anchor.getBoundingClientRect();
  const size = box.getBoundingClientRect();
  const x = Math.max(8, Math.min(at.left - 12, innerWidth - size.width - 8));
  const below = at.bottom + 6 + size.height <= innerHeight - 8;
  box.style.left = `${x}px`;
  box.style.top = `${below ? at.bottom + 6 : Math.max(8, at.top - size.height - 6)}px`;
  box.focus();
}

/** Offers `content` as a download. Nothing leaves the machine. */
export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
