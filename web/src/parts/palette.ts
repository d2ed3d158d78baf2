// The kernels' colours and patterns: the same kernel looks the same in every picture of the page.
//
// The colours are Okabe and Ito's (distinguishable with any common colour-vision deficiency), and each comes with a
// pattern and a number, so that nothing is said by colour alone. There are eight that can be told apart: from the ninth
// kernel on they come again, each with another pattern.

interface KernelStyle {
  /** On a light and on a dark background. */
  light: string;
  dark: string;
  /** Text on that fill. */
  inkLight: string;
  inkDark: string;
  pattern: Pattern;
  /** A number: letters are the runs that are compared. */
  number: string;
}
export type Pattern = "plain" | "diagonal" | "dots" | "cross" | "horizontal" | "vertical" | "back-diagonal" | "grid";
/** A colour with a pattern on it. `ink` is the pattern's colour. */
export interface Fill {
  colour: string;
  ink: string;
  pattern: Pattern;
}

// Blue and orange come first: the pair that stays farthest apart under every deficiency.
const FIRST: readonly KernelStyle[] = [
  { light: "#0072b2", dark: "#3d9bd6", inkLight: "#ffffff", inkDark: "#0b0f14", pattern: "plain", number: "1" },
  { light: "#e69f00", dark: "#f0b429", inkLight: "#14110a", inkDark: "#14110a", pattern: "diagonal", number: "2" },
  { light: "#009e73", dark: "#22b98b", inkLight: "#06120e", inkDark: "#06120e", pattern: "dots", number: "3" },
  { light: "#cc79a7", dark: "#d98fb8", inkLight: "#160a11", inkDark: "#160a11", pattern: "cross", number: "4" },
  { light: "#56b4e9", dark: "#7cc8f2", inkLight: "#08131a", inkDark: "#08131a", pattern: "horizontal", number: "5" },
  { light: "#d55e00", dark: "#ee7a2b", inkLight: "#140900", inkDark: "#140900", pattern: "vertical", number: "6" },
  { light: "#d8cb1e", dark: "#f0e442", inkLight: "#141303", inkDark: "#141303", pattern: "back-diagonal", number: "7" },
  { light: "#4d4d4d", dark: "#b8b8b8", inkLight: "#ffffff", inkDark: "#101010", pattern: "grid", number: "8" },
];

/** A style for each kernel of the largest mix. */
export const KERNEL_STYLES: readonly KernelStyle[] = [
  ...FIRST,
  ...FIRST.map((style, k) => ({
    ...style,
    pattern: (FIRST[(k + 4) % FIRST.length] as KernelStyle).pattern,
    number: String(FIRST.length + k + 1),
  })),
];

export function kernelStyle(kernel: number): KernelStyle {
  return KERNEL_STYLES[kernel % KERNEL_STYLES.length] as KernelStyle;
}

/** Text on a kernel's colour. */
export function kernelInk(kernel: number, dark: boolean): string {
  const style = kernelStyle(kernel);
  return dark ? style.inkDark : style.inkLight;
}
/** A kernel's colour with its pattern, which must be seen, and must not drown the colour. */
export function kernelFill(kernel: number, dark: boolean): Fill {
  const style = kernelStyle(kernel);
  return { colour: dark ? style.dark : style.light, ink: `${kernelInk(kernel, dark)}8c`, pattern: style.pattern };
}

const ruled = (way: string, ink: string, from: number, to: number, every: number): string =>
  `repeating-linear-gradient(${way}, transparent 0 ${from}px, ${ink} ${from}px ${to}px, transparent ${to}px ${every}px)`;
const dots = (ink: string, at: number): string =>
  `radial-gradient(circle at ${at}px ${at}px, ${ink} 0.9px, transparent 1.3px) 0 0 / 6px 6px`;
/** The same patterns as in picture/drawing.ts, as layers of a background. */
const LAYERS: Readonly<Record<Pattern, (ink: string) => string[]>> = {
  plain: () => [],
  diagonal: (ink) => [ruled("135deg", ink, 0, 1.4, 4.24)],
  "back-diagonal": (ink) => [ruled("45deg", ink, 0, 1.4, 4.24)],
  cross: (ink) => [...LAYERS.diagonal(ink), ...LAYERS["back-diagonal"](ink)],
  dots: (ink) => [dots(ink, 1.5), dots(ink, 4.5)],
  horizontal: (ink) => [ruled("to bottom", ink, 1.3, 2.7, 4)],
  vertical: (ink) => [ruled("to right", ink, 1.3, 2.7, 4)],
  grid: (ink) => [ruled("to bottom", ink, 2, 3, 5), ruled("to right", ink, 2, 3, 5)],
};
/** A fill as the background of an element. */
export const background = ({ colour, ink, pattern }: Fill): string => [...LAYERS[pattern](ink), colour].join(", ");

/** An element in a kernel's colour and pattern; `striped`: one without a pattern has stripes. */
export const painted = (kernel: number, striped = false) => ({
  background: `var(--k${kernel}-${striped ? "striped" : "fill"})`,
  color: `var(--k${kernel}-ink)`,
});

/** Stall causes share a ramp of their own: muted, so that the kernels stand out. Index = index into `stalls`. */
export const STALL_COLOURS: readonly string[] = [
  "#7f8c9b",
  "#a17fa8",
  "#5f9ea0",
  "#b08f5b",
  "#8f6f6f",
  "#6f8f6f",
  "#6d7fae",
  "#a8a05a",
  "#9b6b8a",
  "#5b8aa8",
  "#8a8a8a",
  "#b3847a",
];

export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "dark" || chosen === "light") return chosen === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Called when the colours change: by the system, or by the page's own switch (which sets `data-theme` on <html>). */
export function onThemeChange(call: () => void): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const observer = new MutationObserver(call);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  media.addEventListener("change", call);
  return () => {
    observer.disconnect();
    media.removeEventListener("change", call);
  };
}

/** Gives the document the kernels' looks, which depend on the theme. */
export function paintKernels(): void {
  const dark = isDark();
  KERNEL_STYLES.forEach((_, k) => {
    const fill = kernelFill(k, dark),
      striped: Fill = fill.pattern === "plain" ? { ...fill, pattern: "diagonal" } : fill;
    const looks = {
      "": fill.colour,
      "-ink": kernelInk(k, dark),
      "-fill": background(fill),
      "-striped": background(striped),
    };
    for (const [part, look] of Object.entries(looks))
      document.documentElement.style.setProperty(`--k${k}${part}`, look);
  });
}
