// What the place Schemes shows: the question, the answer so far, all schemes in one picture, what is compared, and the table.
import { useSignal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { kernelLabels } from "../model/choices.ts";
import { count, fixed, timeText } from "../model/format.ts";
import { hasGoal } from "../model/goal.ts";
import { Choices, type Chosen } from "../parts/choices.tsx";
import { oneLess, oneMore, otherGpu, otherKernel, type Edit } from "../model/mix.ts";
import type { SchemeAnswer } from "../model/model.ts";
import { best, schemePoints, type SchemePoint } from "./scheme-points.ts";
import { SchemesPicture } from "./schemes-picture.tsx";
import { plusMinus } from "../model/interval-text.ts";
import type { Experiment } from "../model/types.ts";
import { LEAST, MOST, type Place } from "./place.ts";
import { SchemesTable } from "./table.tsx";
import { columns } from "./table.ts";
import { keyOf } from "./variants.ts";
import "./place.css";

interface Props {
  place: Place;
  /** Another mix, as the row of choices or the length says. */
  onChange(experiment: Experiment): void;
  /** A scheme is to be seen in Run. */
  onOpen(answer: SchemeAnswer): void;
}

/** Puts it into an element. */
export const showPlace = (into: HTMLElement, props: Props): void => render(<SchemesPlace {...props} />, into);

function SchemesPlace({ place, onChange, onOpen }: Props) {
  const experiment = place.experiment.value,
    catalogue = place.catalogue.value,
    answers = place.answers.value,
    run = place.run.value;
  const labels = kernelLabels(experiment.kernels),
    goals = experiment.kernels.map(hasGoal);
  const all = useMemo(() => columns(labels, goals, catalogue?.metrics ?? []), [labels.join(), goals.join(), catalogue]);
  // Answers that came with the page have not every figure.
  const known = all.filter((column) =>
    place.rows.value.some(({ answer: { result } }) => result && column.read(result) !== null),
  );
  const edit = (change: Edit): void => {
    const next = structuredClone(experiment);
    change(next);
    onChange(next);
  };
  const chosen: Chosen = {
    kernel: (at, body) => edit(otherKernel(at, body)),
    add: (body) => edit(oneMore(catalogue, body)),
    remove: (at) => edit(oneLess(catalogue, at)),
    gpu: (name) => edit(otherGpu(name)),
    scheme: () => undefined,
    whole: ([next]) => next && onChange(next),
  };
  return (
    <section class="place" aria-labelledby="place-title">
      <div class="flow place-question">
        <h2 id="place-title">Which scheme is best for</h2>
        <Choices catalogue={catalogue} experiments={[experiment]} onChoose={chosen} sides={false} />
      </div>
      <BestSoFar answers={place.schemeAnswers.value} bounds={place.bounds.value} promised={goals.includes(true)} />
      <div class="place-two">
        <div class="card place-picture">
          <SchemesPicture
            answers={answers}
            kernels={labels}
            a={null}
            b={null}
            onChoose={onOpen}
            onRunAll={() => place.runAll()}
            onRunDropped={() => place.runAll(true)}
            onStop={() => run?.stop()}
            progress={run?.progress.value ?? null}
            metrics={catalogue?.metrics ?? []}
            policies={catalogue?.policies ?? []}
            does="open it in Run"
          />
        </div>
        <Compared place={place} onLength={(cycles) => onChange({ ...experiment, stop: { cycles } })} />
      </div>
      <div class="card">
        <SchemesTable rows={place.rows.value} columns={known} running={!!run?.progress.value} onOpen={onOpen} />
      </div>
    </section>
  );
}

const speedup = (point: SchemePoint): string =>
  `${fixed(point.speedup, 3)} ${plusMinus(point.speedup, point.speedupEnds, (value) => fixed(value, 3))}`.trim();

/** What the results say by now, in a sentence. Where something is promised, the picture's order says it. */
function BestSoFar(props: { answers: readonly SchemeAnswer[]; bounds: readonly SchemeAnswer[]; promised: boolean }) {
  const { answers, bounds, promised } = props;
  const points = schemePoints(answers, null, null),
    [first, second] = points,
    waiting = answers.filter(({ result, why, races }) => (result === null || races) && why === undefined).length;
  const bound = schemePoints(bounds, null, null).map((point) => `${point.name}: ${speedup(point)}.`);
  if (promised) return null;
  if (!first) return bound.length > 0 ? <p class="place-best">{bound.join(" ")}</p> : null;
  const sure = best(points);
  const even = second && !sure ? points.filter((p) => touches(p, first)) : [];
  return (
    <p class="place-best">
      {even.length > 1
        ? `By HSpeedup ${waiting > 0 ? "so far " : ""}no scheme is best beyond its interval: `
        : `Best by HSpeedup${waiting > 0 ? " so far" : ""}: `}
      {even.length > 1 ? (
        even.slice(0, 4).map((point, i) => (
          <span key={point.name}>
            {i > 0 && ", "}
            <b>{point.name}</b> {speedup(point)}
          </span>
        ))
      ) : (
        <>
          <b>{first.name}</b>, {speedup(first)}
          {second && `; then ${second.name}, ${speedup(second)}`}
        </>
      )}
      {even.length > 4 && ` and ${even.length - 4} more`}
      {`.${waiting > 0 ? ` ${waiting} more ${waiting === 1 ? "has" : "have"} not run.` : ""}`}
      {bound.map((text) => ` ${text}`)}
    </p>
  );
}
/** Whether a point's interval reaches up to the first one's. */
const touches = (point: SchemePoint, first: SchemePoint): boolean =>
  point === first ||
  (point.speedup !== null &&
    (point.speedupEnds?.[1] ?? point.speedup) >= (first.speedupEnds?.[0] ?? first.speedup ?? Infinity));

/** What is compared: for how long, which schemes, and the oracles. */
function Compared({ place, onLength }: { place: Place; onLength(cycles: number): void }) {
  const schemes = place.schemes.value,
    without = place.without.value;
  /** What is being typed: the results that come meanwhile leave it alone. */
  const typed = useSignal<string | null>(null);
  const on = schemes.filter(({ policy }) => !without.has(keyOf(policy))).length;
  const cannot = place.schemeAnswers.value.filter(({ why }) => why !== undefined);
  const choose = (title: string, chosen: Parameters<Place["choose"]>[0]) => (
    <button type="button" class="button" onClick={() => place.choose(chosen)}>
      {title}
    </button>
  );
  return (
    <div class="card place-compared">
      <h3>What is compared</h3>
      <div class="flow aside schemes-length">
        <label for="f-schemes-cycles">Length</label>
        <input
          id="f-schemes-cycles"
          class="number"
          type="number"
          inputMode="numeric"
          autocomplete="off"
          min={LEAST}
          max={MOST}
          value={typed.value ?? place.length.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
          onChange={(event) => {
            const asked = Math.floor(event.currentTarget.valueAsNumber);
            typed.value = null;
            if (Number.isFinite(asked)) onLength(Math.min(MOST, Math.max(LEAST, asked)));
          }}
        />
        <span class="unit">cycles each</span>
      </div>
      <details class="quiet">
        <summary>{schemes.length === 0 ? "Schemes" : `Schemes: ${on} of ${schemes.length}`}</summary>
        <div class="schemes-all">
          {choose("All", () => true)}
          {choose("None", () => false)}
          {choose("Those that keep goals", ({ keepsGoals }) => keepsGoals)}
        </div>
        <div class="schemes-boxes">
          {schemes.map((scheme) => (
            <label key={keyOf(scheme.policy)} class="check" title={scheme.doc}>
              <input
                type="checkbox"
                checked={!without.has(keyOf(scheme.policy))}
                onChange={(event) => {
                  const mine = event.currentTarget.checked;
                  place.choose((one) => (one === scheme ? mine : !without.has(keyOf(one.policy))));
                }}
              />
              {scheme.title}
            </label>
          ))}
        </div>
      </details>
      {cannot.length > 0 && (
        <details class="quiet">
          <summary>{`${cannot.length} more do not apply to this mix`}</summary>
          <ul>
            {[...new Set(cannot.map(({ why }) => why))].map((why) => (
              <li key={why}>
                {`${cannot.flatMap((one) => (one.why === why ? [one.scheme] : [])).join("; ")}: ${why ?? ""}`}
              </li>
            ))}
          </ul>
        </details>
      )}
      <Oracles place={place} />
    </div>
  );
}

/** The search for what fixed numbers of CTAs can reach at best. */
function Oracles({ place }: { place: Place }) {
  const search = place.oracles.value,
    progress = search?.progress.value ?? null;
  const button = useRef<HTMLButtonElement>(null),
    held = useRef(false);
  useEffect(() => {
    if (held.current) button.current?.focus();
    held.current = false;
  }, [progress === null]);
  return (
    <>
      <h3>What is the most that CTA counts can do?</h3>
      <p class="note">
        The CTA oracle tries every combination of CTAs on each SM, the spatial oracle every number of CTAs on SMs apart.
        What they find is known only afterwards: a bound, no scheme.
      </p>
      <div class="flow schemes-bar">
        {progress && <progress max={1} value={progress.part} aria-label="Oracles searched" />}
        <button
          type="button"
          class="button"
          ref={button}
          disabled={!search}
          onClick={() => {
            held.current = true;
            if (progress) search?.stop();
            else place.searchOracles();
          }}
        >
          {progress ? "Stop the search" : "Search the oracles"}
        </button>
        {progress && (
          <span class="aside">
            {`${count(progress.done)} of ${count(progress.of)} combinations${progress.leftMs === null ? "" : `, about ${timeText(progress.leftMs)} left`}`}
          </span>
        )}
      </div>
      <p class="note" role="status">
        {search?.says.value}
      </p>
    </>
  );
}
