// The drawer's tab that says why: what the neighbours of who suffers cost without one cause each, the schemes that act on the first of these, and where
// time goes.
import "./why.css";
import type { ComponentChildren } from "preact";
import { Meanings, Rows, What } from "../parts/widgets.tsx";
import { fixed } from "../model/format.ts";
import { Beyond, Mark } from "./answer.tsx";
import type { Catalogue } from "../model/types.ts";
import type { RunSide, SchemeAnswer } from "../model/model.ts";
import { chain, type Acts, type Beside, type Cures } from "../model/why.ts";

/** A bar of each beside its numbers. */
const Bars = (props: {
  label: string;
  what: string;
  head: readonly string[];
  rows: readonly { name: string; bar: ComponentChildren; cells: readonly ComponentChildren[] }[];
}) => (
  <Rows
    label={props.label}
    class="why-table"
    head={[
      { title: props.what },
      { title: <span class="hidden">As a bar</span> },
      ...props.head.map((title) => ({ title, num: true })),
    ]}
    bodies={[{ rows: props.rows.map(({ name, bar, cells }) => ({ name, cells: [bar, ...cells] })) }]}
  />
);

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
      <Bars
        label={title}
        what="Where"
        head={["here", "alone"]}
        rows={rows.map((row) => ({
          name: row.name,
          bar: <Beyond here={row.here ?? 0} alone={row.alone} top={top} kernel={kernel} by={null} />,
          cells: [fixed(row.here, 1), fixed(row.alone, 1)],
        }))}
      />
    </div>
  );
}

/** Schemes that act on the first of these causes, as far as they have run on this mix. */
function ActsTable({ acts, kernel }: { acts: readonly Acts[]; kernel: number }) {
  const ran = acts.filter(({ slowdown }) => slowdown !== null),
    top = Math.max(0, ...ran.map(({ slowdown }) => (slowdown === Infinity ? 0 : (slowdown ?? 0)))),
    title = "Schemes that act on the first of these";
  if (acts.length === 0) return null;
  return (
    <>
      <h5>{title}</h5>
      {ran.length === 0 ? (
        <p class="note">None has run on this mix. “Run all schemes” says what each makes of it.</p>
      ) : (
        <Bars
          label={title}
          what="Scheme"
          head={["times slower"]}
          rows={ran.slice(0, MOST_ACTS).map(({ scheme, slowdown }) => ({
            name: scheme,
            bar: (
              <Beyond
                here={slowdown === Infinity ? top : (slowdown ?? 0)}
                alone={null}
                top={top}
                kernel={kernel}
                by={null}
              />
            ),
            cells: [fixed(slowdown, 2)],
          }))}
        />
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
      <Bars
        label={of.title}
        what="Cure"
        head={["they cost", "gives back"]}
        rows={of.rows.map(({ name, here, base, back, give }) => ({
          name,
          bar: <Beyond here={here ?? 0} alone={base} top={top} kernel={of.kernel} by={null} />,
          cells: [
            fixed(here, 2),
            <>
              {fixed(back, 2)}
              {give === null ? null : <span class="answer-give"> ± {fixed(give, 2)}</span>}
            </>,
          ],
        }))}
      />
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
