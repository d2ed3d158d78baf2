// Axes and numbers: pure functions.

/** Steps of 1, 2 or 5 × 10ⁿ: at most `count` + 1 ticks within [from, to]. */
export function ticks(from: number, to: number, count: number): number[] {
  if (!(to > from) || !Number.isFinite(from) || !Number.isFinite(to) || count < 1) return [];
  const step = niceStep((to - from) / count);
  const out: number[] = [];
  const first = Math.ceil(from / step - 1e-9);
  for (let i = first; i * step <= to + step * 1e-9; i++) out.push(tidy(i * step));
  return out;
}

/** The numbers of an axis, and where a value stands on it, from 0 to 1. */
export interface Scale {
  ticks: readonly number[];
  at(value: number): number;
}
export const linear = (from: number, to: number, count = 5): Scale => ({
  ticks: ticks(from, to, count),
  at: (value) => (to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 0),
});

/** The smallest 1, 2 or 5 × 10ⁿ that is at least `least`. */
export function niceStep(least: number): number {
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const m of [1, 2, 5, 10]) if (m * power >= least * (1 - 1e-9)) return tidy(m * power);
  return tidy(10 * power);
}

/** An upper end for an axis that must hold `value`: a whole number of nice steps. */
export function niceMax(value: number, steps = 4): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const step = niceStep(value / steps);
  return tidy(Math.ceil(value / step - 1e-9) * step);
}

/** Takes away the last bits that multiplying left behind: 0.30000000000000004 → 0.3. */
function tidy(v: number): number {
  return Number(v.toPrecision(12));
}

const GROUPS = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** 1234567 → "1,234,567". */
export function whole(v: number): string {
  return Number.isFinite(v) ? GROUPS.format(Math.round(v)) : "–";
}

/** Three significant figures, no exponent: 0.0123, 1.23, 12.3, 123, 12,345; a dash where there is no number. */
export function figure(v: number): string {
  if (!Number.isFinite(v)) return "–";
  const a = Math.abs(v);
  if (a === 0) return "0";
  if (a >= 1000) return whole(v);
  if (a >= 100) return v.toFixed(0);
  if (a >= 10) return v.toFixed(1);
  if (a >= 1) return v.toFixed(2);
  return a < 0.001 ? v.toExponential(1) : v.toFixed(3);
}

/** For axes: 0, 500, 1k, 2.5k, 1M. */
export function short(v: number): string {
  const a = Math.abs(v);
  if (a >= 1e9) return `${tidy(v / 1e9)}G`;
  if (a >= 1e6) return `${tidy(v / 1e6)}M`;
  if (a >= 1e3) return `${tidy(v / 1e3)}k`;
  return String(tidy(v));
}

export function percent(part: number, total: number): string {
  if (!(total > 0) || !Number.isFinite(part)) return "–";
  const p = (100 * part) / total;
  return p > 0 && p < 0.5 ? "<1 %" : `${Math.round(p)} %`;
}
