// Numbers as they are written on the page. A number that is missing is “–”, never 0.
import type { Problem } from "./types.ts";

export const MISSING = "–";
/** Times slower than alone, of a kernel that gets nothing. */
export const ENDLESS = "∞";

export function count(value: number | null | undefined): string {
  return Number.isFinite(value) ? fixed(Math.round(value as number), 0) : MISSING;
}
/** So many of what is called so: "1 launch", "2,700 launches". */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** By decimals. One costs fifty times what it costs to use it. */
const FORMATS: Intl.NumberFormat[] = [];
/** Always as many decimals, so that digits stay in their column. */
export function fixed(value: number | null | undefined, decimals: number): string {
  if (value === Infinity) return ENDLESS;
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const format =
    FORMATS[decimals] ??
    new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  FORMATS[decimals] = format;
  return format.format(value);
}

export function percent(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? MISSING : `${fixed(value * 100, 1)} %`;
}

/** `950 cycles/s`, `48 k cycles/s`, `1.25 M cycles/s`: three digits are enough to compare. */
export function rate(value: number): string {
  if (value >= 999_500) return `${fixed(value / 1e6, 2)} M cycles/s`;
  if (value >= 9_950) return `${fixed(value / 1e3, 0)} k cycles/s`;
  return `${count(value)} cycles/s`;
}

export function speedText(speed: number): string {
  return speed === Infinity ? "as fast as it goes" : `${count(speed)} cycles/s`;
}

/** `1 h 5 min`, `3 min`, `12 s`. */
export function timeText(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `sm.max_ctas` in words: “max ctas”. */
export function words(path: string): string {
  return path.replaceAll(/[._]/g, " ");
}

// ---------------------------------------------------------------- problems and the fields that they belong to

/** What is asked for, where something does not apply. */
export const needText = (problems: readonly Problem[]): string =>
  `needs ${problems.map(({ want }) => want).join("; ")}`;
/** What is wrong, where its field is known. */
export const wrongText = ({ found, want }: Pick<Problem, "found" | "want">): string => `found ${found}, want ${want}`;
export const problemText = (p: Problem): string => `${p.path}: ${wrongText(p)}`;

/** One way of writing a path: `kernels[1].threads` and `kernels.1.threads` are the same. */
export function plainPath(path: string): string {
  return path.replaceAll(/\[["']?([^\]"']*)["']?\]/g, ".$1").replace(/^[.$]+/, "");
}

/** The field that a problem is shown at: the one with the longest path that the problem's path begins with. */
export function fieldFor(path: string, fields: Iterable<string>): string | null {
  const wanted = plainPath(path);
  let best: string | null = null;
  for (const field of fields) {
    if (wanted !== field && !wanted.startsWith(`${field}.`)) continue;
    if (best === null || field.length > best.length) best = field;
  }
  return best;
}

/** A number that is one; null for anything else. */
export const finite = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** What an error says. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** What the engine found wrong with what it was given, without what the runner's commands list; null for another error. */
export function problemsIn(error: unknown): Problem[] | null {
  const problems = (error as { problems?: unknown } | null | undefined)?.problems;
  return Array.isArray(problems)
    ? (problems as Problem[]).map((one) => ({ ...one, want: one.want.replace(/ \(`corun [^`]*`[^)]*\)/, "") }))
    : null;
}

/** A text as a pattern that finds it. */
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
