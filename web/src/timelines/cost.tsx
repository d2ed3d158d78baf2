// What co-runs cost, as the timeline has measured it: slowdowns of shapes beside kernels of a name in shades, and of the one that is looked at all that is
// known, with what two kernels cost each other that stand for it.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { count } from "../model/format.ts";
import { Heat } from "../parts/heat.tsx";
import { Chosen, runOf, STREAMS, timesText, type Desk, type Named, type Two } from "./chosen.tsx";
import { nanoText } from "./launches.ts";
import type { BesideRow, KernelRow, Report, Spread } from "./report.ts";

/** Rows and columns that are drawn, at most: `corun explain FILE --json` has all. */
const MOST_ROWS = 40,
  MOST_COLUMNS = 8;

interface CostProps {
  report: Report;
  rows: ReadonlyMap<number, KernelRow>;
  desk: Desk;
}
export function Cost({ report: { beside, slowdowns }, rows, desk }: CostProps) {
  const box = useRef<HTMLElement>(null);
  // The slowest first, as it is what somebody looks for.
  const known = beside.filter(({ slowdown }) => slowdown !== null).sort((a, b) => factor(b) - factor(a)),
    names = [...new Set(known.map(({ name }) => name))].slice(0, MOST_COLUMNS),
    kernels = [...new Set(known.filter(({ name }) => names.includes(name)).map(({ kernel }) => kernel))].slice(
      0,
      MOST_ROWS,
    );
  const shown = known.filter(({ kernel, name }) => kernels.includes(kernel) && names.includes(name)),
    looked = useSignal<BesideRow | null>(null),
    now = looked.value ?? shown[0];
  const shorts = new Map([...rows.values()].map(({ name, short }) => [name, short])),
    named = (name: string): Named => ({ name, short: shorts.get(name) ?? name });
  const two = ({ kernel, name }: BesideRow): Two => [named(rows.get(kernel)?.name ?? ""), named(name)];
  const left = known.length - shown.length,
    alone = beside.length - known.length;
  return (
    <section class="timeline-cost">
      <h3>What it cost, as measured</h3>
      <p>{slowdowns}</p>
      {now && (
        <>
          <section ref={box} class="timeline-one" aria-label="The pair that is looked at" aria-live="polite">
            <p>
              {`${rows.get(now.kernel)?.called ?? ""} beside ${named(now.name).short}: ${timesText(now.slowdown)} as long as alone (quartiles ${quartiles(now)}). ${cases(now)}.`}
            </p>
            <Chosen two={two(now)} desk={desk} />
          </section>
          <Heat
            title="times as long as alone, with quartiles; press one for more"
            most={Math.max(2, Math.ceil(Math.max(...shown.map(factor))))}
            names={kernels.map(String)}
            beside={names}
            called={(key) => {
              const row = rows.get(Number(key));
              return <span title={row?.name ?? key}>{row ? row.called : named(key).short}</span>;
            }}
            cell={(kernel, name) => {
              const row = shown.find((one) => one.kernel === Number(kernel) && one.name === name);
              if (!row) return null;
              const press = (): void => {
                looked.value = row;
                box.current?.scrollIntoView({ block: "nearest" });
              };
              const told = row.kernel === now.kernel && row.name === now.name;
              const detail = quartiles(row) + simulated(two(row), desk);
              return { slowdown: row.slowdown, detail, says: cases(row), told, press };
            }}
          />
        </>
      )}
      {left + alone > 0 && (
        <p class="note">
          {[
            left > 0 && `${count(left)} more pairs are measured`,
            alone > 0 && `${count(alone)} were seen beside others, but not three times alone`,
          ]
            .filter(Boolean)
            .join("; ")}
          : corun explain FILE --json has all.
        </p>
      )}
    </section>
  );
}

/** What is simulated of kernels that stand for a pair, behind what is measured. */
function simulated(two: Two, desk: Desk): string {
  const run = runOf(desk, two, STREAMS),
    known = run && desk.simulations.of(run);
  return known && "slowdowns" in known ? `; simulated ${timesText(known.slowdowns[0])}` : "";
}

const factor = ({ slowdown }: BesideRow): number => slowdown ?? 0;
function quartiles({ beside: { lower, upper }, alone }: BesideRow): string {
  return alone ? `${(lower / alone.median).toFixed(2)} to ${(upper / alone.median).toFixed(2)}` : "";
}

function cases({ beside, alone }: BesideRow): string {
  const of = (spread: Spread, where: string): string => `${nanoText(spread.median)} ${where} in ${spread.cases} cases`;
  return `${of(beside, "beside it")}${alone ? `, ${of(alone, "alone")}` : ""}`;
}
