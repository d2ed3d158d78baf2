// The answer: what the engine says of who suffers and why, and how sure that is.
import "./answer.css";
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../model/format.ts";
import { painted } from "../parts/palette.ts";
import { Terms } from "../parts/term.tsx";
import type { Asking, RunSide } from "../model/model.ts";
import type { Rate } from "../model/rate.ts";
import {
  against,
  givesOf,
  isFinal,
  lacks,
  origins,
  plain,
  said,
  stand,
  type Said,
  type Standing,
} from "../model/says.ts";

/** The mark of a kernel in a line of text: its colour and pattern. */
export const Chip = ({ kernel }: { kernel: number }) => (
  <i class="answer-chip" style={painted(kernel)} aria-hidden="true" />
);
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

/** What stands in the sentence and in the bars, of one result: while runs go on, it changes at most every few seconds, and once when they end. */
export function standing(sides: ReadonlySignal<readonly RunSide[]>): ReadonlySignal<readonly RunSide[]> {
  const stands = signal(sides.peek()),
    looks = signal(0);
  let before: Standing | null = null,
    timer = 0;
  effect(() => {
    void looks.value;
    clearTimeout(timer);
    const { standing: now, again } = stand(before, sides.value, performance.now());
    before = now;
    stands.value = now.sides;
    if (again !== null)
      timer = window.setTimeout(() => {
        looks.value += 1;
      }, again);
  });
  return stands;
}

/** Leads to where a number stands among all numbers, by what is there its `data-stands`. */
type Lead = (stands: string) => void;

/** A headline, in which kernels have their colours and figures their intervals. */
const Headline = ({ said: { side, headline }, lead }: { said: Said; lead: Lead }) => (
  <>
    {headline.map((part, i) => {
      const { text, kernel = null, figure = null } = part;
      if (kernel === null || !side.result) return <Terms key={i} text={text} />;
      if (figure === null) return <KernelName key={i} kernel={kernel} name={text} />;
      const { range, give } = givesOf(part, side.result);
      return (
        <button
          key={i}
          type="button"
          class="answer-number"
          title={range}
          onClick={() => lead(`${side.mark}.slowdown.${kernel}`)}
        >
          {text}
          {give === "" ? null : <span class="answer-give"> {give}</span>}
        </button>
      );
    })}
  </>
);

/** Said once by a screen reader: the element is written only when its text is another. */
function Announced({ text }: { text: string }) {
  const status = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (status.current) status.current.textContent = text;
  }, [text]);
  return <p class="hidden" role="status" ref={status} />;
}

const SIGNS: Partial<Record<RunSide["origin"], string>> = { confirmed: "✓", differs: "!" };

/** How far the runs are that tell why. */
function asks(asked: readonly Asking[]): { stopped: boolean; text: string } | null {
  if (asked.length === 0) return null;
  const sum = (of: "done" | "of"): number => asked.reduce((all, one) => all + one[of], 0),
    stopped = asked.every((one) => one.stopped);
  return {
    stopped,
    text: `${stopped ? "Why is not known" : "Asking why"}: ${count(sum("done"))} of ${count(sum("of"))} runs.`,
  };
}

/** `rate`: how often causes that were named have held; null where that is not known. */
export function Sentence(props: {
  sides: readonly RunSide[];
  asking: readonly Asking[];
  rate: Rate | null;
  lead: Lead;
  onStop(stopped: boolean): void;
}) {
  const { sides, rate, lead, onStop } = props;
  const all = said(sides),
    [a] = all,
    versus = against(sides),
    asked = asks(props.asking),
    [more, setMore] = useState(false);
  const named = a?.headline.some(({ figure }) => figure === "gives_back") === true;
  return (
    <section class="answer" aria-label="Who suffers, and why">
      <h2 class="answer-says">{a ? <Headline said={a} lead={lead} /> : null}</h2>
      <p class="answer-sure">
        {versus === null ? null : (
          <span class="answer-against" title={versus.range}>
            <Terms text={versus.text} />{" "}
          </span>
        )}
        {origins(sides).map(({ mark, text, origin }) => (
          <span key={mark} class={`answer-${origin}`}>
            {SIGNS[origin] ? <b aria-hidden="true">{SIGNS[origin]} </b> : null}
            {mark === "" ? null : `${mark}: `}
            {text}{" "}
          </span>
        ))}
        {all.map(({ notes }) => notes.filter(lacks).map((note) => `${note} `))}
        <button
          type="button"
          class="text-button"
          aria-expanded={more}
          onClick={() => setMore(!more)}
          onKeyDown={(event) => {
            if (event.key === "Escape") setMore(false);
          }}
        >
          How sure?
        </button>
      </p>
      <div class="answer-more" hidden={!more}>
        {all.map(({ side, notes }, i) =>
          notes.length === 0 ? null : <p key={side.mark}>{`${i > 0 ? `${side.mark}: ` : ""}${notes.join(" ")}`}</p>,
        )}
        {asked ? (
          <p>
            {asked.text}{" "}
            <button type="button" class="text-button" onClick={() => onStop(!asked.stopped)}>
              {asked.stopped ? "Go on" : "Stop"}
            </button>
          </p>
        ) : null}
        {named && rate && rate.of > 0 ? (
          <button type="button" class="text-button" onClick={() => void openTrust()}>
            Causes like this held in {rate.held} of {rate.of} tests
          </button>
        ) : null}
      </div>
      <Announced text={sides.length > 0 && sides.every(isFinal) ? plain(all) : ""} />
    </section>
  );
}
const openTrust = async (): Promise<void> => (await import("./trust.tsx")).openTrust();

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
      <span style={{ ...painted(by ?? kernel, true), width: width(here - pale) }} />
      <span
        class="beyond-less"
        style={{ width: width(Math.max(0, (alone ?? 0) - here)), "--of": `var(--k${kernel})` }}
      />
    </span>
  );
}
