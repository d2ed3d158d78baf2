// <corun-lanes>: launches along time, a lane for each stream; below each lane, where another one of its GPU is busy too.
import { Drawing, fitText } from "../picture/drawing.ts";
import { Picture, type LegendItem } from "../picture/picture.tsx";
import { below } from "../picture/marks.ts";
import { kernelPaint, type Theme } from "../picture/theme.ts";
import { counted } from "../model/format.ts";
import { linear } from "../model/scale.ts";
import type { Tabular } from "../model/tabular.ts";
import { endOf, filled, launchAt, nanoText, spansOf, whole, type Launches, type Span } from "./launches.ts";

const LEFT = 96,
  RIGHT = 14,
  TOP = 6,
  BOTTOM = 26,
  LANE = 30,
  /** Of a lane, in which overlaps are marked. */
  MARK = 7,
  GAP = 8;
/** Lanes that are drawn: those that are busy longest. */
const MOST_LANES = 12;

interface Shown {
  launches: Launches;
  /** Where two lanes of a GPU are busy at once. */
  meeting: ReadonlyMap<number, readonly Span[]>;
  seen: Span;
}

/** The lanes that are drawn, in their order. */
function longest(spans: readonly Span[][]): number[] {
  const busy = spans.map(lengthOf);
  return [...busy.keys()]
    .sort((a, b) => (busy[b] as number) - (busy[a] as number))
    .slice(0, MOST_LANES)
    .sort((a, b) => a - b);
}

export class Lanes extends Picture {
  protected readonly file = "timeline";
  protected readonly name = "Launches by stream";
  protected readonly about =
    "When each stream of the timeline was busy, and when another one was busy at the same time.";
  #of: Shown | null = null;
  /** Of each lane: when it is busy, and when another one of its GPU is, too. */
  #spans: readonly Span[][] = [];
  #shared: readonly Span[][] = [];
  #lanes: readonly number[] = [];

  set of(of: Shown | null) {
    if (of && of.launches !== this.#of?.launches) {
      const { devices } = of.launches;
      this.#spans = spansOf(of.launches);
      this.#shared = this.#spans.map((spans, lane) => meets(spans, of.meeting.get(devices[lane] ?? 0) ?? []));
      this.#lanes = longest(this.#spans);
    }
    this.#of = of;
    this.redraw();
  }

  protected build(width: number, t: Theme): Drawing | null {
    if (!this.#of) return null;
    const { launches, seen } = this.#of,
      plot = { x: LEFT, y: TOP, w: Math.max(10, width - LEFT - RIGHT), h: this.#lanes.length * (LANE + GAP) },
      cells = Math.floor(plot.w),
      d = new Drawing(width, TOP + plot.h + BOTTOM, t.plot, t.font, t.mono);
    this.#lanes.forEach((lane, row) => {
      const y = TOP + row * (LANE + GAP),
        room = LANE - MARK - 2;
      d.rect(plot.x, y, plot.w, room, { fill: t.slotEmpty });
      d.text(plot.x - 8, y + room / 2, fitText(launches.lanes[lane] ?? "", 12, LEFT - 12), t.ink2, 12, {
        align: "end",
        baseline: "middle",
      });
      const bars = (of: readonly Span[], top: number, height: number, kernel: number): void => {
        const parts = filled(of, seen, cells);
        for (let x = 0; x < cells; ) {
          const part = parts[x] as number;
          let next = x + 1;
          while (next < cells && Math.abs((parts[next] as number) - part) < 0.02) next++;
          if (part > 0) {
            const tall = Math.max(1, part * height);
            d.rect(plot.x + x, top + height - tall, next - x, tall, { fill: kernelPaint(kernel, t) });
          }
          x = next;
        }
      };
      bars(this.#spans[lane] ?? [], y, room, 0);
      bars(this.#shared[lane] ?? [], y + room + 1, MARK, 1);
      d.spot(`lane ${lane}`, plot.x, y, plot.w, LANE, (x) =>
        this.#says(lane, x === undefined ? null : (x - plot.x) / plot.w),
      );
    });
    // Of a part, times are told from where it begins: else all that fit would be alike.
    const isAll = seen[0] === 0,
      length = seen[1] - seen[0];
    below(d, plot, linear(0, length, Math.max(2, Math.floor(plot.w / 110))), t, {
      say: (ns) => (isAll ? nanoText(ns) : `+${nanoText(ns)}`),
    });
    return d;
  }

  #says(lane: number, part: number | null): string {
    if (!this.#of) return "";
    const { launches, meeting, seen } = this.#of,
      title = launches.lanes[lane] ?? "",
      at = launchAt(launches, lane, seen[0] + (part ?? 0.5) * (seen[1] - seen[0]));
    if (at === null) return `${title}: no launch from here on`;
    const name = launches.names[launches.kernel[at] as number] ?? "",
      shared = together(launches, meeting, at);
    return `${title}, at ${nanoText(launches.start[at] as number)}: ${fitText(name, 12, 420)}, ${nanoText(launches.duration[at] as number)}${shared > 0 ? `, ${Math.round(100 * shared)} % of it beside another stream` : ""}`;
  }

  protected tabular(): Tabular | null {
    if (!this.#of) return null;
    const { launches } = this.#of;
    return {
      title: this.name,
      columns: [
        { key: "lane", title: "Lane", unit: "" },
        { key: "launches", title: "Launches", unit: "" },
        { key: "busy", title: "Busy", unit: "ns" },
        { key: "shared", title: "Beside another stream", unit: "ns" },
      ],
      rows: launches.lanes.map((title, lane) => {
        const spans = this.#spans[lane] ?? [];
        return [title, spans.length, lengthOf(spans), lengthOf(this.#shared[lane] ?? [])];
      }),
    };
  }

  protected legend(t: Theme): LegendItem[] {
    const left = (this.#of?.launches.lanes.length ?? 0) - this.#lanes.length;
    return [
      { name: "a launch", paint: kernelPaint(0, t) },
      { name: "beside another stream", paint: kernelPaint(1, t) },
      ...(left > 0 ? [{ name: `${left} more lanes in the table` }] : []),
    ];
  }

  protected summary(): string {
    if (!this.#of) return "";
    const { launches, meeting } = this.#of,
      all = whole(launches)[1],
      shared = [...meeting.values()].reduce((sum, spans) => sum + lengthOf(spans), 0);
    return `${counted(launches.start.length, "launch", "launches")} on ${counted(launches.lanes.length, "stream")} in ${nanoText(all)}; streams overlap for ${nanoText(shared)}.`;
  }
}

const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, [from, to]) => sum + to - from, 0);

/** What two lists of spans, each in order, have in common. */
function meets(spans: readonly Span[], others: readonly Span[]): Span[] {
  const found: Span[] = [];
  let first = 0;
  for (const [from, to] of spans) {
    while (first < others.length && (others[first] as Span)[1] <= from) first++;
    for (let at = first; at < others.length && (others[at] as Span)[0] < to; at++) {
      const [begin, end] = others[at] as Span;
      found.push([Math.max(from, begin), Math.min(to, end)]);
    }
  }
  return found;
}

/** How much of a launch others of its GPU ran beside. */
function together(of: Launches, all: ReadonlyMap<number, readonly Span[]>, at: number): number {
  const own: Span = [of.start[at] as number, endOf(of, at)],
    device = of.devices[of.lane[at] as number] ?? 0;
  return own[1] > own[0] ? lengthOf(meets([own], all.get(device) ?? [])) / (own[1] - own[0]) : 0;
}

customElements.define("corun-lanes", Lanes);
