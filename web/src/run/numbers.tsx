// The panel of numbers: how fast each kernel is alone and shared, and what the sharing is worth, each with half of its 95 % interval. One run has its numbers
// as tiles and tables. Where there is something to compare them with (a second run, or the run before the last change), all stand in one table: a column for
// each, and how far the last two are apart.
import "./numbers.css";
import type { ComponentChildren } from "preact";
import { count } from "../model/format.ts";
import { IconButton, KernelName, Meanings, SideMark, Table, What } from "../parts/widgets.tsx";
import {
  ABSENT,
  COST,
  ENERGY,
  GOAL,
  GPU,
  MIX,
  SHARE,
  SPEED,
  cellOf,
  gapOf,
  union,
  type Cell,
  type Column,
  type Numbers,
} from "../model/numbers.ts";
import type { Of } from "../model/figures.ts";
import type { MetricEntry } from "../model/types.ts";

/** `stands`: where the sentence leads to. */
const Value = ({ of, stands }: { of: Cell; stands?: string | undefined }) => (
  <span class="with-beside">
    <span
      class="value"
      title={of.title || undefined}
      data-missing={of.missing ? "" : undefined}
      data-clear={of.clear ? "" : undefined}
      data-stands={stands}
      tabIndex={stands === undefined ? undefined : -1}
    >
      {of.text}
    </span>
    <span class="beside" title={of.besideTitle || undefined}>
      {of.beside}
    </span>
  </span>
);
function numberOf(column: Column, of: Of, figure: MetricEntry) {
  const stands = `${column.mark}.${figure.key}${typeof of === "number" ? `.${of}` : ""}`;
  return <Value of={cellOf(column, of, figure)} stands={stands} />;
}

/** Its unit stands behind it where that is short. The longest word of a title has a place to break: five columns fit a phone then. */
const Metric = ({ of: { title, unit, doc, formula, scope } }: { of: MetricEntry }) => (
  <>
    {title.replace("utilisation", "utili\u00adsation") + (unit.length > 0 && unit.length < 3 ? `, ${unit}` : "")}
    <What title={title}>
      <p>{doc}</p>
      <Meanings
        of={[
          ["Formula", <span class="formula">{formula}</span>],
          ["Unit", unit || "none: a ratio"],
          ["Of", scope],
        ]}
      />
    </What>
  </>
);

/** What an interval is, and where the method comes from: in short what docs/reference/experiments.md says. */
const Intervals = () => (
  <What title="a 95 % interval">
    <p>
      A run is one sample. The interval is where the number of an endless run lies, in 95 of 100 such runs. It narrows
      as the run goes on; one that begins cold, or whose policy still learns, keeps it wide.
    </p>
    <p>
      The run is cut into batches of windows of 400 cycles. Their scatter, with Student's t and a correction for what is
      left of their correlation, gives the interval of each ratio, slowdown and speedup. Where a kernel repeats itself,
      launch by launch, each repetition is a batch.
    </p>
    <p>
      Before each kernel has shown a whole launch, no statistics can know what comes: the interval is too narrow then.
    </p>
    <p>
      The interval of a difference takes the two runs as independent: its half is the root of the sum of both halves'
      squares. A difference that is greater than that is bold.
    </p>
    <p class="source">
      Source: batch means after Schmeiser (Operations Research 30(3), 1982) and Yeh and Schmeiser (48(6), 2000); the
      correction of SBatch (Lada and Wilson, WSC 2008) and N-Skart (Tafazzoli, Steiger and Wilson, IEEE Trans. Automatic
      Control 56(2), 2011).
    </p>
  </What>
);

function Plain({ of, run, notes }: { of: Numbers; run: Column; notes: ComponentChildren }) {
  const table = (label: string, keys: readonly string[]) => (
    <Table
      label={label}
      head={[{ title: "Kernel" }, ...of.of(keys).map((figure) => ({ title: <Metric of={figure} />, num: true }))]}
      bodies={[
        {
          rows: run.kernels.map((name, k) => ({
            name: <KernelName kernel={k} name={name} />,
            cells: of.of(keys).map((figure) => numberOf(run, k, figure)),
          })),
        },
      ]}
    />
  );
  const stats = (title: string, keys: readonly string[], whose: Of) => (
    <>
      <h3>{title}</h3>
      <dl class="stats">
        {of.of(keys).map((figure) => (
          <div key={figure.key} class="stat">
            <dt>
              <Metric of={figure} />
            </dt>
            <dd>{numberOf(run, whose, figure)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
  return (
    <>
      <div class="tiles">
        {of.of(MIX).map((figure) => (
          <div key={figure.key} class="tile">
            <div class="tile-title">
              <Metric of={figure} />
            </div>
            <div class="tile-value">{numberOf(run, "metrics", figure)}</div>
            <div class="tile-unit">{figure.unit || "ratio"}</div>
          </div>
        ))}
      </div>
      {table("How fast each kernel is", SPEED)}
      {table("What makes each kernel slower", COST)}
      {run.goals.includes(true) && table("What each kernel is promised", GOAL)}
      {notes}
      <h3>What each kernel uses</h3>
      {table("What each kernel uses", SHARE)}
      {stats("Whole GPU", GPU, "gpu")}
      {stats("Energy, to compare", ENERGY, "energy")}
    </>
  );
}

const BeforeHead = ({ of, column }: { of: Numbers; column: Column }) => (
  <span class="before-head">
    <IconButton icon="close" class="small" label="Dismiss the numbers from before" press={() => of.dismiss()} />
    <span>{column.mark === "" ? "Before" : `${column.mark} before`}</span>
    <span class="before-what">
      <span>{column.title},</span> <span>{count(column.result?.cycles)} cycles</span>
    </span>
  </span>
);

/** One table: a column for each run and for what was before, and the difference of the last two. */
function Compared({ of, runs, before }: { of: Numbers; runs: readonly Column[]; before: Column | null }) {
  // Until it has numbers of its own, a run that has changed is still what was before.
  const now = runs.map((run) => (run === before ? { ...run, result: null } : run));
  const columns = before ? [before, ...now] : runs,
    two = runs.length > 1,
    [one, other] = [columns.length - 2, columns.length - 1];
  const head = (column: Column) => {
    if (column === before) return <BeforeHead of={of} column={column} />;
    return two ? (
      <span class="side-head">
        <SideMark mark={column.mark} />
        {column.title}
      </span>
    ) : (
      "Now"
    );
  };
  const body = (title: ComponentChildren, keys: readonly string[], places: readonly (Of | null)[]) => ({
    title,
    rows: of.of(keys).map((figure) => {
      const at = (i: number): [Column, Of] | null => {
        const [column, place] = [columns[i], places[i] ?? null];
        return column && place !== null ? [column, place] : null;
      };
      const [a, b] = [at(one), at(other)];
      return {
        name: <Metric of={figure} />,
        cells: [
          ...columns.map((column, i) => {
            const place = places[i] ?? null;
            if (place === null) return <Value of={ABSENT} />;
            // What was before has its numbers elsewhere.
            return column === before ? <Value of={cellOf(column, place, figure)} /> : numberOf(column, place, figure);
          }),
          <Value key="gap" of={a && b ? gapOf(a, b, figure) : ABSENT} />,
        ],
      };
    }),
  });
  const all = (whose: Of): Of[] => columns.map(() => whose);
  return (
    <Table
      label="The numbers compared"
      class="compared"
      head={[
        { title: <span class="hidden">Number</span> },
        ...columns.map((column) => ({ title: head(column), num: true })),
        { title: two ? "B − A" : "Change", num: true },
      ]}
      bodies={[
        body("The mix", [...MIX, "fairness"], all("metrics")),
        ...union(columns.map(({ kernels }) => kernels)).map(({ name, places }) => {
          const promised = columns.some(({ goals }, i) => goals[places[i] ?? -1]);
          return body(
            <KernelName kernel={places.find((place) => place !== null) ?? 0} name={name} />,
            [...(promised ? [...GOAL].reverse() : []), ...[...SPEED].reverse(), ...COST, ...SHARE],
            places,
          );
        }),
        body("Whole GPU", GPU, all("gpu")),
        body("Energy, to compare", ENERGY, all("energy")),
      ]}
    />
  );
}

export function NumbersView({ of }: { of: Numbers }) {
  const runs = of.runs.value,
    before = of.before.value,
    [run] = runs;
  if (!run) return null;
  const notes = (
    <>
      <p class="note two-lines">{of.note}</p>
      <p class="note three-lines">
        ± is half of a 95 % interval
        <Intervals />. <span class="sure">{of.sure}</span>
      </p>
    </>
  );
  return (
    <div class="all-numbers">
      {runs.length === 1 && !before ? (
        <Plain of={of} run={run} notes={notes} />
      ) : (
        <>
          <Compared of={of} runs={runs} before={before} />
          {notes}
        </>
      )}
    </div>
  );
}
