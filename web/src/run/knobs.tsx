// The knobs under the row of choices: each turns A and B at once, and "vary" draws what every value of it does to both.
import { Button } from "../parts/widgets.tsx";
import "./knobs.css";
import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { count, fixed } from "../model/format.ts";
import { interval } from "../model/interval-text.ts";
import { schemesHost } from "../schemes/schemes-host.ts";
import { Chip, Mark } from "./answer.tsx";
import { slowdownOf } from "../model/figures.ts";
import { holdsOf, knobsOf, reset, type Knob } from "./knobs.ts";
import { edited } from "../model/mix.ts";
import type { RunSide } from "../model/model.ts";
import { Drawing } from "../picture/drawing.ts";
import { dot, line, names, rules, type Box } from "../picture/marks.ts";
import { Drawn } from "../picture/surface.tsx";
import type { Theme } from "../picture/theme.ts";
import { axisOf } from "../schemes/scheme-points.ts";
import type { Session } from "./session.ts";
import { LENGTH, VariedRun, type Varied } from "./varied.ts";

export const KnobsButton = ({ open }: { open: Signal<boolean> }) => (
  <button
    type="button"
    class="menu-button"
    aria-expanded={open.value}
    aria-controls="knobs"
    onClick={() => {
      open.value = !open.value;
    }}
  >
    Knobs <span aria-hidden="true">{open.value ? "▾" : "▸"}</span>
  </button>
);

/** What the engine does not take of the knobs' values, by knob and value. */
function useRefused(session: Session, knobs: readonly Knob[]): ReadonlySet<string> {
  const [refused, put] = useState<ReadonlySet<string>>(new Set()),
    { experiments } = session,
    key = JSON.stringify(experiments);
  useEffect(() => {
    let current = true;
    const all = knobs.flatMap(({ id, steps, turned }) =>
      steps.map(async ({ text, value }) => {
        const problems = await Promise.all(
          experiments.map((one) => session.engine?.validate(edited(one, turned(value))) ?? []),
        );
        return problems.flat().length > 0 ? [`${id} ${text}`] : [];
      }),
    );
    void Promise.all(all).then((found) => {
      if (current) put(new Set(found.flat()));
    });
    return () => {
      current = false;
    };
  }, [key]);
  return refused;
}

export function Knobs({ session, sides }: { session: Session; sides: readonly RunSide[] }) {
  const { current: varied } = useRef(new VariedRun()),
    { catalogue, experiments, engine } = session,
    ready = session.ready.value,
    host = ready && engine && schemesHost(ready.module, ready.catalogue, ready.stamp, (one) => engine.validate(one)),
    [first] = experiments;
  // How many CTAs an SM holds without a limit is known while there is none.
  const known = useRef(new Map<string, number>()),
    holds = holdsOf(session.sides.value[0]?.loaded?.explained);
  first?.kernels.forEach((kernel, k) => {
    const free = edited(
        { corun: 1, kernels: [kernel], ...(first.gpu === undefined ? {} : { gpu: first.gpu }) },
        (one) => {
          if (typeof kernel === "object") delete (one.kernels[0] as Record<string, unknown>)["ctas_per_sm"];
        },
      ),
      key = JSON.stringify(free),
      now = holds[k];
    if (now) known.current.set(key, now);
    else holds[k] = known.current.get(key) ?? null;
  });
  const knobs = catalogue && first ? knobsOf(catalogue, first, holds) : [],
    refused = useRefused(session, knobs);
  useEffect(() => varied.follow(experiments), [experiments]);
  useEffect(() => () => varied.close(), []);
  const shown = varied.shown.value;
  return (
    <>
      <fieldset class="knobs" id="knobs" aria-label="Knobs, on A and B at once">
        {knobs.map((knob) => (
          <div class="knob" key={knob.id} data-turned={knob.now !== knob.base || undefined}>
            <label class="aside" for={`knob-${knob.id}`} title={knob.doc}>
              {knob.title.replace(" bandwidth", "")}
            </label>
            {first && first.kernels.length > 1 && (
              <button
                type="button"
                class="text-button"
                aria-label={`vary ${knob.title}`}
                title={`A and B with each value, ${count(LENGTH)} cycles each`}
                onClick={() => {
                  if (host) void varied.start(host, sides, knob);
                }}
              >
                vary
              </button>
            )}
            <select
              id={`knob-${knob.id}`}
              value={String(knob.now)}
              onChange={({ currentTarget }) => {
                session.changeBoth(knob.turned(knob.steps[Number(currentTarget.value)]?.value));
              }}
            >
              {knob.steps.map(({ text }, i) => (
                <option key={text} value={String(i)} disabled={i !== knob.now && refused.has(`${knob.id} ${text}`)}>
                  {text}
                </option>
              ))}
            </select>
          </div>
        ))}
        {knobs.some(({ now, base }) => now !== base) && (
          <Button press={() => session.changeBoth(reset(knobs))}>Reset</Button>
        )}
      </fieldset>
      {shown && <VariedFigure of={shown} onStop={() => varied.stop()} onClose={() => varied.close()} />}
    </>
  );
}

// ---------------------------------------------------------------- a knob varied

function VariedFigure({ of, onStop, onClose }: { of: Varied; onStop(): void; onClose(): void }) {
  const { knob, steps, kernels, sides, results, running, why } = of,
    done = results.flat().filter((one) => one !== null).length,
    all = sides.length * steps.length;
  return (
    <section class="varied" aria-label={`${knob.title} varied`}>
      <p class="flow aside varied-head">
        <b>
          How much slower than alone, by {knob.title}
          {knob.unit && `, ${knob.unit}`}
        </b>
        {sides.map(({ mark, scheme }, side) => (
          <span key={mark} class="varied-key">
            <Drawn draw={(t) => drawKey(side, t)} aria-hidden="true" />
            <Mark mark={mark} /> {scheme}
          </span>
        ))}
        <span>
          {count(LENGTH)} cycles each{running || done < all ? `, ${done} of ${all} are done` : ""}
          {why && `: ${why}`}
        </span>
        <button type="button" class="text-button" onClick={running ? onStop : onClose}>
          {running ? "Stop" : "Close"}
        </button>
      </p>
      <div class="varied-kernels">
        {kernels.map((name, kernel) => (
          <Multiple key={name} of={of} kernel={kernel} name={name} />
        ))}
      </div>
    </section>
  );
}

const W = 260,
  H = 128,
  PLOT: Box = { x: 30, y: 8, w: 222, h: 92 };

/** A is square and drawn through, B round and dashed. */
function drawMultiple(of: Varied, kernel: number, t: Theme): Drawing {
  const { knob, steps, results } = of,
    d = new Drawing(W, H, t.surface, t.font, t.mono),
    every = results.flatMap((row) =>
      row.flatMap((result) => of.kernels.flatMap((_, k) => (result && slowdownOf(result, k)) ?? [])),
    ),
    plot = { ...PLOT, up: axisOf(every, every) },
    x = (step: number): number => plot.x + (plot.w * (step + 0.5)) / steps.length;
  rules(d, plot, t, { say: (tick) => `${tick}×` });
  names(
    d,
    plot,
    steps.map(({ text, short }, i) => ({ x: x(i), text: short, now: text === knob.steps[knob.now]?.text })),
    t,
  );
  results.forEach((row, side) => {
    const points = row.flatMap((result, i) => {
      const value = result && slowdownOf(result, kernel);
      if (value === null) return [];
      if (value === Infinity) d.text(x(i) + 6, plot.y + 10, "∞", t.ink2, 11);
      const says = (): string => `${steps[i]?.text}: ${fixed(value, 2)} times slower`;
      return { x: x(i), value, ends: interval(result?.ci95?.kernels[kernel], "slowdown"), says };
    });
    line(d, plot, t, { id: `${side}`, ...LOOKS[side === 0 ? 0 : 1](t), points });
  });
  return d;
}
const LOOKS = [
  ({ ink }: Theme) => ({ colour: ink, square: true }),
  ({ accent }: Theme) => ({ colour: accent, dash: [4, 3] }),
] as const;

function drawKey(side: number, t: Theme): Drawing {
  const d = new Drawing(24, 12, t.surface, t.font, t.mono),
    { colour, square = false, dash } = { dash: undefined, square: false, ...LOOKS[side === 0 ? 0 : 1](t) };
  d.line(0, 6, 24, 6, colour, 2, dash);
  dot(d, 12, 6, 3.5, colour, t, square);
  return d;
}

/** One kernel's slowdowns, logarithmic and alike for all kernels. */
function Multiple({ of, kernel, name }: { of: Varied; kernel: number; name: string }) {
  const { knob, steps, sides, results } = of;
  const spoken = sides.map(({ scheme }, side) => {
    const values = steps.map(({ text }, step) => {
      const result = results[side]?.[step] ?? null,
        slow = result && slowdownOf(result, kernel);
      return slow === null ? "" : `${fixed(slow, 2)} with ${text}`;
    });
    return `${scheme}: ${values.filter(Boolean).join("; ") || "not known yet"}`;
  });
  return (
    <figure>
      <figcaption>
        <Chip kernel={kernel} />
        {name}
      </figcaption>
      <Drawn
        draw={(t) => drawMultiple(of, kernel, t)}
        role="img"
        aria-label={`${name} slower than alone, by ${knob.title}. ${spoken.join(". ")}.`}
      />
    </figure>
  );
}
