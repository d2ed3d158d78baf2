// The drawer's tab that says why: the chain from the warps of who suffers to what is full, with numbers and what each means.
import "./why.css";
import { Meanings, What } from "../widgets.tsx";
import { fixed, percent } from "../format.ts";
import { Beyond, Chip, Mark } from "./answer.tsx";
import type { Catalogue } from "../types.ts";
import type { RunSide, SchemeAnswer } from "./model.ts";
import { chain, type Acts, type Beside, type Chain, type Cured, type Shared, type Step } from "./why.ts";

/** What the rows of a step mean, behind a question mark. */
function Defined({ step }: { step: Step }) {
  const meanings = [...new Map(step.rows.map(({ name, doc }) => [doc, name])).entries()].filter(([doc]) => doc !== "");
  if (meanings.length === 0) return null;
  return (
    <What title={step.title}>
      <Meanings of={meanings.map(([doc, name]) => [meanings.length > 1 ? name : "", doc])} />
    </What>
  );
}

const Named = ({ kernel, name }: { kernel: number | null; name: string }) => (
  <>
    {kernel === null ? null : <Chip kernel={kernel} />}
    {name}
  </>
);

function BesideTable({ step, of }: { step: Step & { kind: "beside" }; of: Chain }) {
  const top = Math.max(0, ...step.rows.flatMap(({ here, alone }) => [here ?? 0, alone ?? 0]));
  return (
    <table class="why-table">
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden">What</span>
          </th>
          <td />
          <th scope="col">here</th>
          <th scope="col">alone</th>
        </tr>
      </thead>
      <tbody>
        {step.rows.map((row: Beside) => (
          <tr key={row.name + String(row.kernel)}>
            <th scope="row">
              <Named kernel={row.kernel} name={row.name} />
            </th>
            <td class="why-bar">
              <Beyond here={row.here ?? 0} alone={row.alone} top={top} kernel={row.kernel ?? of.kernel} by={null} />
            </td>
            <td>{step.format(row.here)}</td>
            <td>{step.format(row.alone)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SharedTable({ step }: { step: Step & { kind: "shared" } }) {
  return (
    <table class="why-table">
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden">Place</span>
          </th>
          <th scope="col" class="why-of">
            of it, each kernel has
          </th>
          <th scope="col">of its peak</th>
        </tr>
      </thead>
      <tbody>
        {step.rows.map(({ name, parts, used }: Shared) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="why-bar">
              <span class="beyond" aria-hidden="true">
                {parts.map(({ kernel, part }) => (
                  <span key={kernel} class={`swatch-${kernel}`} style={{ width: `${100 * part}%` }} />
                ))}
              </span>
              <span class="why-words">
                {parts
                  .filter(({ part }) => part >= 0.0005)
                  .map(({ kernel, name: label, part }) => (
                    <span key={kernel}>
                      {label} {percent(part)}{" "}
                    </span>
                  ))}
              </span>
            </td>
            <td>{used === null ? null : percent(used)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Schemes that act on the first of these causes, as far as they have run on this mix. */
function ActsTable({ acts, kernel }: { acts: readonly Acts[]; kernel: number }) {
  const ran = acts.filter(({ slowdown }) => slowdown !== null),
    top = Math.max(0, ...ran.map(({ slowdown }) => (slowdown === Infinity ? 0 : (slowdown ?? 0))));
  if (acts.length === 0) return null;
  return (
    <>
      <h5>Schemes that act on the first of these</h5>
      {ran.length === 0 ? (
        <p class="note">None has run on this mix. “Run all schemes” says what each makes of it.</p>
      ) : (
        <table class="why-table">
          <thead>
            <tr>
              <th scope="col">Scheme</th>
              <td />
              <th scope="col">times slower</th>
            </tr>
          </thead>
          <tbody>
            {ran.slice(0, MOST_ACTS).map(({ scheme, slowdown }) => (
              <tr key={scheme}>
                <th scope="row">{scheme}</th>
                <td class="why-bar">
                  <Beyond
                    here={slowdown === Infinity ? top : (slowdown ?? 0)}
                    alone={null}
                    top={top}
                    kernel={kernel}
                    by={null}
                  />
                </td>
                <td>{fixed(slowdown, 2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
const MOST_ACTS = 6;

function CuresTable({ step }: { step: Step & { kind: "cures" } }) {
  const top = Math.max(0, ...step.rows.flatMap(({ here, base }) => [here ?? 0, base ?? 0]));
  return (
    <>
      <table class="why-table">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Without which cause</span>
            </th>
            <td />
            <th scope="col">they cost</th>
            <th scope="col">gives back</th>
          </tr>
        </thead>
        <tbody>
          {step.rows.map(({ name, here, base, back, give }: Cured) => (
            <tr key={name}>
              <th scope="row" class="why-long">
                {name}
              </th>
              <td class="why-bar">
                <Beyond here={here ?? 0} alone={base} top={top} kernel={step.kernel} by={null} />
              </td>
              <td>{fixed(here, 2)}</td>
              <td>
                {fixed(back, 2)}
                {give === null ? null : <span class="answer-give"> ± {fixed(give, 2)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        They overlap, and do not add up.
        {step.not.length > 0 ? ` Not tried, as it is no other GPU: ${step.not.join(", ")}.` : null}
      </p>
      <ActsTable acts={step.acts} kernel={step.kernel} />
    </>
  );
}

/** Of each side: from what the verdict follows, and where the time of the kernel that suffers goes. */
export function Why(props: {
  sides: readonly RunSide[];
  answers: readonly SchemeAnswer[];
  cures: Catalogue["cures"] | undefined;
}) {
  const { sides, answers, cures } = props;
  return (
    <div class="whys">
      {sides
        .map((side) => ({ ...chain(side, answers, cures), stored: side.origin === "stored" }))
        .map((one) => (
          <section key={one.mark} class="why-side" aria-label={`${one.mark} ${one.scheme}`.trim()}>
            <h3>
              <Mark mark={one.mark} /> {one.scheme}
            </h3>
            {one.steps.length === 0 ? <p class="note">Nothing is known yet.</p> : null}
            <ol class="why-steps">
              {one.steps.map((step) => (
                <li key={step.title + step.unit} class="why-step">
                  <h4>
                    {step.title} {step.unit === "" ? null : <span class="stations-unit">{step.unit}</span>}{" "}
                    <Defined step={step} />
                  </h4>
                  {step.kind === "beside" ? <BesideTable step={step} of={one} /> : null}
                  {step.kind === "shared" ? <SharedTable step={step} /> : null}
                  {step.kind === "cures" ? <CuresTable step={step} /> : null}
                </li>
              ))}
            </ol>
            {one.stored ? (
              <p class="note">Of the end, by the stored answer. The rest comes when the run here is there.</p>
            ) : null}
          </section>
        ))}
    </div>
  );
}
