// The colours of pictures, read from the page's custom properties (style/tokens.css) and kept until the theme changes.
import { isDark, kernelFill, kernelInk as inkOf, onThemeChange, STALL_COLOURS, type Fill } from "../parts/palette.ts";

/** Without a document, and where a property is missing. */
export const LIGHT = {
  dark: false,
  /** Behind pictures that stand on the page itself, not on a card. */
  page: "#f4f5f7",
  surface: "#ffffff",
  sunken: "#eceff3",
  line: "#dde1e7",
  lineStrong: "#868f9c",
  ink: "#16202b",
  ink2: "#4a5665",
  ink3: "#5e6a79",
  accent: "#1f5fbf",
  plot: "#ffffff",
  grid: "#e6e9ee",
  axis: "#5e6a79",
  peak: "#8a94a1",
  slotEmpty: "#eceff3",
  slotEdge: "#d3d9e1",
  font: "system-ui, sans-serif",
  mono: "ui-monospace, monospace",
};
export type Theme = typeof LIGHT;

/** The custom property of a colour: `--line-strong`, `--ink-2`. */
const token = (key: string): string => `--${key.replace(/[A-Z0-9]/g, (part) => `-${part.toLowerCase()}`)}`;

let kept: Theme | null = null;
let watching = false;
const listeners = new Set<() => void>();

export function theme(): Theme {
  if (kept) return kept;
  if (typeof document === "undefined") return LIGHT;
  watch();
  kept = themeOf(document.documentElement, isDark());
  return kept;
}

/** The colours that an element's custom properties say. */
export function themeOf(element: Element, dark: boolean): Theme {
  const style = getComputedStyle(element);
  const colours = Object.entries(LIGHT).map(([key, light]) => [
    key,
    style.getPropertyValue(token(key)).trim() || light,
  ]);
  return { ...(Object.fromEntries(colours) as Theme), dark };
}

function watch(): void {
  if (watching) return;
  watching = true;
  onThemeChange(() => {
    kept = null;
    for (const call of listeners) call();
  });
}

/** Called after the colours changed; the answer stops it. */
export function onRetheme(call: () => void): () => void {
  watch();
  listeners.add(call);
  return () => {
    listeners.delete(call);
  };
}

export const kernelPaint = (kernel: number, t: Theme): Fill => kernelFill(kernel, t.dark);
export const kernelInk = (kernel: number, t: Theme): string => inkOf(kernel, t.dark);

/** Stall causes have patterns of their own too; waiting for memory, the most common, is plain. */
export function stallPaint(stall: number, t: Theme): Fill {
  const colour = STALL_COLOURS[stall % STALL_COLOURS.length] as string;
  const patterns = ["grid", "diagonal", "plain", "dots", "back-diagonal", "horizontal", "vertical", "cross"] as const;
  return { colour, ink: t.dark ? "#00000066" : "#ffffff80", pattern: patterns[stall % patterns.length] ?? "plain" };
}

/** Dashes tell lines apart without colour; the first is solid. */
const DASHES: readonly number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3], [10, 4], [5, 2, 1, 2, 1, 2]];
export function dashOf(line: number): number[] {
  return [...(DASHES[line % DASHES.length] as number[])];
}
