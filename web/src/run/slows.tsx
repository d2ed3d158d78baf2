// How many times slower each kernel is, taken apart: what its share costs, pale, what its neighbours cost, full, and what of that the best cure gives
// back, as a notch. All sides stand on one scale.
import { ENDLESS, MISSING } from "../model/format.ts";
import { inFull, plusMinus } from "../model/interval-text.ts";
import { Terms } from "../parts/term.tsx";
import { Chip, Mark } from "./answer.tsx";
import { BARS, bars, place, takenText, ticks, tops, type Bar, type BarKind } from "../model/bars.ts";
import type { RunSide } from "../model/model.ts";
import "./slows.css";

const valueText = (value: number, kind: BarKind): string =>
  value === Infinity ? ENDLESS : `${BARS[kind].format(value)}${kind === "slow" ? "×" : "\u00a0%"}`;

/** By which uses of one kernel differ: it stays where a name is cut. */
const NUMBER = / #\d+$/;

function SlowBar({ bar, top, mark }: { bar: Bar; top: number; mark: string }) {
  const { kind, kernel, name, value, ends, taken, cure, why } = bar,
    { format } = BARS[kind],
    unit = kind === "slow" ? "" : "\u00a0%",
    give = value === Infinity ? "" : plusMinus(value, ends, format);
  const at = (of: number): number => 100 * place(kind, of, top),
    from = (start: number, end: number) => ({ left: `${at(start)}%`, width: `${Math.max(0, at(end) - at(start))}%` }),
    base = kind === "slow" ? 1 : 0;
  const words = why || takenText(bar),
    range = inFull(ends, (end) => `${format(end)}${unit}`);
  return (
    <li class="slow" title={[words, range].filter(Boolean).join("; ")}>
      <span class="slow-name">
        <Mark mark={mark} />
        <Chip kernel={kernel} />
        <span class="slow-label">{name.replace(NUMBER, "")}</span>
        {NUMBER.exec(name)?.[0]}
      </span>
      {value === null ? (
        <span class="slow-why">
          {MISSING} {why}
        </span>
      ) : (
        <>
          <span class="slow-track" aria-hidden="true">
            <span
              class={`slow-fill swatch-${kernel}`}
              data-endless={value === Infinity || undefined}
              style={from(base, value)}
            />
            {taken ? <span class="slow-share" style={from(1, Math.min(value, taken.share))} /> : null}
            {cure ? <span class="slow-back" style={from(value / cure.gives, value)} /> : null}
            {kind === "slow" ? null : <span class="slow-one" style={{ left: `${at(1)}%` }} />}
            {ends && value < Infinity ? (
              <span class="slow-range" data-cut={ends[1] > top || undefined} style={from(ends[0], ends[1])} />
            ) : null}
          </span>
          <b class="slow-value">{valueText(value, kind)}</b>
          {give === "" ? null : <span class="hidden slow-give">{`${give.replace("±", "± ")}${unit}`}</span>}
          <span class="slow-of">
            <Terms text={words} />
          </span>
        </>
      )}
    </li>
  );
}

const lower = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

export function SlowBars({ sides }: { sides: readonly RunSide[] }) {
  const rows = sides.map((side) => ({ side, all: bars(side) })),
    every = rows.flatMap(({ all }) => all),
    top = tops(every),
    kinds = [...new Set(every.map(({ kind }): BarKind => kind))];
  return (
    <figure class="slows" aria-labelledby="slows-title" data-many={every.length > 4 || undefined}>
      <h3 id="slows-title">
        {kinds.map((kind, i) => (i === 0 ? BARS[kind].title : `; ${lower(BARS[kind].title)}`)).join("")}
      </h3>
      {rows.map(({ side, all }) => (
        <ul class="slows-side" key={side.mark} aria-label={`${side.mark} ${side.scheme}`.trim()}>
          {all.map((bar) => (
            <SlowBar key={bar.kernel} bar={bar} top={top[bar.kind]} mark={side.mark} />
          ))}
        </ul>
      ))}
      {kinds.includes("slow") ? (
        <div class="slows-scale" aria-hidden="true">
          {ticks(top.slow).map((tick) => (
            <span key={tick} style={{ left: `${100 * place("slow", tick, top.slow)}%` }}>
              {tick}×
            </span>
          ))}
        </div>
      ) : null}
    </figure>
  );
}
