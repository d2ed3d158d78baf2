// "Vary something" as the page has it: the form of a sweep, and its results as a chart and a table.
import { download } from "../parts/dom.ts";
import { useSignal } from "@preact/signals";
import { Select } from "../parts/controls.tsx";
import { copyText, toast } from "../parts/dialogs.tsx";
import { MISSING, fixed } from "../model/format.ts";
import { Button, Fold, Host, OpenFile, RunLink, Table } from "../parts/widgets.tsx";
import { Problems } from "../parts/notice.tsx";
import { currentStamp } from "../model/stamp.ts";
import { plusMinus } from "../model/interval-text.ts";
import { pathTitle } from "../model/titles.ts";
import { toCsv } from "../model/tabular.ts";
import { Axes } from "./axes.tsx";
import { SweepChart } from "./chart.ts";
import { endsOf, figureOf } from "./metrics.ts";
import { axisText, axisTitle, chartData, everything, fileText } from "./results.ts";
import { read, sweepCommand } from "./state.ts";
import { MOST_WORKERS, endedText, type Sweeps } from "./sweeps.ts";
import { axesOf } from "./vary.ts";

interface FormProps {
  of: Sweeps;
  examples: Readonly<Record<string, string>>;
  /** Values to begin with, of a field of a sweep's experiment. */
  suggest(base: unknown, path: string): Promise<unknown[]>;
  /** The sweep of the mix. */
  ofMix(): Promise<string>;
}

export function VaryForm({ of, examples, suggest, ofMix }: FormProps) {
  const phase = of.phase.value,
    text = of.text.value,
    progress = of.progress.value,
    problems = of.problems.value,
    running = phase === "running";
  const workers = useSignal(Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2));
  if (of.refused.value) return null;
  const base = (read(text) as { sweep?: { base?: unknown } } | undefined)?.sweep?.base;
  return (
    <div class="card vary-form">
      <div class="flow vary-from">
        <Select
          at={{ id: "f-example", "aria-label": "Open an example", disabled: running }}
          options={[
            { value: "", text: "Open an example…" },
            ...Object.keys(examples).map((name) => ({ value: name, text: name })),
          ]}
          value={Object.keys(examples).find((name) => examples[name] === text) ?? ""}
          put={(name) => of.change(examples[name] ?? text)}
        />
        <Button press={() => void ofMix().then((sweep) => of.change(sweep))}>Vary the mix</Button>
      </div>
      <Axes text={text} inert={running} change={(to) => of.change(to)} suggest={(path) => suggest(base, path)} />
      <div class="problems" id="f-sweep-problem" role="alert" hidden={problems.length === 0}>
        {problems.length > 0 && (
          <>
            <h3>This sweep cannot run</h3>
            <Problems of={problems} />
          </>
        )}
      </div>
      <div class="flow run-bar">
        {running ? (
          <Button press={() => of.halt()}>Stop</Button>
        ) : (
          <Button
            primary
            hidden={phase === "loading"}
            disabled={phase !== "ready" && phase !== "stopped"}
            press={() => of.start(workers.value)}
          >
            {phase === "stopped" ? "Go on" : "Run"}
          </Button>
        )}
        {progress && <progress max={1} value={progress.done} aria-label="Simulations done" />}
        <span class="aside sweep-progress">{of.words}</span>
        <span class="hidden" role="status">
          {of.spoken}
        </span>
      </div>
      <Fold class="vary-data" summary="As data" open={problems.length > 0 && axesOf(text) === null}>
        <label for="f-sweep">The whole sweep as JSON</label>
        <textarea
          id="f-sweep"
          class="json"
          spellcheck={false}
          rows={18}
          autocomplete="off"
          aria-describedby="f-sweep-problem"
          aria-invalid={problems.length > 0 ? "true" : undefined}
          readOnly={running}
          value={text}
          onInput={({ currentTarget }) => of.change(currentTarget.value, true)}
        />
        <p class="field-help">
          Every value of every axis with every value of the others, the last axis fastest; the paths of a zip together.
        </p>
        <div class="file-buttons">
          <OpenFile id="f-open" label="Open a sweep's file" disabled={running} take={(file) => void of.take(file)}>
            Open a sweep's file
          </OpenFile>
          <Button icon="download" press={() => download("sweep.json", text, "application/json")}>
            Save the sweep
          </Button>
          <Button icon="terminal" press={() => void copyCommand(of)}>
            Copy the command
          </Button>
        </div>
        <div class="field-row">
          <label for="f-workers">Simulations at once</label>
          <div class="field-control">
            <input
              id="f-workers"
              class="number"
              type="number"
              inputMode="numeric"
              autocomplete="off"
              min={1}
              max={MOST_WORKERS}
              value={workers.value}
              onChange={({ currentTarget }) => {
                workers.value = currentTarget.valueAsNumber;
              }}
            />
            <span class="unit">workers</span>
          </div>
        </div>
      </Fold>
    </div>
  );
}

async function copyCommand({ run, text }: Sweeps): Promise<void> {
  const name = run.value ? nameOf(run.value.plan.hash) : "corun-sweep";
  await copyText(
    sweepCommand(name, text.value),
    "The command is copied. It writes the same lines, in a clone of Corun after `cargo build --release`.",
  );
}
const nameOf = (hash: string): string => `corun-sweep-${hash.slice(0, 8)}`;

// ---------------------------------------------------------------- the results

export function Results({ of }: { of: Sweeps }) {
  const run = of.run.value;
  void of.news.value;
  if (!run) return null;
  const { plan, lines } = run,
    metric = of.metric.value;
  const axes = plan.axes.map((_, i) => ({ value: String(i), text: axisTitle(plan, i) }));
  return (
    <>
      <section class="card" aria-labelledby="chart-title">
        <h3 id="chart-title">Compared</h3>
        <div class="flow aside sweep-choices">
          <label for="f-y">Figure</label>
          <Select
            at={{ id: "f-y" }}
            options={of.metrics.value.map(({ key, title }) => ({ value: key, text: title }))}
            value={metric.key}
            put={(key) => of.show({ metric: key })}
          />
          <label for="f-x">across</label>
          <Select
            at={{ id: "f-x" }}
            options={axes}
            value={String(of.axis.value)}
            put={(axis) => of.show({ axis: Number(axis) })}
          />
        </div>
        <Host
          make={() => new SweepChart()}
          set={(chart) => {
            chart.data = chartData(plan, lines, metric, of.axis.value);
          }}
        />
      </section>
      <Points key={plan.hash} of={of} run={run} />
    </>
  );
}

/** Rows that the table begins with, and grows by. */
const ROWS = 200;
/** Figures that a table shows; the chart and the file have the others too. */
const SHOWN = /^(stp|hspeedup|antt|ipc|instructions_per_watt|goals_reached|(slowdown|latency|goal)_\d+)$/;

/** The points as a table: what each sets, its figures with their intervals, how it ended, and where it opens. */
function Points({ of, run }: { of: Sweeps; run: NonNullable<Sweeps["run"]["value"]> }) {
  void of.news.value;
  const { plan, lines, texts } = run,
    rows = useSignal(ROWS),
    metrics = of.metrics.value.filter(({ key }) => SHOWN.test(key)),
    paths = plan.axes.flat();
  const save = (kind: "jsonl" | "csv", title: string, text: string) => (
    <Button
      icon="download"
      title={title}
      disabled={lines.size === 0}
      press={() => {
        const name = `${nameOf(plan.hash)}.${kind}`,
          open = kind === "jsonl" && lines.size < plan.points.length;
        if (kind === "jsonl") download(name, fileText(texts), "application/x-ndjson");
        else download(name, toCsv(everything(plan, lines, of.registry.value), currentStamp()), "text/csv");
        toast(`Saved ${name}${open ? ": corun sweep --resume runs what is missing" : ""}`);
      }}
    >
      {text}
    </Button>
  );
  return (
    <section class="card" aria-labelledby="points-title">
      <div class="flow sweep-head">
        <h3 id="points-title">{plan.name || "Points"}</h3>
        <div class="flow">
          {save("jsonl", "The lines that corun sweep writes", "Lines (JSONL)")}
          {save("csv", "A row for each point, for a spreadsheet", "Table (CSV)")}
        </div>
      </div>
      <Table
        label="The points of the sweep"
        head={[
          { title: "Point" },
          ...paths.map((path) => ({ title: pathTitle(path), says: path })),
          ...metrics.map(({ title, unit }) => ({ title, says: unit, num: true })),
          { title: "Ended" },
          { title: <span class="hidden">Experiment</span> },
        ]}
        bodies={[
          {
            rows: plan.points.slice(0, rows.value).map((point, index) => ({
              name: index,
              cells: [
                ...plan.axes.flatMap((axis, a) =>
                  axis.length === 1
                    ? axisText(plan, a, point)
                    : axis.map((path) => axisText({ ...plan, axes: [[path]] }, 0, point)),
                ),
                ...metrics.map((metric) => {
                  const value = figureOf(lines.get(index), metric),
                    format = (v: number): string => fixed(v, metric.digits);
                  return (
                    <>
                      <span class="value">{value === null ? MISSING : format(value)}</span>
                      <span class="beside">{plusMinus(value, endsOf(lines.get(index), metric), format)}</span>
                    </>
                  );
                }),
                endedText(run, index),
                <RunLink
                  key="away"
                  of={{ experiment: point.experiment, engine: of.stamp }}
                  label={`Open point ${index} in the simulator`}
                >
                  Open
                </RunLink>,
              ],
            })),
          },
        ]}
      />
      {rows.value < plan.points.length && (
        <Button
          press={() => {
            rows.value += ROWS;
          }}
        >
          Show more points
        </Button>
      )}
    </section>
  );
}
