// The panel of two runs: in which fields they differ, and what can be done about each of them.
import type { Difference } from "../difference.ts";
import { gpuOf } from "./choice.ts";
import { mixText, runTitles } from "../choices.ts";
import type { Session } from "./session.ts";
import { MARKS } from "./side.ts";

/** Differences that are shown before the rest has to be asked for. */
const SHOWN = 6;

function Differences({ of }: { of: readonly Difference[] }) {
  const [first, rest] = [of.slice(0, SHOWN), of.slice(SHOWN)].map((some) =>
    some.map(({ title, path, a, b }) => (
      <li key={path} title={path}>
        <b>{title}:</b> <Value of="A" value={a} /> <Value of="B" value={b} />
      </li>
    )),
  );
  if (of.length === 0) return <p>A and B are the same experiment. Give one of them another scheme, or edit it.</p>;
  return (
    <>
      <p>{of.length === 1 ? "They differ in one field:" : `They differ in ${of.length} fields:`}</p>
      <ul>{first}</ul>
      {of.length > SHOWN && (
        <details>
          <summary>{of.length - SHOWN} more</summary>
          <ul>{rest}</ul>
        </details>
      )}
    </>
  );
}
const Value = ({ of, value }: { of: string; value: string }) => (
  <span class="difference-of">
    <SideMark of={of} />
    {value}
  </span>
);
const SideMark = ({ of }: { of: string }) => (
  <b class="side-mark" data-side-of={of}>
    {of}
  </b>
);

export function Compared({ session, edit }: { session: Session; edit(side: number): void }) {
  const { experiments } = session,
    { differences, why } = session.differ.value;
  const titles = runTitles(experiments, session.catalogue);
  return (
    <>
      <div class="compare-sides">
        {experiments.map((experiment, i) => {
          const mark = MARKS[i] ?? "";
          return (
            <section key={mark} class="compare-side" aria-label={`Run ${mark}`}>
              <h3 class="side-heading">
                <SideMark of={mark} />
                <span>{titles[i]}</span>
              </h3>
              <div class="compare-buttons">
                <button
                  type="button"
                  class="button"
                  id={`f-edit-${mark}`}
                  title={`Edit ${mark} in the form`}
                  aria-pressed={session.edited.value === i}
                  onClick={() => edit(i)}
                >
                  Edit {mark}
                </button>
                <button
                  type="button"
                  class="button"
                  id={`f-only-${mark}`}
                  title={`Go on with ${mark} alone`}
                  onClick={() => {
                    session.only(i);
                    // The panel of both goes.
                    document.getElementById("choose-scheme-A")?.focus();
                  }}
                >
                  Only {mark}
                </button>
              </div>
              <p class="note">
                {mixText(experiment)} on {gpuOf(experiment)}
              </p>
            </section>
          );
        })}
      </div>
      <div class="compare-differ" role="status">
        {differences === null ? <p>{why}</p> : <Differences of={differences} />}
      </div>
    </>
  );
}
