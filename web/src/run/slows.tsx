// How many times slower each kernel is, taken apart: what its share costs, pale, what its neighbours cost, full, and what of that the best cure gives
// back, as a notch. All sides stand on one scale.
import { ENDLESS, MISSING } from "../model/format.ts";
import { inFull, plusMinus } from "../model/interval-text.ts";
import { Terms } from "../parts/term.tsx";
import { Track } from "../parts/track.tsx";
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
    endless = value === Infinity,
    give = endless ? "" : plusMinus(value, ends, format);
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
      {value === null && ends === null ? (
        <span class="slow-why">
          {MISSING} {why}
        </span>
      ) : (
        <>
          <Track
            at={(of) => place(kind, of, top)}
            bars={
              value === null
                ? []
                : [
                    {
                      from: kind === "slow" ? 1 : 0,
                      to: value,
                      kernel,
                      class: endless ? "slow-endless" : "",
                    },
                    ...(taken ? [{ from: 1, to: Math.min(value, taken.share), class: "slow-share" }] : []),
                    ...(cure ? [{ from: value / cure.gives, to: value, class: "slow-back" }] : []),
                  ]
            }
            // A promise that is just kept.
            line={kind === "slow" ? undefined : 1}
            ends={endless ? null : ends}
            top={top}
          />
          <b class="slow-value">{value === null ? MISSING : valueText(value, kind)}</b>
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
