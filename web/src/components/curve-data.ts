// The numbers of a curve: where its axis ends, and which points are connected.
import { niceMax } from "../draw/scale.ts";
import type { ProbeFigure } from "../types.ts";
import type { Point } from "./types.ts";

/** Beyond saturation latency has no bound: its axis ends at so many times the least. */
const STEEPEST = 10;

export interface CurveData {
  component: string;
  figure: ProbeFigure;
  /** What is swept, and its unit. */
  sweep: { name: string; unit: string };
  from: number;
  to: number;
  points: readonly Point[];
}

const isLatency = (unit: string): boolean => /\b(cycles|clocks)\b/.test(unit);

/** Where the vertical axis ends. */
export function curveTop(data: CurveData): number {
  const all = data.points.flatMap((p) => [p.measured, p.theory]).filter((v): v is number => v !== null);
  const most = Math.max(0, ...all);
  if (!isLatency(data.figure.unit)) return most <= 1 ? 1 : niceMax(most);
  const least = Math.min(...all.filter((v) => v > 0));
  return niceMax(Math.min(most, least * STEEPEST));
}

/** Connected points, up to where they leave the axis: the line goes there, but not beyond. */
export function stretches(points: readonly Point[], of: "measured" | "theory", top: number): [number, number][][] {
  const out: [number, number][][] = [];
  let line: [number, number][] = [];
  const end = (): void => {
    if (line.length > 1) out.push(line);
    line = [];
  };
  for (const p of points) {
    const v = p[of],
      last = line[line.length - 1];
    if (v === null) {
      end();
      continue;
    }
    if (v > top) {
      if (last) line.push([last[0] + ((p.x - last[0]) * (top - last[1])) / (v - last[1]), top]);
      end();
    } else line.push([p.x, v]);
  }
  end();
  return out;
}
