// What the page's elements take of the DOM itself.
import { render, type ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** An element of its own, made once, for what draws on it or fills it. */
export function made<E extends HTMLElement>(content: ComponentChildren): E {
  const box = document.createElement("div");
  render(content, box);
  return box.firstElementChild as E;
}

/** Shows a part of the page and hands it the focus. The address, which may be the link of a run, stays. */
export function leadTo(id: string): void {
  const to = document.getElementById(id);
  if (!to) return;
  // What is only read takes the focus, too, but not by Tab.
  if (to.tabIndex < 0) to.tabIndex = -1;
  to.scrollIntoView();
  to.focus({ preventScroll: true });
}
/** The first link of every page. */
export const startSkip = (): void =>
  document.querySelector<HTMLAnchorElement>(".skip")?.addEventListener("click", function (event) {
    event.preventDefault();
    leadTo(this.hash.slice(1));
  });

let ids = 0;
export const freshId = (what: string): string => `${what}-${++ids}`;
/** Of a component: other than Preact's own, one on the whole page, which has many roots. */
export const useFreshId = (what: string): string => useState(() => freshId(what))[0];

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

/** Pixels: between a popover and the window's edge; what it is high at least, where the window is. */
const EDGE = 8,
  LEAST = 160;
/** Puts a popover under what it is of, or over that where it does not fit under it and more room is there. It stays within the window and scrolls. */
export function place(box: HTMLElement | null, of: Element | null | undefined, gap = 4): void {
  const at = of?.getBoundingClientRect();
  if (!at || !box) return;
  box.style.maxHeight = "";
  const over = at.top - gap - EDGE,
    under = innerHeight - at.bottom - gap - EDGE,
    up = box.offsetHeight > under && over > under;
  // What needs less than that covers nothing of what it is of.
  const most = Math.min(Math.max(up ? over : under, Math.min(box.offsetHeight, LEAST)), innerHeight - 2 * EDGE),
    from = Math.min((up ? innerHeight - at.top : at.bottom) + gap, innerHeight - EDGE - most);
  Object.assign(box.style, {
    left: `${Math.max(EDGE, Math.min(at.left, innerWidth - box.offsetWidth - EDGE))}px`,
    top: up ? "auto" : `${from}px`,
    bottom: up ? `${from}px` : "auto",
    maxHeight: `${most}px`,
  });
}

/** Takes files that are dropped anywhere on the page; the browser would leave the page for them. */
export function onFileDrop(take: (file: File, all: readonly File[]) => unknown): void {
  const brings = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (brings(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    const all = [...(event.dataTransfer?.files ?? [])];
    if (all[0]) take(all[0], all);
  });
}

/** Tells the article around a frame how tall what is in it is; `of`: and what that is. */
export function tellHeight(of: object = {}): void {
  if (parent === window) return;
  const tell = (): void => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    parent.postMessage({ corun: "figure-height", ...of, height }, "*");
  };
  new ResizeObserver(tell).observe(document.body);
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
