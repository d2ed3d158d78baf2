// Sweeps in the page: many experiments from one file, on a pool of plain workers. The file is the runner's, and so are the lines of
// results, byte for byte; the address bar is the link to the sweep and to what the chart shows of it.
import "../style/tokens.css";
import "../style/base.css";
import "../style/layout.css";
import "../style/parts.css";
import "../views/views.css";
import "./sweeps.css";
import { copyText, notice, toast, type Notice } from "../dialogs.ts";
import { h, icon, onFileDrop, setText } from "../dom.ts";
import { MISSING, count, fixed, timeText } from "../format.ts";
import { LinkError, encodeLink } from "../link.ts";
import { compileModule } from "../module.ts";
import { currentStamp, download, provideStamp } from "../stamp.ts";
import { startTheme, themeButton } from "../theme.ts";
import { pathTitle } from "../titles.ts";
import type { Problem } from "../types.ts";
import { toCsv } from "../views/tabular.ts";
import { SweepChart } from "./chart.ts";
import { Kept } from "./kept.ts";
import { Pool, readPlan } from "./pool.ts";
import {
  METRICS,
  axisText,
  axisTitle,
  chartData,
  everything,
  figureOf,
  fileText,
  heatAxes,
  heatMap,
  type Metric,
} from "./results.ts";
import { decodeSweep, encodeSweep } from "./state.ts";
import type { Line, Plan, Task } from "./types.ts";
import { axesOf, readValues, valuesText, withAxes, type Axis } from "./vary.ts";

const EXAMPLES = Object.fromEntries(
  Object.entries(
    import.meta.glob("../../../examples/sweeps/*.json", { eager: true, query: "?raw", import: "default" }) as Record<
      string,
      string
    >,
  ).map(([path, text]): [string, string] => [path.replace(/^.*\/(.*)\.json$/, "$1"), text]),
);
const FIRST = "bandwidth";
/** Points that the page takes: their results stay in its memory. */
const MOST_POINTS = 5_000;
const MOST_BYTES = 4 << 20;
/** Rows that the table begins with, and grows by. */
const ROWS = 200;
const MOST_WORKERS = 64;

const $ = (selector: string): HTMLElement => document.querySelector(selector) as HTMLElement;
const side = $("#file"),
  place = $("#results"),
  notices = $("#notices");

/** What has been run of one sweep. It is kept while the page is open, also when another sweep is looked at. */
interface Run {
  plan: Plan;
  pool: Pool;
  texts: Map<number, string>;
  lines: Map<number, Line>;
  broken: Map<number, string>;
}
type Phase = "loading" | "checking" | "bad" | "ready" | "running" | "stopped" | "done";

let module: WebAssembly.Module;
let version = "",
  stamp = "";
let phase: Phase = "loading";
let run: Run | null = null;
let metric: Metric = METRICS[0] as Metric;
let axis = 0;
let link = "";
const runs = new Map<string, Run>();
let kept: Kept | null = null;

startTheme();

// ---------------------------------------------------------------- the run bar

const bar = h("progress", { max: 1, value: 0, "aria-label": "Simulations done" });
const words = h("span", { class: "sweep-progress" });
/** Only what starts and ends is spoken. */
const spoken = h("span", { class: "hidden", role: "status" });
const go = h(
  "button",
  {
    type: "button",
    class: "button primary",
    onclick: () => {
      start();
    },
  },
  "Run",
);
const stop = h(
  "button",
  {
    type: "button",
    class: "button",
    onclick: () => {
      halt();
    },
  },
  "Stop",
);
$("#run").append(bar, words, stop, go, spoken);

function show(next: Phase): void {
  phase = next;
  document.documentElement.dataset["sweep"] = phase;
  stop.hidden = phase !== "running";
  go.hidden = phase === "running" || phase === "loading";
  go.disabled = phase === "checking" || phase === "bad" || phase === "done";
  setText(go, phase === "stopped" ? "Go on" : "Run");
  editor.readOnly = phase === "running";
  axesForm.toggleAttribute("inert", phase === "running");
  open.disabled = example.disabled = phase === "running";
  bar.hidden = phase !== "running";
  tell();
}

function tell(): void {
  const points = run?.plan.points.length ?? 0,
    done = run?.lines.size ?? 0;
  const state = `${count(done)} of ${count(points)} points`;
  if (phase === "running" && run) {
    const { done: share, left } = run.pool.progress();
    bar.value = share;
    setText(words, `${state}${left === null ? "" : `, about ${timeText(left)} left`}`);
  } else {
    setText(
      words,
      {
        loading: "",
        checking: "Reading…",
        bad: "It cannot run",
        ready: `${count(points)} points`,
        stopped: `Stopped: ${state}`,
        done: `Done: ${state}`,
        running: "",
      }[phase],
    );
  }
}

function start(): void {
  if (!run || phase === "running" || run.lines.size === run.plan.points.length) return;
  say(null);
  run.broken.clear();
  show("running");
  setText(spoken, "Running");
  const wanted = Math.floor(workers.valueAsNumber);
  run.pool.start(Number.isFinite(wanted) ? Math.min(MOST_WORKERS, Math.max(1, wanted)) : 1);
}

function halt(): void {
  if (phase !== "running") return;
  run?.pool.stop();
  show("stopped");
  setText(spoken, words.textContent ?? "");
  refresh();
}

function ended(): void {
  if (!run) return;
  show(run.lines.size === run.plan.points.length ? "done" : "stopped");
  setText(spoken, words.textContent ?? "");
  refresh();
}

function broke(task: Task | null, why: string): void {
  if (task?.kind === "point") run?.broken.set(task.index, why);
  say({
    kind: "error",
    title: "A simulation stopped",
    text: ["That is a defect of Corun, or of this browser, not of the sweep. It said:", h("pre", null, why)],
    actions: [],
  });
}

function say(of: Notice | null): void {
  notices.replaceChildren(...(of ? [notice(of)] : []));
}

// ---------------------------------------------------------------- the sweep: its text, and what the engine says of it

const editor = h("textarea", {
  id: "f-sweep",
  class: "json",
  spellcheck: false,
  rows: 22,
  autocomplete: "off",
  "aria-describedby": "f-sweep-problem",
});
const wrong = h("div", { class: "problems", id: "f-sweep-problem", role: "alert", hidden: true });
const example = h(
  "select",
  { id: "f-example", "aria-label": "Open an example" },
  h("option", { value: "" }, "Open an example…"),
  ...Object.keys(EXAMPLES).map((name) => h("option", { value: name }, name)),
);
const open = h("input", { id: "f-open", class: "hidden", accept: ".json,application/json", tabIndex: -1 });
open.setAttribute("type", "file");
const workers = h("input", {
  id: "f-workers",
  class: "number",
  inputMode: "numeric",
  autocomplete: "off",
  value: String(Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 2)),
});
workers.setAttribute("type", "number");
workers.min = "1";
workers.max = String(MOST_WORKERS);

let timer = 0;
editor.addEventListener("input", () => {
  example.value = "";
  form();
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    check();
  }, 400);
});
example.addEventListener("change", () => {
  const text = EXAMPLES[example.value];
  if (text !== undefined) edit(text);
});
open.addEventListener("change", () => {
  const file = open.files?.[0];
  open.value = "";
  if (file) take(file);
});
onFileDrop((file) => {
  if (phase !== "running" && phase !== "loading") take(file);
});

function take(file: File): void {
  side.hidden = false;
  say(null);
  if (file.size > MOST_BYTES) {
    problems([{ path: "(file)", found: `${count(file.size)} bytes`, want: "a sweep: JSON of at most 4 MiB" }]);
    return;
  }
  void file.text().then(edit);
}

function edit(text: string): void {
  editor.value = text;
  form();
  example.value = Object.keys(EXAMPLES).find((name) => EXAMPLES[name] === text) ?? "";
  check();
}

// ---------------------------------------------------------------- the axes as a form: what is typed there is written into the text

const axesForm = h("div", { class: "sweep-axes", role: "group", "aria-label": "What is varied" });
/** Fields that are offered; any other path can be typed too. */
const OFFERED = [
  "policy",
  "kernels",
  "gpu",
  "seed",
  "warp_order",
  "stop.cycles",
  "kernels[0].ctas_per_sm",
  "kernels[1].ctas_per_sm",
  "gpu.sm.count",
  "gpu.noc.mhz",
  "gpu.dram.mhz",
  "gpu.l2.banks",
  "gpu.sm.l1.bytes",
  "gpu.sm.l1.mshrs",
];
const offered = h(
  "datalist",
  { id: "offered-paths" },
  ...OFFERED.map((path) => h("option", { value: path }, pathTitle(path))),
);

/** Draws the form anew, unless it is where the text just came from. */
function form(): void {
  const axes = axesOf(editor.value);
  axesForm.hidden = axes === null;
  if (!axes || axesForm.contains(document.activeElement)) return;
  axisRows(axes);
}

function axisRows(axes: (Axis | { zip: Axis[] })[]): void {
  const put = (): void => {
    editor.value = withAxes(editor.value, axes);
    example.value = "";
    check();
  };
  const input = (
    label: string,
    value: string,
    change: (text: string) => void,
    more: Record<string, string> = {},
  ): HTMLInputElement => {
    const box = h("input", {
      type: "text",
      value,
      autocomplete: "off",
      spellcheck: false,
      "aria-label": label,
      ...more,
    });
    box.addEventListener("change", () => {
      change(box.value);
      put();
    });
    return box;
  };
  const one = (axis: Axis, n: string): HTMLElement[] => {
    const title = h("span", { class: "sweep-axis-title" }, pathTitle(axis.path) || "Field");
    return [
      title,
      input(
        `Field ${n}`,
        axis.path,
        (text) => {
          axis.path = text.trim();
          setText(title, pathTitle(axis.path));
        },
        { list: offered.id, class: "sweep-path" },
      ),
      input(`Values of field ${n}, with commas`, valuesText(axis.values), (text) => {
        axis.values = readValues(text);
      }),
    ];
  };
  const redraw = (): void => {
    put();
    axisRows(axes);
  };
  axesForm.replaceChildren(
    ...axes.map((axis, i) =>
      h(
        "div",
        { class: "sweep-axis" },
        ...("zip" in axis ? axis.zip.flatMap((part, j) => one(part, `${i + 1}.${j + 1}`)) : one(axis, String(i + 1))),
        h(
          "button",
          {
            type: "button",
            class: "icon-button small",
            "aria-label": `Do not vary field ${i + 1}`,
            title: "Do not vary it",
            disabled: axes.length === 1,
            onclick: () => {
              axes.splice(i, 1);
              redraw();
            },
          },
          icon("close"),
        ),
      ),
    ),
    h(
      "button",
      {
        type: "button",
        class: "button",
        id: "f-vary",
        onclick: () => {
          axes.push({ path: "seed", values: [1, 2, 3] });
          redraw();
          axesForm.querySelector<HTMLInputElement>(".sweep-axis:last-of-type input")?.focus();
        },
      },
      icon("plus"),
      "Vary another field",
    ),
    offered,
  );
}

let unread = (): void => undefined;
/** What the engine says of the text; a newer text ends the reading of an older one. */
function check(): void {
  clearTimeout(timer);
  unread();
  show("checking");
  const text = editor.value;
  unread = readPlan(module, text, MOST_POINTS, (plan, of, made) => {
    [version, stamp] = [of, made];
    if (Array.isArray(plan)) problems(plan);
    else void accepted(text, plan);
  });
}

function problems(found: Problem[]): void {
  wrong.hidden = false;
  wrong.replaceChildren(
    h("h2", null, "This sweep cannot run"),
    h("ul", null, ...found.map((p) => h("li", null, h("b", null, p.path), `: found ${p.found}, want ${p.want}`))),
  );
  editor.setAttribute("aria-invalid", "true");
  run = null;
  show("bad");
  render();
}

async function accepted(text: string, plan: Plan): Promise<void> {
  wrong.hidden = true;
  editor.removeAttribute("aria-invalid");
  const mine = runs.get(plan.hash) ?? (await fresh(text, plan));
  // Another text came while the browser looked for what it keeps.
  if (editor.value !== text) return;
  run = mine;
  runs.set(plan.hash, run);
  if (axis >= plan.axes.length) axis = 0;
  show(run.lines.size === plan.points.length ? "done" : run.lines.size > 0 ? "stopped" : "ready");
  document.title = `${plan.name || "Sweep"} · Corun`;
  render();
  writeLink();
}

async function fresh(text: string, plan: Plan): Promise<Run> {
  const texts = new Map<number, string>(),
    lines = new Map<number, Line>(),
    broken = new Map<number, string>();
  const pool = new Pool(module, text, plan, {
    line: (index, line) => {
      kept?.keep(plan.hash, index, line);
      texts.set(index, line);
      lines.set(index, JSON.parse(line) as Line);
      refresh();
    },
    broken: broke,
    progress: () => {
      tell();
    },
    over: () => {
      ended();
    },
  });
  kept ??= new Kept(stamp);
  for (const { index, text: written, line } of await kept.recall(plan.hash)) {
    if (index >= plan.points.length) continue;
    texts.set(index, written);
    lines.set(index, line);
  }
  pool.skip(lines.keys());
  return { plan, pool, texts, lines, broken };
}

// ---------------------------------------------------------------- results

const chart = new SweepChart();
const yBox = h("select", { id: "f-y" }, ...METRICS.map((m) => h("option", { value: m.key }, m.title)));
const xBox = h("select", { id: "f-x" });
const head = h("thead"),
  body = h("tbody");
const caption = h("caption", { class: "hidden" }, "The points of the sweep");
const more = h(
  "button",
  {
    type: "button",
    class: "button",
    onclick: () => {
      rows += ROWS;
      table();
    },
  },
  "Show more points",
);
const title = h("h2", { id: "points-title" }, "Points");
const savers = [
  h(
    "button",
    {
      type: "button",
      class: "button",
      title: "The lines that corun sweep writes",
      onclick: () => {
        save("jsonl");
      },
    },
    icon("download"),
    "Lines (JSONL)",
  ),
  h(
    "button",
    {
      type: "button",
      class: "button",
      title: "A row for each point, for a spreadsheet",
      onclick: () => {
        save("csv");
      },
    },
    icon("download"),
    "Table (CSV)",
  ),
];
let rows = ROWS;

yBox.addEventListener("change", () => {
  metric = METRICS.find((m) => m.key === yBox.value) ?? metric;
  refresh();
  writeLink();
});
xBox.addEventListener("change", () => {
  axis = Number(xBox.value);
  refresh();
  writeLink();
});

const cards = [
  h(
    "section",
    { class: "card", "aria-labelledby": "chart-title" },
    h("h2", { id: "chart-title" }, "Compared"),
    h(
      "div",
      { class: "sweep-choices" },
      h("label", { for: "f-y" }, "Figure"),
      yBox,
      h("label", { for: "f-x" }, "across"),
      xBox,
    ),
    chart,
  ),
  h(
    "section",
    { class: "card", "aria-labelledby": "points-title" },
    h("div", { class: "sweep-head" }, title, h("div", { class: "sweep-savers" }, ...savers)),
    h(
      "div",
      { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "The points of the sweep" },
      h("table", { class: "numbers" }, caption, head, body),
    ),
    more,
  ),
];

const heatTable = h("table", { class: "heat" });
const heatRest = h("select", { id: "f-heat-rest", "aria-label": "Values of the other axes" });
const heatSays = h("p", { class: "note" });
heatRest.addEventListener("change", () => {
  refresh();
});
const heatCard = h(
  "section",
  { class: "card", "aria-labelledby": "heat-title" },
  h("h2", { id: "heat-title" }, "Mix × scheme"),
  h("div", { class: "sweep-choices" }, heatRest),
  heatSays,
  h(
    "div",
    { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": "The numbers of each mix and scheme" },
    heatTable,
  ),
);

/** The figure that the chart shows, for each mix under each scheme. Every cell has its number; the colour only helps the eye. */
function heat(): void {
  const map = run ? heatMap(run.plan, run.lines, metric, heatRest.selectedIndex) : null;
  if (!map) return;
  const digits = metric.key === "ipc" ? 1 : 3;
  heatRest.parentElement?.toggleAttribute("hidden", map.rest.length < 2);
  if (heatRest.options.length !== map.rest.length)
    heatRest.replaceChildren(...map.rest.map((text) => h("option", null, text)));
  const unit = metric.unit ? `, ${metric.unit}` : "";
  setText(
    heatSays,
    map.least === null
      ? `${metric.title}${unit}: no point has run yet.`
      : `${metric.title}${unit}: the deeper the colour, the more, from ${fixed(map.least, digits)} to ${fixed(map.most, digits)}.${metric.better ? ` ★ the best scheme of a mix: ${metric.better === "more" ? "more" : "less"} is better.` : ""}`,
  );
  heatTable.replaceChildren(
    h("caption", { class: "hidden" }, `${metric.title} of each mix under each scheme`),
    h(
      "thead",
      null,
      h("tr", null, h("th", { scope: "col" }, "Mix"), ...map.schemes.map((name) => h("th", { scope: "col" }, name))),
    ),
    h(
      "tbody",
      null,
      ...map.mixes.map((mix, m) =>
        h(
          "tr",
          null,
          h("th", { scope: "row" }, mix),
          ...(map.cells[m] ?? []).map((cell) => {
            const text =
              cell.point === null
                ? "not in the sweep"
                : cell.value === null
                  ? run?.lines.has(cell.point)
                    ? MISSING
                    : "not run"
                  : `${cell.best ? "★ " : ""}${fixed(cell.value, digits)}`;
            const td = h(
              "td",
              { class: cell.best ? "best" : "" },
              cell.value === null ? h("span", { class: "heat-none" }, text) : text,
            );
            if (cell.share !== null)
              td.style.background = `color-mix(in srgb, var(--accent) ${Math.round(4 + 36 * cell.share)}%, var(--surface))`;
            return td;
          }),
        ),
      ),
    ),
  );
}

/** A sweep is shown that was not. */
function render(): void {
  rows = ROWS;
  body.replaceChildren();
  heatRest.replaceChildren();
  place.replaceChildren(
    ...(run ? (heatAxes(run.plan) ? [cards[0] as HTMLElement, heatCard, ...cards.slice(1)] : cards) : []),
  );
  if (!run) return;
  const { plan } = run;
  setText(title, plan.name || "Points");
  yBox.value = metric.key;
  xBox.replaceChildren(...plan.axes.map((_, i) => h("option", { value: String(i) }, axisTitle(plan, i))));
  xBox.value = String(axis);
  head.replaceChildren(
    h(
      "tr",
      null,
      h("th", { scope: "col" }, "Point"),
      ...plan.axes.flat().map((path) => h("th", { scope: "col", title: path }, pathTitle(path))),
      ...["STP", "HSpeedup", "ANTT", "IPC"].map((name) => h("th", { scope: "col", class: "num" }, name)),
      h("th", { scope: "col" }, "Ended"),
      h("th", { scope: "col" }, h("span", { class: "hidden" }, "Experiment")),
    ),
  );
  refresh();
}

let due = false;
/** What a new line changes, at most once a frame. */
function refresh(): void {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    tell();
    if (!run) return;
    chart.data = chartData(run.plan, run.lines, metric, axis);
    heat();
    for (const button of savers) button.disabled = run.lines.size === 0;
    table();
  });
}

const SHOWN = ["stp", "hspeedup", "antt", "ipc"].map((key) => METRICS.find((m) => m.key === key) as Metric);

function table(): void {
  if (!run) return;
  const { plan, lines, broken } = run;
  const wanted = Math.min(rows, plan.points.length);
  while (body.rows.length < wanted) body.append(row(plan, body.rows.length));
  more.hidden = wanted === plan.points.length;
  const first = 1 + plan.axes.flat().length;
  for (let index = 0; index < wanted; index += 1) {
    const cells = body.rows[index]?.cells,
      line = lines.get(index);
    if (!cells) continue;
    SHOWN.forEach((m, i) => {
      const cell = cells[first + i];
      if (cell) {
        const v = figureOf(line, m);
        setText(cell, fixed(v, m.key === "ipc" ? 1 : 3));
      }
    });
    const cell = cells[first + SHOWN.length];
    if (cell)
      setText(
        cell,
        line
          ? line.result.stop === "stuck" || line.result.stop === "failed"
            ? `${line.result.stop} at ${count(line.result.cycles)}`
            : `at ${count(line.result.cycles)}`
          : broken.has(index)
            ? "a defect"
            : "not run",
      );
  }
}

function row(plan: Plan, index: number): HTMLTableRowElement {
  const point = plan.points[index] as Plan["points"][number];
  const away = h("a", { "aria-label": `Open point ${index} in the simulator` }, "Open");
  void encodeLink({ experiment: point.experiment, view: {}, engine: stamp }).then((hash) => {
    away.href = `./${hash}`;
  });
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, String(index)),
    ...plan.axes.flatMap((paths, a) =>
      paths.map((path) =>
        h("td", null, paths.length === 1 ? axisText(plan, a, point) : axisText({ ...plan, axes: [[path]] }, 0, point)),
      ),
    ),
    ...SHOWN.map(() => h("td", { class: "num" }, MISSING)),
    h("td"),
    h("td", null, away),
  );
}

function save(kind: "jsonl" | "csv"): void {
  if (!run) return;
  const name = `corun-sweep-${run.plan.hash.slice(0, 8)}.${kind}`;
  if (kind === "jsonl") download(name, fileText(run.texts), "application/x-ndjson");
  else download(name, toCsv(everything(run.plan, run.lines), currentStamp()), "text/csv");
  toast(
    `Saved ${name}${kind === "jsonl" && run.lines.size < run.plan.points.length ? ": corun sweep --resume runs what is missing" : ""}`,
  );
}

async function copyCommand(): Promise<void> {
  const name = run ? `corun-sweep-${run.plan.hash.slice(0, 8)}` : "corun-sweep";
  await copyText(
    `cat > ${name}.json <<'SWEEP'\n${editor.value.trimEnd()}\nSWEEP\ntarget/release/corun sweep ${name}.json --resume --out ${name}.jsonl\n`,
    "The command is copied. It writes the same lines, in a clone of Corun after `cargo build --release`.",
  );
}

// ---------------------------------------------------------------- the address bar

let writing = 0;
async function writeLink(): Promise<void> {
  const mine = ++writing;
  const hash = await encodeSweep({ text: editor.value, y: metric === METRICS[0] ? "" : metric.key, x: axis }, EXAMPLES);
  // Nor over a link that came into the address bar meanwhile, of which the browser has not told yet.
  if (mine !== writing || location.hash !== link) return;
  link = hash ?? "";
  // A sweep that is too long for a link has none: its file is what can be handed on.
  if (location.hash !== link) history.replaceState(null, "", link || location.pathname);
}

async function readLink(): Promise<void> {
  const hash = location.hash;
  if (hash === link && link !== "") return;
  link = hash;
  writing += 1;
  if (hash === "#main") return;
  halt();
  try {
    const state = await decodeSweep(hash, EXAMPLES);
    if (hash !== location.hash) return;
    say(null);
    metric = METRICS.find((m) => m.key === state?.y) ?? (METRICS[0] as Metric);
    axis = state?.x ?? 0;
    side.hidden = false;
    edit(state?.text ?? EXAMPLES[FIRST] ?? "");
  } catch (error) {
    run = null;
    render();
    side.hidden = true;
    show("bad");
    setText(words, "");
    say({
      kind: "error",
      title: "This link cannot be opened",
      text: error instanceof LinkError ? [error.message, error.advice] : [String(error)],
      actions: [
        {
          label: "Open the first example",
          primary: true,
          run: () => {
            location.hash = `#v=1&example=${FIRST}`;
          },
        },
      ],
    });
  }
}
addEventListener("hashchange", () => void readLink());
addEventListener("beforeunload", (event) => {
  if (phase === "running") event.preventDefault();
});

// ---------------------------------------------------------------- start

$("#actions").append(
  h(
    "button",
    {
      type: "button",
      class: "icon-button",
      title: "Copy the link to this sweep",
      "aria-label": "Copy the link",
      onclick: () => {
        if (link === "") toast("This sweep is too long for a link: copy the command, or hand its file on.");
        else void copyText(location.href, "The link is copied. Whoever opens it can run the same sweep.");
      },
    },
    icon("link"),
  ),
  themeButton(),
);
provideStamp(() => ({ engine: version, config: run?.plan.hash ?? "", seed: 0, cycle: 0, link: location.href }));

side.append(
  h(
    "section",
    { class: "editor-section", "aria-label": "The sweep" },
    h("h2", null, "The sweep"),
    h(
      "div",
      { class: "section-body" },
      example,
      axesForm,
      wrong,
      h("label", { for: "f-sweep" }, "The whole sweep as JSON"),
      editor,
      h(
        "p",
        { class: "field-help" },
        "Every value of every axis with every value of the others, the last axis fastest; the paths of a zip together.",
      ),
    ),
  ),
  h(
    "section",
    { class: "editor-section", "aria-label": "Run" },
    h(
      "div",
      { class: "section-body" },
      h(
        "div",
        { class: "field-row" },
        h("label", { for: "f-workers" }, "Simulations at once"),
        h("div", { class: "field-control" }, workers, h("span", { class: "unit" }, "workers")),
      ),
      h(
        "div",
        { class: "file-buttons" },
        open,
        h(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              open.click();
            },
          },
          icon("upload"),
          "Open a sweep's file",
        ),
        h(
          "button",
          {
            type: "button",
            class: "button",
            onclick: () => {
              download("sweep.json", editor.value, "application/json");
            },
          },
          icon("download"),
          "Save the sweep",
        ),
        h(
          "button",
          { type: "button", class: "button", onclick: () => void copyCommand() },
          icon("terminal"),
          "Copy the command",
        ),
      ),
    ),
  ),
);
open.setAttribute("aria-label", "Open a sweep's file");

async function begin(): Promise<void> {
  show("loading");
  say({
    kind: "loading",
    title: "Loading the simulator…",
    text: ["It runs here, in your browser; nothing is sent anywhere."],
    actions: [],
  });
  try {
    module = await compileModule();
  } catch (error) {
    side.hidden = true;
    say({
      kind: "error",
      title: "The simulator could not be started",
      text: [error instanceof Error ? error.message : String(error)],
      actions: [
        {
          label: "Try again",
          primary: true,
          run: () => {
            location.reload();
          },
        },
      ],
    });
    return;
  }
  await readLink();
}
void begin();
