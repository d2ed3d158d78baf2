// All schemes on the present mix in one picture, which is one control: arrow keys move between the schemes, Enter or a press makes one B.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { policyOf } from "../model/choices.ts";
import { count } from "../model/format.ts";
import { hasGoal } from "../model/goal.ts";
import { type Column, columns } from "./table.ts";
import { plusMinus } from "../model/interval-text.ts";
import type { MetricEntry } from "../model/types.ts";
import type { RunSide, SchemeAnswer } from "../model/model.ts";
import {
  byPromise,
  FEW,
  goTo,
  isSide,
  picksOf,
  raceText,
  runningText,
  type SchemePoint,
  schemePoints,
} from "./scheme-points.ts";
import { HEAD, ROW, SchemeRows } from "./scheme-rows.tsx";
import { pointAt, scatterOf, SchemeScatter } from "./scheme-scatter.tsx";
import type { SchemesProgress } from "./schemes-run.ts";
import { useFreshId } from "../parts/dom.ts";
import { Terms } from "../parts/term.tsx";
import "./schemes-picture.css";

interface SchemesPictureProps {
  answers: readonly SchemeAnswer[];
  kernels: readonly string[];
  a: RunSide | null;
  b: RunSide | null;
  /** A scheme is to be B. */
  onChoose(answer: SchemeAnswer): void;
  onRunAll(): void;
  /** Those that the race has dropped are to run to their ends, too. */
  onRunDropped(): void;
  onStop?(): void;
  progress: SchemesProgress | null;
  /** What figures are called, and what schemes do: the catalogue's. */
  metrics?: readonly MetricEntry[];
  policies?: readonly { name: string; doc: string }[];
  /** What a press does to a scheme. */
  does?: string;
}

const FIRST_WIDTH = 340;
/** As high as it is wide, within these. */
const LEAST = 300,
  MOST = 360;
/** The figures that say how good a scheme is. */
const MERIT = ["hspeedup", "stp", "fairness"];

function useWidth(): [{ readonly current: HTMLDivElement | null }, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => setWidth(Math.max(240, Math.floor(element.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}

export function SchemesPicture({
  answers,
  kernels,
  a,
  b,
  onChoose,
  onRunAll,
  onRunDropped,
  onStop,
  progress,
  metrics = [],
  policies = [],
  does = "make it B",
}: SchemesPictureProps) {
  const id = useFreshId("schemes");
  const [ref, width] = useWidth();
  const [pointed, setPointed] = useState<string | null>(null);
  const [focused, setFocused] = useState(false);
  const [asked, setAsked] = useState("");
  const height = Math.min(MOST, Math.max(LEAST, width));

  const experiment = answers[0]?.experiment ?? a?.experiment ?? null;
  const goals = kernels.map((_, k) => {
    const choice = experiment?.kernels[k];
    return choice !== undefined && hasGoal(choice);
  });
  const promised = goals.includes(true),
    flat = kernels.length === 2 && !promised;
  const all = useMemo(() => columns(kernels, goals, metrics), [kernels.join(), goals.join(), metrics]);
  const shown = all.filter(({ figure }) => figure === (promised ? "goals" : "slowdown"));

  const found = useMemo(() => {
    const all = schemePoints(answers, a, b);
    return promised ? byPromise(all, shown) : all;
  }, [answers, a, b, promised]);
  const runs = (one: SchemeAnswer): boolean => [a, b].some((side) => side?.result && isSide(one, side));
  const comes = (one: SchemeAnswer): boolean => one.result === null || one.races === true;
  const waiting = answers.filter((one) => comes(one) && one.why === undefined && !runs(one));
  const sufferer = a?.result?.verdict?.sufferer ?? 0;
  const picks = useMemo(
    () => (promised || found.length < 2 ? [] : picksOf(found, kernels, sufferer)),
    [found, promised, kernels.join(), sufferer],
  );
  const pick = picks.find((one) => one.id === asked) ?? null;
  const scatter = useMemo(
    () => (flat && found.length > 0 ? scatterOf(found, pick?.point ?? null, width, height) : null),
    [flat, found, pick?.point, width, height],
  );
  const points = useMemo(() => scatter?.dots.map(({ point }) => point) ?? found, [scatter, found]);

  // Points come and change places while schemes run: the one that is meant stays.
  const keyOf = (point: SchemePoint | undefined): string => point?.answers[0]?.scheme ?? "";
  const [chosen, setChosen] = useState("");
  const at = Math.max(
    0,
    chosen === "" ? points.findIndex((p) => p.marks.includes("B")) : points.findIndex((p) => keyOf(p) === chosen),
  );
  const holds = (point: SchemePoint, one: SchemePoint): boolean =>
    one.answers.every((answer) => point.answers.includes(answer));
  const meantAt = pointed !== null ? points.findIndex((p) => keyOf(p) === pointed) : focused ? at : -1,
    active = meantAt < 0 && pick ? points.findIndex((p) => holds(p, pick.point)) : meantAt;
  const optionId = (i: number): string => `${id}-${i}`;

  const choose = (point: SchemePoint | undefined): void => {
    if (!point || point.marks === "B") return;
    const answer = point.answers.find((one) => !isSide(one, a)) ?? point.answers[0];
    if (answer) onChoose(answer);
  };
  const places = scatter?.dots.map(({ place }) => place) ?? points.map((_, i) => ({ x: 0, y: i, r: 0 }));
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (pointed !== null || focused)) {
      setPointed(null);
      setFocused(false);
      return;
    }
    if (event.key === "Enter" || event.key === " ") choose(points[at]);
    else {
      const to = goTo(places, at, event.key);
      if (to === null) return;
      setPointed(null);
      setFocused(true);
      setChosen(keyOf(points[to]));
      document.getElementById(optionId(to))?.scrollIntoView({ block: "nearest" });
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const meant = (event: MouseEvent): number | null => {
    if (scatter && ref.current) {
      const box = ref.current.getBoundingClientRect();
      return pointAt(places, event.clientX - box.left, event.clientY - box.top);
    }
    const row = (event.target as Element).closest<HTMLElement>("[data-at]");
    return row ? Number(row.dataset["at"]) : null;
  };
  const spoken = (point: SchemePoint): string => speak(point, shown, all);

  return (
    <section class="schemes-picture" aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>All schemes</h2>
        {picks.map(({ id: one, title }) => (
          <button
            key={one}
            type="button"
            class="text-button"
            aria-pressed={one === asked}
            onClick={() => setAsked(one === asked ? "" : one)}
          >
            {title}
          </button>
        ))}
      </header>
      <p class="how" role="status">
        <Terms
          text={
            pick
              ? `${pick.says} `
              : flat
                ? "Lower left is better."
                : promised
                  ? "A filled mark is a promise kept."
                  : "Shorter is better."
          }
        />
        {pick && pick.point.marks === "" && (
          <button type="button" class="text-button" onClick={() => choose(pick.point)}>
            {`${does.slice(0, 1).toUpperCase()}${does.slice(1)}`}
          </button>
        )}
      </p>
      <div ref={ref} class="frame" style={{ minHeight: `${height}px` }}>
        {points.length === 0 ? (
          <p class="none">{progress ? "The first scheme is running." : "No scheme has run yet."}</p>
        ) : (
          <div
            class="plot"
            role="listbox"
            tabIndex={0}
            aria-labelledby={`${id}-title`}
            aria-activedescendant={optionId(at)}
            data-pointed={pointed === null ? undefined : ""}
            onKeyDown={onKey}
            onFocus={() => setFocused(true)}
            onBlur={() => setFocused(false)}
            onPointerMove={(event) => {
              const i = meant(event);
              setPointed(i === null ? null : keyOf(points[i]));
            }}
            onPointerLeave={() => setPointed(null)}
            onClick={(event) => {
              const i = meant(event);
              if (i === null) return;
              setChosen(keyOf(points[i]));
              choose(points[i]);
            }}
          >
            {scatter ? (
              <SchemeScatter
                {...{ scatter, width, height, optionId, spoken }}
                kernels={kernels}
                active={active < 0 ? null : active}
              />
            ) : (
              <SchemeRows
                {...{ points, optionId, spoken }}
                columns={shown}
                kernels={kernels}
                active={active < 0 ? null : active}
              />
            )}
            {meantAt >= 0 && points[active] && (
              <Tip
                point={points[active] as SchemePoint}
                about={aboutOf(points[active] as SchemePoint, policies)}
                figures={[...shown, ...all.filter(({ key }) => MERIT.includes(key))]}
                place={scatter ? (places[active] ?? null) : null}
                row={active}
                width={width}
                height={height}
              />
            )}
          </div>
        )}
      </div>
      {/* Above the notes, which come and go: what is meant to be pressed stays where it is. */}
      <Standing {...{ answers, waiting, progress, onRunAll, onRunDropped, onStop }} />
      {points.some(({ learning }) => learning !== "") && (
        <p class="none" title={actsText(points)}>
          Dashed: still learning.
        </p>
      )}
      {points.some(({ dropped }) => dropped) && (
        <p class="none">A cross: dropped on the way, as its whole interval was behind the first.</p>
      )}
      {beside(answers, a, b).map((note) => (
        <p key={note} class="none">
          {note}
        </p>
      ))}
    </section>
  );
}

/** What A and B are beside the other schemes, where they are not like them. */
function beside(answers: readonly SchemeAnswer[], a: RunSide | null, b: RunSide | null): string[] {
  const other = answers.find(
    (one) => one.result !== null && raceText(one) === "" && !isSide(one, a) && !isSide(one, b),
  );
  return [
    ...(b?.elsewhere === true ? ["B differs from A in more than its scheme: it has no place here."] : []),
    ...(a?.result && other?.result && other.result.cycles !== a.result.cycles
      ? [`The others ran for ${count(other.result.cycles)} cycles.`]
      : []),
  ];
}

const written = (column: Column, point: SchemePoint): string => {
  const value = column.read(point.result),
    around = plusMinus(value, column.ends(point.result), column.format);
  return `${column.format(value)}${around === "" ? "" : ` ${around}`}`;
};
/** A side, and the forms that are drawn as one. */
const members = ({ answers }: SchemePoint): string =>
  answers.length > 1 ? answers.map(({ scheme }) => scheme).join(" · ") : "";

function speak(point: SchemePoint, shown: readonly Column[], all: readonly Column[]): string {
  const figures = [...shown, ...all.filter(({ key }) => MERIT.includes(key))].map((column) => {
    const said = column.said?.(column.read(point.result)) ?? "";
    return `${column.title} ${written(column, point)}${said === "" ? "" : `, ${said}`}`;
  });
  return [
    `${point.marks === "" ? "" : `${[...point.marks].join(" and ")}: `}${point.name}`,
    ...figures,
    ...(point.answers.length > 1 ? [members(point)] : []),
    ...[point.learning, point.race].filter((text) => text !== ""),
  ].join("; ");
}

/** When those act that have not acted yet. */
function actsText(points: readonly SchemePoint[]): string {
  const late = points.flatMap(({ answers, learning }) =>
    learning === "" ? [] : answers.flatMap(({ scheme, acts }) => (acts === undefined ? [] : [{ scheme, acts }])),
  );
  return late.length === 0
    ? "A longer run says what it does."
    : `${late.map(({ scheme, acts }) => `${scheme} acts from ${count(acts)} on`).join("; ")}.`;
}

/** What the scheme of a point does, where it is one. */
function aboutOf(
  { answers: [first, ...others] }: SchemePoint,
  policies: readonly { name: string; doc: string }[],
): string {
  const name = first && others.length === 0 ? policyOf(first.experiment).name : "";
  return policies.find((one) => one.name === name)?.doc ?? "";
}

interface TipProps {
  point: SchemePoint;
  about: string;
  figures: readonly Column[];
  place: { x: number; y: number; r: number } | null;
  /** Which row it is, where there are rows. */
  row: number;
  width: number;
  height: number;
}
/** What the option's own name says to those who do not see it. */
function Tip({ point, about, figures, place, row, width, height }: TipProps) {
  const style =
    place === null
      ? row < 8
        ? { right: "0", top: `${HEAD + (row + 1) * ROW}px` }
        : { right: "0", top: `${HEAD + row * ROW}px`, transform: "translateY(-100%)" }
      : {
          ...(place.x < width / 2
            ? { left: `${place.x + place.r + 10}px` }
            : { right: `${width - place.x + place.r + 10}px` }),
          ...(place.y < height / 2 ? { top: `${place.y}px` } : { bottom: `${height - place.y}px` }),
        };
  return (
    <div class="schemes-tip" aria-hidden="true" style={style}>
      <strong>{point.name}</strong>
      {point.answers.length > 1 && <p>{members(point)}</p>}
      {about !== "" && <p>{about}</p>}
      <dl>
        {figures.map((column) => (
          <div key={column.key}>
            <dt>{column.title}</dt>
            <dd>{written(column, point)}</dd>
          </div>
        ))}
      </dl>
      {point.learning !== "" && <p>{point.learning}</p>}
      {point.race !== "" && <p>{point.race}</p>}
    </div>
  );
}

interface StandingProps {
  answers: readonly SchemeAnswer[];
  waiting: readonly SchemeAnswer[];
  progress: SchemesProgress | null;
  onRunAll(): void;
  onRunDropped(): void;
  onStop: (() => void) | undefined;
}

/** What has no result yet, or none of its end. */
function Standing({ answers, waiting, progress, onRunAll, onRunDropped, onStop }: StandingProps) {
  const ref = useRef<HTMLButtonElement>(null),
    held = useRef(false);
  // The button that was pressed becomes the other one.
  useEffect(() => {
    if (held.current) ref.current?.focus();
    held.current = false;
  }, [progress === null]);
  const dropped = answers.filter((one) => one.dropped !== undefined).length;
  const button = (text: string, call: () => void) => (
    <button
      type="button"
      class="button"
      ref={ref}
      onClick={() => {
        held.current = true;
        call();
      }}
    >
      {text}
    </button>
  );
  if (progress)
    return (
      <div class="schemes-left">
        <progress max={progress.of} value={progress.done} aria-label="Schemes done" />
        <span>{runningText(waiting, progress)}</span>
        {onStop && button("Stop", onStop)}
      </div>
    );
  if (waiting.length > 0) {
    const few = waiting.length <= FEW ? `: ${waiting.map(({ scheme }) => scheme).join(", ")}` : "",
      has = waiting.length === 1 ? "has" : "have",
      whole = waiting.some(({ races }) => races) ? " to the end" : "";
    return (
      <div class="schemes-left">
        <span>{`${waiting.length} more ${has} not run${whole}${few}`}</span>
        {button(`Run ${waiting.length === 1 ? "it" : "them"}`, onRunAll)}
      </div>
    );
  }
  return dropped === 0 ? null : (
    <div class="schemes-left">
      <span>{`${dropped} ${dropped === 1 ? "was" : "were"} dropped`}</span>
      {button(`Run ${dropped === 1 ? "it" : "them"} to the end`, onRunDropped)}
    </div>
  );
}
