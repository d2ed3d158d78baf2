// A program's timeline: who ran when, who could run beside whom, what that cost, and a run of a pair by kernels that the reader chooses.
import "./dialog.css";
import "./lanes.ts";
import { signal, useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ownName, watched } from "../engine/life.ts";
import { gpuChoices } from "../model/choice.ts";
import { MISSING, count, counted } from "../model/format.ts";
import { openPage, Page } from "../parts/document.tsx";
import { Term } from "../parts/term.tsx";
import { Button, Fold, Host, Table } from "../parts/widgets.tsx";
import type { Catalogue } from "../model/types.ts";
import { Chosen, timesText, type Desk, type Named } from "./chosen.tsx";
import { Cost } from "./cost.tsx";
import type { Lanes } from "./lanes.ts";
import { moved, nanoText, nextOverlap, overlaps, whole, zoomed, type Launches, type Span } from "./launches.ts";
import type { KernelRow, PairRow, Report } from "./report.ts";
import { Simulations } from "./simulated.ts";
import type { FromTimeline, ToTimeline } from "./worker.ts";

/** Rows of a table, at most: the runner prints all. */
const MOST_ROWS = 20;
/** The GPU that the file names. */
const OWN = "";

type Standing = { part: number } | { wrong: string } | { launches: Launches; report: Report };

/** Reads a file in a worker, and shows what it says. */
export function showTimeline(file: File, catalogue: Catalogue): void {
  const own = ownName("timeline"),
    standing = signal<Standing>({ part: 0 });
  // The bundler finds the worker by this very expression.
  const worker = watched(new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: own }), own);
  worker.onerror = ({ message }) => {
    standing.value = { wrong: message || "its worker could not start" };
  };
  worker.onmessage = ({ data }: MessageEvent<FromTimeline>) => {
    const before = standing.peek();
    if (data.t === "part") standing.value = { part: data.part };
    else if (data.t === "wrong") standing.value = { wrong: data.message };
    else if (data.t === "read") standing.value = data;
    else if ("report" in before) standing.value = { ...before, report: data.report };
  };
  const ask = (what: ToTimeline): void => worker.postMessage(what);
  ask({ file });
  openPage(<Opened {...{ file: file.name, standing, catalogue }} ask={ask} close={() => worker.terminate()} />);
}

interface OpenedProps {
  file: string;
  standing: Signal<Standing>;
  catalogue: Catalogue;
  ask(what: ToTimeline): void;
  close(): void;
}
function Opened({ file, standing, catalogue, ask, close }: OpenedProps) {
  useEffect(() => close, []);
  const now = standing.value;
  if ("wrong" in now)
    return (
      <Page title={`“${file}” cannot be read`}>
        <p role="alert">{now.wrong}</p>
        <p class="note">Opened, too: what was saved here, traces of kernels, tables of silicon/interfere.cu.</p>
      </Page>
    );
  if ("part" in now)
    return (
      <Page title={`Reading ${file}`}>
        <progress max={1} value={now.part} aria-label="How much is read" />
        <p class="note">It is read here; nothing is sent anywhere.</p>
      </Page>
    );
  return <Said {...now} {...{ file, catalogue, ask }} />;
}

interface SaidProps {
  file: string;
  launches: Launches;
  report: Report;
  catalogue: Catalogue;
  ask(what: ToTimeline): void;
}
function Said({ file, launches, report, catalogue, ask }: SaidProps) {
  const gpu = useSignal(OWN),
    bodies = useSignal<ReadonlyMap<string, string>>(new Map()),
    simulations = useMemo(() => new Simulations(), []),
    rows = new Map(report.kernels.map((row) => [row.kernel, row]));
  useEffect(() => () => simulations.close(), []);
  const desk: Desk = { catalogue, gpu: gpu.value || presetOf(report, catalogue), bodies, simulations };
  const described = report.gpus.map(
    (one) => `${one.name || `GPU ${one.id}`}${one.described === "" ? "" : ` (as ${one.described})`}`,
  );
  return (
    <Page title={file}>
      <p class="timeline-loss">{report.loss}</p>
      {report.notes.length > 0 && (
        <ul class="note">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <p>
        {`${counted(report.launches, "launch", "launches")} of ${counted(report.kernel_count, "kernel")} on ${described.join(", ")}, as ${report.tool} has seen them. ${report.overview}`}
      </p>
      <Along launches={launches} />
      <div class="flow timeline-bar">
        <label for="f-timeline-gpu">What fits, on</label>
        <select
          id="f-timeline-gpu"
          value={gpu}
          onChange={({ currentTarget: { value } }) => {
            gpu.value = value;
            ask({ gpu: value });
          }}
        >
          <option value={OWN}>the GPU of the file</option>
          {gpuChoices(catalogue).map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </div>
      {report.pairs.length > 0 && (
        // On another GPU nothing of it stands.
        <Pairs key={gpu.value} {...{ report, rows, desk }} />
      )}
      {report.beside.length > 0 && <Cost {...{ report, rows, desk }} />}
      <Kernels report={report} />
    </Page>
  );
}

/** The preset by which the file's GPU is described, or else the first there is. */
const presetOf = ({ gpus }: Report, catalogue: Catalogue): string =>
  catalogue.gpus.find(({ name }) => gpus.some(({ described }) => described.split(/[ ,]/).includes(name)))?.name ??
  catalogue.gpus[0]?.name ??
  "";

/** The lanes, closer or farther, earlier or later. */
function Along({ launches }: Pick<SaidProps, "launches">) {
  const { all, meeting, inOrder } = useMemo(() => {
    const found = overlaps(launches);
    return { all: whole(launches), meeting: found, inOrder: [...found.values()].flat().sort((a, b) => a[0] - b[0]) };
  }, [launches]);
  const seen = useSignal<Span>(all);
  const to = (next: Span | null): void => {
    if (next) seen.value = next;
  };
  const isWhole = seen.value[0] <= all[0] && seen.value[1] >= all[1];
  return (
    <>
      <Host
        make={() => document.createElement("corun-lanes") as Lanes}
        set={(lanes) => {
          lanes.of = { launches, meeting, seen: seen.value };
        }}
      />
      <div class="flow timeline-bar">
        <Button press={() => to(zoomed(seen.value, 0.25, all))}>Closer</Button>
        <Button disabled={isWhole} press={() => to(zoomed(seen.value, 4, all))}>
          Farther
        </Button>
        <Button disabled={isWhole} press={() => to(moved(seen.value, -0.5, all))}>
          Earlier
        </Button>
        <Button disabled={isWhole} press={() => to(moved(seen.value, 0.5, all))}>
          Later
        </Button>
        <Button disabled={inOrder.length === 0} press={() => to(nextOverlap(inOrder, seen.value, all))}>
          Next overlap
        </Button>
        <span class="aside" role="status">
          {isWhole
            ? "all of it"
            : `${nanoText(seen.value[1] - seen.value[0])} from ${(seen.value[0] / 1e6).toFixed(3)} ms on`}
        </span>
      </div>
    </>
  );
}

const named = (rows: ReadonlyMap<number, KernelRow>, kernel: number): Named =>
  rows.get(kernel) ?? { name: `kernel ${kernel}`, short: `kernel ${kernel}` };

interface PairsProps {
  report: Report;
  rows: ReadonlyMap<number, KernelRow>;
  desk: Desk;
}
function Pairs({ report, rows, desk }: PairsProps) {
  const kinds = report.pairs.filter(({ alike }) => alike !== null),
    shown = kinds.slice(0, MOST_ROWS),
    left = kinds.length - shown.length + report.pairs_left_out;
  const of = (pair: PairRow) => (
    <Fold
      summary={`${pair.words}${pair.alike ? ` ${count(pair.alike)} more ${pair.alike === 1 ? "is" : "are"} like it.` : ""}`}
    >
      {() => (
        <>
          <p>CTAs of the second run while the first does:</p>
          <ul>
            {pair.places.map(({ scheme: name, title, words }) => (
              <li key={name}>{`${title}: ${words}`}</li>
            ))}
          </ul>
          <Chosen two={[named(rows, pair.first), named(rows, pair.second)]} desk={desk} />
        </>
      )}
    </Fold>
  );
  return (
    <>
      <h3>Who could run beside whom</h3>
      <Table
        label="Pairs of kernels on different streams, those with most to win first"
        class="timeline-pairs"
        head={[
          { title: "pair, and what fits under each scheme" },
          { title: <Term says="Time that both could have shared at most, and did not.">to win</Term>, num: true },
          {
            title: (
              <Term says="How many times as long each took beside the other as alone, from three cases each on.">
                times as long as alone
              </Term>
            ),
            num: true,
          },
        ]}
        bodies={[
          {
            rows: shown.map((pair) => ({
              name: of(pair),
              cells: [
                nanoText(pair.lost_ns),
                pair.slowdowns.every((one) => one === null) ? MISSING : pair.slowdowns.map(timesText).join(", "),
              ],
            })),
          },
        ]}
      />
      {left > 0 && <p class="note">{`${count(left)} more with less to win: corun explain FILE --json has all.`}</p>}
    </>
  );
}

const KERNEL = "kernel, launches, time, CTAs, threads, registers, bytes shared, CTAs of an SM, limited by, waves".split(
  ", ",
);
function Kernels({ report: { kernels } }: { report: Report }) {
  return (
    <Fold summary={`The kernels: ${Math.min(kernels.length, MOST_ROWS)} with most time`}>
      {() => (
        <Table
          label="Kernels with most time, and how many of their CTAs the GPU holds"
          head={KERNEL.map((title) => ({ title, num: title !== "kernel" && title !== "limited by" }))}
          bodies={[
            {
              rows: kernels.slice(0, MOST_ROWS).map(({ name, short, launches, ns, shape, resident }) => ({
                name: short,
                says: name,
                cells: [
                  launches,
                  nanoText(ns),
                  ...(shape
                    ? [product(shape.grid), product(shape.block), shape.registers, shape.shared_bytes]
                    : [MISSING, MISSING, MISSING, MISSING]),
                  ...(resident
                    ? [
                        resident.ctas_per_sm,
                        resident.limiter.replaceAll("_", " "),
                        resident.waves?.toFixed(2) ?? MISSING,
                      ]
                    : [MISSING, MISSING, MISSING]),
                ],
              })),
            },
          ]}
        />
      )}
    </Fold>
  );
}
const product = (of: readonly number[]): number => of.reduce((all, one) => all * one, 1);
