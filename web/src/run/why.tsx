// The drawer's tab that says why: what the neighbours of who suffers cost without one cause each, the schemes that act on the first of these, and where
// time goes.
import "./why.css";
import { Meanings, What } from "../parts/widgets.tsx";
import { fixed } from "../model/format.ts";
import { Beyond, Mark } from "./answer.tsx";
import type { Catalogue } from "../model/types.ts";
import type { RunSide, SchemeAnswer } from "../model/model.ts";
import { chain, type Acts, type Beside, type Cures } from "../model/why.ts";

function TimeTable({ rows, kernel, name }: { rows: readonly Beside[]; kernel: number; name: string }) {
  const top = Math.max(0, ...rows.flatMap(({ here, alone }) => [here ?? 0, alone ?? 0])),
    title = `Cycles of a warp per instruction of ${name}`;
  return (
    <div class="why-step">
      <h4>
        {title}{" "}
        <What title={title}>
          <Meanings of={rows.map((row) => [row.name, row.doc])} />
        </What>
      </h4>
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
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td class="why-bar">
                <Beyond here={row.here ?? 0} alone={row.alone} top={top} kernel={kernel} by={null} />
              </td>
              <td>{fixed(row.here, 1)}</td>
              <td>{fixed(row.alone, 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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

function CuresTable({ of }: { of: Cures }) {
  const top = Math.max(0, ...of.rows.flatMap(({ here, base }) => [here ?? 0, base ?? 0]));
  return (
    <div class="why-step">
      <h4>{of.title}</h4>
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
          {of.rows.map(({ name, here, base, back, give }) => (
            <tr key={name}>
              <th scope="row" class="why-long">
                {name}
              </th>
              <td class="why-bar">
                <Beyond here={here ?? 0} alone={base} top={top} kernel={of.kernel} by={null} />
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
        {of.not.length > 0
          ? ` Not tried, as nothing would change or this GPU cannot have it: ${of.not.join(", ")}.`
          : null}
        {of.bound.length > 0
          ? ` They say nothing, as the scheme would set anew the quota that binds with them: ${of.bound.join(", ")}.`
          : null}
      </p>
      <ActsTable acts={of.acts} kernel={of.kernel} />
    </div>
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
            {one.cures.length + one.time.length === 0 ? <p class="note">Nothing is known yet.</p> : null}
            <div class="why-steps">
              {one.cures.map((cures) => (
                <CuresTable key={cures.kernel} of={cures} />
              ))}
              {one.time.length > 0 && <TimeTable rows={one.time} kernel={one.kernel} name={one.name} />}
            </div>
            {one.stored ? (
              <p class="note">Of the end, by the stored answer. The rest comes when the run here is there.</p>
            ) : null}
          </section>
        ))}
    </div>
  );
}
