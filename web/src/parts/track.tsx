// A bar in its trough, as on a page beside text: what it reaches, an interval over it, and a value to hold it against.
import "./track.css";
import { painted } from "./palette.ts";
import type { Interval } from "../model/types.ts";

interface Props {
  /** Where values stand, from 0 to 1. */
  at(value: number): number;
  /** From and to, and how each looks: as a kernel does, or by its class. */
  bars: readonly { from?: number; to: number; kernel?: number; class?: string }[];
  ends?: Interval;
  /** What is beyond it is cut. */
  top?: number;
  line?: number | undefined;
}

export function Track({ at, bars, ends = null, top = Infinity, line }: Props) {
  const place = (from: number | undefined, to: number) => {
    const start = from === undefined ? 0 : at(from);
    return { left: `${100 * start}%`, width: `${100 * Math.max(0, at(to) - start)}%` };
  };
  return (
    <span class="track" aria-hidden="true">
      {bars.map(({ from, to, kernel, class: looks }, i) => (
        <span key={i} class={looks} style={{ ...place(from, to), ...(kernel === undefined ? {} : painted(kernel)) }} />
      ))}
      {line !== undefined && <span class="track-line" style={{ left: `${100 * at(line)}%` }} />}
      {ends && <span class="track-range" data-cut={ends[1] > top || undefined} style={place(...ends)} />}
    </span>
  );
}
