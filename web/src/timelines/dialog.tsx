// A program's timeline: who ran when, who could run beside whom, what that cost, and a run of a pair by kernels that the reader chooses.
import "./dialog.css";
import "./lanes.ts";
import { signal, useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { ownName, watched } from "../engine/life.ts";
import { gpuChoices, kernelChoices } from "../model/choice.ts";
import { scheme } from "../model/choices.ts";
import { MISSING, count } from "../model/format.ts";
import { openPage, Page } from "../parts/document.tsx";
import { Menu } from "../parts/menu.tsx";
import { Button, Fold, Host, RunLink, Table } from "../parts/widgets.tsx";
import type { Catalogue, Experiment } from "../model/types.ts";
import type { Lanes } from "./lanes.ts";
import { moved, nanoText, nextOverlap, overlaps, whole, zoomed, type Launches, type Span } from "./launches.ts";
import type { KernelRow, PairRow, Report } from "./report.ts";
import type { FromTimeline, ToTimeline } from "./worker.ts";

/** Rows of a table, at most: the runner prints all. */
const MOST_ROWS = 40;
/** The GPU that the file names. */
const OWN = "";
/** Cycles of a run of a pair. */
const CYCLES = 500_000;

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
    rows = new Map(report.kernels.map((row) => [row.kernel, row]));
  const described = report.gpus.map(
    (one) => `${one.name || `GPU ${one.id}`}${one.described === "" ? "" : ` (as ${one.described})`}`,
  );
  return (
    <Page title={file}>
      <p class="timeline-loss">{report.loss}</p>
      <p>
        {`${count(report.launches)} launches of ${count(report.kernel_count)} kernels on ${described.join(", ")}, as ${report.tool} has seen them. ${report.overview}`}
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
        <Pairs key={gpu.value} {...{ report, rows, catalogue }} gpu={gpu.value || presetOf(report, catalogue)} />
      )}
      {report.beside.length > 0 && <Beside report={report} rows={rows} />}
      <Kernels report={report} />
      {report.notes.length > 0 && (
        <ul class="note">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
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

const nameOf = (rows: ReadonlyMap<number, KernelRow>, kernel: number): string =>
  rows.get(kernel)?.short ?? `kernel ${kernel}`;
const timesText = (factor: number | null | undefined): string => (factor == null ? MISSING : `${factor.toFixed(2)}×`);

function Pairs(props: Pick<SaidProps, "report" | "catalogue"> & { rows: ReadonlyMap<number, KernelRow>; gpu: string }) {
  const { report, rows, catalogue, gpu } = props,
    shown = report.pairs.slice(0, MOST_ROWS),
    left = report.pairs.length - shown.length + report.pairs_left_out;
  const of = (pair: PairRow) => (
    <Fold summary={pair.words}>
      {() => (
        <>
          <p>CTAs of the second run while the first does:</p>
          <ul>
            {pair.places.map(({ scheme: name, title, words }) => (
              <li key={name}>{`${title}: ${words}`}</li>
            ))}
          </ul>
          <Chosen {...{ pair, rows, catalogue, gpu }} />
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
          { title: "to win", num: true, says: "time that both could have shared at most, and did not" },
          {
            title: "measured",
            num: true,
            says: "how many times as long each took beside the other as alone, from three cases each on",
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
      {left > 0 && <p class="note">{`${count(left)} with less to win: corun explain FILE prints more.`}</p>}
    </>
  );
}

/** A run of two kernels that stand for a pair: which, the reader says, as a name says nothing about what a kernel does. */
function Chosen(props: { pair: PairRow; rows: ReadonlyMap<number, KernelRow>; catalogue: Catalogue; gpu: string }) {
  const { pair, rows, catalogue, gpu } = props,
    kernels = useSignal<readonly [string, string]>(["", ""]),
    choices = kernelChoices(catalogue);
  const of = (name: string): Experiment => ({
    corun: 1,
    gpu,
    kernels: [...kernels.value],
    seed: 1,
    stop: { cycles: CYCLES },
    policy: scheme(catalogue, name, 2),
  });
  const menu = (at: 0 | 1, kernel: number) => (
    <Menu
      id={`timeline-kernel-${at}`}
      label={`Stands for ${nameOf(rows, kernel)}`}
      value={kernels.value[at]}
      text={kernels.value[at] === "" ? "choose a kernel" : kernels.value[at]}
      choices={choices}
      onChoose={(name) => {
        kernels.value = at === 0 ? [name, kernels.value[1]] : [kernels.value[0], name];
      }}
    />
  );
  return (
    <div class="timeline-run">
      <p>A timeline has no bodies of kernels. Choose two that do alike, and run them.</p>
      <div class="flow">
        <span>{nameOf(rows, pair.first)} as</span>
        {menu(0, pair.first)}
        <span>{nameOf(rows, pair.second)} as</span>
        {menu(1, pair.second)}
        {kernels.value.every((name) => name !== "") && (
          <RunLink away class="button primary" of={{ experiment: of("leftover"), other: of("mps") }}>
            Run them, streams against MPS
          </RunLink>
        )}
      </div>
    </div>
  );
}

function Beside({ report: { beside }, rows }: { report: Report; rows: ReadonlyMap<number, KernelRow> }) {
  const shown = beside.slice(0, MOST_ROWS),
    names = [...new Set(shown.map(({ name }) => name))];
  return (
    <>
      <h3>What it cost, as measured</h3>
      <Table
        label="Kernels alone and beside others, medians"
        head={[
          { title: "kernel" },
          { title: "alone", num: true },
          { title: "beside it", num: true },
          { title: "cases", num: true, says: "alone, and beside it" },
          { title: "slower", num: true },
        ]}
        bodies={names.map((name) => ({
          title: (
            <span title={name}>{`beside ${[...rows.values()].find((row) => row.name === name)?.short ?? name}`}</span>
          ),
          rows: shown
            .filter((row) => row.name === name)
            .map((row) => ({
              name: nameOf(rows, row.kernel),
              says: rows.get(row.kernel)?.name,
              cells: [
                row.alone ? nanoText(row.alone.median) : MISSING,
                nanoText(row.beside.median),
                `${row.alone?.cases ?? 0}, ${row.beside.cases}`,
                timesText(row.slowdown),
              ],
            })),
        }))}
      />
      {beside.length > shown.length && (
        <p class="note">{`${count(beside.length - shown.length)} more: corun explain FILE.`}</p>
      )}
    </>
  );
}

function Kernels({ report: { kernels } }: { report: Report }) {
  return (
    <Fold summary={`The kernels: ${Math.min(kernels.length, MOST_ROWS)} with most time`}>
      {() => (
        <Table
          label="Kernels with most time, and how many of their CTAs the GPU holds"
          head={[
            { title: "kernel" },
            { title: "launches", num: true },
            { title: "time", num: true },
            { title: "CTAs", num: true },
            { title: "threads", num: true },
            { title: "registers", num: true },
            { title: "shared, bytes", num: true },
            { title: "CTAs of an SM", num: true },
            { title: "limited by" },
            { title: "waves", num: true },
          ]}
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
