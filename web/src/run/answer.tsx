// The answer: what the engine says of who suffers and why, how sure that is, how much slower each kernel is, and where a read waits.
import "./answer.css";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { setText } from "../dom.ts";
import { count, ENDLESS, fixed, MISSING } from "../format.ts";
import { inFull, plusMinus } from "../interval-text.ts";
import { BARS, bars, merits, tops, type Bar, type BarKind } from "./bars.ts";
import type { RunSide } from "./model.ts";
import type { Rate } from "./rate.ts";
import { isFinal, origins, parts, plain, said, stand, type Part, type Said, type Standing } from "./says.ts";
import { paths, type ReadPath } from "./where.ts";

/** The mark of a kernel in a line of text: its colour and pattern. */
export const Chip = ({ kernel }: { kernel: number }) => <i class={`answer-chip swatch-${kernel}`} aria-hidden="true" />;
const KernelName = ({ kernel, name }: { kernel: number; name: string }) => (
  <span class="answer-kernel" style={{ "--of": `var(--k${kernel})` }}>
    <Chip kernel={kernel} />
    {name}
  </span>
);
export const Mark = ({ mark }: { mark: string }) => (mark === "" ? null : <b class="side-mark">{mark}</b>);

// ---------------------------------------------------------------- the sentence
//
// Nothing is rendered as an empty string: Preact writes empty text nodes anew each time.

/** What stands: while runs go on, it changes at most every few seconds, and once when they end. */
function useStanding(sides: readonly RunSide[]): readonly RunSide[] {
  const before = useRef<Standing | null>(null);
  const [, look] = useState(0);
  const { standing, again } = stand(before.current, sides, performance.now());
  before.current = standing;
  useEffect(() => {
    if (again === null) return;
    const timer = setTimeout(() => look((n) => n + 1), again);
    return () => clearTimeout(timer);
  });
  return standing.sides;
}

/** Leads to where a number stands among all numbers, by what is there its `data-stands`. */
type Lead = (stands: string) => void;

const Words = ({ part, mark, lead }: { part: Part; mark: string; lead: Lead }): ComponentChildren => {
  switch (part.kind) {
    case "words":
      return part.text;
    case "kernel":
      return part.kernel === null ? part.text : <KernelName kernel={part.kernel} name={part.text} />;
    case "times":
      return (
        <button
          type="button"
          class="answer-number"
          title={part.range}
          onClick={() => lead(`${mark}.slowdown.${part.kernel}`)}
        >
          {part.text}
          {part.give === "" ? null : <span class="answer-give"> ± {part.give}</span>}
        </button>
      );
  }
};

const Paragraph = (props: { said: Said; first: boolean; lead: Lead }) => {
  const { side, lead, sentences, needs } = props.said,
    { first } = props;
  const words = (sentence: string) =>
    side.result
      ? parts(sentence, side.kernels, side.result).map((part, i) => (
          <Words key={i} part={part} mark={side.mark} lead={props.lead} />
        ))
      : sentence;
  return (
    <>
      {first ? null : " "}
      {lead || null}
      {sentences.map((sentence, i) => (
        <span key={i}>
          {i > 0 ? " " : null}
          {words(sentence)}
        </span>
      ))}
      {!first && needs !== "" ? <span class="answer-needs"> {needs}</span> : null}
    </>
  );
};

/** Said once by a screen reader: the element is written only when its text is another. */
function Announced({ text }: { text: string }) {
  const status = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (status.current) setText(status.current, text);
  }, [text]);
  return <p class="hidden" role="status" ref={status} />;
}

const SIGNS: Partial<Record<RunSide["origin"], string>> = { confirmed: "✓", differs: "!" };

/** How far the runs are that tell why, which can be stopped. */
function Asks({ sides, onStop }: { sides: readonly RunSide[]; onStop(stopped: boolean): void }) {
  const asked = sides.flatMap(({ asking }) => (asking ? [asking] : []));
  if (asked.length === 0) return null;
  const sum = (of: "done" | "of"): number => asked.reduce((all, one) => all + one[of], 0),
    stopped = asked.every((one) => one.stopped);
  return (
    <span class="answer-asks">
      {stopped ? "Why is not known" : "Asking why"}: {count(sum("done"))} of {count(sum("of"))} runs.{" "}
      <button type="button" class="text-button" onClick={() => onStop(!stopped)}>
        {stopped ? "Go on" : "Stop"}
      </button>{" "}
    </span>
  );
}

/** `rate`: how often causes that were named have held; null where that is not known. */
export function Sentence(props: {
  sides: readonly RunSide[];
  rate: Rate | null;
  lead: Lead;
  onStop(stopped: boolean): void;
}) {
  const { sides: given, rate, lead, onStop } = props;
  const sides = useStanding(given),
    paragraphs = said(sides),
    [a] = paragraphs;
  const named = a !== undefined && bars(a.side).some(({ cure }) => cure !== null);
  return (
    <section class="answer" aria-label="Who suffers, and why">
      <h2 class="answer-says">
        {paragraphs.map((one, i) => (
          <Paragraph key={one.side.mark} said={one} first={i === 0} lead={lead} />
        ))}
      </h2>
      <p class="answer-sure">
        {origins(sides).map(({ mark, text, origin }) => (
          <span key={mark} class={`answer-${origin}`}>
            {SIGNS[origin] ? <b aria-hidden="true">{SIGNS[origin]} </b> : null}
            {mark === "" ? null : `${mark}: `}
            {text}{" "}
          </span>
        ))}
        {a && a.needs !== "" ? `${a.needs} ` : null}
        <Asks sides={given} onStop={onStop} />
        {named && rate && rate.of > 0 ? (
          <button type="button" class="text-button" onClick={() => void openTrust()}>
            Causes like this held in {rate.held} of {rate.of} tests
          </button>
        ) : null}
      </p>
      <Announced text={sides.length > 0 && sides.every(isFinal) ? plain(paragraphs) : ""} />
    </section>
  );
}
const openTrust = async (): Promise<void> => (await import("./trust.tsx")).openTrust();

// ---------------------------------------------------------------- how much slower

const valueText = (value: number, kind: BarKind): string =>
  value === Infinity ? ENDLESS : `${BARS[kind].format(value)}${kind === "slow" ? "×" : "\u00a0%"}`;

/** By which uses of one kernel differ: it stays where a name is cut. */
const NUMBER = / #\d+$/;

/** `brief`: beside another run there is room for the mark alone of what the share costs. */
function SlowBar({ bar, top, brief }: { bar: Bar; top: number; brief: boolean }) {
  const { kind, kernel, name, value, ends, share, cure, why } = bar,
    { format } = BARS[kind];
  const unit = kind === "slow" ? "" : "\u00a0%",
    give = value === Infinity ? "" : plusMinus(value, ends, format),
    ofShare =
      share === null ? "" : share.all ? "all of it for its share" : `of which its share ${valueText(share.cost, kind)}`;
  return (
    <li class="slow" title={why || [ofShare, cure?.says].filter(Boolean).join(". ")}>
      <span class="slow-name">
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
              style={{ width: `${Math.min(100, (100 * value) / top)}%` }}
            />
            {share === null ? null : (
              <span class="slow-share" style={{ left: `${Math.min(100, (100 * share.cost) / top)}%` }} />
            )}
            {cure === null ? null : (
              <span
                class="slow-back"
                style={{
                  left: `${Math.min(100, (100 * cure.left) / top)}%`,
                  width: `${Math.max(0, Math.min(100, (100 * value) / top) - (100 * cure.left) / top)}%`,
                }}
              />
            )}
            <span class="slow-one" style={{ left: `${100 / top}%` }} />
          </span>
          <b class="slow-value">{valueText(value, kind)}</b>
          <span class="slow-give" title={inFull(ends, (end) => `${format(end)}${unit}`)}>
            {give === "" ? null : `${give.replace("±", "± ")}${unit}`}
          </span>
          {ofShare === "" ? null : <span class={brief ? "hidden" : "slow-of"}>{ofShare}</span>}
          {cure === null ? null : <span class="hidden">{cure.says}</span>}
          {why === "" ? null : <span class="hidden">{why}</span>}
        </>
      )}
    </li>
  );
}

const lower = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1);

/** How many times slower each kernel is, or the part of its promise that is kept: a row for each side, all on one scale. */
export function SlowBars({ sides }: { sides: readonly RunSide[] }) {
  const rows = sides.map((side) => ({ side, all: bars(side) })),
    every = rows.flatMap(({ all }) => all),
    top = tops(every);
  const kinds = [...new Set(every.map(({ kind }): BarKind => kind))];
  return (
    <section class="slows" aria-labelledby="slows-title">
      <h3 id="slows-title">
        {kinds.map((kind, i) => (i === 0 ? BARS[kind].title : `; ${lower(BARS[kind].title)}`)).join("")}
      </h3>
      {rows.map(({ side, all }) => (
        <div class="slows-row" key={side.mark}>
          <span class="slows-side">
            <Mark mark={side.mark} />
            <span title={side.scheme}>{side.scheme}</span>
          </span>
          <ul class="slows-bars" aria-label={`${side.mark} ${side.scheme}`.trim()}>
            {all.map((bar) => (
              <SlowBar key={bar.kernel} bar={bar} top={top[bar.kind]} brief={rows.length > 1} />
            ))}
          </ul>
          <span class="slows-merits">
            {merits(side).map(({ name, doc, value, ends }, i) => (
              <span key={name} title={`${doc}. ${inFull(ends, (end) => fixed(end, 2))}`.trim()}>
                {i > 0 ? " · " : null}
                {name} {fixed(value, 2)}
              </span>
            ))}
          </span>
        </div>
      ))}
    </section>
  );
}

// ---------------------------------------------------------------- where a read waits

/** A part that is as alone, pale, and what goes beyond, in the colour of whom it waits behind. */
export function Beyond({
  here,
  alone,
  top,
  kernel,
  by,
}: {
  here: number;
  alone: number | null;
  top: number;
  kernel: number;
  by: number | null;
}) {
  const width = (cycles: number): string => `${top > 0 ? (100 * cycles) / top : 0}%`,
    pale = Math.min(here, alone ?? here);
  return (
    <span class="beyond" aria-hidden="true">
      <span
        class="beyond-alone"
        data-unknown={(alone === null && by !== null) || undefined}
        style={{ width: width(pale), "--of": `var(--k${kernel})` }}
      />
      <span class={`beyond-more swatch-${by ?? kernel}`} style={{ width: width(here - pale) }} />
      <span
        class="beyond-less"
        style={{ width: width(Math.max(0, (alone ?? 0) - here)), "--of": `var(--k${kernel})` }}
      />
    </span>
  );
}

/** `again`: the kernel of the path before; `same`: behind the same other one, so that its colours are explained there. */
function Path(props: { path: ReadPath; top: number; two: boolean; again: boolean; same: boolean }) {
  const { path, top, two, again, same } = props;
  const most = path.stations.reduce((max, { here, alone }) => Math.max(max, here - (alone ?? here)), 0);
  return (
    <section class="stations-side" aria-label={`${two ? `${path.mark}: ` : ""}where a read of ${path.name} waits`}>
      <h3>
        {two ? <Mark mark={path.mark} /> : null}
        <span class={again ? "hidden" : undefined}>
          <b>A read of {path.name} waits</b> <span class="stations-unit">cycles</span>
        </span>
      </h3>
      {path.stations.length === 0 ? (
        <p class="note">
          {MISSING} {path.why}
        </p>
      ) : (
        <ol class="stations-list">
          {path.stations.map(({ key, name, here, alone }) => (
            <li key={key} data-most={(most > 0 && here - (alone ?? here) === most) || undefined}>
              <span class="stations-name">{name}</span>
              <Beyond here={here} alone={alone} top={top} kernel={path.kernel} by={path.behind?.kernel ?? null} />
              <span class="stations-value">
                {count(here)}
                <span class="hidden"> cycles, alone {count(alone)}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {path.stations.length === 0 ? null : (
        <p class="stations-all">
          <span>{count(path.here)} in all</span>
          {path.alone === null && path.why === "" ? null : (
            <span class={same ? "hidden" : undefined}>
              <span class="stations-pale" style={{ "--of": `var(--k${path.kernel})` }} /> alone {count(path.alone)}
              {path.why === "" ? null : `: ${path.why}`}
            </span>
          )}
          {path.behind && path.alone !== null ? (
            <span class={same ? "hidden" : undefined}>
              <Chip kernel={path.behind.kernel} /> beyond, behind {path.behind.name}
            </span>
          ) : null}
        </p>
      )}
    </section>
  );
}

/** What the colours of a path are: whose read it is, and behind whom. */
const explained = ({ kernel, name, behind }: ReadPath): string =>
  [kernel, name, behind?.kernel ?? "", behind?.name ?? ""].join(" ");

/** Where a read of the kernel that suffers waits, and how long alone: each side, on one scale. */
export function Stations({ sides, shown }: { sides: readonly RunSide[]; shown: number | null }) {
  const all = paths(sides).filter((_, i) => shown === null || i === shown),
    top = Math.max(1, ...all.flatMap(({ stations }) => stations.map(({ here, alone }) => Math.max(here, alone ?? 0))));
  return (
    <div class="stations">
      {all.map((path, i) => (
        <Path
          key={path.mark}
          path={path}
          top={top}
          two={sides.length > 1}
          again={i > 0 && path.name === all[0]?.name}
          same={i > 0 && path.why === "" && explained(path) === explained(all[0] as ReadPath)}
        />
      ))}
    </div>
  );
}
