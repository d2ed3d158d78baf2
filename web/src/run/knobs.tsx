// The knobs under the row of choices: each turns A and B at once, and "vary" draws what every value of it does to both.
import "./knobs.css";
import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { count, fixed } from "../model/format.ts";
import { interval } from "../model/interval-text.ts";
import { Pool, readPlan } from "../engine/lab/pool.ts";
import { Chip, Mark } from "./answer.tsx";
import { slowdownOf } from "../model/figures.ts";
import { holdsOf, knobsOf, reset, type Knob } from "./knobs.ts";
import { edited } from "../model/mix.ts";
import type { RunSide } from "../model/model.ts";
import { along, axisOf } from "../schemes/scheme-points.ts";
import type { Session } from "./session.ts";
import { LENGTH, VariedRun, type Varied, type VariedHost } from "./varied.ts";

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

/** What runs a knob's values, once the simulator is there. */
function hostOf({ ready, engine }: Session): VariedHost | null {
  const module = ready.value?.module;
  if (!module || !engine) return null;
  return {
    workers: navigator.hardwareConcurrency || 2,
    validate: (one) => engine.validate(one),
    plan: (text, most, said) => readPlan(module, text, most, said),
    pool: (text, plan, events) => new Pool(module, text, plan, events),
  };
}

export function Knobs({ session, sides }: { session: Session; sides: readonly RunSide[] }) {
  const { current: varied } = useRef(new VariedRun()),
    host = hostOf(session),
    { catalogue, experiments } = session,
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
            <label for={`knob-${knob.id}`} title={knob.doc}>
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
          <button type="button" class="button" onClick={() => session.changeBoth(reset(knobs))}>
            Reset
          </button>
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
      <p class="varied-head">
        <b>
          How much slower than alone, by {knob.title}
          {knob.unit && `, ${knob.unit}`}
        </b>
        {sides.map(({ mark, scheme }, side) => (
          <span key={mark} class="varied-key" data-side={side}>
            <svg width="24" height="12" aria-hidden="true">
              <line x1="0" x2="24" y1="6" y2="6" />
              <Point side={side} x={12} y={6} />
            </svg>
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
  PLOT = { x: 30, y: 8, w: 222, h: 92 };

/** A is square, B round. */
const Point = ({ side, x, y }: { side: number; x: number; y: number }) =>
  side === 0 ? <rect x={x - 3} y={y - 3} width="6" height="6" /> : <circle cx={x} cy={y} r="3.5" />;

/** One kernel's slowdowns, logarithmic and alike for all kernels. */
function Multiple({ of, kernel, name }: { of: Varied; kernel: number; name: string }) {
  const { knob, steps, sides, results } = of,
    value = (side: number, step: number, k = kernel): number | null => {
      const result = results[side]?.[step] ?? null;
      return result && slowdownOf(result, k);
    };
  const every = results.flatMap((row, side) =>
      row.flatMap((_, step) => of.kernels.map((_, k) => value(side, step, k)).filter((one) => one !== null)),
    ),
    axis = axisOf(every, every),
    x = (step: number): number => PLOT.x + (PLOT.w * (step + 0.5)) / steps.length,
    y = (slow: number): number => PLOT.y + PLOT.h * (1 - along(axis, slow));
  const spoken = sides.map(({ scheme }, side) => {
    const values = steps.map(({ text }, step) => {
      const slow = value(side, step);
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
      <svg
        width={W}
        height={H}
        viewBox={`0 0 ${W} ${H}`}
        role="img"
        aria-label={`${name} slower than alone, by ${knob.title}. ${spoken.join(". ")}.`}
      >
        {axis.ticks.map((tick) => (
          <g key={tick} class="varied-grid">
            <line x1={PLOT.x} x2={PLOT.x + PLOT.w} y1={y(tick)} y2={y(tick)} />
            <text x={PLOT.x - 5} y={y(tick) + 4} text-anchor="end">
              {tick}×
            </text>
          </g>
        ))}
        {steps.map(({ text, short }, step) => (
          <text key={text} x={x(step)} y={H - 10} text-anchor="middle" data-now={text === knob.steps[knob.now]?.text}>
            {short}
          </text>
        ))}
        {sides.map((_, side) => {
          const known = steps.flatMap((_, step) => {
            const slow = value(side, step);
            return slow === null ? [] : [{ step, slow, x: x(step), y: y(slow) }];
          });
          return (
            <g key={side} class="varied-line" data-side={side}>
              <polyline points={known.map((one) => `${one.x},${one.y}`).join(" ")} />
              {known.map(({ step, slow, ...at }) => {
                const ends = interval(results[side]?.[step]?.ci95?.kernels[kernel], "slowdown");
                return (
                  <g key={step}>
                    <title>{`${steps[step]?.text}: ${fixed(slow, 2)} times slower`}</title>
                    {ends && <line x1={at.x} x2={at.x} y1={y(ends[0])} y2={y(ends[1])} />}
                    <Point side={side} {...at} />
                    {slow === Infinity && (
                      <text x={at.x + 6} y={at.y + 10}>
                        ∞
                      </text>
                    )}
                  </g>
                );
              })}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}
